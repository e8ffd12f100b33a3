package message

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Earlier is another message to the same person that reached them, may have, or is about to.
type Earlier struct {
	Message  uuid.UUID   `json:"message_id"`
	Status   rule.Status `json:"status"`
	At       time.Time   `json:"at"` // when its sending began; before that, when it was queued
	Account  string      `json:"account"`
	Purpose  string      `json:"purpose"`
	SameText bool        `json:"-"`
}

// Asked is an earlier message that an approval must say yes to.
type Asked struct {
	Earlier
	Why Likeness `json:"why"`
}

// Likeness is why an approval would be of a second message.
type Likeness string

// The likenesses.
const (
	SameText    Likeness = "same_text"
	SamePurpose Likeness = "same_purpose"
)

// reached reports whether it has reached the person, or may have.
func (e Earlier) reached() bool {
	return e.Status == rule.Started || e.Status == rule.Unconfirmed || e.Status == rule.Sent
}

// Asks are what the approval of a message for that purpose must say yes to: the newest message that brought the same text,
// whenever that was, and the newest for the same purpose that began inside the cool-off, or that a machine is about to send again.
// A message for that purpose that has not ended needs no yes: none is approved beside it. A text that only waits to go a second
// time is refused when it starts, so that nobody need be asked.
func (p Policy) Asks(earlier []Earlier, purpose string, now time.Time) []Asked {
	var text, again *Earlier
	coolSince := now.Add(-p.coolOff())
	for _, e := range earlier {
		if e.SameText && e.reached() && (text == nil || e.At.After(text.At)) {
			text = &e
		}
		isRecent := !e.reached() || e.At.After(coolSince)
		if p.CoolOffDays > 0 && isRecent && samePurpose(e.Purpose, purpose) && (again == nil || e.At.After(again.At)) {
			again = &e
		}
	}
	var asked []Asked
	if text != nil {
		asked = append(asked, Asked{*text, SameText})
	}
	if again != nil && (text == nil || again.Message != text.Message) {
		asked = append(asked, Asked{*again, SamePurpose})
	}
	return asked
}

// samePurpose compares as a reader would, and as the purpose_key of the database does: another way of writing it is no way around.
func samePurpose(a, b string) bool { return Fold(a) == Fold(b) }

// cover is the approval that a yes comes to, or the refusal that shows what it must name. A yes covers what it names and
// nothing newer.
func cover(asked []Asked, yes Yes) (NewApproval, error) {
	a := NewApproval{Version: yes.Version, Digest: yes.Digest, RepeatApproved: yes.RepeatApproved}
	for _, one := range asked {
		if !slices.Contains(yes.To, one.Message) {
			return NewApproval{}, needsYes(asked)
		}
		a.YesTo = append(a.YesTo, one.Message)
		a.RepeatApproved = a.RepeatApproved || one.Why == SameText
	}
	return a, nil
}

func needsYes(asked []Asked) *problem.Problem {
	code, what := problem.CoolingOffNeedsYes, "a message for the same purpose"
	if asked[0].Why == SameText {
		code, what = problem.RepeatNeedsYes, "the same text"
	}
	return problem.New(code, "%s went to this person on %s or is about to (message %s, %s); if this one is to follow it, say yes_to with "+
		"the message_id of each of the earlier ones", what, asked[0].At.UTC().Format(time.RFC3339), asked[0].Message, asked[0].Status).
		With("earlier", asked)
}
