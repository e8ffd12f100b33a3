// The command mutants applies deliberate breakages of the guards, one at a time, to a copy of the tree, runs the tests
// that should notice, and says which did. A breakage that no test notices is a survivor, and the exit code is not 0.
//
// With LIST=1 it prints the breakages, one a line, and runs nothing. With ONLY=word,word it runs those whose name holds
// one of them. With BY=simulation the simulation is given each, in place of its own test: its seed that breaks is the witness.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"sendonce/server/postgres/pgtest"
)

func main() {
	if os.Getenv("LIST") != "" {
		for _, m := range all() {
			fmt.Printf("%s: %s\n", m.name, m.breaks)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	survivors, err := run(ctx, os.Getenv("ONLY"))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if survivors > 0 {
		fmt.Printf("%d survived\n", survivors)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string) (survivors int, err error) {
	cluster, err := pgtest.StartCluster(ctx)
	if err != nil {
		return 0, fmt.Errorf("start a Postgres for the tests: %w", err)
	}
	defer func() { err = firstError(err, cluster.Stop()) }()
	tree, err := copyTree(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = firstError(err, tree.remove()) }()
	caught := 0
	mutants := ofOwnTests(only)
	if os.Getenv("BY") == "simulation" {
		mutants = inSimulation(only)
	}
	for _, m := range mutants {
		begun := time.Now()
		witness, err := tree.try(ctx, m, cluster.AdminURL())
		if ctx.Err() != nil {
			return survivors, ctx.Err()
		}
		if err != nil { // one that proves nothing keeps none of the others from being tried
			survivors++
			fmt.Printf("UNTRIED   %-34s %v\n", m.name, err)
			continue
		}
		took := time.Since(begun).Round(time.Second)
		switch {
		case m.isControl && witness == "":
			fmt.Printf("kept      %s (%s)\n", m.name, took)
		case m.isControl:
			survivors++
			fmt.Printf("BROKEN    %s by %s: what is broken with it proves nothing (%s)\n", m.name, witness, took)
		case witness != "":
			caught++
			fmt.Printf("caught    %-34s by %s (%s)\n", m.name, witness, took)
		case m.explained != "":
			fmt.Printf("explained %-34s %s (%s)\n", m.name, m.explained, took)
		default:
			survivors++
			fmt.Printf("SURVIVED  %-34s %s (%s)\n", m.name, m.breaks, took)
		}
	}
	fmt.Printf("%d caught, %d survived\n", caught, survivors)
	return survivors, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
