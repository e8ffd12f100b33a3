package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/house/proof"
)

// chaosFault is a real fault, and when it strikes: a step of a send's life, or another word.
type chaosFault struct {
	name string
	when []string
}

// The faults, as docs/proof.md names them.
const (
	killsServer   = "kill -9 of the server"
	killsPostgres = "kill -9 of Postgres, then started again"
	killsChromium = "kill -9 of Chromium, then started again"

	endsListen        = "the `LISTEN` connection is terminated"
	restartsUnder     = "Postgres restarts under load"
	stopsServer       = "the server restarts, 1,000 installs return"
	crashesServer     = "kill -9 of the server, 1,000 installs return"
	freezesSocket     = "a socket that only looks open"
	jumpsClock        = "the database's clock jumps an hour ahead"
	restoresOlder     = "the database is restored to a minute ago"
	fillsDisk         = "Postgres has no room left on its disk"
	poolsTransactions = "PgBouncer pools transactions, `LISTEN` goes past it"
	losesPrimary      = "the primary is lost, its synchronous standby promoted"
)

// When faults strike that know no exact step.
const (
	onOther     = "right before an approval on another server"
	atWork      = "while scripted installs are at work"
	leaseGiven  = "a lease was given, not started"
	startAcked  = "a start was acknowledged, not clicked"
	alreadySent = "to before a send's start, which was sent"
	// stillUnreported: its request is in flight, and its report comes to a database that knows nothing of its lease.
	stillUnreported = "to before a send's start, whose report is still to come"
)

// chaosSteps are the steps of a send's life at which something is killed.
var chaosSteps = []step{
	atLease, atStart, atStarted, atTab, atProfile, atResolved, atProceed, atLoaded, atTyped, atPoised, atGo, atRequest, atLook,
	atReport, atRecorded, atGone,
}

// chaosFaults are all real faults, in the order of the document.
func chaosFaults() []chaosFault {
	var steps []string
	for _, at := range chaosSteps {
		steps = append(steps, at.name)
	}
	return []chaosFault{
		{killsServer, steps},
		{killsPostgres, steps},
		{killsChromium, steps},
		{endsListen, []string{onOther}},
		{restartsUnder, []string{atWork}},
		{stopsServer, []string{atWork}},
		{crashesServer, []string{atWork}},
		{freezesSocket, []string{leaseGiven, startAcked}},
		{jumpsClock, []string{leaseGiven, startAcked}},
		{restoresOlder, []string{alreadySent, stillUnreported}},
		{fillsDisk, []string{atWork}},
		{poolsTransactions, []string{atWork}},
		{losesPrimary, []string{leaseGiven, startAcked}},
	}
}

// chaosKey begins the document's line of a fault.
func chaosKey(fault, when string) string { return "| " + fault + " | " + when + " |" }

// chaosPart is the part of docs/proof.md that the faults have.
var chaosPart = proof.Part{Name: "real faults", Command: "UPDATE=1 make chaos"}

// chaosColumns is the head of the table.
const chaosColumns = `| fault | when | times | sends | ledger copies | browser copies | page copies | duplicates | lost | unconfirmed before checks | after checks | left to a person | clicks each | also seen |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

// The places of the cells that must be 0, counted from the bar that begins the line.
const duplicatesCell, lostCell = 8, 9

// chaosLines are the written lines of the table.
func chaosLines(t *testing.T) []string {
	t.Helper()
	return proofLines(t, chaosPart, chaosColumns)
}

// proofLines are the lines of a part of docs/proof.md that stand under the head of its table.
func proofLines(t *testing.T, part proof.Part, head string) []string {
	t.Helper()
	table, err := part.Read()
	if err != nil {
		t.Fatal(err)
	}
	body, hasHead := strings.CutPrefix(table, head)
	if !hasHead {
		t.Fatalf("the part of docs/proof.md about %s has not the head of its table", part.Name)
	}
	return strings.SplitAfter(strings.TrimSuffix(body, "\n"), "\n")
}

// Goal: the document has a line for every fault that the code knows, in its order, and each says that nothing went twice and
// nothing was lost. That this is what happens, `make chaos` shows.
func TestProofHasEveryFault(t *testing.T) {
	t.Parallel()
	lines := chaosLines(t)
	var want, got []string
	for _, fault := range chaosFaults() {
		for _, when := range fault.when {
			want = append(want, chaosKey(fault.name, when)+" 0 | 0 |")
		}
	}
	for _, line := range lines {
		cells := strings.Split(line, "|")
		if len(cells) <= lostCell {
			t.Fatalf("a line without its cells: %q", line)
		}
		zeros := "|" + cells[duplicatesCell] + "|" + cells[lostCell] + "|"
		got = append(got, strings.Join(cells[:3], "|")+zeros)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/proof.md is not what the faults ask for; UPDATE=1 make chaos writes it (-want +got):\n%s", diff)
	}
}
