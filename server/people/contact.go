package people

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/problem"
)

// Level is how freely a person may be written to.
type Level string

// The levels, from the freest to the strictest.
const (
	Free Level = "free"
	// TooOften: as often as the team allows in so many days. It ends by itself.
	TooOften Level = "too_often"
	// Owned: a colleague owns the person, or wrote to them lately. A person may pass over that, with a reason.
	Owned Level = "owned"
	// DoNotContact: nobody writes to them.
	DoNotContact Level = "do_not_contact"
)

// Contact is the one effective level of a person for messages from an account: the strictest that anything asks for. The database
// says it (person_contact). The zero value is free.
type Contact struct {
	Level Level
	// Because is what asks for it: removed, person, a kind of identity, email_domain, company; owner, contacted; person_limit.
	Because   string
	Owner     uuid.UUID // whose claim it is; uuid.Nil unless Owned
	OwnerName string
	FreeFrom  time.Time // when it ends by itself; zero when it does not
}

// Text says the level to a person; "" when they may be written to.
func (c Contact) Text() string {
	switch {
	case c.Because == "removed":
		return "They asked to be forgotten, and were: nobody writes to them."
	case c.Because == "email_domain":
		return "Nobody at their mail domain must be contacted."
	case c.Because == "company":
		return "Nobody of their company must be contacted."
	case c.Level == DoNotContact:
		return "They must not be contacted."
	case c.Level == Owned:
		return "A colleague has a claim on them: whoever else approves a message to them says why."
	case c.Level == TooOften:
		return "They were written to as often as the team allows: what is approved waits."
	}
	return ""
}

// ParseDomain reads the domain of mail addresses as ParseEmail writes it in them. The error is a *problem.Problem about field.
func ParseDomain(field, raw string) (string, error) {
	text := strings.TrimPrefix(strings.TrimSpace(raw), "@")
	const anybody = "x@"
	of, err := ParseEmail(field, anybody+text)
	domain := strings.TrimPrefix(of.Value, anybody)
	if err != nil || strings.Contains(text, "@") || !strings.Contains(domain, ".") {
		return "", problem.Field(field, "it is not a domain of mail addresses like example.com")
	}
	return domain, nil
}
