package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/event"
	"sendonce/server/rule"
)

// The statements of a message's way beside those of its send. {approval} is its standing approval.
const (
	proposeIt = `INSERT INTO messages (id, workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
		VALUES ('{message}', '{workspace}', '{account}', '{person}', 'linkedin', 'reason {message}', 'reason {message}', 1, 'proposed', '{principal}');
		INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by)
		VALUES ('{message}', 1, 'Hello Ada', '{digest}', '{hash}', '{principal}')`
	approveIt = `INSERT INTO approvals (id, message_id, version, digest, approver, expires_at)
		VALUES ('{approval}', '{message}', 1, '{digest}', '{principal}', sendonce_now() + interval '7 days');
		UPDATE messages SET authority = 'approved' WHERE id = '{message}'`
	closeIt   = `UPDATE messages SET closed_at = sendonce_now(), closed_by = '{principal}', closed_why = 'the place is taken' WHERE id = '{message}'`
	voidIt    = `UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'edited' WHERE message_id = '{message}' AND voided_at IS NULL`
	limitRate = proof + `; UPDATE sends SET status = 'failed', code = 'rate_limited', requeue_at = sendonce_now() + interval '1 minute' WHERE id = '{send}'`
	clearIt   = `UPDATE sends SET requeue_at = NULL WHERE id = '{send}'`
	retryIt   = `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		SELECT workspace_id, message_id, account_id, person_id, 2, id, version, digest, text_hash, approval_id FROM sends WHERE id = '{send}'`
	editIt = `INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by)
		SELECT message_id, 2, 'Hello again', 'sha256:' || repeat('0', 64), text_hash, created_by FROM message_versions WHERE message_id = '{message}';
		UPDATE messages SET version = 2 WHERE id = '{message}'; UPDATE messages SET authority = 'proposed' WHERE id = '{message}'`
	queueIt = `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id)
		VALUES ('{workspace}', '{message}', '{account}', '{person}', 1, 1, '{digest}', '{hash}', '{approval}')`
	rejectIt = `INSERT INTO rejections (message_id, version, digest, rejected_by) VALUES ('{message}', 1, '{digest}', '{principal}');
		UPDATE messages SET authority = 'rejected' WHERE id = '{message}'`
	revokeIt = `UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'revoked', voided_by = '{principal}'
		WHERE message_id = '{message}' AND voided_at IS NULL;
		UPDATE sends SET status = 'canceled', code = 'approval_missing' WHERE id = '{send}';
		UPDATE messages SET authority = 'proposed' WHERE id = '{message}'`
	expireIt = `UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'expired' WHERE message_id = '{message}' AND voided_at IS NULL;
		UPDATE messages SET authority = 'expired', lapses_at = NULL WHERE id = '{message}'`
	// then ends the transaction: what follows is another one.
	then = "COMMIT"

	sourceIt = `INSERT INTO callback_sources (id, workspace_id, name, created_by)
		VALUES (gen_random_uuid(), '{workspace}', 'Mailer of {message}', '{principal}')`
	joinThem = `UPDATE delivery_observations SET message_id = '{message}' WHERE message_id IS NULL`
)

// seen is a fact about the message, each time another one; joined says that its message is known from the first.
func seen(kind string, time int, joined bool) string {
	message := "NULL"
	if joined {
		message = "'{message}'"
	}
	return fmt.Sprintf(`INSERT INTO delivery_observations (workspace_id, source_id, kind, provider_id, at, said_hash, message_id)
		SELECT '{workspace}', id, '%[1]s', 'copy', now(), decode(md5('{message} %[1]s %[2]d'), 'hex'), %[3]s
		FROM callback_sources WHERE name = 'Mailer of {message}'`, kind, time, message)
}

// handWritten is a message by hand that a browser saw after the message.
func handWritten(id string, joined bool) string {
	message := "NULL"
	if joined {
		message = "'{message}'"
	}
	return fmt.Sprintf(`INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, seen_id, text_digest, at, said_hash, message_id)
		VALUES ('{workspace}', '{install}', '{account}', 'manual', 'copy', '%[1]s', 'sha256:' || repeat('0', 64), now(),
			decode(md5('{message} %[1]s'), 'hex'), %[2]s)`, id, message)
}

// change is what one transaction, or a few, do to a message with a send in a status, and the events that come of it.
type change struct {
	name string
	in   rule.Status // "" is a message that is not there yet
	do   []string
	want []string
}

var changesTold = []change{
	{"proposed", "", []string{proposeIt}, []string{"authority >proposed", "approval_requested"}},
	{"proposed and approved at once", "", []string{proposeIt, approveIt}, []string{"authority >proposed", "approved", "authority proposed>approved"}},
	{"approved by itself", "", []string{proposeIt, approveIt, queueIt}, []string{
		"authority >proposed", "approved", "authority proposed>approved", "send >queued",
	}},
	{"approved later", "", []string{proposeIt, then, approveIt, queueIt}, []string{
		"authority >proposed", "approval_requested", "approved", "authority proposed>approved", "send >queued",
	}},
	{"rejected", "", []string{proposeIt, then, rejectIt}, []string{
		"authority >proposed", "approval_requested", "authority proposed>rejected", "completed >rejected",
	}},
	{"rejected, then edited", "", []string{proposeIt, rejectIt, then, editIt}, []string{
		"authority >proposed", "authority proposed>rejected", "completed >rejected", "authority rejected>proposed", "approval_requested",
	}},
	{"revoked", rule.Queued, []string{revokeIt}, []string{
		"approval_voided revoked", "send queued>canceled approval_missing", "authority approved>proposed", "approval_requested",
	}},
	{"its whole life", rule.Queued, []string{toLeased, toStarted, toSent}, []string{
		"send queued>leased", "send leased>started", "send started>sent confirmed", "completed >sent confirmed",
	}},
	{"what is no move", rule.Started, []string{gone}, nil},
	{"it waits longer", rule.Queued, []string{"UPDATE sends SET waiting_for = 'too_early' WHERE id = '{send}'"}, nil},
	{"needs a look", rule.Started, []string{toUnconfirmed}, []string{"send started>unconfirmed no_answer", "completed >unconfirmed no_answer"}},
	{"settled late", rule.Unconfirmed, []string{toSent}, []string{"send unconfirmed>sent confirmed", "completed >sent confirmed"}},
	{"settled in the same transaction", rule.Started, []string{toUnconfirmed, toSent}, []string{
		"send started>unconfirmed no_answer", "send unconfirmed>sent confirmed", "completed >sent confirmed",
	}},
	{"failed", rule.Started, []string{toFailed, gone}, []string{"send started>failed refused_by_provider", "completed >failed refused_by_provider"}},
	{"failed, and a machine goes on", rule.Started, []string{limitRate}, []string{"send started>failed rate_limited"}},
	{"failed, and no machine goes on after all", rule.Started, []string{limitRate, clearIt}, []string{
		"send started>failed rate_limited", "completed >failed rate_limited",
	}},
	{"retried", rule.Failed, []string{retryIt}, []string{"send >queued"}},
	{"failed and followed", rule.Started, []string{limitRate, clearIt, retryIt}, []string{"send started>failed rate_limited", "send >queued"}},
	{"delivered after all, beside a retry", rule.Failed, []string{retryIt, toSent}, []string{
		"send >queued", "send failed>sent confirmed", "send queued>canceled sibling_exists", "completed >sent confirmed",
	}},
	{"canceled for good", rule.Queued, []string{"UPDATE sends SET status = 'canceled', code = 'suppressed' WHERE id = '{send}'"}, []string{
		"send queued>canceled suppressed", "completed >canceled suppressed",
	}},
	{"canceled until the sweep", rule.Queued, []string{"UPDATE sends SET status = 'canceled', code = 'approval_expired' WHERE id = '{send}'"}, []string{
		"send queued>canceled approval_expired",
	}},
	{"canceled, and expired at the sweep", rule.Queued, []string{canceledFor("approval_expired"), then, expireIt}, []string{
		"send queued>canceled approval_expired", "approval_voided expired", "authority approved>expired", "completed >expired",
	}},
	{"expired in the queue", rule.Queued, []string{canceledFor("window_closed"), expireIt}, []string{
		"send queued>canceled window_closed", "approval_voided expired", "authority approved>expired", "completed >expired",
	}},
	{"expired while it waits for a person", "", []string{proposeIt, then, expireIt}, []string{
		"authority >proposed", "approval_requested", "authority proposed>expired", "completed >expired",
	}},
	{"edited", rule.Queued, []string{voidIt, "UPDATE sends SET status = 'canceled', code = 'content_changed' WHERE id = '{send}'", editIt}, []string{
		"approval_voided edited", "send queued>canceled content_changed", "authority approved>proposed", "approval_requested",
	}},
	{"edited in another order", rule.Queued, []string{"UPDATE sends SET status = 'canceled', code = 'content_changed' WHERE id = '{send}'", voidIt, editIt}, []string{
		"send queued>canceled content_changed", "approval_voided edited", "authority approved>proposed", "approval_requested",
	}},
	{"withdrawn", rule.Queued, []string{toCanceled, "UPDATE messages SET authority = 'withdrawn' WHERE id = '{message}'"}, []string{
		"send queued>canceled withdrawn", "authority approved>withdrawn", "completed >withdrawn",
	}},
	{"closed while it waits for a person", "", []string{proposeIt, closeIt}, []string{
		"authority >proposed", "closed", "completed >closed",
	}},
	{"closed in the queue", rule.Queued, []string{"UPDATE sends SET status = 'canceled', code = 'closed' WHERE id = '{send}'", closeIt}, []string{
		"send queued>canceled closed", "closed", "completed >closed",
	}},
	{"closed after it was sent", rule.Sent, []string{closeIt}, []string{"closed"}},
	{"closed while a person must look", rule.Unconfirmed, []string{closeIt, then, toSent}, []string{
		"closed", "send unconfirmed>sent confirmed", "completed >sent confirmed",
	}},
	{"closed after it failed", rule.Failed, []string{closeIt}, []string{"closed"}},
	{"expired after it failed", rule.Failed, []string{"UPDATE messages SET authority = 'expired' WHERE id = '{message}'"}, []string{"authority approved>expired"}},
	{"an incident", rule.Queued, []string{
		"INSERT INTO incidents (workspace_id, kind, subject_id, message_id) VALUES ('{workspace}', 'parked', '{message}', '{message}')",
		"UPDATE incidents SET count = count + 1 WHERE subject_id = '{message}'",
		"UPDATE incidents SET closed_at = sendonce_now() WHERE subject_id = '{message}'",
	}, []string{"incident_opened parked", "incident_closed parked"}},
	{"an account", rule.Queued, []string{
		"UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out', cool_until = sendonce_now()",
		"UPDATE accounts SET stopped_code = 'sign_in', paused_at = sendonce_now()",
		"UPDATE accounts SET stopped_at = NULL, stopped_code = NULL, paused_at = NULL",
	}, []string{"account_stopped signed_out", "account_paused", "account_cleared", "account_resumed"}},
	{"a person", rule.Queued, []string{
		"UPDATE people SET replied_at = sendonce_now() WHERE id = '{person}'",
		"UPDATE people SET replied_at = replied_at + interval '1 second', suppressed_at = sendonce_now() WHERE id = '{person}'",
		"UPDATE people SET suppressed_at = suppressed_at + interval '1 second', name = 'Ada' WHERE id = '{person}'",
		"UPDATE people SET suppressed_at = NULL WHERE id = '{person}'",
	}, []string{"person_replied", "person_replied", "person_suppressed", "person_unsuppressed"}},
	{"two people who are one", rule.Failed, []string{
		"INSERT INTO people (id, workspace_id) VALUES (md5('a')::uuid, '{workspace}'), (md5('b')::uuid, '{workspace}'), (md5('c')::uuid, '{workspace}')",
		"UPDATE people SET replied_at = sendonce_now() WHERE id = md5('b')::uuid",
		"UPDATE people SET merged_into = md5('a')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('b')::uuid",
		"UPDATE people SET replied_at = (SELECT replied_at FROM people WHERE id = md5('b')::uuid) WHERE id = md5('a')::uuid",
		"UPDATE people SET merged_into = md5('c')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('a')::uuid",
	}, []string{"person_replied", "person_merged >0cc175b9-c0f1-b6a8-31c3-99e269772661", "person_merged >4a8a08f0-9d37-b737-9564-9038408b5f33", "person_merged >4a8a08f0-9d37-b737-9564-9038408b5f33"}},
	{"somebody who is removed", rule.Failed, []string{
		"INSERT INTO people (id, workspace_id) VALUES (md5('d')::uuid, '{workspace}')", "SELECT person_forget(md5('d')::uuid, '{principal}', '{}')",
	}, []string{"person_removed"}},
	{"seen to come further", rule.Unconfirmed, []string{
		sourceIt, seen("accepted", 1, true), then, seen("delivered", 1, true), then, seen("sent", 1, true), seen("delivered", 2, true),
		seen("bounced", 1, true), then, seen("bounced", 2, true), seen("read", 1, true), seen("replied", 1, true),
	}, []string{
		"delivery >accepted", "delivery accepted>delivered", "delivery_trouble bounced", "delivery delivered>read", "delivery read>replied",
	}},
	{"seen of what is sent", rule.Sent, []string{sourceIt, seen("accepted", 1, true), seen("sent", 1, true), then, seen("read", 1, true)}, []string{
		"delivery sent>read",
	}},
	{"seen before its message was known", rule.Unconfirmed, []string{
		sourceIt, seen("delivered", 1, false), seen("delivered", 2, false), seen("undelivered", 1, false), then, joinThem, then, joinThem,
	}, []string{"delivery >delivered", "delivery_trouble undelivered"}},
	{"written to by hand", rule.Sent, []string{handWritten("first", true), handWritten("second", false), joinThem, then, joinThem}, []string{
		"written_by_hand", "written_by_hand",
	}},
	{"who is in a sequence", rule.Failed, []string{
		enrolled, "UPDATE enrolments SET reason = 'not_due' WHERE id = md5('e{send}')::uuid",
		"UPDATE enrolments SET state = 'held', reason = 'no_profile' WHERE id = md5('e{send}')::uuid",
		"UPDATE sequences SET state = 'paused' WHERE id = md5('q{send}')::uuid", "UPDATE sequences SET version = 2 WHERE id = md5('q{send}')::uuid",
		"UPDATE enrolments SET state = 'stopped', reason = 'by_person' WHERE id = md5('e{send}')::uuid",
	}, []string{"sequence >running", "enrolment >running new", "enrolment running>held no_profile", "sequence running>paused", "enrolment held>stopped by_person"}},
	{"a browser", rule.Queued, []string{
		"UPDATE installs SET paused_at = sendonce_now()",
		"UPDATE installs SET revoked_at = sendonce_now(), revoked_code = 'by_person', pause_note = 'lost'",
		"UPDATE installs SET paused_at = NULL, last_seen_at = sendonce_now()",
	}, []string{"install_paused", "install_revoked by_person", "install_resumed"}},
	{"a workspace, and everything", rule.Queued, []string{
		"UPDATE workspaces SET paused_at = sendonce_now(), pause_note = 'the quarter ends' WHERE id = '{workspace}'",
		"UPDATE pause_of_everything SET paused_at = sendonce_now()",
		"UPDATE workspaces SET pause_note = 'another reason', paused_at = paused_at + interval '1 second' WHERE id = '{workspace}'",
		"UPDATE workspaces SET paused_at = NULL WHERE id = '{workspace}'",
		"UPDATE pause_of_everything SET paused_at = NULL",
	}, []string{"workspace_paused", "everything_paused", "workspace_resumed", "everything_resumed"}},
}

func canceledFor(code string) string {
	return fmt.Sprintf("UPDATE sends SET status = 'canceled', code = '%s' WHERE id = '{send}'", code)
}

// landmark makes an event that shows that everything before it was read.
func (w *world) landmark(t *testing.T) string {
	t.Helper()
	return w.one(t, "INSERT INTO people (workspace_id, name, suppressed_at) VALUES ($1, 'Ada Example', sendonce_now()) RETURNING id::text", w.workspace)
}

// to reads up to the landmark, and returns what came before it.
func (f *follower) to(t *testing.T, landmark string) []event.Event {
	t.Helper()
	for f.got = nil; ; f.until(t, len(f.got)+1) {
		if last := len(f.got) - 1; last >= 0 && f.got[last].Person != nil && f.got[last].Person.String() == landmark {
			return f.got[:last]
		}
	}
}

// Goal: each change of a state is one event, whoever wrote it and in whatever order; what is asked of a person, and that a message
// has come to its end, follows from what is so when the transaction commits.
func TestEveryChangeIsOneEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reader := w.follower(t, 50)
	for _, c := range changesTold {
		m, _ := w.newMessage()
		send := m.id // of a message that is not there yet
		if c.in != "" {
			m, send = w.sendIn(t, c.in)
		}
		reader.to(t, w.landmark(t))
		sql := w.fill(strings.Join(c.do, ";\n"), send, "{message}", m.id, "{digest}", m.digest, "{hash}", m.textHash, "{approval}", m.approval)
		if err := simply(t, w.hand, sql); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, told(reader.to(t, w.landmark(t)))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Goal: an event says what it is about and who did it, and holds no text of a message.
func TestWhatAnEventSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reader := w.follower(t, 50)
	m, send := w.sendIn(t, rule.Queued)
	reader.to(t, w.landmark(t))
	sql := w.fill("SELECT set_config('sendonce.actor', 'operator', true), set_config('sendonce.principal', '{principal}', true);"+toCanceled, send)
	if err := simply(t, w.hand, sql); err != nil {
		t.Fatal(err)
	}
	got := reader.to(t, w.landmark(t))
	if len(got) != 2 {
		t.Fatalf("%v", told(got))
	}
	for _, e := range got {
		about := []string{e.Message.String(), e.Send.String(), e.Account.String(), e.Person.String(), e.Actor, orEmpty(e.Principal)}
		if diff := cmp.Diff([]string{m.id, send, w.account, w.person, "operator", "Rita Recruiter"}, about); diff != "" {
			t.Errorf("%s: %s", e.Type, diff)
		}
	}
}
