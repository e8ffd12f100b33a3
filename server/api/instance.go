package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/instance"
	"sendonce/server/problem"
)

// instanceView is what a person looks at before they arm the database. Code and text say why it holds fire.
type instanceView struct {
	ID         uuid.UUID           `json:"id"`
	Epoch      int64               `json:"epoch"`
	Armed      bool                `json:"armed"`
	ArmedAt    *time.Time          `json:"armed_at"`
	DisarmedAt *time.Time          `json:"disarmed_at"`
	Code       *string             `json:"code"`
	Text       *string             `json:"text"`
	Installs   reportedView        `json:"installs"`
	History    []instanceEventView `json:"history"`
}

type reportedView struct {
	Total      int `json:"total"`
	Unreported int `json:"unreported"`
	Ahead      int `json:"ahead"`
}

type instanceEventView struct {
	What         string    `json:"what"`
	At           time.Time `json:"at"`
	Epoch        int64     `json:"epoch"`
	Code         *string   `json:"code"`
	By           *string   `json:"by"`
	Unreported   int       `json:"unreported"`
	AcceptUnseen bool      `json:"accept_unseen"`
}

func showInstance(r instance.Report) instanceView {
	v := instanceView{
		ID: r.ID, Epoch: r.Epoch, Armed: r.ArmedAt != nil, ArmedAt: r.ArmedAt, DisarmedAt: r.DisarmedAt,
		Code: orNull(string(r.Code)), Text: orNull(r.Code.Text()),
		Installs: reportedView{r.Installs, r.Unreported, r.Ahead}, History: []instanceEventView{},
	}
	for _, e := range r.History {
		v.History = append(v.History, instanceEventView{
			What: e.What, At: e.At, Epoch: e.Epoch, Code: orNull(string(e.Code)), By: orNull(e.By),
			Unreported: e.Unreported, AcceptUnseen: e.AcceptUnseen,
		})
	}
	return v
}

func (a *API) getInstance(c call) error {
	report, err := a.reads.InstanceGet(c.ctx(), c.who.Workspace)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showInstance(report))
}

type armingRequest struct {
	Epoch        int64 `json:"epoch"`
	AcceptUnseen bool  `json:"accept_unseen"`
}

// armInstance lets the database send again. It is one for all workspaces.
func (a *API) armInstance(c call) error {
	var in armingRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if in.Epoch < 1 {
		return problem.Field("epoch", "name the epoch that was looked at")
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		report, err := instance.Arm(c.ctx(), tx, c.who, instance.Arming{Epoch: in.Epoch, AcceptUnseen: in.AcceptUnseen})
		return result{object: report.ID, view: showInstance(report)}, err
	})
}
