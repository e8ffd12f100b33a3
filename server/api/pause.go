package api

import (
	"fmt"

	"github.com/go-json-experiment/json"
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
		answer, replayed, err := a.commands.Pause(c.ctx(), c.who, once, scope, in.Note, func(settled pause.Settled) ([]byte, error) {
			return json.Marshal(pauseView{of, scope.ID, true, settled.TakenBack, settled.Begun, settled.Text()})
		})
		if err != nil {
			return err
		}
		return a.say(c, answer, replayed)
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
		body, err := json.Marshal(pauseView{Scope: of, ID: scope.ID, Text: resumedText})
		if err != nil {
			return fmt.Errorf("show the resume: %w", err)
		}
		answer, replayed, err := a.commands.Resume(c.ctx(), c.who, once, scope, body)
		if err != nil {
			return err
		}
		return a.say(c, answer, replayed)
	}
}
