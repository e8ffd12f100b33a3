package api

import (
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// checkRead refuses a decision that does not name the version and the digest it is about.
func checkRead(version int, digest string) error {
	if version < 1 {
		return problem.Field("version", "name the version that was read")
	}
	if digest == "" {
		return problem.Field("digest", "name the digest of the version that was read")
	}
	return nil
}

type approveRequest struct {
	Version        int         `json:"version"`
	Digest         string      `json:"digest"`
	RepeatApproved bool        `json:"repeat_approved"`
	YesTo          []uuid.UUID `json:"yes_to"`
	// Override passes over the claim of a colleague on the person.
	Override *struct {
		OwnerID uuid.UUID `json:"owner_id"`
		Why     string    `json:"why"`
	} `json:"override"`
}

func (a *API) approveMessage(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in approveRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if err := checkRead(in.Version, in.Digest); err != nil {
		return err
	}
	if len(in.YesTo) > config.YesesMax {
		return problem.Field("yes_to", "it names %d messages; %d is the most", len(in.YesTo), config.YesesMax)
	}
	yes := message.Yes{Version: in.Version, Digest: in.Digest, RepeatApproved: in.RepeatApproved, To: in.YesTo}
	if o := in.Override; o != nil {
		yes.Override = &message.Override{Owner: o.OwnerID, Why: o.Why}
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		m, queued, err := message.Approve(c.ctx(), tx, c.who, id, yes)
		done := result{object: id, view: showMessage(m)}
		if queued {
			done.wake = m.Target.Account
		}
		return done, err
	})
}

type rejectRequest struct {
	Version int    `json:"version"`
	Digest  string `json:"digest"`
	Why     string `json:"why"`
}

func (a *API) rejectMessage(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in rejectRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if err := checkRead(in.Version, in.Digest); err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		m, err := message.Reject(c.ctx(), tx, c.who, id, message.No{Version: in.Version, Digest: in.Digest, Why: in.Why})
		return result{object: id, view: showMessage(m)}, err
	})
}

func (a *API) revokeApproval(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		m, err := message.Revoke(c.ctx(), tx, c.who, id)
		return result{object: id, view: showMessage(m), wake: m.Target.Account}, err // the place of a revoked lease is free
	})
}
