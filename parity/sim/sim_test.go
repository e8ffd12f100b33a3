package sim_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"sendonce/house/proof"
	"sendonce/parity/sim"
	"sendonce/server/postgres/pgtest"
)

// By default a sample that a change can wait for; make sim asks for more.
var (
	first  = flag.Uint64("seed", 1, "the first seed")
	seeds  = flag.Uint64("seeds", 8, "how many seeds")
	events = flag.Int("events", 200, "events of each world with faults; about as many follow in its quiet end")
	until  = flag.Bool("until-broken", false, "begin no more worlds once one has broken a promise")
	tells  = flag.Bool("tell", false, "tell the timelines of worlds that kept their promises as well")
)

// toldEvery: after so many worlds a line says how far it is.
const toldEvery = 25

const (
	// seedsForAFloor: of fewer worlds one may be without a click.
	seedsForAFloor = 4
	// seedsForAll: in so many worlds everything is seen that must be seen sometimes.
	seedsForAll = 400
)

// figures is the part of docs/proof.md that a large run writes.
var figures = proof.Part{Name: "simulation", Command: "UPDATE=1 make sim"}

func TestMain(m *testing.M) { pgtest.Main(m) }

// Goal: whatever a seed has happen, every promise is kept, and once faults end everything comes to rest. A seed that
// breaks one is told as a timeline.
func TestSeeds(t *testing.T) {
	t.Parallel()
	scripts, begun := sim.NewScripts(nil), time.Now()
	var mu sync.Mutex
	var all sim.Total
	t.Run("worlds", func(t *testing.T) {
		for seed := *first; seed < *first+*seeds; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				enough := *until && all.Broken > 0
				mu.Unlock()
				if enough {
					t.Skip("another world has broken a promise")
				}
				r := sim.Run(t, scripts, sim.Options{Seed: seed, Events: *events})
				if *tells || len(r.Broken) > 0 {
					t.Logf("the life of seed %d:\n%s", seed, strings.Join(r.Story, "\n"))
				}
				if len(r.Broken) > 0 {
					t.Errorf("seed %d broke:\n%s", seed, strings.Join(r.Broken, "\n"))
				}
				mu.Lock()
				defer mu.Unlock()
				if all.Add(r); all.Worlds%toldEvery == 0 {
					fmt.Printf("%d of %d worlds, %d broke a promise\n", all.Worlds, *seeds, all.Broken)
				}
			})
		}
	})
	fmt.Print(all)
	// A simulation in which nothing happens keeps every promise.
	if *seeds >= seedsForAFloor && (all.Counts.Clicks < all.Worlds || all.Counts.Copies < all.Worlds) {
		t.Errorf("in %d worlds Send was pressed %d times", all.Worlds, all.Counts.Clicks)
	}
	if *seeds < seedsForAll {
		return
	}
	for _, unseen := range all.Unseen() {
		t.Errorf("in %d worlds this was never seen: %s", all.Worlds, unseen)
	}
	if os.Getenv("UPDATE") == "" || t.Failed() {
		return
	}
	took := time.Since(begun).Round(time.Second)
	if err := figures.Write(fmt.Sprintf("Seeds %d to %d, in %s:\n\n```\n%s```\n", *first, *first+*seeds-1, took, all)); err != nil {
		t.Fatal(err)
	}
}

// Goal: a seed lives the same life again, so that what broke can be looked at.
func TestASeedLivesTheSameLifeAgain(t *testing.T) {
	t.Parallel()
	scripts := sim.NewScripts(nil)
	one := sim.Run(t, scripts, sim.Options{Seed: *first, Events: *events})
	other := sim.Run(t, scripts, sim.Options{Seed: *first, Events: *events})
	if one.Told != other.Told {
		t.Errorf("seed %d lived two lives, which part at\n%s", *first, parting(one.Story, other.Story))
	}
}

// parting is where two timelines differ, with what came before.
func parting(one, other []string) string {
	const before = 12
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return strings.Join(one[max(0, i-before):i], "\n") + "\n  one: " + one[i] + "\nother: " + other[i]
		}
	}
	return "a line that is no longer kept"
}
