package main

import "slices"

// mutant is one deliberate breakage: in file, find (which stands there once) becomes replace. test must notice.
type mutant struct {
	name    string
	breaks  string // the promise it breaks, for people
	file    string
	find    string
	replace string
	test    []string
	// explained names the test in raw SQL that witnesses the guard, when no other can. At most three may be explained.
	explained string
	// behind are the lines of defence that are broken with it. isControl: they are broken alone, and nothing may notice.
	behind    []edit
	isControl bool
}

// edit is one change of a file: find, which stands there once, becomes replace.
type edit struct{ file, find, replace string }

func (m mutant) edits() []edit {
	return append([]edit{{m.file, m.find, m.replace}}, m.behind...)
}

func all() []mutant {
	return slices.Concat(databaseMutants(), serverMutants(), armingMutants(), incidentMutants(), extensionMutants(), browserMutants(), strangerMutants(),
		operationMutants(), intentMutants(), approvalMutants(), policyMutants(), idempotencyMutants(), receiptMutants(), callbackMutants(),
		eventMutants(), eventTruthMutants(), eventReaderMutants(), openapiMutants(), sandboxMutants(), agentMutants(), observedMutants(),
		contactMutants(), claimMutants(), mergeMutants(), removalMutants(), limitsMutants(), countMutants(), hoursMutants(), templateMutants(), fileMutants(), importMutants(), fileTraceMutants(), sequenceMutants(), stepMutants(), enrolmentMutants(), hadMutants(), mergeTakingMutants(), answerMutants())
}

func goTest(run string, packages ...string) []string {
	return append([]string{"go", "test", "-vet=off", "-count=1", "-timeout", "240s", "-run", run}, packages...)
}

func nodeTest(files ...string) []string { return append([]string{"node", "--test"}, files...) }
