package api

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/person"
	"sendonce/server/problem"
)

// suppressionView says that somebody must not be contacted. Value is empty once whom it named was removed.
type suppressionView struct {
	ID        uuid.UUID    `json:"id"`
	Scope     person.Scope `json:"scope"`
	Value     string       `json:"value"`
	Why       string       `json:"why"`
	SetBy     string       `json:"set_by"`
	SetAt     time.Time    `json:"set_at"`
	LiftedAt  *time.Time   `json:"lifted_at"`
	LiftedBy  *string      `json:"lifted_by"`
	LiftedWhy *string      `json:"lifted_why"`
}

func showSuppression(s person.Suppression) suppressionView {
	v := suppressionView{ID: s.ID, Scope: s.Scope, Value: s.Value, Why: s.Why, SetBy: s.SetBy, SetAt: s.SetAt}
	if l := s.Lifted; l != nil {
		v.LiftedAt, v.LiftedBy, v.LiftedWhy = &l.At, orNull(l.By), &l.Why
	}
	return v
}

// settledView is a suppression with what it met.
type settledView struct {
	suppressionView
	CalledOff int    `json:"called_off"`
	Begun     int    `json:"begun"`
	Text      string `json:"text"`
}

// listSuppressions shows those that stand, or with ?state= the lifted ones or all, the newest first.
func (a *API) listSuppressions(c call) error {
	state := c.QueryParam("state")
	if state != "" && state != "standing" && state != "lifted" && state != "all" {
		return problem.Field("state", `it must be "standing", "lifted" or "all"`)
	}
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.reads.SuppressionList(c.ctx(), c.who.Workspace, person.SuppressionPage{
		Standing: state != "lifted", Lifted: state == "lifted" || state == "all", Before: p.after, Most: p.most + 1,
	})
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(s person.Suppression) uuid.UUID { return s.ID }, showSuppression)
}

func (a *API) getSuppression(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	s, err := a.reads.SuppressionRead(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showSuppression(s))
}

type suppressRequest struct {
	PersonID    uuid.UUID `json:"person_id"`
	LinkedIn    string    `json:"linkedin"`
	Email       string    `json:"email"`
	EmailDomain string    `json:"email_domain"`
	Company     string    `json:"company"`
	Why         string    `json:"why"`
}

func (a *API) suppress(c call) error {
	var in suppressRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	whom := person.Whom{Person: in.PersonID, LinkedIn: in.LinkedIn, Email: in.Email, EmailDomain: in.EmailDomain, Company: in.Company}
	answer, replayed, err := a.commands.Suppress(c.ctx(), c.who, once, whom, in.Why, func(made person.Suppression, settled person.Settled) ([]byte, error) {
		return json.Marshal(settledView{showSuppression(made), settled.CalledOff, settled.Begun, settled.Text()})
	})
	if err != nil {
		return err
	}
	return a.say(c, answer, replayed)
}

func (a *API) liftSuppression(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in struct {
		Why string `json:"why"`
	}
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		s, err := person.Lift(c.ctx(), tx, c.who, id, in.Why)
		return result{object: id, view: showSuppression(s)}, err
	})
}
