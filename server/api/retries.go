package api

import (
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

type retriesRequest struct {
	AccountID *uuid.UUID `json:"account_id"`
	Code      string     `json:"code"`
	Of        stepFilter `json:",inline"`
}

// stepFilter lets through what is of a sequence, of a step, or of enrolments.
type stepFilter struct {
	SequenceID   *uuid.UUID  `json:"sequence_id"`
	StepID       *uuid.UUID  `json:"step_id"`
	EnrolmentIDs []uuid.UUID `json:"enrolment_ids"`
}

// add refuses what the workspace has not.
func (f stepFilter) add(c call, tx command.Tx, to *bulk.Filter) error {
	if len(f.EnrolmentIDs) > config.EnrolAtOnceMax {
		return problem.Field("enrolment_ids", "it names %d; %d is the most", len(f.EnrolmentIDs), config.EnrolAtOnceMax)
	}
	to.Sequence, to.Step = orZero(f.SequenceID), orZero(f.StepID)
	if len(f.EnrolmentIDs) > 0 {
		to.Enrolments = f.EnrolmentIDs
	}
	if f.SequenceID != nil {
		if _, err := tx.SequenceGet(c.ctx(), c.who.Workspace, to.Sequence); err != nil {
			return err
		}
	}
	if f.StepID == nil {
		return nil
	}
	known, err := tx.StepIs(c.ctx(), c.who.Workspace, to.Step)
	if err == nil && !known {
		err = problem.New(problem.NotFound, "there is no such step")
	}
	return err
}

// previewRetries shows what "retry all" would come to. Nothing is sent by it.
func (a *API) previewRetries(c call) error {
	var in retriesRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	code, err := message.CanonicalLine("code", in.Code, config.TypedCodeRunesMax)
	if err != nil {
		return err
	}
	return a.preview(c, once, bulk.Retry, in.AccountID, in.Of, bulk.Filter{Code: code})
}

type approvalsRequest struct {
	AccountID *uuid.UUID `json:"account_id"`
	Purpose   string     `json:"purpose"`
	Of        stepFilter `json:",inline"`
}

// previewApprovals shows what "approve all" would come to. Nothing is approved by it.
func (a *API) previewApprovals(c call) error {
	var in approvalsRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	purpose, err := message.CanonicalLine("purpose", in.Purpose, config.PurposeRunesMax)
	if err != nil {
		return err
	}
	return a.preview(c, once, bulk.Approval, in.AccountID, in.Of, bulk.Filter{Purpose: purpose})
}

func (a *API) preview(c call, once *command.Once, kind bulk.Kind, account *uuid.UUID, of stepFilter, filter bulk.Filter) error {
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		if account != nil {
			found, err := tx.AccountGet(c.ctx(), c.who.Workspace, *account)
			if err != nil {
				return result{}, err
			}
			filter.Account = found.ID
		}
		if err := of.add(c, tx, &filter); err != nil {
			return result{}, err
		}
		run, err := bulk.Preview(c.ctx(), tx, c.who, kind, filter)
		return result{object: run.ID, view: showRun(run)}, err
	})
}
