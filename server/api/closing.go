package api

import (
	"net/http"
	"time"

	"sendonce/server/command"
	"sendonce/server/message"
)

// closureView says that a message begins nothing more; null as long as it may.
type closureView struct {
	ClosedAt time.Time `json:"closed_at"`
	ClosedBy string    `json:"closed_by"`
	Why      string    `json:"why"`
}

func (a *API) closeMessage(c call) error {
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
		m, err := message.Close(c.ctx(), tx, c.who, id, in.Why)
		return result{object: id, view: showMessage(m), wake: m.Target.Account}, err
	})
}

func showClosure(c *message.Closure) *closureView {
	if c == nil {
		return nil
	}
	return &closureView{c.At, c.By, c.Why}
}
