package person

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
)

// Scope is what a suppression is of: one person, one address of somebody, or everybody at a domain or a company.
type Scope string

// The scopes beside those of one address, which are named as its kind.
const (
	OfPerson  Scope = "person"
	OfDomain  Scope = "email_domain"
	OfCompany Scope = "company"
)

// Suppression says that somebody must not be contacted, until a person lifts it. An import never does.
type Suppression struct {
	ID    uuid.UUID
	Scope Scope
	// Value is normalized: a person's id, an address as it is kept, a domain in ASCII, a company's folded name; "" once whom it named
	// was removed.
	Value  string
	Why    string // may be ""
	SetBy  string // the principal's name
	SetAt  time.Time
	Lifted *Lifting // nil while it stands
}

// Lifting is the end of a suppression.
type Lifting struct {
	By  string
	At  time.Time
	Why string
}

// SuppressionPage asks for suppressions that are older than Before (uuid.Nil: from the newest on).
type SuppressionPage struct {
	Standing, Lifted bool
	Before           uuid.UUID
	Most             int
}

// Whom names who must not be contacted, in exactly one of its fields.
type Whom struct {
	Person                                uuid.UUID
	LinkedIn, Email, EmailDomain, Company string
}

// Settled is what a suppression met.
type Settled struct {
	// CalledOff had not begun and never will. Begun are under way and end by themselves.
	CalledOff, Begun int
}

// Text says it to a person.
func (s Settled) Text() string {
	said := []string{"They are not contacted from now on."}
	if s.CalledOff > 0 {
		said = append(said, counted(s.CalledOff, "message that waited was called off.", "messages that waited were called off."))
	}
	if s.Begun > 0 {
		said = append(said, counted(s.Begun, "send has begun and will end by itself.", "sends have begun and will end by themselves."))
	}
	return strings.Join(said, " ")
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Suppress writes that somebody must not be contacted; again what stands already changes nothing, and the first words stand. Nothing to
// them begins once this is committed and what it met is settled.
func Suppress(ctx context.Context, store Store, who access.Principal, whom Whom, why string) (Suppression, error) {
	if err := who.Require(access.Suppress); err != nil {
		return Suppression{}, err
	}
	why, err := message.CanonicalLine("why", why, config.WhyRunesMax)
	if err != nil {
		return Suppression{}, err
	}
	s, err := read(ctx, store, who, whom)
	if err != nil {
		return Suppression{}, err
	}
	s.ID, s.Why = uuid.Must(uuid.NewV7()), why
	id, err := store.SuppressionAdd(ctx, who.Workspace, who.ID, s)
	if err != nil {
		return Suppression{}, err
	}
	return store.SuppressionGet(ctx, who.Workspace, id)
}

// read says whom exactly one of the fields names. What is wrong in itself is said first, by its own name.
func read(ctx context.Context, store Store, who access.Principal, whom Whom) (Suppression, error) {
	var named []Suppression
	for _, one := range []struct {
		isGiven bool
		read    func() (Suppression, error)
	}{
		{whom.Person != uuid.Nil, func() (Suppression, error) { return ofPerson(ctx, store, who, whom.Person) }},
		{whom.LinkedIn != "", func() (Suppression, error) { return ofAddress(people.ParseLinkedIn("linkedin", whom.LinkedIn)) }},
		{whom.Email != "", func() (Suppression, error) { return ofAddress(people.ParseEmail("email", whom.Email)) }},
		{whom.EmailDomain != "", func() (Suppression, error) {
			domain, err := people.ParseDomain("email_domain", whom.EmailDomain)
			return Suppression{Scope: OfDomain, Value: domain}, err
		}},
		{whom.Company != "", func() (Suppression, error) { return ofCompany(whom.Company) }},
	} {
		if !one.isGiven {
			continue
		}
		s, err := one.read()
		if err != nil {
			return Suppression{}, err
		}
		named = append(named, s)
	}
	if len(named) != 1 {
		return Suppression{}, problem.Field("person_id", "name one of person_id, linkedin, email, email_domain and company; %d are named", len(named))
	}
	return named[0], nil
}

func ofPerson(ctx context.Context, store Store, who access.Principal, id uuid.UUID) (Suppression, error) {
	p, err := store.PersonGet(ctx, who.Workspace, id)
	if problem.Is(err, problem.NotFound) {
		err = problem.Field("person_id", "there is no such person; GET /v1/people lists them")
	}
	if err == nil && p.RemovedAt != nil {
		err = removed()
	}
	return Suppression{Scope: OfPerson, Value: p.ID.String()}, err
}

func ofAddress(identity people.Identity, err error) (Suppression, error) {
	return Suppression{Scope: Scope(identity.Kind), Value: identity.Value}, err
}

func ofCompany(raw string) (Suppression, error) {
	company, err := message.CanonicalLine("company", raw, config.CompanyRunesMax)
	if err == nil && message.Fold(company) == "" {
		err = problem.Field("company", "it is empty, or holds nothing that a reader would see")
	}
	return Suppression{Scope: OfCompany, Value: message.Fold(company)}, err
}

// Lift ends a suppression, with a reason. What it called off stays so: a person approves it again.
func Lift(ctx context.Context, store Store, who access.Principal, id uuid.UUID, why string) (Suppression, error) {
	if err := who.Require(access.Forget); err != nil {
		return Suppression{}, err
	}
	why, err := message.CanonicalLine("why", why, config.WhyRunesMax)
	if err != nil {
		return Suppression{}, err
	}
	if message.Fold(why) == "" {
		return Suppression{}, problem.Field("why", "it is empty; say why they may be contacted again, like \"they asked for a call\"")
	}
	found, err := store.SuppressionGet(ctx, who.Workspace, id)
	if err != nil {
		return Suppression{}, err
	}
	lifted, err := store.SuppressionLift(ctx, who.Workspace, id, who.ID, why)
	if err != nil {
		return Suppression{}, err
	}
	if !lifted {
		by := found.Lifted
		if by == nil { // somebody was faster, just now
			return Suppression{}, problem.New(problem.AlreadyLifted, "it was lifted before")
		}
		return Suppression{}, problem.New(problem.AlreadyLifted, "%s lifted it on %s", by.By, by.At.UTC().Format(time.RFC3339)).
			With("by", by.By).With("at", by.At).With("why", by.Why)
	}
	return store.SuppressionGet(ctx, who.Workspace, id)
}
