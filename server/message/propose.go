package message

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/problem"
)

// Proposal is what a program or a person asks to be said. The texts are as they came.
type Proposal struct {
	Account       uuid.UUID
	LinkedIn      string // the person's profile; needed on the channel linkedin
	Email         string // may be ""
	Name          string // may be ""
	Purpose       string
	Task          string // may be ""
	Subject       string // may be ""
	Body          string
	Writer        Writer // writes Subject and Body, which are "" then; may be nil
	SendAfter     *time.Time
	SendBefore    *time.Time
	Follows       *Follows // nil unless it is a new decision after an earlier send
	NoPolicy      bool     // a person approves it, whatever the policy says
	ClientRelease string
}

// Propose makes a message that waits for approval, or is approved at once where the workspace's policy says so.
func Propose(ctx context.Context, store Store, who access.Principal, p Proposal) (Message, error) {
	version, target, err := readProposal(p)
	if err != nil {
		return Message{}, err
	}
	name, err := CanonicalLine("person.name", p.Name, config.PersonNameRunesMax)
	if err != nil {
		return Message{}, err
	}
	identities, err := readIdentities(p)
	if err != nil {
		return Message{}, err
	}
	follows, err := readFollows(p.Follows)
	if err != nil {
		return Message{}, err
	}
	basis, err := store.ProposalBasis(ctx, who.Workspace, target, name, identities)
	if problem.Is(err, problem.NotFound) {
		return Message{}, problem.Field("account_id", "there is no such account; GET /v1/accounts lists them")
	}
	if err != nil {
		return Message{}, err
	}
	if err := checkWindow(version.Content, basis.Now); err != nil {
		return Message{}, err
	}
	target.Channel, target.Person = basis.Account.Channel, basis.Person.ID
	followed, err := mayPropose(ctx, store, who.Workspace, target, basis.Rival, follows)
	if err != nil {
		return Message{}, err
	}
	if basis.Contact.Level == people.DoNotContact {
		return Message{}, mayContact(basis.Contact)
	}
	if err := version.write(ctx, p.Writer, who.Workspace, target.Person); err != nil {
		return Message{}, err
	}
	if version.Digest, err = Digest(target, version.Content); err != nil {
		return Message{}, err
	}
	version.CreatedBy = who.ID
	// Ids of version 7 grow with time, so that a page of messages is a walk along one index.
	n := New{ID: uuid.Must(uuid.NewV7()), Workspace: who.Workspace, Target: target, Follows: follows, Version: version, CreatedAt: basis.Now}
	if p.NoPolicy || !basis.Policy.approves(who.Role, target.Purpose) {
		store.MessageInsertLast(n)
		return n.proposed(who.Name, basis, followed), nil
	}
	// The policy is asked once more: another one may have been set while this waited for the person.
	if err := store.MessageInsert(ctx, n); err != nil {
		return Message{}, err
	}
	if err := approveByPolicy(ctx, store, who, n.ID); err != nil {
		return Message{}, err
	}
	return store.MessageGet(ctx, who.Workspace, n.ID)
}

// proposed is the message as it is read once it is made: nothing has happened to it, so that it need not be read for the answer.
func (n New) proposed(by string, basis Basis, followed *Followed) Message {
	content := n.Version.Content
	content.SendAfter, content.SendBefore = asRead(content.SendAfter), asRead(content.SendBefore)
	m := Message{
		ID: n.ID, Target: n.Target, Content: content, Version: n.Version.Number, Digest: n.Version.Digest, Authority: Proposed,
		ClientRelease: n.Version.ClientRelease, CreatedBy: by, CreatedAt: n.CreatedAt,
		Person: basis.Person, Account: basis.Account, Origin: n.Version.From, Conversation: basis.Conversation, Followed: followed,
		History: []Event{{At: n.CreatedAt, What: WasProposed, By: by, Version: n.Version.Number}},
	}
	if followed != nil {
		m.History = append(m.History, Event{At: n.CreatedAt, What: DidFollow, By: by, Send: &followed.Send, Reason: followed.Why})
	}
	return m
}

// asRead is a moment as the database gives it back, in this machine's zone.
func asRead(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	local := t.Local()
	return &local
}

func readProposal(p Proposal) (v Version, target Target, err error) {
	target.Account = p.Account
	if target.Purpose, err = CanonicalLine("purpose", p.Purpose, config.PurposeRunesMax); err != nil {
		return v, target, err
	}
	if target.Purpose == "" {
		return v, target, problem.Field("purpose", "it is empty; say what the message is for, like \"first contact\"")
	}
	task, err := CanonicalLine("task", p.Task, config.TaskRunesMax)
	if err != nil {
		return v, target, err
	}
	target.Task = orNil(task)
	subject, body, err := readTexts(p)
	if err != nil {
		return v, target, err
	}
	release, err := CanonicalLine("client_release", p.ClientRelease, config.ClientReleaseRunes)
	if err != nil {
		return v, target, err
	}
	content := Content{Subject: orNil(subject), Body: body, SendAfter: inDatabase(p.SendAfter), SendBefore: inDatabase(p.SendBefore)}
	return Version{Number: 1, Content: content, ClientRelease: release}, target, nil
}

// readTexts is the texts that the proposal says itself; both are "" where they are written later.
func readTexts(p Proposal) (subject, body string, err error) {
	if p.Writer != nil {
		if p.Body != "" {
			return "", "", problem.Field("body", "the template writes it; leave out one of both")
		}
		if p.Subject != "" {
			return "", "", problem.Field("subject", "the template writes it; leave it out")
		}
		return "", "", nil
	}
	if subject, err = CanonicalLine("subject", p.Subject, config.SubjectRunesMax); err != nil {
		return "", "", err
	}
	body, err = CanonicalBody("body", p.Body)
	return subject, body, err
}

func readIdentities(p Proposal) ([]people.Identity, error) {
	profile, err := people.ParseLinkedIn("person.linkedin", p.LinkedIn)
	if err != nil {
		return nil, err
	}
	identities := []people.Identity{profile}
	if p.Email != "" {
		mail, err := people.ParseEmail("person.email", p.Email)
		if err != nil {
			return nil, err
		}
		identities = append(identities, mail)
	}
	return identities, nil
}

// yearMax is the last year that RFC 3339 can write.
const yearMax = 9999

// checkWindow refuses a window in which nothing could be sent.
func checkWindow(c Content, now time.Time) error {
	for field, at := range map[string]*time.Time{"send_after": c.SendAfter, "send_before": c.SendBefore} {
		if at != nil && (at.Year() < 1 || at.Year() > yearMax) {
			return problem.Field(field, "its year in UTC must be from 1 to %d", yearMax)
		}
	}
	if c.SendBefore == nil {
		return nil
	}
	if c.SendAfter != nil && !c.SendAfter.Before(*c.SendBefore) {
		return problem.Field("send_before", "it must be later than send_after")
	}
	if !c.SendBefore.After(now) {
		return problem.Field("send_before", "it has passed already")
	}
	return nil
}

// inDatabase drops what is finer than the microseconds that Postgres keeps: the digest covers what is stored.
func inDatabase(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	rounded := t.UTC().Truncate(time.Microsecond)
	return &rounded
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
