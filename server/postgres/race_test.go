package postgres_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sendonce/server/rule"
)

const (
	raceRounds = 200
	raceSeed   = 20261129
	// headStartMax is how many empty round trips one side may be behind the other: enough to meet at every point.
	headStartMax = 8

	deadlock        = "40P01"
	notSerializable = "40001"
)

// The locks of the server's own operations, in the order of docs/decisions/0001-lock-order.md.
const (
	lockMessage  = `SELECT FROM messages WHERE id = '{message}' FOR NO KEY UPDATE;`
	lockSends    = `SELECT FROM sends WHERE message_id = '{message}' ORDER BY id FOR NO KEY UPDATE;`
	lockOneSend  = `SELECT FROM sends WHERE id = '{send}' FOR NO KEY UPDATE;`
	beginHot     = `BEGIN; SET LOCAL synchronous_commit = on;`
	beginCold    = `BEGIN;` + lockMessage + lockSends
	beginInsert  = `BEGIN;` + lockMessage
	byHand       = `BEGIN;`
	repeatable   = `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM sends;`
	endOfRace    = `; COMMIT`
	cancelIfMay  = `UPDATE sends SET status = 'canceled', code = 'withdrawn' WHERE id = '{send}' AND status IN ('queued', 'leased')`
	startIfMay   = `UPDATE sends SET status = 'started', attempt = 'attempt-0123456789', deadline_at = sendonce_now() + interval '6 minutes' WHERE id = '{send}' AND status = 'leased'`
	withdraw     = `UPDATE messages SET authority = 'withdrawn' WHERE id = '{message}';`
	retryOfFirst = `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		SELECT workspace_id, message_id, account_id, person_id, ordinal + 1, id, version, digest, text_hash, approval_id FROM sends WHERE id = '{send}'`
)

// racers are two connections that start at nearly the same time, in an order that a seed decides.
type racers struct {
	left, right *pgx.Conn
	seeded      *rand.Rand
	deadlocks   int
}

func newRacers(t *testing.T, w *world) *racers {
	return &racers{left: connect(t, w.db.ServerURL), right: connect(t, w.db.ServerURL), seeded: rand.New(rand.NewPCG(raceSeed, 0))}
}

// run lets both sides go and returns the SQLSTATE that each ended with, "" for success.
func (r *racers) run(t *testing.T, left, right string) (leftCode, rightCode string) {
	t.Helper()
	var both sync.WaitGroup
	gate := make(chan struct{})
	side := func(conn *pgx.Conn, wait int, sql string, code *string) {
		<-gate
		for range wait {
			_ = simply(t, conn, "SELECT 1")
		}
		var refusal *pgconn.PgError
		if err := simply(t, conn, sql); errors.As(err, &refusal) {
			*code = refusal.Code
		} else if err != nil {
			*code = err.Error()
		}
		_ = simply(t, conn, "ROLLBACK")
	}
	wait := r.seeded.IntN(2*headStartMax+1) - headStartMax
	both.Go(func() { side(r.left, max(wait, 0), left, &leftCode) })
	both.Go(func() { side(r.right, max(-wait, 0), right, &rightCode) })
	close(gate)
	both.Wait()
	for _, code := range []string{leftCode, rightCode} {
		if code == deadlock {
			r.deadlocks++
		}
	}
	return leftCode, rightCode
}

// Goal: a retry and a late confirmation that meet never leave a queued sibling beside a delivered send, at whatever point
// and under whatever isolation they meet, and in the server's lock order they never deadlock.
func TestRaceOfRetryAndLateConfirmation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	race := newRacers(t, w)
	insertBegins := []string{beginInsert, byHand, repeatable}
	confirmBegins := []string{beginCold, byHand, repeatable}
	retried, refused := 0, 0
	for round, raced := range w.sendsIn(t, raceRounds, rule.Failed) {
		m, send := raced.message, raced.send
		insert := insertBegins[round%3] + retryOfFirst + endOfRace
		confirm := confirmBegins[round/3%3] + toSent + endOfRace
		inserted, confirmed := race.run(t, w.fill(insert, send, "{message}", m.id), w.fill(confirm, send, "{message}", m.id))
		if inserted != "" && inserted != "SO009" && inserted != notSerializable {
			t.Errorf("round %d: the retry ended with %s", round, inserted)
		}
		if confirmed != "" && confirmed != notSerializable {
			t.Errorf("round %d: the confirmation was refused with %s", round, confirmed)
		}
		if inserted == "" {
			retried++
		} else {
			refused++
		}
	}
	left := w.list(t, `SELECT b.id::text FROM sends a JOIN sends b USING (message_id) WHERE a.status = 'sent' AND b.status IN ('queued', 'leased')`)
	if len(left) != 0 {
		t.Errorf("%d queued sends stand beside a delivered one", len(left))
	}
	requireNoDeadlock(t, race)
	if retried == 0 || refused == 0 {
		t.Errorf("%d retried, %d refused: the two never met", retried, refused)
	}
}

// Goal: of two retries at once exactly one is made.
func TestRaceOfTwoRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	race := newRacers(t, w)
	begins := []string{beginInsert, byHand, repeatable}
	for round, raced := range w.sendsIn(t, raceRounds, rule.Failed) {
		insert := w.fill(begins[round%3]+retryOfFirst+endOfRace, raced.send, "{message}", raced.message.id)
		left, right := race.run(t, insert, insert)
		if (left == "") == (right == "") {
			t.Errorf("round %d: the retries ended with %q and %q, want one made", round, left, right)
		}
	}
	if got := w.list(t, "SELECT message_id::text FROM sends GROUP BY message_id HAVING count(*) <> 2"); len(got) != 0 {
		t.Errorf("%d messages have another number of sends than 2", len(got))
	}
	requireNoDeadlock(t, race)
}

// Goal: of a start and a withdrawal exactly one wins, and they never deadlock.
func TestRaceOfStartAndWithdrawal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	race := newRacers(t, w)
	for round, raced := range w.sendsIn(t, raceRounds, rule.Leased) {
		m, send := raced.message, raced.send
		racing := []string{
			w.fill(beginHot+lockOneSend+startIfMay+endOfRace, send),
			w.fill(beginCold+withdraw+cancelIfMay+endOfRace, send, "{message}", m.id),
		}
		if round%2 == 1 { // one that always goes first may always win
			slices.Reverse(racing)
		}
		if left, right := race.run(t, racing[0], racing[1]); left != "" || right != "" {
			t.Errorf("round %d: the start and the withdrawal ended with %q and %q", round, left, right)
		}
	}
	requireNoDeadlock(t, race)
	won := w.list(t, "SELECT to_status FROM send_events WHERE from_status = 'leased' GROUP BY to_status ORDER BY to_status")
	if diff := cmp.Diff([]string{string(rule.Canceled), string(rule.Started)}, won); diff != "" {
		t.Errorf("the two never met: %s", diff)
	}
	if moves := w.one(t, "SELECT count(*)::text FROM send_events WHERE from_status = 'leased'"); moves != strconv.Itoa(raceRounds) {
		t.Errorf("%d leased sends made %s moves", raceRounds, moves)
	}
}

// Goal: two confirmations of two sends of one message at once, with a copy each, always open one incident: typed without
// any lock, as well as in the server's order.
func TestRaceOfTwoDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	race := newRacers(t, w)
	begins := []string{byHand, beginCold}
	for round, raced := range w.sendsIn(t, raceRounds, rule.Failed) {
		m, first := raced.message, raced.send
		second, retry := w.newSend(m, 2, first)
		w.run(t, second, retry, toLeased, toStarted)
		left, right := race.run(t,
			w.fill(begins[round%2]+toSent+";"+strings.ReplaceAll(deliver, "{copy}", "first of "+first)+endOfRace, first, "{message}", m.id),
			w.fill(beginHot+lockOneSend+toSent+";"+strings.ReplaceAll(deliver, "{copy}", "second of "+first)+endOfRace, second))
		if left != "" || right != "" {
			t.Errorf("round %d: evidence was refused with %q, %q", round, left, right)
		}
	}
	if got := w.one(t, "SELECT count(*)::text FROM incidents WHERE kind = 'delivered_twice' AND count = 1"); got != strconv.Itoa(raceRounds) {
		t.Errorf("%s messages have their incident, want %d", got, raceRounds)
	}
	requireNoDeadlock(t, race)
}

// Goal: a transaction with an old snapshot cannot decide without what was committed since: without the writing trigger
// it would leave a queued send beside a delivered one.
func TestOldSnapshots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := connect(t, w.db.ServerURL)
	snapshot := "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM sends"

	_, confirmedSend := w.sendIn(t, rule.Failed)
	exec(t, old, snapshot)
	w.run(t, confirmedSend, toSent)
	requireRefused(t, attack{code: notSerializable, says: "could not serialize"}, simply(t, old, w.fill(retryOfFirst, confirmedSend)))
	exec(t, old, "ROLLBACK")

	confirmLate := func() error {
		m, first := w.sendIn(t, rule.Failed)
		exec(t, old, snapshot)
		w.retry(t, m, 2, first)
		defer exec(t, old, "ROLLBACK")
		return simply(t, old, w.fill(toSent, first))
	}
	requireRefused(t, attack{code: notSerializable, says: "could not serialize"}, confirmLate())
	exec(t, w.admin, dropTrigger("d_born", "sends"))
	if err := confirmLate(); err != nil {
		t.Errorf("refused without the trigger as well, so something else stands: %v", err)
	}
}

func requireNoDeadlock(t *testing.T, race *racers) {
	t.Helper()
	if race.deadlocks != 0 {
		t.Errorf("%d deadlocks in %d rounds, want none", race.deadlocks, raceRounds)
	}
}
