package main

import (
	"strconv"
	"strings"
)

// seedsTried is how many lives of the simulation a breakage is given to show itself.
const seedsTried = 60

// notModelled are the folders and files that the simulation does not run.
var notModelled = []string{
	"extension/popup/", "extension/options/", "extension/linkedin/walker.js", "extension/linkedin/reader.js", "extension/linkedin/selectors.js",
	"server/app/", "server/config/", "server/console/", "server/instance/", "server/metrics/", "server/postgres/local/", "server/main.go",
	"server/serve.go", "server/postgres/migrations/00014_arming.sql", "bench/", "e2e/", "house/", "shared/", "parity/",
}

// inSimulation gives the breakage to the simulation, in place of its own test. false: it is of something that is not
// simulated.
func inSimulation(m mutant, seeds int) (mutant, bool) {
	for _, path := range notModelled {
		if strings.HasPrefix(m.file, path) {
			return m, false
		}
	}
	m.test = []string{
		"go", "test", "-vet=off", "-count=1", "-timeout", "600s", "-run", "TestSeeds", "./parity/sim",
		"-args", "-until-broken", "-seeds", strconv.Itoa(seeds),
	}
	m.explained = ""
	return m, true
}
