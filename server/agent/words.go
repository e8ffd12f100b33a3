package agent

import (
	"fmt"
	"strings"
	"time"

	"sendonce/client"
	"sendonce/server/delivery"
	"sendonce/server/message"
	"sendonce/server/rule"
)

// notStarted is the state of whatever has not begun: nothing has touched LinkedIn.
const notStarted = "not_started"

// stateOf is the one word for what became of a message whose status the server tells.
func stateOf(status string) string {
	switch status := rule.Status(status); status {
	case rule.Started, rule.Unconfirmed, rule.Sent, rule.Failed:
		return string(status)
	default:
		return notStarted
	}
}

// whatToDo says what happens next and who must act. page is where people decide about the message.
func whatToDo(m client.Message, page string) string {
	var latest client.Send
	if one := m.Latest(); one != nil {
		latest = *one
	}
	switch rule.Status(m.Status) {
	case rule.Sent:
		return join("It was delivered, and there is evidence of it.", afterwards(m.Delivery), "Do not propose it again.")
	case rule.Unconfirmed:
		return join(m.Instruction, "The person may have it: do not propose it again, in whatever words. A browser looks by itself; read it later. Else a person settles it at "+page+".")
	case rule.Started:
		return "Sending has begun and cannot be changed or held back. It ends by itself, within minutes: read it again. Do not propose it again."
	case rule.Failed:
		return join(latest.Text, "Nothing was delivered.", afterFailure(m, latest, page))
	case rule.Queued, rule.Leased:
		if latest.Parked {
			return join("It is approved, but held back until a person has looked, at "+page+".", rule.Refusal(m.WaitingFor).Text())
		}
		return join("It is approved and goes out by itself.", rule.Refusal(m.WaitingFor).Text(), notBefore(m.WaitingUntil), "Read it again later.")
	default:
		return join(notBegun(m, page), latest.Text)
	}
}

func notBefore(until *time.Time) string {
	if until == nil {
		return ""
	}
	return "Not before " + until.UTC().Format(time.RFC3339) + "."
}

// afterwards is what was seen of a message after it had left.
func afterwards(d *client.Reached) string {
	switch {
	case d == nil:
		return ""
	case d.Bounced != nil:
		return join("Since then its provider has said that it bounced:", d.Bounced.Detail, "The person may not have it; a person decides what follows.")
	case d.Undelivered != nil:
		return join("Since then its provider has said that it was not delivered:", d.Undelivered.Detail, "A person decides what follows.")
	case delivery.Kind(d.State) == delivery.Replied:
		return "They have replied."
	}
	return ""
}

func afterFailure(m client.Message, latest client.Send, page string) string {
	switch {
	case m.Closure != nil:
		return closed(*m.Closure)
	case latest.RequeueAt != nil:
		return "A machine tries it once more by itself, at " + shown(*latest.RequeueAt) + " or later: read it again then."
	default:
		return "Whether it is retried is for a person to decide, at " + page + "."
	}
}

// notBegun is for a message that has no send, or one that was called off.
func notBegun(m client.Message, page string) string {
	const nothing = "Nothing was sent. "
	if m.Closure != nil {
		return nothing + closed(*m.Closure)
	}
	switch message.Authority(m.Authority) {
	case message.Proposed:
		return fmt.Sprintf(nothing+"A person must approve version %d at %s; you cannot.", m.Version, page)
	case message.Approved:
		return nothing + "It is approved, but what would have sent it was called off; a person decides at " + page + "."
	case message.Rejected:
		return nothing + join(rejected(m.Rejection), "To change it, call revise_message: a person is asked about the new text.")
	case message.Expired:
		if m.SendBefore != nil && m.SendBefore.Before(time.Now()) {
			return nothing + "The last moment for it passed before anything began. If it is still wanted, propose it with another window."
		}
		return nothing + "Its approval ran out before anything began. A person may approve it anew at " + page + "."
	default:
		return nothing + fmt.Sprintf("Nothing will be: the message is %s. Do not propose it in other words, unless a person asks for that.", m.Authority)
	}
}

func rejected(r *client.Rejection) string {
	if r == nil {
		return "A person rejected this version."
	}
	if r.Why == "" {
		return r.By + " rejected this version and gave no reason."
	}
	return r.By + " rejected this version: " + r.Why
}

func closed(c client.Closure) string {
	return "Nothing more will be: " + c.ClosedBy + " closed it: " + c.Why
}

// join puts sentences together and leaves out the empty ones.
func join(sentences ...string) string {
	var said []string
	for _, one := range sentences {
		if one != "" {
			said = append(said, one)
		}
	}
	return strings.Join(said, " ")
}

func shown(t time.Time) string { return t.UTC().Format(time.RFC3339) }
