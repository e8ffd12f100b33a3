package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/problem"
)

// beginRun lets a preview happen, exactly as it was shown.
func (a *API) beginRun(kind bulk.Kind) func(call) error {
	return func(c call) error {
		id, err := pathID(c)
		if err != nil {
			return err
		}
		once, err := readCommand(c, &struct{}{})
		if err != nil {
			return err
		}
		defer a.bulk.Wake()
		return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
			run, err := bulk.Begin(c.ctx(), tx, c.who, kind, id)
			return result{object: id, view: showRun(run)}, err
		})
	}
}

func (a *API) getRun(kind bulk.Kind) func(call) error {
	return func(c call) error {
		id, err := pathID(c)
		if err != nil {
			return err
		}
		run, err := a.reads.BulkRun(c.ctx(), c.who.Workspace, kind, id)
		if err != nil {
			return err
		}
		return showJSON(c, http.StatusOK, showRun(run))
	}
}

func (a *API) listRunItems(kind bulk.Kind) func(call) error {
	return func(c call) error {
		id, err := pathID(c)
		if err != nil {
			return err
		}
		p, err := readPage(c)
		if err != nil {
			return err
		}
		items, err := a.reads.BulkItems(c.ctx(), c.who.Workspace, kind, id, p.after, p.most+1)
		if err != nil {
			return err
		}
		itemID := func(i bulk.Item) uuid.UUID { return i.ID }
		if kind == bulk.Approval {
			return showPage(c, p, items, itemID, showApprovalItem)
		}
		return showPage(c, p, items, itemID, showRetryItem)
	}
}

type runView struct {
	ID           uuid.UUID      `json:"id"`
	State        bulk.State     `json:"state"`
	AccountID    *uuid.UUID     `json:"account_id"`
	SequenceID   *uuid.UUID     `json:"sequence_id"`
	StepID       *uuid.UUID     `json:"step_id"`
	EnrolmentIDs []uuid.UUID    `json:"enrolment_ids"`
	CreatedAt    time.Time      `json:"created_at"`
	BegunAt      *time.Time     `json:"begun_at"`
	EndedAt      *time.Time     `json:"ended_at"`
	Total        int            `json:"total"`
	IsFull       bool           `json:"is_full"`
	Allowed      int            `json:"allowed"`
	Refused      map[string]int `json:"refused"`
	Handled      int            `json:"handled"`
	Made         int            `json:"made"`
	Moved        map[string]int `json:"moved"`
}

type retryRunView struct {
	Run  runView `json:",inline"`
	Code *string `json:"code"`
}

type approvalRunView struct {
	Run     runView `json:",inline"`
	Purpose *string `json:"purpose"`
}

func showRun(r bulk.Run) any {
	v := runView{
		ID: r.ID, State: r.State(), AccountID: orNull(r.Filter.Account), SequenceID: orNull(r.Filter.Sequence), StepID: orNull(r.Filter.Step), EnrolmentIDs: append([]uuid.UUID{}, r.Filter.Enrolments...), CreatedAt: r.CreatedAt,
		BegunAt: r.BegunAt, EndedAt: r.EndedAt, Total: r.Total(), IsFull: r.IsFull(), Allowed: r.Allowed, Refused: showCounts(r.Refused),
		Handled: r.Handled(), Made: r.Made, Moved: showCounts(r.Moved),
	}
	if r.Kind == bulk.Approval {
		return approvalRunView{v, orNull(r.Filter.Purpose)}
	}
	return retryRunView{v, orNull(r.Filter.Code)}
}

func showCounts(counts map[problem.Code]int) map[string]int {
	shown := map[string]int{}
	for code, count := range counts {
		shown[string(code)] = count
	}
	return shown
}

// verdictView: verdict and outcome are null for "a send is queued" as far as they are known; handled says whether the outcome is.
type verdictView struct {
	Verdict *string `json:"verdict"`
	Handled bool    `json:"handled"`
	Outcome *string `json:"outcome"`
}

type retryItemView struct {
	SendID     uuid.UUID   `json:"send_id"`
	Said       verdictView `json:",inline"`
	NextSendID *uuid.UUID  `json:"next_send_id"`
}

// approvalItemView is a message in the version that is approved, with its whole text.
type approvalItemView struct {
	MessageID uuid.UUID   `json:"message_id"`
	Version   int         `json:"version"`
	Digest    string      `json:"digest"`
	Subject   *string     `json:"subject"`
	Body      string      `json:"body"`
	Said      verdictView `json:",inline"`
	SendID    *uuid.UUID  `json:"send_id"`
}

func showVerdict(i bulk.Item) verdictView {
	v := verdictView{Verdict: orNull(string(i.Verdict)), Handled: i.Outcome != nil}
	if i.Outcome != nil {
		v.Outcome = orNull(string(*i.Outcome))
	}
	return v
}

func showRetryItem(i bulk.Item) retryItemView { return retryItemView{i.ID, showVerdict(i), i.Next} }

func showApprovalItem(i bulk.Item) approvalItemView {
	return approvalItemView{i.ID, i.Version, i.Digest, i.Content.Subject, i.Content.Body, showVerdict(i), i.Next}
}
