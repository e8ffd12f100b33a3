package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sendonce/server/rule"
)

// confirmAs records one copy and moves the send to sent, as a confirmation does.
func (w *world) confirmAs(t *testing.T, send, copied string) {
	t.Helper()
	w.run(t, send, toSent, strings.ReplaceAll(deliver, "{copy}", copied))
}

func (w *world) incidents(t *testing.T, m message) []string {
	t.Helper()
	return w.list(t, "SELECT kind || ' ' || count FROM incidents WHERE message_id = $1 ORDER BY kind", m.id)
}

func (w *world) list(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	rows, err := w.hand.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// Goal: a whole life is accepted, and the database writes its history and its times.
func TestWholeLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, send := w.sendIn(t, rule.Queued)
	w.run(t, send, toLeased, `UPDATE sends SET status = 'queued' WHERE id = '{send}'`, toLeased, toStarted, toUnconfirmed, gone)
	w.forward(t, 17*time.Minute)
	w.run(t, send, resolutionOf("false"), `UPDATE sends SET status = 'failed', code = 'resolved_not_delivered' WHERE id = '{send}'`, toSent)
	want := []string{
		"-queued", "queued-leased", "leased-queued", "queued-leased", "leased-started", "started-unconfirmed",
		"unconfirmed-unconfirmed", "unconfirmed-failed", "failed-sent",
	}
	got := w.list(t, "SELECT coalesce(from_status, '') || '-' || to_status FROM send_events WHERE send_id = $1 ORDER BY id", send)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	stamps := w.one(t, `SELECT (leased_at <= started_at AND started_at <= ended_at AND ended_at < vacated_at AND vacated_at <= confirmed_at
		AND gone_at IS NOT NULL AND code = 'confirmed' AND due_at = 'infinity')::text FROM sends WHERE id = $1`, send)
	if stamps != "true" {
		t.Errorf("the times are out of order: %s", w.one(t, "SELECT to_jsonb(s)::text FROM sends s WHERE id = $1", send))
	}
}

// Goal: evidence is never refused: a confirmation wins over every status and clears the error.
func TestLateConfirmationFromEveryStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, from := range rule.Statuses() {
		if from == rule.Sent {
			continue
		}
		_, send := w.sendIn(t, from)
		w.run(t, send, confirmation, `UPDATE sends SET status = 'sent', confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = '{send}') WHERE id = '{send}'`)
		got := w.one(t, "SELECT concat_ws(' ', status, code, reason, due_at) FROM sends WHERE id = $1", send)
		if want := "sent confirmed infinity"; got != want {
			t.Errorf("confirmed from %s: %s, want %s", from, got, want)
		}
	}
}

// Goal: a later confirmation of a sent send only adds a row.
func TestMoreEvidenceOnSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, send := w.sendIn(t, rule.Sent)
	before := w.one(t, "SELECT to_jsonb(s)::text FROM sends s WHERE message_id = $1", m.id)
	w.run(t, send, confirmation)
	if after := w.one(t, "SELECT to_jsonb(s)::text FROM sends s WHERE message_id = $1", m.id); after != before {
		t.Errorf("the row changed:\n%s\n%s", before, after)
	}
}

// Goal: retries follow a failed and a canceled send, and only the latest one.
func TestRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, first := w.sendIn(t, rule.Failed)
	second := w.retry(t, m, 2, first)
	w.run(t, second, toCanceled)
	third := w.retry(t, m, 3, second)
	w.run(t, third, toLeased, toStarted, toSent)
	got := w.list(t, "SELECT status FROM sends WHERE message_id = $1 ORDER BY ordinal", m.id)
	if diff := cmp.Diff([]string{string(rule.Failed), string(rule.Canceled), string(rule.Sent)}, got); diff != "" {
		t.Error(diff)
	}
}

// Goal: a late confirmation cancels the sibling that has not begun, as Sendonce itself, whoever brought the confirmation;
// the sibling's history says so.
func TestLateConfirmationCancelsSibling(t *testing.T) {
	t.Parallel()
	for _, status := range []rule.Status{rule.Queued, rule.Leased} {
		w := newWorld(t)
		m, first := w.sendIn(t, rule.Failed)
		second := w.retry(t, m, 2, first)
		w.run(t, second, lives[status]...)
		w.run(t, first, toSent)
		got := w.list(t, "SELECT concat_ws(' ', from_status, to_status, code, actor, written_by) FROM send_events WHERE send_id = $1 ORDER BY id DESC LIMIT 1", second)
		if diff := cmp.Diff([]string{string(status) + " canceled sibling_exists server sendonce_server"}, got); diff != "" {
			t.Error(diff)
		}
		if got := w.one(t, "SELECT actor FROM send_events WHERE send_id = $1 ORDER BY id DESC LIMIT 1", first); got != "sql" {
			t.Errorf("the confirmation's own actor is %s, want sql", got)
		}
		if w.one(t, "SELECT (delivered_at IS NOT NULL)::text FROM messages WHERE id = $1", m.id) != "true" {
			t.Error("the message does not say that it was delivered")
		}
	}
}

// Goal: what has begun stays as it is beside a late confirmation; its own end decides whether there were two deliveries.
func TestLateConfirmationLeavesWhatBegan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, first := w.sendIn(t, rule.Failed)
	second := w.retry(t, m, 2, first)
	w.run(t, second, toLeased, toStarted)
	w.confirmAs(t, first, "one")
	if got := w.statusOf(t, second); got != rule.Started {
		t.Errorf("the started sibling is %s", got)
	}
	if got := w.incidents(t, m); len(got) != 0 {
		t.Errorf("one delivery opened %v", got)
	}
	w.confirmAs(t, second, "two")
	if diff := cmp.Diff([]string{"delivered_twice 1"}, w.incidents(t, m)); diff != "" {
		t.Error(diff)
	}
}

// Goal: two sends that saw the same copy share one delivery, and that is no incident.
func TestSharedDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, first := w.sendIn(t, rule.Failed)
	second := w.retry(t, m, 2, first)
	w.run(t, second, toLeased, toStarted)
	w.confirmAs(t, second, "one")
	w.confirmAs(t, first, "one")
	if got := w.incidents(t, m); len(got) != 0 {
		t.Errorf("a shared delivery opened %v", got)
	}
	if got := w.one(t, "SELECT count(DISTINCT delivery_id) || ' by ' || count(*) FROM delivery_sends d JOIN sends s ON s.id = d.send_id WHERE s.message_id = $1", m.id); got != "1 by 2" {
		t.Errorf("deliveries: %s, want 1 by 2", got)
	}
}

// Goal: two copies from one send are the browser's, from two sends ours; each opens one incident with a count.
func TestTwoCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alone, send := w.sendIn(t, rule.Started)
	w.confirmAs(t, send, "one")
	w.run(t, send, strings.ReplaceAll(deliver, "{copy}", "two"), strings.ReplaceAll(deliver, "{copy}", "three"))
	if diff := cmp.Diff([]string{"browser_repeated 2"}, w.incidents(t, alone)); diff != "" {
		t.Error(diff)
	}

	twice, first := w.sendIn(t, rule.Failed)
	second := w.retry(t, twice, 2, first)
	w.run(t, second, toLeased, toStarted)
	w.confirmAs(t, second, "four")
	w.confirmAs(t, first, "five")
	w.run(t, first, strings.ReplaceAll(deliver, "{copy}", "five")) // said again
	if diff := cmp.Diff([]string{"delivered_twice 1"}, w.incidents(t, twice)); diff != "" {
		t.Error(diff)
	}
}

// Goal: a hand's legal move is written down as a hand's, with the session's user; the server's with what it said.
func TestHistorySaysWho(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, send := w.sendIn(t, rule.Queued)
	w.run(t, send, `BEGIN; SET LOCAL sendonce.actor = 'server'; SET LOCAL sendonce.principal = '{principal}'; `+toLeased+`; COMMIT`, toStarted)
	if err := simply(t, w.admin, w.fill(toUnconfirmed, send)); err != nil {
		t.Fatal(err)
	}
	got := w.list(t, "SELECT concat_ws(' ', actor, written_by, principal_id) FROM send_events WHERE send_id = $1 ORDER BY id", send)
	admin := one(t, w.admin, "SELECT session_user::text")
	want := []string{"sql sendonce_server", "server sendonce_server " + w.principal, "sql sendonce_server", "sql " + admin}
	if !slices.Equal(got, want) {
		t.Errorf("history says %v, want %v", got, want)
	}
}

// Goal: a rate limit's next send is asked for with its failure, and a confirmation takes that back.
func TestRequeueEndsWithConfirmation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, send := w.sendIn(t, rule.Started)
	w.run(t, send, proof, `UPDATE sends SET status = 'failed', code = 'rate_limited', requeue_at = sendonce_now() WHERE id = '{send}'`, toSent)
	if got := w.one(t, "SELECT coalesce(requeue_at::text, 'none') FROM sends WHERE id = $1", send); got != "none" {
		t.Errorf("the confirmed send is to be requeued at %s", got)
	}
}
