// The command bounded searches the protocol, breadth first: without each of the four rules it must find two copies, and
// with all none. STATES=n is how many states it looks at with all of them.
package main

import (
	"fmt"
	"os"
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
	whole := search.Whole
	if asked := os.Getenv("STATES"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 {
			return fmt.Errorf("STATES=%s: say how many states, like %d", asked, search.Whole.States)
		}
		whole.States = n
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
	fmt.Println("\nwith all four")
	r, err := search.Run(nil, whole, tell)
	if err != nil {
		return err
	}
	if r.Path != nil {
		return fmt.Errorf("two copies with all four rules, after %s\n%s", r, r.Story())
	}
	fmt.Printf("    none with two copies in %s\n", r)
	return nil
}
