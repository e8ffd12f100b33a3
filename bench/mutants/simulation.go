package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// seedsTried: a breakage that the simulation can see is seen in seeds 1 to this one.
const seedsTried = 60

// worldsAtOnce is more than there are processors: a world waits for Postgres for a third of its time.
const worldsAtOnce = 6

// notModelled are the folders and files that the simulation does not run.
var notModelled = []string{
	"extension/popup/", "extension/options/", "extension/linkedin/walker.js", "extension/linkedin/reader.js", "extension/linkedin/selectors.js",
	"server/api/openapi/", "server/app/", "server/config/", "server/console/", "server/instance/", "server/metrics/", "server/postgres/local/", "server/main.go",
	"server/serve.go", "server/postgres/migrations/00014_arming.sql", "server/postgres/migrations/00032_instance_purpose.sql",
	"server/template/", "server/imports/", "server/csv/", "server/sandbox/", "server/agent/", "client/", "server/receipt/", "server/auth/receipt_keys.go",
	"server/postgres/db/receipt.sql.go", "server/event/watch.go", "server/api/event_stream.go", "docs/", "bench/", "e2e/", "house/", "shared/", "parity/",
}

// outside says of a breakage why it is of nothing that the simulation models, or "".
func outside(m mutant) string {
	for _, path := range notModelled {
		if strings.HasPrefix(m.file, path) {
			return "the simulation does not run " + path
		}
	}
	return notSimulated[m.name]
}

// bySimulation is the breakage with the simulation as its test.
func bySimulation(m mutant) mutant {
	m.test = []string{
		"go", "test", "-vet=off", "-count=1", "-timeout", "600s", "-run", "TestSeeds", "./parity/sim",
		"-parallel", strconv.Itoa(worldsAtOnce), "-args", "-until-broken", "-seeds", strconv.Itoa(seedsTried),
	}
	m.explained, m.behind = "", append(m.behind, brokenWith(m.name)...)
	return m
}

// inSimulation gives those breakages whose name holds one of the words to the simulation that it models and can see. It lists the
// others with why.
func inSimulation(only string) []mutant {
	var given []mutant
	unseen := 0
	for _, m := range all() {
		switch {
		case !m.isNamed(only):
		case outside(m) != "":
			fmt.Printf("outside   %-34s %s\n", m.name, outside(m))
		case cannotSee[m.name] != "":
			unseen++
			fmt.Printf("unseen    %-34s %s\n", m.name, cannotSee[m.name])
		default:
			given = append(given, bySimulation(m))
		}
	}
	fmt.Printf("%d are given to the simulation, %d it cannot see\n", len(given), unseen)
	return append(controls(given), given...)
}

// ofOwnTests are the breakages whose name holds one of the words, each with its own test.
func ofOwnTests(only string) []mutant {
	return slices.DeleteFunc(all(), func(m mutant) bool { return !m.isNamed(only) })
}

// isNamed says whether the name holds one of the words, which commas part. No word is in every name.
func (m mutant) isNamed(words string) bool {
	return slices.ContainsFunc(strings.Split(words, ","), func(word string) bool { return strings.Contains(m.name, word) })
}
