package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/template"
)

type proposeRequest struct {
	AccountID uuid.UUID `json:"account_id"`
	Person    struct {
		LinkedIn string `json:"linkedin"`
		Email    string `json:"email"`
		Name     string `json:"name"`
	} `json:"person"`
	Purpose  string `json:"purpose"`
	Task     string `json:"task"`
	Subject  string `json:"subject"`
	Body     string `json:"body"`
	Template *struct {
		ID        uuid.UUID          `json:"id"`
		Variables map[string]*string `json:"variables"`
	} `json:"template"`
	SendAfter  *time.Time `json:"send_after"`
	SendBefore *time.Time `json:"send_before"`
	Follows    *struct {
		Send uuid.UUID `json:"send"`
		Why  string    `json:"why"`
	} `json:"follows"`
	ClientRelease string `json:"client_release"`
}

func (a *API) proposeMessage(c call) error {
	var in proposeRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if once == nil {
		return problem.New(problem.KeyMissing, "a repeated request without one would be a second message; make one key per message")
	}
	proposal := message.Proposal{
		Account: in.AccountID, LinkedIn: in.Person.LinkedIn, Email: in.Person.Email, Name: in.Person.Name, Purpose: in.Purpose,
		Task: in.Task, Subject: in.Subject, Body: in.Body, SendAfter: in.SendAfter, SendBefore: in.SendBefore,
		ClientRelease: clientRelease(c, in.ClientRelease),
	}
	if in.Follows != nil {
		proposal.Follows = &message.Follows{Send: in.Follows.Send, Why: in.Follows.Why}
	}
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		if in.Template != nil {
			proposal.Writer = template.Writer{Store: tx, Template: in.Template.ID, Given: withoutNulls(in.Template.Variables)}
		}
		m, err := message.Propose(c.ctx(), tx, c.who, proposal)
		done := result{object: m.ID, view: showMessage(m)}
		if m.Approval != nil { // by the policy
			done.wake = m.Target.Account
		}
		return done, err
	})
}

// withoutNulls are the texts that say something: a null is as if its member were not there.
func withoutNulls(texts map[string]*string) map[string]string {
	said := map[string]string{}
	for name, text := range texts {
		if text != nil {
			said[name] = *text
		}
	}
	return said
}

type editRequest struct {
	Version       optional[int]       `json:"version"`
	Subject       optional[string]    `json:"subject"`
	Body          optional[string]    `json:"body"`
	SendAfter     optional[time.Time] `json:"send_after"`
	SendBefore    optional[time.Time] `json:"send_before"`
	ClientRelease string              `json:"client_release"`
}

func (a *API) editMessage(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in editRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	edit := message.Edit{Subject: textOf(in.Subject), Body: textOf(in.Body), ClientRelease: clientRelease(c, in.ClientRelease)}
	if in.Version.Given {
		if in.Version.Value == nil || *in.Version.Value < 1 {
			return problem.Field("version", "name the version that was read, or leave it out")
		}
		edit.Version = *in.Version.Value
	}
	if in.SendAfter.Given {
		edit.SendAfter = &in.SendAfter.Value
	}
	if in.SendBefore.Given {
		edit.SendBefore = &in.SendBefore.Value
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		m, err := message.Amend(c.ctx(), tx, c.who, id, edit)
		return result{object: id, view: showMessage(m)}, err
	})
}

// textOf is nil for a member that is absent, and empty for null.
func textOf(o optional[string]) *string {
	if o.Given && o.Value == nil {
		return new(string)
	}
	return o.Value
}

func (a *API) withdrawMessage(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		m, err := message.Withdraw(c.ctx(), tx, c.who, id)
		return result{object: id, view: showMessage(m), wake: m.Target.Account}, err
	})
}

func (a *API) getMessage(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	m, err := a.reads.MessageReceipt(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showMessage(m))
}

// listMessages takes ?status= and ?authority=, each as often as wanted, and ?person=, any id of one. Items come without their history.
func (a *API) listMessages(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	statuses, err := readStatuses(c)
	if err != nil {
		return err
	}
	var authorities []message.Authority
	for _, text := range c.QueryParams()["authority"] {
		if !slices.Contains(message.Authorities(), message.Authority(text)) {
			return problem.Field("authority", "it must be one of %v", message.Authorities())
		}
		authorities = append(authorities, message.Authority(text))
	}
	to, err := queryID(c, "person")
	if err != nil {
		return err
	}
	found, err := a.reads.MessageList(c.ctx(), c.who.Workspace, message.Page{
		Statuses: statuses, Authorities: authorities, Person: to, Before: p.after, Most: p.most + 1,
	})
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(m message.Message) uuid.UUID { return m.ID }, showListed)
}

func readStatuses(c call) ([]rule.Status, error) {
	var statuses []rule.Status
	for _, text := range c.QueryParams()["status"] {
		if !slices.Contains(rule.Statuses(), rule.Status(text)) {
			return nil, problem.Field("status", "it must be one of %v", rule.Statuses())
		}
		statuses = append(statuses, rule.Status(text))
	}
	return statuses, nil
}
