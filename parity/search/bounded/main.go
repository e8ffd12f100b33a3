// The command bounded searches the protocol, breadth first: without each of the four rules it must find two copies, and
// with all none. STATES=n is how many states it looks at with all of them, in each of several bounds. UPDATE=1 writes what it
// found to docs/proof.md.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"sendonce/house/proof"
	"sendonce/parity/search"
)

// part is the part of docs/proof.md that this command writes.
var part = proof.Part{Name: "bounded search", Command: "UPDATE=1 make search"}

const columns = `| without | within | states | depth | two copies |
|---|---|---|---|---|
`

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bounded:", err)
		os.Exit(1)
	}
}

func run() error {
	states := search.StatesWithAll
	if asked := os.Getenv("STATES"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 {
			return fmt.Errorf("STATES=%s: say how many states, like %d", asked, search.StatesWithAll)
		}
		states = n
	}
	table := columns
	fmt.Println(search.LeftOut)
	tell := func(r search.Result) { fmt.Println("   ", r) }
	for _, without := range search.Rules() {
		fmt.Printf("\nwithout the %s (%s)\n", without.Name, without.Says)
		r, err := search.Run(without, without.Within, tell)
		if err != nil {
			return err
		}
		if r.Path == nil {
			return fmt.Errorf("no two copies without the %s: %s", without.Name, r)
		}
		fmt.Printf("    two copies after %s\n%s", r, r.Story())
		table += line("the "+without.Name, without.Within, r)
	}
	for _, bounds := range withAll() {
		bounds.States = states
		fmt.Printf("\nwith all four: %s\n", bounds)
		r, err := search.Run(nil, bounds, tell)
		if err != nil {
			return err
		}
		if r.Path != nil {
			return fmt.Errorf("two copies with all four rules, after %s\n%s", r, r.Story())
		}
		fmt.Printf("    none with two copies in %s\n", r)
		table += line("no rule", bounds, r)
	}
	if os.Getenv("UPDATE") == "" {
		return nil
	}
	return part.Write(table)
}

// line says what a search came to.
func line(without string, bounds search.Bounds, r search.Result) string {
	states, copies := fmt.Sprint(r.States), "none"
	if r.Exhausted {
		states += ", there are no others"
	}
	if r.Path != nil {
		copies = fmt.Sprintf("after %d steps", len(r.Path))
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %s |\n", without, bounds, states, r.Depth, copies)
}

// withAll are the bounds in which two copies appear without a rule, and wider ones.
func withAll() []search.Bounds {
	var all []search.Bounds
	for _, rule := range search.Rules() {
		if !slices.Contains(all, rule.Within) {
			all = append(all, rule.Within)
		}
	}
	return append(all, search.Whole)
}
