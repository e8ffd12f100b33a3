package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// intent is a purpose and a task of one test case, to the same person.
type intent struct{ purpose, task string }

// meaning is a proposal for an intent. follows is JSON, or "" for none.
func meaning(account string, i intent, follows string) string {
	body := fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/ada-example"},"body":%q,"purpose":%q,"task":%q`,
		account, "Hello "+uuid.NewString(), i.purpose, i.task)
	if follows != "" {
		body += `,"follows":` + follows
	}
	return body + "}"
}

func (s *server) meant(account string, i intent, follows string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/messages", meaning(account, i, follows))
}

func following(send, why string) string { return fmt.Sprintf(`{"send":%q,"why":%q}`, send, why) }

func (s *server) otherAccount() string {
	s.t.Helper()
	return s.ask("POST", "/v1/accounts", `{"channel":"linkedin","handle":"/in/olga-other"}`).text("id")
}

// Goal: a second message for one intent, from whatever account, waits for the end of the first, and then needs a decision that
// names it; what was stopped in time, or was for something else, needs none.
func TestASecondMessageForOneIntent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	other := s.otherAccount()
	for _, c := range []struct {
		name    string
		moves   []string // nil: never approved
		command string   // on the first message
		code    string   // of the second without follows; "" for 201
		names   string   // what the problem names: send or message
		says    string
	}{
		{"proposed", nil, "", "intent_waits", "message", "waits for a person"},
		{"queued", []string{}, "", "not_ended", "send", "has not begun"},
		{"leased", []string{lease}, "", "not_ended", "send", "has not begun"},
		{"started", []string{lease, start}, "", "not_ended", "send", "ends by itself"},
		{"unconfirmed", []string{lease, start, unconfirm}, "", "needs_a_look", "send", "Check LinkedIn before re-sending"},
		{"closed while unconfirmed", []string{lease, start, unconfirm}, "closing", "needs_a_look", "send", "Check LinkedIn"},
		{"sent", []string{lease, start, confirm, sent}, "", "follow_latest", "send", "is a new decision"},
		{"failed", []string{lease, start, prove, fail}, "", "follow_latest", "send", "is a new decision"},
		{"failed and withdrawn", []string{lease, start, prove, fail}, "withdrawal", "follow_latest", "send", "is a new decision"},
		{"edited in the queue", []string{}, "edit", "intent_waits", "message", "waits for a person"},
		{"withdrawn while proposed", nil, "withdrawal", "", "", ""},
		{"withdrawn in the queue", []string{}, "withdrawal", "", "", ""},
		{"closed in the queue", []string{}, "closing", "", "", ""},
		{"canceled", []string{"UPDATE sends SET status = 'canceled', code = 'replied' WHERE id = $1"}, "", "", "", ""},
	} {
		i := intent{purpose: "Gruß of " + c.name}
		first := s.meant(s.account, i, "")
		path := "/v1/messages/" + first.text("id")
		if c.moves != nil {
			first = s.approve(first)
			s.move(first.text("sends.0.id"), c.moves...)
		}
		switch c.command {
		case "edit":
			s.ask("PATCH", path, `{"body":"Other words"}`)
		case "":
		default:
			s.ask("POST", path+"/"+c.command, map[string]string{"closing": done, "withdrawal": "{}"}[c.command])
		}
		// To a reader it is the same purpose; Postgres's lower() would tell them apart.
		i.purpose = strings.NewReplacer("ß", "SS", " ", "  ").Replace(strings.ToUpper(i.purpose))
		second := s.meant(other, i, "")
		if c.code == "" {
			if second.Status != 201 || second.text("follows") != "" {
				t.Errorf("%s: %d %s", c.name, second.Status, second.Body)
			}
			continue
		}
		named := map[string]string{"send": "send_id", "message": "message_id"}[c.names]
		want := map[string]string{"send": first.text("sends.0.id"), "message": first.text("id")}[c.names]
		if second.Status != 409 || second.text("code") != c.code || second.text(named) != want || second.text("message_id") != first.text("id") ||
			!strings.Contains(second.text("detail"), c.says) {
			t.Errorf("%s: %d %s", c.name, second.Status, second.Body)
		}
		if c.names != "send" {
			continue
		}
		decided := s.meant(other, i, following(want, "they asked for the details"))
		if c.code != "follow_latest" {
			if decided.Status != 409 || decided.text("code") != c.code || decided.text("send_id") != want {
				t.Errorf("%s, followed: %d %s", c.name, decided.Status, decided.Body)
			}
			continue
		}
		if decided.Status != 201 || decided.text("follows.send") != want || decided.text("follows.message_id") != first.text("id") ||
			decided.text("follows.why") != "they asked for the details" || decided.text("follows.status") == "" ||
			!strings.Contains(decided.Body, `"what":"follows"`) {
			t.Errorf("%s, followed: %d %s", c.name, decided.Status, decided.Body)
		}
	}
}

// Goal: a task is an intent as a purpose is, and another purpose without a common task needs no decision.
func TestIntentsByTask(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if a := s.meant(s.account, intent{"first contact", "place 7"}, ""); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := s.meant(s.account, intent{"a reminder", "place 7"}, ""); a.Status != 409 || a.text("code") != "intent_waits" {
		t.Errorf("the same task: %d %s", a.Status, a.Body)
	}
	if a := s.meant(s.account, intent{"first contact", "place 8"}, ""); a.Status != 409 || a.text("code") != "intent_waits" {
		t.Errorf("the same purpose: %d %s", a.Status, a.Body)
	}
	for _, other := range []intent{{"a reminder", "place 8"}, {"thanks", ""}, {"birthday", ""}} {
		if a := s.meant(s.account, other, ""); a.Status != 201 {
			t.Errorf("%v: %d %s", other, a.Status, a.Body)
		}
	}
}

// Goal: once another message follows, the first is neither retried, nor edited, nor approved beside it; the next one follows
// the latest. What was called off lets the first go on.
func TestOneIntentIsUnderWayAtATime(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	i := intent{purpose: "first contact"}
	first := s.approve(s.meant(s.account, i, ""))
	one := first.text("sends.0.id")
	s.move(one, lease, start, prove, fail)
	second := s.meant(s.otherAccount(), i, following(one, "another try by mail"))
	refusedAll := func(when, code string) {
		t.Helper()
		for what, a := range map[string]answer{
			"retry": s.retry(one), "approval": s.approve(first), "edit": s.ask("PATCH", "/v1/messages/"+first.text("id"), `{"body":"x"}`),
			"revocation": s.ask("POST", "/v1/messages/"+first.text("id")+"/revocation", ""),
		} {
			if a.Status != 409 || a.text("code") != code || a.text("message_id") != second.text("id") {
				t.Errorf("%s of the first while the second %s: %d %s", what, when, a.Status, a.Body)
			}
		}
		if preview := s.ask("POST", "/v1/retries", "{}"); preview.text("refused."+code) != "1" {
			t.Errorf("a preview of retries while the second %s: %s", when, preview.Body)
		}
	}
	refusedAll("waits", "intent_waits")
	s.ask("POST", "/v1/messages/"+second.text("id")+"/withdrawal", "{}")
	again := s.retry(one)
	if again.Status != 201 {
		t.Fatalf("retry after the second was withdrawn: %d %s", again.Status, again.Body)
	}
	s.move(again.text("id"), lease, start, prove, fail)
	if a := s.meant(s.account, i, following(one, "once more")); a.Status != 409 || a.text("code") != "follow_latest" || a.text("send_id") != again.text("id") {
		t.Errorf("a follow of a retried send: %d %s", a.Status, a.Body)
	}
	second = s.approve(s.meant(s.account, i, following(again.text("id"), "once more")))
	one = again.text("id")
	refusedAll("is queued", "not_ended")
	s.move(second.text("sends.0.id"), lease, start, confirm, sent)
	refusedAll("is sent", "follow_latest")
	third := s.meant(s.account, i, following(second.text("sends.0.id"), "they answered"))
	if third.Status != 201 || third.text("follows.status") != "sent" {
		t.Errorf("the third: %d %s", third.Status, third.Body)
	}
	if a := s.approve(third); a.Status != 200 || a.text("status") != "queued" {
		t.Errorf("the third, approved: %d %s", a.Status, a.Body)
	}
}

// Goal: an expired message comes back only while no other has taken its place.
func TestAnExpiredMessageBesideAnother(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := intent{purpose: "first contact"}
	first := s.approve(s.meant(s.account, i, ""))
	s.advance(8 * 24 * time.Hour)
	if n := s.sweep(); n != 1 {
		t.Fatalf("%d expired, want 1", n)
	}
	second := s.meant(s.account, i, "")
	if second.Status != 201 {
		t.Fatalf("beside an expired one: %d %s", second.Status, second.Body)
	}
	if a := s.approve(first); a.Status != 409 || a.text("code") != "intent_waits" || a.text("message_id") != second.text("id") {
		t.Errorf("the expired one, approved: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", "/v1/messages/"+first.text("id"), `{"body":"x"}`); a.Status != 409 || a.text("code") != "intent_waits" {
		t.Errorf("the expired one, edited: %d %s", a.Status, a.Body)
	}
	s.ask("POST", "/v1/messages/"+second.text("id")+"/closing", done)
	if a := s.approve(first); a.Status != 200 || a.text("status") != "queued" {
		t.Errorf("the expired one, once the other was closed: %d %s", a.Status, a.Body)
	}
}

// Goal: an agent that is run twice, with another key each time, proposes once.
func TestEqualIntentsAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for round := range 5 {
		made := 0
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 4 {
			all.Go(func() {
				a, err := s.try(t.Context(), "POST", "/v1/messages", meaning(s.account, intent{purpose: fmt.Sprintf("reason %d", round)}, ""))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				} else if a.Status == 201 {
					made++
				} else if a.Status != 409 || a.text("code") != "intent_waits" {
					t.Errorf("%d %s", a.Status, a.Body)
				}
			})
		}
		all.Wait()
		if made != 1 {
			t.Errorf("%d messages for one intent", made)
		}
	}
}

// Goal: each bad follow is refused by the name of its field, and proposes nothing.
func TestFollowsRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	send := m.text("sends.0.id")
	s.move(send, lease, start, confirm, sent)
	elsewhere := s.failedTo("bea-sample", "Hello Bea")
	before := s.rows()
	for name, c := range map[string]struct{ follows, field, code string }{
		"a text":                 {`"x"`, "follows", "invalid_field"},
		"a list":                 {`[]`, "follows", "invalid_field"},
		"nothing":                {`{}`, "follows.send", "invalid_field"},
		"no send":                {`{"why":"x"}`, "follows.send", "invalid_field"},
		"send null":              {`{"send":null,"why":"x"}`, "follows.send", "invalid_field"},
		"send a number":          {`{"send":7,"why":"x"}`, "follows.send", "invalid_field"},
		"send no id":             {`{"send":"x","why":"x"}`, "follows.send", "invalid_field"},
		"send that is not there": {following(uuid.NewString(), "x"), "follows.send", "invalid_field"},
		"a message's id":         {following(m.text("id"), "x"), "follows.send", "invalid_field"},
		"somebody else's":        {following(elsewhere, "x"), "follows.send", "invalid_field"},
		"no why":                 {`{"send":"` + send + `"}`, "follows.why", "invalid_field"},
		"why null":               {`{"send":"` + send + `","why":null}`, "follows.why", "invalid_field"},
		"why a number":           {`{"send":"` + send + `","why":7}`, "follows.why", "invalid_field"},
		"why blank":              {following(send, " \t "), "follows.why", "invalid_field"},
		"why of zero width":      {following(send, "\u200b"), "follows.why", "invalid_field"},
		"why of two lines":       {following(send, "a\nb"), "follows.why", "invalid_field"},
		"why with a NUL":         {`{"send":"` + send + `","why":"a\u0000b"}`, "follows.why", "invalid_field"},
		"why too long":           {following(send, strings.Repeat("x", 301)), "follows.why", "invalid_field"},
		"half a surrogate":       {`{"send":"` + send + `","why":"\ud800"}`, "follows.why", "invalid_json"},
		"why twice":              {`{"send":"` + send + `","why":"a","why":"b"}`, "follows.why", "invalid_json"},
		"an unknown field":       {`{"send":"` + send + `","why":"x","when":"now"}`, "follows.when", "unknown_field"},
	} {
		a := s.meant(s.account, intent{purpose: "a reminder"}, c.follows)
		if a.Status != map[string]int{"invalid_json": 400}[c.code] && a.Status != 422 || a.text("code") != c.code || a.text("field") != c.field {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("the rows changed from %s to %s", before, after)
	}
	if a := s.meant(s.account, intent{purpose: "a reminder"}, "null"); a.Status != 201 || a.text("follows") != "" {
		t.Errorf("null: %d %s", a.Status, a.Body)
	}
	// Another purpose needs no follow, and may name one all the same.
	if a := s.meant(s.account, intent{purpose: "thanks"}, following(send, "they have answered")); a.Status != 201 || a.text("follows.send") != send {
		t.Errorf("another purpose: %d %s", a.Status, a.Body)
	}
}
