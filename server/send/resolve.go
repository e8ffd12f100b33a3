package send

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/people"
	"sendonce/server/rule"
)

// The halts that code outside the table must name: reasons of not_attempted.
const (
	HaltWrongPerson  = "wrong_person"
	HaltNotConnected = "not_connected"
	HaltGroupThread  = "group_thread"
	HaltReplied      = "replied"
	HaltHalted       = "halted"
)

// Joining is what the database knows about the URN that a page shows.
type Joining struct {
	// PinnedURN is the URN this person is known by, "" when none is pinned yet.
	PinnedURN string
	// Owner is the person who is known by the shown URN, or else by the shown slug; uuid.Nil when nobody is. Of one who was merged with
	// the person of the send it is that person.
	Owner uuid.UUID
	// MustNotContact: the shown profile is one that must not be contacted, or of somebody who was removed. Until it was shown nobody knew
	// that it is theirs.
	MustNotContact bool
}

// ResolveStore joins the person on the page with the person of the send.
type ResolveStore interface {
	// ResolvePerson locks the send and its person, loads the facts again, and pins the URN when decide returns "".
	ResolvePerson(ctx context.Context, resolve ResolveWrite, decide func(Facts, Joining) string) (string, error)
}

// ResolveWrite names the attempt and whom its page shows.
type ResolveWrite struct {
	Send, Lease     uuid.UUID
	Session         Session
	URN, Slug, Name string
}

// DecideResolve says whether the attempt may go on with the person it sees. Everything about that person and this browser
// is checked anew, because a reply, a suppression or a revocation may have arrived since the start.
func DecideResolve(f Facts, j Joining, lease uuid.UUID, r Resolved) string {
	switch {
	case f.Row.Status != rule.Started || f.Row.LeaseToken != lease || f.Row.Attempt != r.Attempt:
		return HaltHalted
	case f.InstallRevoked || !f.IsGranted || j.MustNotContact:
		return HaltHalted
	case !people.IsProfileURN(r.PersonURN):
		return HaltWrongPerson // whatever a page shows there, it names nobody; pinned, it would be theirs for good
	case j.PinnedURN != "" && j.PinnedURN != r.PersonURN:
		return HaltWrongPerson
	case j.Owner != uuid.Nil && j.Owner != f.Row.Person:
		return HaltWrongPerson
	case r.Participants > 1:
		return HaltGroupThread
	case !r.Connected:
		return HaltNotConnected
	}
	switch refusal := mayGo(f); {
	case refusal == rule.Replied:
		return HaltReplied
	case refusal == rule.Allow || refusal == rule.AccountBusy || refusal == rule.PersonLimit || paces(refusal) || pauses(refusal):
		return ""
	default:
		return HaltHalted
	}
}

// Resolve implements Installs.
func (s *Service) Resolve(ctx context.Context, r Resolved) (string, error) {
	claims, err := s.claimsOf(ctx, s.tokens, r.Session, r.LeaseToken)
	if err != nil {
		return "", err
	}
	write := ResolveWrite{Send: claims.Send, Lease: claims.Lease, Session: r.Session, URN: r.PersonURN, Slug: r.Slug, Name: r.Name}
	halt, err := s.store.ResolvePerson(ctx, write, func(f Facts, j Joining) string {
		return DecideResolve(f, j, claims.Lease, r)
	})
	if errors.Is(err, ErrNoSend) {
		return HaltHalted, nil
	}
	if err != nil {
		return "", fmt.Errorf("resolve the person: %w", err)
	}
	return halt, nil
}
