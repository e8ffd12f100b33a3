package api

import (
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
)

type retriesRequest struct {
	AccountID *uuid.UUID `json:"account_id"`
	Code      string     `json:"code"`
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
	return a.preview(c, once, bulk.Retry, in.AccountID, bulk.Filter{Code: code})
}

type approvalsRequest struct {
	AccountID *uuid.UUID `json:"account_id"`
	Purpose   string     `json:"purpose"`
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
	return a.preview(c, once, bulk.Approval, in.AccountID, bulk.Filter{Purpose: purpose})
}

func (a *API) preview(c call, once *command.Once, kind bulk.Kind, account *uuid.UUID, filter bulk.Filter) error {
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		if account != nil {
			found, err := tx.AccountGet(c.ctx(), c.who.Workspace, *account)
			if err != nil {
				return result{}, err
			}
			filter.Account = found.ID
		}
		run, err := bulk.Preview(c.ctx(), tx, c.who, kind, filter)
		return result{object: run.ID, view: showRun(run)}, err
	})
}
