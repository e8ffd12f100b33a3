package message

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// Yes is an approval by version and digest: what is approved is what was read.
type Yes struct {
	Version int
	Digest  string
	// RepeatApproved names that the same text may go to this person again although it stands in the conversation.
	RepeatApproved bool
	// To names the earlier messages to this person that were shown: this one may follow them all the same.
	To []uuid.UUID
	// Override passes over a colleague's claim on the person; nil passes over none.
	Override *Override
}

// verdict is what an approval does. The zero value leaves everything as it is.
type verdict struct {
	queues bool         // an approval is written and a send queued
	void   string       // why the approval that stood no longer does; "" when none stood
	cancel rule.Refusal // why the latest send is canceled first; rule.Allow when it is not
}

// decideApproval says what a yes to one version does to a message.
func decideApproval(f Facts, yes Yes) (verdict, error) {
	if f.Authority == Withdrawn {
		return verdict{}, withdrawn()
	}
	if f.Closed {
		return verdict{}, closed()
	}
	if err := f.isCurrent(yes.Version, yes.Digest); err != nil {
		return verdict{}, err
	}
	if no := f.Rejection; no != nil {
		return verdict{}, problem.New(problem.AlreadyRejected, "%s rejected this version on %s; edit it, and approve the next one",
			no.By, no.At.UTC().Format(time.RFC3339)).With("by", no.By).With("at", no.At).With("why", no.Why)
	}
	if f.begun() && f.Approval == nil {
		// A send that had failed proved delivered after an edit, or after the approval ran out.
		return verdict{}, tooLate(f, "approve")
	}
	if f.begun() {
		// The version that went out is the one that is approved again.
		return verdict{}, nil
	}
	expired := f.Approval != nil && !f.approved()
	if f.inQueue() && !expired && !f.Latest.Parked {
		return verdict{}, nil
	}
	if f.Content.SendBefore != nil && !f.Content.SendBefore.After(f.Now) {
		return verdict{}, problem.New(problem.WindowClosed, "send_before has passed; change it and approve that version")
	}
	if f.Content.ExpiredAt != nil {
		return verdict{}, contentExpired()
	}
	if refused := mayContact(f.Contact); refused != nil {
		return verdict{}, refused
	}
	if f.StepHeld != "" {
		return verdict{}, send.StepHeld(f.StepHeld)
	}
	void, code := voidedByApproval, rule.ApprovalMissing // a parked send waited for just such an act of a person
	if expired {
		void, code = voidedByExpiry, rule.ApprovalExpired
	}
	if refused := f.Intent.Decide(); refused != nil {
		return verdict{}, refused
	}
	v := verdict{queues: true}
	if f.Approval != nil {
		v.void = void
	}
	if f.inQueue() {
		v.cancel = code
	}
	return v, nil
}

// Approve lets the current version go out and queues a send of it: the first, or the one after a send that failed or was
// canceled before it began, or the one instead of a send that is parked. Approving again what is approved otherwise changes
// nothing. queued says whether a send was queued.
func Approve(ctx context.Context, store Store, who access.Principal, id uuid.UUID, yes Yes) (m Message, queued bool, err error) {
	if err := who.Require(access.Decide); err != nil {
		return Message{}, false, err
	}
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil {
		return Message{}, false, err
	}
	policy, err := policyFor(ctx, store, who, facts.Target.Account)
	if err != nil {
		return Message{}, false, err
	}
	if err := pass(ctx, store, &facts, &yes); err != nil {
		return Message{}, false, err
	}
	v, err := decideApproval(facts, yes)
	if err != nil {
		return Message{}, false, err
	}
	if v.queues {
		earlier, err := store.EarlierTo(ctx, who.Workspace, id)
		if err != nil {
			return Message{}, false, err
		}
		approval, err := cover(policy.Asks(earlier, facts.Target.Purpose, facts.Now), yes)
		if err != nil {
			return Message{}, false, err
		}
		approval.Approver, approval.Override = who.ID, yes.Override
		if err := queue(ctx, store, facts, v, approval); err != nil {
			return Message{}, false, fmt.Errorf("approve message %s: %w", id, err)
		}
	}
	m, err = store.MessageGet(ctx, who.Workspace, id)
	return m, v.queues, err
}

// pass has an override count for the claim that it names, and for no other. One that names no claim there is says nothing.
func pass(ctx context.Context, store Store, f *Facts, yes *Yes) (err error) {
	given := yes.Override
	if yes.Override = nil; given == nil {
		return nil
	}
	why, err := readWhy("override.why", given.Why, "say why you write to a colleague's person as well, like \"they asked me for it\"")
	if err == nil && given.Owner == uuid.Nil {
		err = problem.Field("override.owner_id", "name whose claim it is; the refusal without an override says it as owner_id")
	}
	if err != nil || f.Contact.Level != people.Owned || f.Contact.Owner != given.Owner {
		return err
	}
	yes.Override = &Override{given.Owner, why}
	f.Contact, err = store.PersonContact(ctx, f.Target.Person, f.Target.Account, given.Owner)
	return err
}

func queue(ctx context.Context, store Store, f Facts, v verdict, a NewApproval) error {
	if v.cancel != rule.Allow {
		canceled, err := store.SendCancel(ctx, f.Latest.ID, v.cancel)
		if err != nil {
			return err
		}
		if !canceled {
			return problem.New(problem.Busy, "the send is no longer %s; look again", f.Latest.Status)
		}
	}
	if v.void != "" {
		by := a.Approver
		if v.void == voidedByExpiry {
			by = uuid.Nil
		}
		if err := store.ApprovalVoid(ctx, f.ID, by, v.void); err != nil {
			return err
		}
	}
	approval, err := store.ApprovalAdd(ctx, f.ID, a)
	if err != nil {
		return err
	}
	if err := store.AuthoritySet(ctx, f.ID, Approved); err != nil {
		return err
	}
	n := NewSend{ID: uuid.Must(uuid.NewV7()), Ordinal: 1, Approval: approval, Due: f.Now}
	if f.Latest != nil {
		n.Ordinal, n.RetryOf = f.Latest.Ordinal+1, &f.Latest.ID
	}
	if after := f.Content.SendAfter; after != nil && after.After(f.Now) {
		n.Due, n.WaitingFor = *after, rule.TooEarly
	}
	return store.SendAdd(ctx, f.ID, n)
}

// ApprovalFacts are what an approval rests on, read without a lock, for a preview.
type ApprovalFacts struct {
	Facts
	TextHash  []byte // of the folded text of the current version
	Earlier   []Earlier
	Person    uuid.UUID // as whom the message's person is known by now
	IsGranted bool      // the account, to the one who asks
}

// IdenticalWaits reports whether another message with the same text waits to go to the person. A person may approve the second
// all the same, since whichever is delivered first stops the other; nobody is asked to by a list.
func (f ApprovalFacts) IdenticalWaits() bool {
	return slices.ContainsFunc(f.Earlier, func(e Earlier) bool { return e.SameText && !e.reached() })
}

// Refuses says why an approval of that version would queue nothing, or nil.
func (f ApprovalFacts) Refuses(p Policy, who access.Principal, yes Yes) *problem.Problem {
	if p.wantsGrant(who) && !f.IsGranted {
		return notGranted()
	}
	v, err := decideApproval(f.Facts, yes)
	switch {
	case err != nil:
		return problem.As(err)
	case f.begun():
		return problem.New(problem.TooLateToChange, "its sending has begun")
	case !v.queues:
		return problem.New(problem.AlreadyApproved, "it was approved before")
	}
	_, err = cover(p.Asks(f.Earlier, f.Target.Purpose, f.Now), yes)
	return problem.As(err)
}
