package console

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
)

// CanApprove reports whether an approval would queue a send.
func (c card) CanApprove() bool {
	if !c.MayDecide || c.Closure != nil || c.Authority == message.Withdrawn || c.Authority == message.Rejected || c.Content.ExpiredAt != nil {
		return false
	}
	latest := c.Latest()
	return latest == nil || latest.Parked || !c.Status().Live()
}

// MustNotContact reports whether nobody may write to the person.
func (c card) MustNotContact() bool { return c.Contact.Level == people.DoNotContact }

// Claim is the claim of a colleague that an approval would pass over, or "".
func (c card) Claim() string {
	if c.Contact.Level != people.Owned {
		return ""
	}
	return message.ClaimOf(c.Contact)
}

// CanReject reports whether the version waits for a person's yes or no.
func (c card) CanReject() bool {
	return c.CanApprove() && c.Approval == nil
}

// CanRevoke reports whether an approval stands that no send has used up.
func (c card) CanRevoke() bool {
	return c.CanWithdraw() && c.Approval != nil
}

// readVersion is the version that the page showed.
func readVersion(v visit) (int, error) {
	version, err := strconv.Atoi(v.FormValue("version"))
	if err != nil {
		return 0, problem.Field("version", "reload the page and decide on what it shows")
	}
	return version, nil
}

func (s *Console) approve(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	version, err := readVersion(v)
	if err != nil {
		return err
	}
	yes := message.Yes{Version: version, Digest: v.FormValue("digest")}
	for _, text := range v.Request().Form["yes_to"] {
		earlier, err := uuid.Parse(text)
		if err != nil {
			return problem.Field("yes_to", "reload the page and decide on what it shows")
		}
		yes.To = append(yes.To, earlier)
	}
	if text := v.FormValue("override_owner"); text != "" {
		owner, err := uuid.Parse(text)
		if err != nil {
			return problem.Field("override_owner", "reload the page and decide on what it shows")
		}
		yes.Override = &message.Override{Owner: owner, Why: v.FormValue("override_why")}
	}
	return s.run(v, fmt.Sprint(version, yes.Digest, yes.To, v.FormValue("override_owner"), v.FormValue("override_why")), "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		m, queued, err := message.Approve(v.ctx(), tx, v.who, id, yes)
		if !queued {
			return id, uuid.Nil, err
		}
		return id, m.Target.Account, err
	})
}

func (s *Console) reject(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	version, err := readVersion(v)
	if err != nil {
		return err
	}
	no := message.No{Version: version, Digest: v.FormValue("digest"), Why: v.FormValue("why")}
	return s.run(v, v.FormValue("version")+" "+no.Digest+"\n"+no.Why, "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := message.Reject(v.ctx(), tx, v.who, id, no)
		return id, uuid.Nil, err
	})
}

func (s *Console) revokeApproval(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, "", "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		m, err := message.Revoke(v.ctx(), tx, v.who, id)
		return id, m.Target.Account, err // the place of a revoked lease is free
	})
}
