package message

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Override passes over a colleague's claim on a person: somebody decides, in the knowledge of it, that this message goes out as well.
type Override struct {
	Owner uuid.UUID // whose claim it is
	Why   string
}

// mayContact says why nothing may go out to the person from the account, or nil. That they were written to often only delays it.
func mayContact(c people.Contact) *problem.Problem {
	switch c.Level {
	case people.DoNotContact:
		return problem.Refused(rule.Suppressed).With("because", c.Because)
	case people.Owned:
		return problem.New(problem.Code(rule.OwnedByColleague), "%s If you write to them as well, approve with override {owner_id, why}", ClaimOf(c)).
			With("owner_id", c.Owner).With("owner", c.OwnerName).With("because", c.Because)
	}
	return nil
}

// ClaimOf says a colleague's claim on a person as a sentence.
func ClaimOf(c people.Contact) string {
	if c.FreeFrom.IsZero() {
		return c.OwnerName + " owns this person."
	}
	return c.OwnerName + " wrote to this person lately, and has no claim on them from " + c.FreeFrom.UTC().Format(time.RFC3339) + " on."
}

func contentExpired() *problem.Problem {
	return problem.New(problem.ContentExpired, "the text of this message has expired; edit it with a new one, or propose a new message")
}
