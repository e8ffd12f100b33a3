package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/command"
)

type accountView struct {
	ID          uuid.UUID  `json:"id"`
	Channel     string     `json:"channel"`
	Handle      string     `json:"handle"`
	MemberURN   *string    `json:"member_urn"`
	MemberName  *string    `json:"member_name"`
	StoppedAt   *time.Time `json:"stopped_at"`
	StoppedCode *string    `json:"stopped_code"`
	CoolUntil   *time.Time `json:"cool_until"`
	PausedAt    *time.Time `json:"paused_at"`
	PausedBy    *string    `json:"paused_by"`
	PauseNote   *string    `json:"pause_note"`
	CreatedAt   time.Time  `json:"created_at"`
}

func showAccount(a account.Account) accountView { return accountView(a) }

type accountRequest struct {
	Channel string `json:"channel"`
	Handle  string `json:"handle"`
}

func (a *API) createAccount(c call) error {
	var in accountRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		made, err := account.Create(c.ctx(), tx, c.who, in.Channel, in.Handle)
		return result{object: made.ID, view: showAccount(made)}, err
	})
}

func (a *API) clearAccount(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		cleared, err := tx.AccountClear(c.ctx(), c.who.Workspace, id)
		return result{object: id, view: showAccount(cleared), wake: cleared.ID}, err
	})
}

func (a *API) getAccount(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	found, err := a.reads.AccountGet(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showAccount(found))
}

func (a *API) listAccounts(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.reads.AccountList(c.ctx(), c.who.Workspace, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(one account.Account) uuid.UUID { return one.ID }, showAccount)
}
