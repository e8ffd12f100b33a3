// The command bench measures what the safety costs, against the raw durable commit of the same Postgres in the same run:
// the memory of an idle connected install and the CPU that 100 of them take; then the time from asking for a start to its
// acknowledgement, over real websockets on loopback, with 1 and with 64 installs; then messages made under keys on 64
// connections, against bare inserts of as many bytes.
//
// Machines are noisy, so the two sides take turns and only their ratio means something. The exit code is not 0 when a goal
// is missed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

// The goals, as ratios of medians or as amounts.
const (
	startRatioMax     = 3.0
	idleBytesMax      = 16 << 10
	idleCPUPercentMax = 0.5
	insertRatioMax    = 2.0
	replayRatioMax    = 1.5
)

// goals gathers what was missed.
type goals struct{ missed []string }

func (g *goals) hold(what string, got, most float64, unit string) {
	verdict := "ok"
	if got > most {
		verdict = "MISSED"
		g.missed = append(g.missed, what)
	}
	fmt.Printf("  %-46s %8.2f %s (at most %.2f) %s\n", what, got, unit, most, verdict)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	fmt.Println("building and starting a server on its own Postgres, with durable settings ...")
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var g goals
	// Before any load: what a load leaves behind is not the cost of being idle.
	if err := measureIdle(ctx, w, &g); err != nil {
		return fmt.Errorf("idle installs: %w", err)
	}
	for _, installs := range []int{1, 64} {
		if err := measureStarts(ctx, w, installs, &g); err != nil {
			return fmt.Errorf("starts with %d installs: %w", installs, err)
		}
	}
	if err := measureCreates(ctx, w, &g); err != nil {
		return fmt.Errorf("creates under keys: %w", err)
	}
	if len(g.missed) > 0 {
		return fmt.Errorf("missed: %v", g.missed)
	}
	return nil
}
