package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/retries"
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
	filter := retries.Filter{Code: code}
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		if in.AccountID != nil {
			account, err := tx.AccountGet(c.ctx(), c.who.Workspace, *in.AccountID)
			if err != nil {
				return result{}, err
			}
			filter.Account = account.ID
		}
		run, err := retries.Preview(c.ctx(), tx, c.who, filter)
		return result{object: run.ID, view: showRun(run)}, err
	})
}

// beginRetries lets a preview happen, exactly as it was shown.
func (a *API) beginRetries(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	defer a.retries.Wake()
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		run, err := retries.Begin(c.ctx(), tx, c.who, id)
		return result{object: id, view: showRun(run)}, err
	})
}

func (a *API) getRetries(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	run, err := a.reads.RetryRun(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showRun(run))
}

func (a *API) listRetryItems(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	p, err := readPage(c)
	if err != nil {
		return err
	}
	items, err := a.reads.RetryItems(c.ctx(), c.who.Workspace, id, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, items, func(i retries.Item) uuid.UUID { return i.Send }, showItem)
}

type runView struct {
	ID        uuid.UUID      `json:"id"`
	State     retries.State  `json:"state"`
	AccountID *uuid.UUID     `json:"account_id"`
	Code      *string        `json:"code"`
	CreatedAt time.Time      `json:"created_at"`
	BegunAt   *time.Time     `json:"begun_at"`
	EndedAt   *time.Time     `json:"ended_at"`
	Total     int            `json:"total"`
	IsFull    bool           `json:"is_full"`
	Allowed   int            `json:"allowed"`
	Refused   map[string]int `json:"refused"`
	Handled   int            `json:"handled"`
	Made      int            `json:"made"`
	Moved     map[string]int `json:"moved"`
}

func showRun(r retries.Run) runView {
	return runView{
		ID: r.ID, State: r.State(), AccountID: orNull(r.Filter.Account), Code: orNull(r.Filter.Code), CreatedAt: r.CreatedAt,
		BegunAt: r.BegunAt, EndedAt: r.EndedAt, Total: r.Total(), IsFull: r.IsFull(), Allowed: r.Allowed, Refused: showCounts(r.Refused),
		Handled: r.Handled(), Made: r.Made, Moved: showCounts(r.Moved),
	}
}

func showCounts(counts map[problem.Code]int) map[string]int {
	shown := map[string]int{}
	for code, count := range counts {
		shown[string(code)] = count
	}
	return shown
}

// itemView: verdict and outcome are null for "sent again" as far as they are known; handled says whether the outcome is.
type itemView struct {
	SendID     uuid.UUID  `json:"send_id"`
	Verdict    *string    `json:"verdict"`
	Handled    bool       `json:"handled"`
	Outcome    *string    `json:"outcome"`
	NextSendID *uuid.UUID `json:"next_send_id"`
}

func showItem(i retries.Item) itemView {
	v := itemView{SendID: i.Send, Verdict: orNull(string(i.Verdict)), Handled: i.Outcome != nil, NextSendID: i.Next}
	if i.Outcome != nil {
		v.Outcome = orNull(string(*i.Outcome))
	}
	return v
}
