package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sendonce/server/rule"
)

// attack is something that a hand at a prompt, with the server's role, tries on a send.
//
// In its SQL {send} and {message} are the target and its message; {spare} is an approved message without a send, with
// {spare_approval}, {spare_digest} and {spare_hash}; {stranger} is a started send of another message.
type attack struct {
	name string
	// in is the status that the target is legally brought to, by way of the statements in before.
	in     rule.Status
	before string
	sql    string
	// code is the SQLSTATE of the refusal, says a part of its message and hint a part of what to do instead. Where only the
	// separation of roles refuses, it is Postgres that speaks, without a hint.
	code, says, hint string
}

// attacks is every attack, by theme in the files attack_*_test.go.
func attacks() []attack {
	return slices.Concat(writerAttacks, moveAttacks, birthAttacks, columnAttacks, evidenceAttacks, ledgerAttacks, incidentAttacks, shadowAttacks, roleAttacks, instanceAttacks, messageAttacks, intentAttacks, keyAttacks, observationAttacks, purposeAttacks, peopleAttacks, paceAttacks, sequenceAttacks)
}

// Goal: each attack is refused with the rule it breaks and what to do instead, and leaves the rows and the history as
// they were.
func TestAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, stranger := w.sendIn(t, rule.Started)
	attacker := connect(t, w.db.ServerURL)
	seen := map[string]bool{}
	for _, a := range attacks() {
		if seen[a.name] {
			t.Errorf("two attacks are called %q", a.name)
		}
		seen[a.name] = true
		t.Run(a.name, func(t *testing.T) {
			target := w.target(t, a, stranger)
			before := w.state(t, target.message)
			err := w.try(t, attacker, a, target)
			requireRefused(t, a, err)
			if after := w.state(t, target.message); after != before {
				t.Errorf("the attack was refused and changed the rows all the same:\n%s\n%s", before, after)
			}
		})
	}
}

type target struct {
	message, spare message
	send, stranger string
}

func (w *world) target(t *testing.T, a attack, stranger string) target {
	t.Helper()
	made := target{stranger: stranger}
	made.message, made.send = w.sendIn(t, a.in)
	if strings.Contains(a.sql, "{spare") {
		made.spare = w.message(t)
	}
	if a.before != "" {
		if err := simply(t, w.hand, w.aimed(a.before, made)); err != nil {
			t.Fatalf("%s: %v", a.before, err)
		}
	}
	return made
}

func (w *world) aimed(sql string, at target) string {
	return w.fill(sql, at.send, "{message}", at.message.id, "{approval}", at.message.approval, "{digest}", at.message.digest,
		"{hash}", at.message.textHash, "{stranger}", at.stranger, "{spare}", at.spare.id, "{spare_approval}", at.spare.approval,
		"{spare_digest}", at.spare.digest, "{spare_hash}", at.spare.textHash, "{copy}", "copy-of-"+at.send)
}

// try runs the attack, and leaves nothing of what it made of the session.
func (w *world) try(t *testing.T, conn *pgx.Conn, a attack, at target) error {
	t.Helper()
	var err error
	sql := w.aimed(a.sql, at)
	if copied, rows, ok := strings.Cut(sql, "\\copy-rows\n"); ok {
		_, err = conn.PgConn().CopyFrom(t.Context(), strings.NewReader(rows), copied)
	} else {
		err = simply(t, conn, sql)
	}
	for _, reset := range []string{"ROLLBACK", "DISCARD ALL"} {
		if err := simply(t, conn, reset); err != nil {
			t.Fatal(err)
		}
	}
	return err
}

func requireRefused(t *testing.T, a attack, err error) {
	t.Helper()
	var refusal *pgconn.PgError
	if !errors.As(err, &refusal) {
		t.Fatalf("the attack passed (%v), want %s", err, a.code)
	}
	if refusal.Code != a.code || !strings.Contains(refusal.Message, a.says) || !strings.Contains(refusal.Hint, a.hint) {
		t.Errorf("refused with %s %q, hint %q\nwant %s %q, hint %q", refusal.Code, refusal.Message, refusal.Hint, a.code, a.says, a.hint)
	}
	if strings.HasPrefix(a.code, "SO") && (a.says == "" || a.hint == "") {
		t.Error("a refusal of ours must say which rule and what to do instead; name both here")
	}
}
