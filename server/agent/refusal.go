package agent

import (
	"errors"
	"fmt"

	"sendonce/client"
	"sendonce/server/problem"
)

// refusal puts an error into words that say whether anything was changed, and what an agent can do about it.
func refusal(err error) error {
	var unknown *client.UnknownError
	var refused *client.Problem
	switch own := problem.As(err); {
	case errors.As(err, &unknown):
		return fmt.Errorf("it is not known whether this was done. Call the tool again with exactly the same arguments: that is the same request and never a second message. (%w)", unknown.Err)
	case errors.As(err, &refused):
		return fmt.Errorf("refused, and nothing was changed. %w. %s", refused, advice(refused))
	case own != nil:
		return fmt.Errorf("not asked for, and nothing was changed. %s (%s), in %s: %s", own.Code.Title(), own.Code, own.Field, own.Detail)
	default:
		return err
	}
}

// advice says what the tools can do about a refusal; what the server says about it is for every program.
func advice(p *client.Problem) string {
	switch of := p.Member("message_id"); problem.Code(p.Code) {
	case problem.VersionNotCurrent:
		return "Somebody revised the message meanwhile: read it, and revise what stands there now if it is still needed."
	case problem.IntentWaits:
		return fmt.Sprintf("Do not propose another one: call revise_message with message_id %s if its text is to change, and leave the rest to the person who decides.", of)
	case problem.NotEnded:
		return fmt.Sprintf("Call read_message with message_id %s until it has ended, and propose nothing to this person meanwhile.", of)
	case problem.NeedsALook:
		return fmt.Sprintf("A person must look at message %s first. Do not write to them in other words or from another account.", of)
	case problem.FollowLatest:
		return fmt.Sprintf("If a further message is wanted all the same, call propose_message with follows_send %s and the reason in follows_why; a person decides.", p.Member("send_id"))
	case problem.TooLateToChange:
		return "Call read_message to see how it ended."
	case problem.Unauthenticated, problem.Forbidden:
		return "Tell the person whom you work for: only they can change that."
	default:
		return "Change the call accordingly, or leave it."
	}
}
