package message

import (
	"encoding/json"
	"time"

	"sendonce/server/send"
)

// Looked is what the newest check of a send came to.
type Looked struct {
	Text string
	At   time.Time
	// Counts: it was late enough for an absence to mean something. It settles nothing by itself.
	Counts bool
}

// lookedTexts are what a person reads of each result.
var lookedTexts = map[send.CheckResult]string{
	send.CheckFound:          "A browser found the message in the conversation.",
	send.CheckAbsent:         "A browser looked, and the message was not in the conversation.",
	send.CheckNoConversation: "A browser looked, and there was no conversation with this person.",
	send.CheckCouldNot:       "A browser was to look, and could not tell.",
}

// couldNotTexts say why, by the reason in a check's evidence.
var couldNotTexts = map[string]string{
	"busy":         "A browser was to look, but was at work on another message.",
	"paused":       "A browser was to look, but is paused there.",
	"signed_out":   "A browser was to look, but the account's member is not signed in there.",
	"wrong_member": "A browser was to look, but another member is signed in there.",
	"wrong_person": "A browser looked, but the page belonged to someone else.",
	"group_thread": "A browser looked, but the conversation has more than one other member.",
	"not_shown":    "A browser looked, but the page never showed the conversation.",
	"too_long":     "A browser looked, but so much was written since that the page did not reach back far enough.",
	"stopped":      "A browser began to look, but was stopped or its tab was closed.",
}

// tooEarly is added where an absence does not count yet.
const tooEarly = " That was too early to count: a message may arrive late."

// Looked is what the newest check came to, or nil when there was none.
func (s Send) Looked() *Looked {
	for i := len(s.Evidence) - 1; i >= 0; i-- {
		if e := s.Evidence[i]; e.Kind == send.EvidenceCheck {
			return s.lookedOf(e)
		}
	}
	return nil
}

func (s Send) lookedOf(e Evidence) *Looked {
	result := send.CheckResult(e.Outcome)
	l := &Looked{Text: lookedTexts[result], At: e.ReceivedAt}
	switch result {
	case send.CheckAbsent, send.CheckNoConversation:
		if l.Counts = s.NotDeliveredFrom != nil && !e.ReceivedAt.Before(*s.NotDeliveredFrom); !l.Counts {
			l.Text += tooEarly
		}
	case send.CheckCouldNot:
		var said struct{ Reason string }
		if err := json.Unmarshal(e.Body, &said); err == nil && couldNotTexts[said.Reason] != "" {
			l.Text = couldNotTexts[said.Reason]
		}
	}
	return l
}
