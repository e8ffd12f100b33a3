package api

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/send"
)

func (a *API) listSends(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	statuses, err := readStatuses(c)
	if err != nil {
		return err
	}
	found, err := a.reads.SendList(c.ctx(), c.who.Workspace, statuses, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(s message.Send) uuid.UUID { return s.ID }, showSend)
}

func (a *API) getSend(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	m, err := a.reads.SendReceipt(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showSend(sendIn(m, id)))
}

func (a *API) retrySend(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		next, err := message.Retry(c.ctx(), tx, c.who, id)
		if err != nil {
			return result{}, err
		}
		m, err := tx.MessageGet(c.ctx(), c.who.Workspace, next.Message)
		return result{object: next.Send, view: showSend(sendIn(m, next.Send)), wake: next.Account}, err
	})
}

type resolutionRequest struct {
	Outcome      string `json:"outcome"`
	Note         string `json:"note"`
	AcceptUnseen bool   `json:"accept_unseen"`
}

func (a *API) resolveSend(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in resolutionRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if in.Outcome != send.AnswerDelivered && in.Outcome != send.AnswerNotDelivered {
		return problem.Field("outcome", `it must be "delivered" or "not_delivered"`)
	}
	said := send.Resolution{Delivered: in.Outcome == send.AnswerDelivered, Note: in.Note, AcceptUnseen: in.AcceptUnseen}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		of, err := message.Settle(c.ctx(), tx, c.who, id, said)
		if err != nil {
			return result{}, err
		}
		m, err := tx.MessageGet(c.ctx(), c.who.Workspace, of)
		return result{object: id, view: showSend(sendIn(m, id))}, err
	})
}

func (a *API) checkSend(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, &struct{}{})
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		of, account, err := message.CheckAgain(c.ctx(), tx, c.who, id)
		if err != nil {
			return result{}, err
		}
		m, err := tx.MessageGet(c.ctx(), c.who.Workspace, of)
		return result{object: id, view: showSend(sendIn(m, id)), wake: account}, err
	})
}

// sendIn is the message's send with that id, which it has.
func sendIn(m message.Message, id uuid.UUID) message.Send {
	at := slices.IndexFunc(m.Sends, func(s message.Send) bool { return s.ID == id })
	if at < 0 {
		return message.Send{}
	}
	return m.Sends[at]
}
