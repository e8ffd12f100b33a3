package message

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// Follows says that a message is a new decision, made in the knowledge of an earlier send to the same person.
type Follows struct {
	Send uuid.UUID
	Why  string
}

// Followed is the send that a message follows, as it is now.
type Followed struct {
	Follows
	Message uuid.UUID
	Status  rule.Status
}

func readFollows(f *Follows) (*Follows, error) {
	if f == nil {
		return nil, nil
	}
	if f.Send == uuid.Nil {
		return nil, problem.Field("follows.send", "name the send that this message follows")
	}
	why, err := readWhy("follows.why", f.Why, "say why this person is written to once more, like \"they asked for the details\"")
	if err != nil {
		return nil, err
	}
	return &Follows{Send: f.Send, Why: why}, nil
}

// mayPropose refuses a message beside another one for the same intent, unless it follows that one and that one has ended. It
// returns the send that the message follows, or nil.
func mayPropose(ctx context.Context, store Store, workspace uuid.UUID, target Target, rival *send.IntentRival, f *Follows) (*Followed, error) {
	intent := send.Intent{Rival: rival}
	var followed *Followed
	if f != nil {
		intent.Follows = f.Send
		earlier, err := store.SendToFollow(ctx, workspace, target.Person, f.Send)
		if problem.Is(err, problem.NotFound) {
			return nil, problem.Field("follows.send", "there is no such send to this person; GET /v1/sends lists them")
		}
		if err != nil {
			return nil, err
		}
		if refused := send.NotToFollow(earlier); refused != nil {
			return nil, refused
		}
		followed = &Followed{Follows: *f, Message: earlier.Message, Status: earlier.Status}
	}
	if refused := intent.Decide(); refused != nil {
		return nil, refused
	}
	return followed, nil
}
