// The command bounded searches the protocol, breadth first: without each of the four rules it must find two copies, and
// with all none. STATES=n is how many states it looks at with all of them, in each of several bounds.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"sendonce/parity/search"
)

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
	}
	return nil
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
