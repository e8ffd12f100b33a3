package message

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/problem"
)

// Approvers says whose messages a recruiter may decide about. An admin may about all, an agent and a viewer about none.
type Approvers string

// The kinds of approvers.
const (
	// Any recruiter may decide about any message.
	Any Approvers = "any"
	// Own: a recruiter decides about messages from accounts that were granted to them.
	Own Approvers = "own"
)

// Policy is what a workspace has decided about approvals, and about people as a team.
type Policy struct {
	Number        int // 0 until somebody has set one
	Approvers     Approvers
	ApprovalLasts time.Duration
	// CoolOffDays is how long after a message another for the same purpose needs an explicit yes; 0 is never.
	CoolOffDays int
	AutoApprove []AutoRule
	// ColleagueDays is how long after a colleague's message to a person another recruiter needs a reason; 0 is never.
	ColleagueDays int
	// PersonMost messages begin to one person in PersonDays at most, over all accounts and purposes; 0 is as many as are approved.
	PersonMost, PersonDays int
	// ContentDays is how long the text of a message is kept after its end; 0 is for good.
	ContentDays int
	SetBy       uuid.UUID
	SetByName   string
	SetAt       time.Time
}

// AutoRule names proposals that need no person. An empty Purpose is any. An empty Role is any person's: an agent's proposals are
// covered only by a rule that names agents.
type AutoRule struct {
	Role    access.Role `json:"role"`
	Purpose string      `json:"purpose"`
}

func (p Policy) coolOff() time.Duration { return time.Duration(p.CoolOffDays) * 24 * time.Hour }

// approves reports whether a proposal of that role for that purpose needs no person.
func (p Policy) approves(role access.Role, purpose string) bool {
	return slices.ContainsFunc(p.AutoApprove, func(r AutoRule) bool {
		named := r.Role == role || r.Role == "" && role != access.Agent
		return named && (r.Purpose == "" || samePurpose(r.Purpose, purpose))
	})
}

// policyFor is the workspace's policy for one who decides about a message from that account. It refuses who may not.
func policyFor(ctx context.Context, store Store, who access.Principal, from uuid.UUID) (Policy, error) {
	p, err := store.PolicyNow(ctx, who.Workspace)
	if err != nil || !p.wantsGrant(who) {
		return p, err
	}
	granted, err := store.IsGranted(ctx, from, who.ID)
	if err != nil {
		return Policy{}, err
	}
	if !granted {
		return Policy{}, notGranted()
	}
	return p, nil
}

// wantsGrant reports whether one decides only about messages from accounts that were granted to them.
func (p Policy) wantsGrant(who access.Principal) bool {
	return p.Approvers == Own && who.Role != access.Admin
}

func notGranted() *problem.Problem {
	return problem.New(problem.NotYourAccount, "in this workspace a recruiter decides about messages from accounts that were granted to them")
}

// Change is a change of a policy. A nil field stays as it is.
type Change struct {
	Approvers     *Approvers
	ApprovalLasts *time.Duration
	CoolOffDays   *int
	AutoApprove   *[]AutoRule
	ColleagueDays *int
	PersonMost    *int
	PersonDays    *int
	ContentDays   *int
}

// SetPolicy writes the next policy of the workspace. It counts from its commit on: what was approved before stays approved.
func SetPolicy(ctx context.Context, store Store, who access.Principal, c Change) (Policy, error) {
	if err := who.Require(access.SetPolicy); err != nil {
		return Policy{}, err
	}
	p, err := store.PolicyLock(ctx, who.Workspace)
	if err != nil {
		return Policy{}, err
	}
	if p, err = c.apply(p); err != nil {
		return Policy{}, err
	}
	p.Number++
	if err := store.PolicyAdd(ctx, who.Workspace, who.ID, p); err != nil {
		return Policy{}, err
	}
	return store.PolicyNow(ctx, who.Workspace)
}

func (c Change) apply(p Policy) (Policy, error) {
	if c.Approvers != nil {
		if p.Approvers = *c.Approvers; p.Approvers != Any && p.Approvers != Own {
			return p, problem.Field("approvers", "it must be %s or %s", Any, Own)
		}
	}
	if c.ApprovalLasts != nil {
		if p.ApprovalLasts = *c.ApprovalLasts; p.ApprovalLasts < config.ApprovalLastsMin || p.ApprovalLasts > config.ApprovalLastsMax {
			return p, problem.Field("approval_lasts_seconds", "it must be from %d to %d", config.ApprovalLastsMin/time.Second, config.ApprovalLastsMax/time.Second)
		}
	}
	for _, n := range []struct {
		field       string
		to          *int
		from        *int
		least, most int
	}{
		{"cool_off_days", &p.CoolOffDays, c.CoolOffDays, 0, config.CoolOffDaysMax},
		{"colleague_days", &p.ColleagueDays, c.ColleagueDays, 0, config.ColleagueDaysMax},
		{"person_most", &p.PersonMost, c.PersonMost, 0, config.PersonMostMax},
		{"person_days", &p.PersonDays, c.PersonDays, 1, config.PersonDaysMax},
		{"content_days", &p.ContentDays, c.ContentDays, 0, config.ContentDaysMax},
	} {
		if n.from == nil {
			continue
		}
		if *n.to = *n.from; *n.to < n.least || *n.to > n.most {
			return p, problem.Field(n.field, "it must be from %d to %d", n.least, n.most)
		}
	}
	if c.AutoApprove != nil {
		rules, err := canonicalRules(*c.AutoApprove)
		if err != nil {
			return p, err
		}
		p.AutoApprove = rules
	}
	return p, nil
}

func canonicalRules(raw []AutoRule) ([]AutoRule, error) {
	if len(raw) > config.AutoApproveRulesMax {
		return nil, problem.Field("auto_approve", "it has %d rules; %d is the most", len(raw), config.AutoApproveRulesMax)
	}
	rules := []AutoRule{}
	for i, r := range raw {
		field := fmt.Sprintf("auto_approve.%d", i)
		if r.Role != "" && !(access.Principal{Role: r.Role}).May(access.Propose) {
			return nil, problem.Field(field+".role", "it must be a role that proposes: %s, %s or %s", access.Admin, access.Recruiter, access.Agent)
		}
		purpose, err := CanonicalLine(field+".purpose", r.Purpose, config.PurposeRunesMax)
		if err != nil {
			return nil, err
		}
		if r.Role == "" && purpose == "" {
			return nil, problem.Field(field, "name a role, a purpose, or both")
		}
		rules = append(rules, AutoRule{r.Role, purpose})
	}
	return rules, nil
}

// approveByPolicy approves a proposal that was just made, where the policy says that it needs no person, in the name of the one
// who set that policy. A message that an approval would have to say yes to waits for a person, and so do every edit and what follows
// an earlier send: a second message for one intent is a person's decision.
func approveByPolicy(ctx context.Context, store Store, who access.Principal, id uuid.UUID) error {
	p, err := store.PolicyNow(ctx, who.Workspace)
	if err != nil || len(p.AutoApprove) == 0 {
		return err
	}
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil || facts.Intent.Follows != uuid.Nil || !p.approves(who.Role, facts.Target.Purpose) || mayContact(facts.Contact) != nil {
		return err
	}
	earlier, err := store.EarlierTo(ctx, who.Workspace, id)
	if err != nil || len(p.Asks(earlier, facts.Target.Purpose, facts.Now)) > 0 {
		return err
	}
	a := NewApproval{Approver: p.SetBy, Version: facts.Version, Digest: facts.Digest, Policy: p.Number}
	if err := queue(ctx, store, facts, verdict{queues: true}, a); err != nil {
		return fmt.Errorf("approve message %s by policy %d: %w", id, p.Number, err)
	}
	return nil
}
