package agent

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sendonce/client"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// notStarted is the state of whatever has not begun: nothing has touched LinkedIn.
const notStarted = "not_started"

// stateOf is the one word for what became of a message.
func stateOf(m client.Message) string {
	switch status := rule.Status(m.Status); status {
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
		return "It was delivered, and there is evidence of it. Nothing is left to do. Do not propose it again."
	case rule.Unconfirmed:
		return join(m.Instruction, "The person may have it: do not propose it again, in whatever words. A browser looks by itself; read it later. Else a person settles it at "+page+".")
	case rule.Started:
		return "Sending has begun and cannot be changed or held back. It ends by itself, within minutes: read it again. Do not propose it again."
	case rule.Failed:
		return join(latest.Text, "Nothing was delivered. Whether it is retried is for a person to decide, at "+page+".")
	case rule.Queued, rule.Leased:
		return join("It is approved and goes out by itself.", rule.Refusal(m.WaitingFor).Text(), "Read it again later.")
	default:
		return join(notBegun(m, page), latest.Text)
	}
}

// notBegun is for a message that has no send, or one that was called off.
func notBegun(m client.Message, page string) string {
	switch message.Authority(m.Authority) {
	case message.Proposed:
		return fmt.Sprintf("Nothing was sent. A person must approve version %d at %s; you cannot.", m.Version, page)
	case message.Approved:
		return "Nothing was sent. It is approved, but what would have sent it was called off; a person decides at " + page + "."
	default:
		return fmt.Sprintf("Nothing was sent, and nothing will be: the message is %s. A person may say more at %s.", m.Authority, page)
	}
}

// refusal puts an error into words that say whether anything was changed, and what to do.
func refusal(err error) error {
	var unknown *client.UnknownError
	var refused *client.Problem
	switch own := problem.As(err); {
	case errors.As(err, &unknown):
		return fmt.Errorf("it is not known whether this was done. Call the tool again with exactly the same arguments: that is the same request and never a second message. (%w)", unknown.Err)
	case errors.As(err, &refused) && refused.Code == string(problem.VersionNotCurrent):
		return fmt.Errorf("refused, and nothing was changed. %w. Somebody revised the message meanwhile: read it, and revise what stands there now if it is still needed", refused)
	case errors.As(err, &refused):
		return fmt.Errorf("refused, and nothing was changed. %w", refused)
	case own != nil:
		return fmt.Errorf("not asked for, and nothing was changed. %s (%s), in %s: %s", own.Code.Title(), own.Code, own.Field, own.Detail)
	default:
		return err
	}
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
