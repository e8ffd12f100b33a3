package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Step is one step of a sequence: its purpose, its text as a template, and after how many days it is due.
type Step struct {
	Purpose, Text string
	Days          int
}

// Sequence makes a sequence, with a template for each step, and returns its id.
func (a *API) Sequence(ctx context.Context, name string, steps ...Step) (string, error) {
	var made struct{ ID string }
	if err := a.call(ctx, http.MethodPost, "/v1/sequences", map[string]any{"name": name}, &made); err != nil {
		return "", err
	}
	var set []map[string]any
	for _, step := range steps {
		var template struct{ ID string }
		if err := a.call(ctx, http.MethodPost, "/v1/templates", map[string]any{"name": step.Purpose, "body": step.Text}, &template); err != nil {
			return "", err
		}
		set = append(set, map[string]any{
			"purpose": step.Purpose, "channel": "linkedin", "template_id": template.ID,
			"delay": map[string]any{"count": step.Days, "unit": "days"},
		})
	}
	return made.ID, a.call(ctx, http.MethodPut, "/v1/sequences/"+made.ID+"/steps", map[string]any{"steps": set}, nil)
}

// Enrolled is what came of one of many who were to be enrolled. Refused is nil for who was.
type Enrolled struct {
	Row       int      `json:"row"`
	Enrolment string   `json:"enrolment_id"`
	Refused   *Problem `json:"refused"`
}

// EnrolImport puts up to 200 people of a list into a sequence, to be written to from the account.
func (a *API) EnrolImport(ctx context.Context, sequence, account, list string) ([]Enrolled, error) {
	var done struct{ Items []Enrolled }
	body := map[string]any{"account_id": account, "import_id": list}
	return done.Items, a.call(ctx, http.MethodPost, "/v1/sequences/"+sequence+"/enrolments", body, &done)
}

// Enrolment is a person in a sequence as the API shows it. MessageID is the message that it waits for, or "".
type Enrolment struct {
	ID         string `json:"id"`
	PersonName string `json:"person_name"`
	State      string `json:"state"`
	Reason     string `json:"reason"`
	Text       string `json:"text"`
	MessageID  string `json:"message_id"`
}

// Enrolments are up to 200 people in a sequence, in the order in which they were enrolled.
func (a *API) Enrolments(ctx context.Context, sequence string) ([]Enrolment, error) {
	var list struct{ Items []Enrolment }
	return list.Items, a.call(ctx, http.MethodGet, "/v1/enrolments?limit=200&sequence="+sequence, nil, &list)
}

// AwaitEnrolments reads those of a sequence until the condition holds. Failed reads are tried again, because tests stop servers.
func (a *API) AwaitEnrolments(ctx context.Context, sequence string, condition func([]Enrolment) bool) ([]Enrolment, error) {
	var last []Enrolment
	var trouble error
	err := poll(ctx, "the enrolments", func() (bool, error) {
		read, err := a.Enrolments(ctx, sequence)
		if trouble = err; err != nil {
			return false, nil
		}
		last = read
		return condition(read), nil
	})
	if err != nil {
		err = errors.Join(fmt.Errorf("%w; they are %+v", err, last), trouble)
	}
	return last, err
}

// Batch is an "approve all": how many messages it would queue or has queued, and how many it would not, by the reason.
type Batch struct {
	ID      string         `json:"id"`
	State   string         `json:"state"`
	Total   int            `json:"total"`
	Allowed int            `json:"allowed"`
	Refused map[string]int `json:"refused"`
	Made    int            `json:"made"`
	Items   []BatchItem    `json:"-"`
}

// BatchItem is one message of a batch, with the whole text that a yes to it is about.
type BatchItem struct {
	MessageID string `json:"message_id"`
	Body      string `json:"body"`
	Verdict   string `json:"verdict"`
}

// PreviewBatch shows up to 200 messages of a sequence that wait for approval. Nothing is approved by it.
func (a *API) PreviewBatch(ctx context.Context, sequence string) (Batch, error) {
	var batch Batch
	if err := a.call(ctx, http.MethodPost, "/v1/approvals", map[string]any{"sequence_id": sequence}, &batch); err != nil {
		return batch, err
	}
	var list struct{ Items []BatchItem }
	err := a.call(ctx, http.MethodGet, "/v1/approvals/"+batch.ID+"/items?limit=200", nil, &list)
	batch.Items = list.Items
	return batch, err
}

// ApproveBatch approves what was shown, and returns when each message was handled.
func (a *API) ApproveBatch(ctx context.Context, id string) (done Batch, err error) {
	if err := a.call(ctx, http.MethodPost, "/v1/approvals/"+id+"/start", map[string]any{}, nil); err != nil {
		return done, err
	}
	err = poll(ctx, "the batch", func() (bool, error) {
		err := a.call(ctx, http.MethodGet, "/v1/approvals/"+id, nil, &done)
		return done.State == "done", err
	})
	return done, err
}

// Retriable is how many failed sends of a sequence a "retry all" would send again.
func (a *API) Retriable(ctx context.Context, sequence string) (int, error) {
	var batch Batch
	err := a.call(ctx, http.MethodPost, "/v1/retries", map[string]any{"sequence_id": sequence}, &batch)
	return batch.Allowed, err
}
