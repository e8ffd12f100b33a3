package agent_test

import (
	"encoding/json"
	"strings"

	"sendonce/server/receipt"
)

// Goal: a second message to one person is a new decision. The agent is told by name what to call instead; whoever approves it says
// yes to the first; and no rule approves it, though one approves the agent's first messages.
func secondMessage(d *desk) {
	first := d.propose("sandbox-anything-2", nil)
	again := with{"body": "Hello once more"}
	if a := d.propose("sandbox-anything-2", again); !a.refused || !contains(a.words, "intent_waits", "call revise_message with message_id "+first.MessageID) {
		d.Errorf("while the first waits: %s", a.words)
	}
	d.approve(first)
	sent := d.comesTo(first.MessageID, "sent").Sends[0].SendID
	if a := d.propose("sandbox-anything-2", again); !a.refused || !contains(a.words, "follow_latest", "propose_message with follows_send "+sent) {
		d.Errorf("after the first was sent: %s", a.words)
	}
	again["follows_send"], again["follows_why"] = sent, "they asked for more"
	d.setPolicy(with{"role": "agent"})
	second := d.propose("sandbox-anything-2", again)
	if second.Authority != "proposed" || second.State != "not_started" || !contains(second.WhatToDo, "A person must approve version 1") {
		d.Errorf("a second message, where a rule approves the first ones: %+v", second)
	}
	if a := d.propose("sandbox-anything-3", nil); a.Authority != "approved" || strings.Contains(a.WhatToDo, "must approve") {
		d.Errorf("a first message, where a rule approves it: %+v", a)
	}
	d.setPolicy()
	if code := d.approves(second.MessageID); code != "cooling_off_needs_yes" {
		d.Errorf("approved without a word on the first: %q", code)
	}
	if code := d.approves(second.MessageID, first.MessageID); code != "" {
		d.Errorf("approved with a yes to the first: %q", code)
	}
	d.comesTo(second.MessageID, "sent")
	if again := d.propose("sandbox-anything-2", again); again.MessageID != second.MessageID || !again.Known {
		d.Errorf("the second once more: %+v", again)
	}
}

// Goal: what a person has said no to is told with their words and with what is left to do, and stays told so however often it is
// proposed; and what they closed is at its end.
func rejectedAndClosed(d *desk) {
	m := d.propose("sandbox-anything-4", nil)
	got, err := d.Server.Agent.Message(d.Context(), m.MessageID)
	if err != nil {
		d.Fatal(err)
	}
	d.Post("/v1/messages/"+m.MessageID+"/rejection", with{"version": 1, "digest": got.Digest, "why": "Too pushy"})
	for _, a := range []said{d.call("read_message", with{"message_id": m.MessageID}), d.propose("sandbox-anything-4", nil)} {
		if a.MessageID != m.MessageID || a.State != "not_started" || !contains(a.WhatToDo, "Nothing was sent", "rejected this version: Too pushy", "revise_message") {
			d.Errorf("rejected: %+v", a)
		}
	}
	next := d.call("revise_message", with{"message_id": m.MessageID, "version": 1, "body": "Good day"})
	if next.Version != 2 || next.Authority != "proposed" {
		d.Errorf("revised after that: %+v", next)
	}
	d.Post("/v1/messages/"+m.MessageID+"/closing", with{"why": "They have a job"})
	if a := d.call("read_message", with{"message_id": m.MessageID}); a.State != "not_started" || !contains(a.WhatToDo, "Nothing more will be", "They have a job") || strings.Contains(a.WhatToDo, "must approve") {
		d.Errorf("closed: %+v", a)
	}
	if a := d.call("revise_message", with{"message_id": m.MessageID, "version": 2, "body": "Hello"}); !a.refused || !contains(a.words, "message_closed", "nothing was changed") {
		d.Errorf("revised after that: %s", a.words)
	}
}

// receiptHolds verifies what the agent is given, as whoever it hands that to would.
func (d *desk) receiptHolds(message string) {
	d.Helper()
	var published json.RawMessage
	d.Get("/v1/receipt-keys", &published)
	keys, err := receipt.ParseKeys(string(published))
	if err != nil {
		d.Fatal(err)
	}
	a := d.call("read_receipt", with{"message_id": message})
	words, signed, _ := strings.Cut(a.words, "\n\n")
	if a.State != "sent" || !contains(words, "sent:", "the signed receipt") {
		d.Errorf("the receipt is told as %q, state %q", words, a.State)
	}
	for _, raw := range []string{signed, string(a.Receipt)} {
		if r, err := receipt.Verify([]byte(raw), keys); err != nil || r.Message.ID.String() != message {
			d.Errorf("the receipt of %s is of %s: %v", message, r.Message.ID, err)
		}
	}
}
