package agent_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sendonce/server/agent"
)

// Goal: the whole story of an agent's messages, each told honestly in one word: proposed, approved by a person over the API and
// sent; one that may have arrived; one that did not; and the same call twice is one message.
func TestAnAgentsStory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if a := d.call("list_accounts", with{}); len(a.Accounts) != 1 || a.Accounts[0].AccountID != d.Account() {
		t.Fatalf("accounts: %+v", a)
	}
	if p := d.call("find_person", with{"linkedin": "/in/sandbox-anything"}); p.IsKnown || p.refused {
		t.Errorf("a person before anything: %+v", p)
	}
	first := d.propose("sandbox-anything", nil)
	if first.State != "not_started" || first.Version != 1 || !contains(first.WhatToDo, "A person must approve version 1", d.URL()+"/messages/"+first.MessageID) {
		t.Fatalf("proposed: %+v", first)
	}
	if p := d.call("find_person", with{"linkedin": "https://de.linkedin.com/in/Sandbox-Anything/?x=1"}); !p.IsKnown {
		t.Errorf("a person afterwards: %+v", p)
	}
	d.approve(first)
	got := d.comesTo(first.MessageID, "sent")
	if !contains(got.WhatToDo, "evidence", "Do not propose it again") || len(got.History) < 4 || len(got.Sends) != 1 {
		t.Fatalf("sent: %+v", got)
	}
	d.receiptHolds(first.MessageID)
	again := d.propose("Sandbox-Anything/?utm=1", with{"body": "Hello \r\n"})
	if again.MessageID != first.MessageID || !again.Known || again.State != "sent" || d.count() != 1 {
		t.Errorf("the same call, spelled otherwise, after the message was sent: %+v; there are %d messages", again, d.count())
	}

	lost := d.propose("sandbox-lost", nil)
	d.approve(lost)
	got = d.comesTo(lost.MessageID, "unconfirmed")
	if !contains(got.words, "Check LinkedIn before re-sending", "do not propose it again", "a person settles it") {
		t.Errorf("unconfirmed: %s", got.words)
	}
	if other := d.propose("sandbox-lost", with{"body": "Hello again"}); !other.refused || !contains(other.words, "needs_a_look", "A person must look at message "+lost.MessageID, "nothing was changed") {
		d.Errorf("other words while the first are unconfirmed: %s", other.words)
	}
	if list := d.call("list_unconfirmed", with{}); len(list.Messages) != 1 || list.Messages[0].MessageID != lost.MessageID || !contains(list.words, "Check LinkedIn") {
		t.Errorf("what is unconfirmed: %+v", list)
	}

	refused := d.propose("sandbox-refused", nil)
	d.approve(refused)
	if got := d.comesTo(refused.MessageID, "failed"); !contains(got.WhatToDo, "LinkedIn refused the message", "for a person to decide") {
		t.Errorf("failed: %+v", got)
	}
}

// Goal: what the tools take and do, on one desk: each case finds nothing that a former one has sent.
func TestTools(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	t.Run("list", func(t *testing.T) { tools(d.in(t)) })
	t.Run("bad calls", func(t *testing.T) { badCalls(d.in(t)) })
	t.Run("tokens", func(t *testing.T) { tokens(d.in(t)) })
	t.Run("a pipe that ends", func(t *testing.T) { pipeThatEnds(d.in(t)) })
	t.Run("revising", func(t *testing.T) { revising(d.in(t)) })
	t.Run("second message", func(t *testing.T) { secondMessage(d.in(t)) })
	t.Run("rejected", func(t *testing.T) { rejectedAndClosed(d.in(t)) })
}

// Goal: a revised text needs its own approval, and a call that is repeated or comes too late changes nothing.
func revising(d *desk) {
	d.Post("/v1/accounts/"+d.Account()+"/pause", nil)
	m := d.propose("sandbox-anything", nil)
	d.approve(m)
	if got := d.call("read_message", with{"message_id": m.MessageID}); got.State != "not_started" || got.Authority != "approved" || !contains(got.WhatToDo, "this account is paused") {
		d.Errorf("approved and paused: %+v", got)
	}
	revise := with{"message_id": m.MessageID, "version": 1, "body": "Hello there"}
	second := d.call("revise_message", revise)
	if second.Version != 2 || second.Authority != "proposed" || second.State != "not_started" || !contains(second.WhatToDo, "A person must approve version 2") {
		d.Fatalf("revised: %+v", second)
	}
	if again := d.call("revise_message", revise); again.Version != 2 || !again.Known {
		d.Errorf("the same call: %+v", again)
	}
	if late := d.call("revise_message", with{"message_id": m.MessageID, "version": 1, "body": "Hi"}); !late.refused || !contains(late.words, "nothing was changed", "version_not_current", "read it") {
		d.Errorf("a revision of a former version: %+v", late)
	}
	third := d.call("revise_message", with{"message_id": m.MessageID, "version": 2, "body": "Hello"})
	if fourth := d.call("revise_message", with{"message_id": m.MessageID, "version": 3, "body": "Hello there"}); third.Version != 3 || fourth.Version != 4 || fourth.Known {
		d.Errorf("changed back: %+v, and again: %+v", third, fourth)
	}
	d.Post("/v1/accounts/"+d.Account()+"/resume", nil)
	if got := d.call("read_message", with{"message_id": m.MessageID}); got.Authority != "proposed" || got.State != "not_started" {
		d.Errorf("the approval of version 1 let another one go: %+v", got)
	}
	second.Version = 4
	d.approve(second)
	d.comesTo(m.MessageID, "sent")
	if ledger := d.Site().Ledger(); len(ledger) != 1 || ledger[0].Text != "Hello there" {
		d.Errorf("LinkedIn has %+v", ledger)
	}
}

// Goal: the tools are these and no others: none approves, retries or resolves, each takes named members alone, and says whether it
// changes anything.
func tools(d *desk) {
	told, err := os.ReadFile("../../docs/agent.md")
	if err != nil {
		d.Fatal(err)
	}
	want := map[string]bool{ // whether it only reads
		"list_accounts": true, "find_person": true, "read_message": true, "read_receipt": true, "list_unconfirmed": true, "propose_message": false, "revise_message": false,
	}
	for tool, err := range d.session.Tools(d.Context(), nil) {
		if err != nil {
			d.Fatal(err)
		}
		if !strings.Contains(string(told), "| `"+tool.Name+"` |") {
			d.Errorf("docs/agent.md does not tell of %s", tool.Name)
		}
		onlyReads, known := want[tool.Name]
		delete(want, tool.Name)
		if !known || tool.Annotations == nil || tool.Annotations.ReadOnlyHint != onlyReads || !tool.Annotations.IdempotentHint {
			d.Errorf("%s, annotated %+v", tool.Name, tool.Annotations)
		}
		if hint := tool.Annotations.DestructiveHint; !onlyReads && (hint == nil || *hint != (tool.Name == "revise_message")) {
			d.Errorf("%s does not say whether it takes something back", tool.Name)
		}
		schema, _ := tool.InputSchema.(map[string]any)
		if schema["additionalProperties"] != false {
			d.Errorf("%s takes members without a name: %v", tool.Name, schema["additionalProperties"])
		}
		members, _ := schema["properties"].(map[string]any)
		for name, one := range members {
			if one := one.(map[string]any); one["maxLength"] == nil && one["maximum"] == nil || one["description"] == nil {
				d.Errorf("%s: %s has no bound or is not described: %v", tool.Name, name, one)
			}
		}
	}
	if len(want) > 0 {
		d.Errorf("there is no %v", want)
	}
	if said := d.session.InitializeResult().Instructions; !contains(said, "You cannot approve", "sandbox") {
		d.Errorf("the model is told %q", said)
	}
}

// Goal: a call that is not well-formed is refused by the name of what is wrong, and nothing is proposed.
func badCalls(d *desk) {
	good := func(change with) with {
		call := with{"account_id": d.Account(), "linkedin": "/in/sandbox-anything", "body": "Hello", "purpose": "first contact"}
		for name, value := range change {
			if call[name] = value; value == nil {
				delete(call, name)
			}
		}
		return call
	}
	for name, c := range map[string]struct {
		tool string
		call any
		says string
	}{
		"no body":              {"propose_message", good(with{"body": nil}), "body"},
		"body a number":        {"propose_message", good(with{"body": 7}), "body"},
		"body empty":           {"propose_message", good(with{"body": ""}), "body"},
		"body of blanks":       {"propose_message", good(with{"body": " \n "}), "body"},
		"body too long":        {"propose_message", good(with{"body": strings.Repeat("x", 8001)}), "body"},
		"body with a tab":      {"propose_message", good(with{"body": "a\tb"}), "body"},
		"half a character":     {"propose_message", json.RawMessage(`{"account_id":"` + d.Account() + `","linkedin":"/in/sandbox-anything","purpose":"x","body":"a\ud800"}`), "U+FFFD"},
		"purpose of blanks":    {"propose_message", good(with{"purpose": "  "}), "purpose"},
		"purpose of two lines": {"propose_message", good(with{"purpose": "a\nb"}), "purpose"},
		"an unknown member":    {"propose_message", good(with{"approve": true}), "approve"},
		"a member in capitals": {"propose_message", good(with{"BODY": "x"}), "BODY"},
		"no account's id":      {"propose_message", good(with{"account_id": "rita"}), "account_id"},
		"no such account":      {"propose_message", good(with{"account_id": "00000000-0000-4000-8000-000000000000"}), "account_id"},
		"no profile":           {"propose_message", good(with{"linkedin": "https://example.com/in/ada"}), "linkedin"},
		"no moment":            {"propose_message", good(with{"send_after": "tomorrow"}), "tomorrow"},
		"a window that closed": {"propose_message", good(with{"send_before": "2001-01-01T00:00:00Z"}), "send_before"},
		"no arguments":         {"propose_message", nil, "account_id"},
		"a list":               {"propose_message", []int{1}, ""},
		"version zero":         {"revise_message", with{"message_id": d.Account(), "version": 0, "body": "x"}, "version"},
		"version a fraction":   {"revise_message", with{"message_id": d.Account(), "version": 1.5, "body": "x"}, "version"},
		"no such message":      {"revise_message", with{"message_id": d.Account(), "version": 1, "body": "x"}, "not_found"},
		"an id that climbs":    {"read_message", with{"message_id": "../../v1/accounts/aaaaaaaaaaaaaaaaaaa"}, "message_id"},
		"nobody":               {"find_person", with{}, "address"},
		"two addresses":        {"find_person", with{"linkedin": "/in/ada-example", "email": "ada@example.com"}, "address"},
		"a made-up cursor":     {"list_unconfirmed", with{"cursor": "x"}, "cursor"},
		"no such tool":         {"approve_message", with{"message_id": d.Account()}, "approve_message"},
	} {
		if a := d.call(c.tool, c.call); !a.refused || !strings.Contains(a.words, c.says) {
			d.Errorf("%s: refused %t: %s", name, a.refused, a.words)
		}
	}
	if n := d.count(); n != 0 {
		d.Errorf("there are %d messages", n)
	}
}

// Goal: no agent works with a token that may do what is for people to do.
func tokens(d *desk) {
	for _, role := range []string{"admin", "recruiter", "viewer"} {
		if err := d.serveOnly(d.Token(role)); err == nil || !strings.Contains(err.Error(), "--role agent") {
			d.Errorf("%s: %v", role, err)
		}
	}
	if err := d.serveOnly("so_wrong"); err == nil || !strings.Contains(err.Error(), "unauthenticated") {
		d.Errorf("a token of nobody: %v", err)
	}
}

// serveOnly serves nobody with that token, until it is refused or a while has passed.
func (d *desk) serveOnly(token string) error {
	ctx, stop := context.WithTimeout(d.Context(), servesNobody)
	defer stop()
	_, transport := mcp.NewInMemoryTransports()
	return agent.Serve(ctx, agent.Options{URL: d.URL(), Token: token, Log: slog.New(slog.DiscardHandler)}, transport)
}

// servesNobody bounds a server that should have been refused.
const servesNobody = 5 * time.Second
