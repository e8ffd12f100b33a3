package receipt

import (
	"encoding/json"

	"sendonce/server/message"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func evidenceOf(s message.Send, e message.Evidence) Evidence {
	out := Evidence{
		Kind: e.Kind, Outcome: e.Outcome, By: orNull(e.By), InstallID: e.Install, Attempt: e.Attempt, Note: e.Note,
		AcceptUnseen: e.AcceptUnseen, AskedAt: AtOrNull(e.AskedAt), ReceivedAt: At(e.ReceivedAt), Body: wholeNumbers(e.Body),
	}
	look := s.LookedBy(e)
	switch {
	case look != nil:
		out.Text = look.Text
		if look.Result == send.CheckAbsent || look.Result == send.CheckNoConversation {
			out.Counts = &look.Counts
		}
	case e.Outcome == send.AnswerDelivered:
		out.Text = "A person looked, and said that it was delivered."
	case e.Outcome == send.AnswerNotDelivered:
		out.Text = "A person looked, and said that it was not delivered."
	default:
		out.Text = rule.CodeText(e.Outcome, reasonIn(e.Body))
	}
	return out
}

// reasonIn is why an attempt that did not act ended, or "".
func reasonIn(body []byte) string {
	var said struct {
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return "" // what a browser said of another form has no reason
	}
	return said.Reason
}
