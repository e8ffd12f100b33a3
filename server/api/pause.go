package api

import (
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/pause"
)

// pauseView is what a pause or a resume came to, at this moment.
type pauseView struct {
	Scope     pause.Kind `json:"scope"`
	ID        uuid.UUID  `json:"id"`
	Paused    bool       `json:"paused"`
	TakenBack int        `json:"taken_back"`
	Begun     int        `json:"begun"`
	Text      string     `json:"text"`
}

const resumedText = "Resumed. What is queued goes out again."

// scoped is the scope that the request's path names.
func scoped(c call, of pause.Kind) (pause.Scope, error) {
	if of == pause.Workspace {
		return pause.Scope{Of: of, ID: c.who.Workspace}, nil
	}
	id, err := pathID(c)
	return pause.Scope{Of: of, ID: id}, err
}

func (a *API) pauseIt(of pause.Kind) func(call) error {
	return func(c call) error {
		scope, err := scoped(c, of)
		if err != nil {
			return err
		}
		var in struct {
			Note string `json:"note"`
		}
		once, err := readCommand(c, &in)
		if err != nil {
			return err
		}
		settled, err := a.commands.Pause(c.ctx(), c.who, once, scope, in.Note)
		if err != nil {
			return err
		}
		return showJSON(c, http.StatusOK, pauseView{of, scope.ID, true, settled.TakenBack, settled.Begun, settled.Text()})
	}
}

func (a *API) resumeIt(of pause.Kind) func(call) error {
	return func(c call) error {
		scope, err := scoped(c, of)
		if err != nil {
			return err
		}
		once, err := readCommand(c, &struct{}{})
		if err != nil {
			return err
		}
		if err := a.commands.Resume(c.ctx(), c.who, once, scope); err != nil {
			return err
		}
		return showJSON(c, http.StatusOK, pauseView{Scope: of, ID: scope.ID, Text: resumedText})
	}
}
