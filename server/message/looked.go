package message

import (
	"encoding/json"
	"fmt"
	"time"

	"sendonce/server/send"
)

// Looked is what one check of a send came to, and what it is worth.
type Looked struct {
	Result send.CheckResult
	Text   string
	// AskedAt is when the look was asked for, by the server's clock; nil when that was not written down. At is when its answer
	// arrived, which may be much later.
	AskedAt *time.Time
	At      time.Time
	// Counts: it was asked late enough for an absence to mean something. It settles nothing by itself.
	Counts bool
	// What the browser says that it saw: the conversation ("" when none), how many messages, and back to when.
	Conversation string
	Messages     int
	BackTo       *time.Time
}

// Finding is what a person may take over as what they saw, when they say that it was not delivered; "" where the look proves
// nothing of that.
func (l *Looked) Finding() string {
	if l == nil || !l.Counts {
		return ""
	}
	finding := fmt.Sprintf("%s Asked %s.", l.Text, l.AskedAt.UTC().Format(time.RFC3339))
	if l.BackTo != nil {
		finding += fmt.Sprintf(" Messages it saw: %d, back to %s.", l.Messages, l.BackTo.Format(time.RFC3339))
	}
	return finding
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

// notOurs is for what a browser took for this message and the server does not.
const notOurs = "A browser found this text in the conversation, but it may be another message's, or older than the approval."

// tooEarly is added where an absence does not count.
const tooEarly = " That does not count: a message may arrive later than this was asked."

// Looked is what the newest check came to, or nil when there was none.
func (s Send) Looked() *Looked {
	for i := len(s.Evidence) - 1; i >= 0; i-- {
		if l := s.LookedBy(s.Evidence[i]); l != nil {
			return l
		}
	}
	return nil
}

// LookedBy is what the check came to that this evidence of the send is, or nil when it is no check.
func (s Send) LookedBy(e Evidence) *Looked {
	if e.Kind != send.EvidenceCheck {
		return nil
	}
	var said struct {
		Reason       string            `json:"reason"`
		Copies       []json.RawMessage `json:"copies"`
		Conversation string            `json:"conversation"`
		Messages     int               `json:"messages"`
		OldestAtMS   *int64            `json:"oldest_at_ms"`
	}
	result := send.CheckResult(e.Outcome)
	l := &Looked{Result: result, Text: lookedTexts[result], AskedAt: e.AskedAt, At: e.ReceivedAt}
	if err := json.Unmarshal(e.Body, &said); err == nil {
		l.Conversation, l.Messages = said.Conversation, said.Messages
		if said.OldestAtMS != nil {
			at := time.UnixMilli(*said.OldestAtMS).UTC()
			l.BackTo = &at
		}
	}
	switch result {
	case send.CheckAbsent, send.CheckNoConversation:
		if l.Counts = s.absenceCounts(e.AskedAt); !l.Counts {
			l.Text += tooEarly
		}
	case send.CheckCouldNot:
		if text := couldNotTexts[said.Reason]; text != "" {
			l.Text = text
		} else if len(said.Copies) > 0 {
			l.Text = notOurs
		}
	}
	return l
}

// absenceCounts asks when the look was asked for, not when its answer came: an answer may have waited in a browser that was
// not connected, while the message arrived. The browser looked after it was asked.
func (s Send) absenceCounts(asked *time.Time) bool {
	return asked != nil && s.AbsenceCountsFrom != nil && !asked.Before(*s.AbsenceCountsFrom)
}
