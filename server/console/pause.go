package console

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/pause"
)

// pausable is one thing that a page can pause or let go on.
type pausable struct {
	Path      string      // of what is done to it
	What      pause.Kind  // for the words
	Pause     pause.Pause // zero while it is not paused
	Key       string
	MayManage bool
}

// IsPaused reports whether the pause stands.
func (p pausable) IsPaused() bool { return !p.Pause.At.IsZero() }

func (v visit) pausable(path string, what pause.Kind, standing pause.Pause) pausable {
	return pausable{Path: path, What: what, Pause: standing, Key: uuid.NewString(), MayManage: v.who.May(access.Manage)}
}

// over is what holds the whole workspace, for a person and for the button of the overview.
type over struct {
	Workspace  pausable
	Everything *pause.Pause
	// Settled is what a pause that was just begun met, or "".
	Settled string
}

func (s *Console) over(v visit) (over, error) {
	own, everything, err := s.reads.PausesOver(v.ctx(), v.who.Workspace)
	if err != nil {
		return over{}, err
	}
	if own == nil {
		own = &pause.Pause{}
	}
	return over{Workspace: v.pausable("/workspace", pause.Workspace, *own), Everything: everything, Settled: settledText(v)}, nil
}

// settledText reads back what pauseIt wrote into the address.
func settledText(v visit) string {
	taken, err := strconv.Atoi(v.QueryParam("taken_back"))
	begun, err2 := strconv.Atoi(v.QueryParam("begun"))
	if err != nil || err2 != nil {
		return ""
	}
	return pause.Settled{TakenBack: taken, Begun: begun}.Text()
}

func scoped(v visit, of pause.Kind) (pause.Scope, error) {
	if of == pause.Workspace {
		return pause.Scope{Of: of, ID: v.who.Workspace}, nil
	}
	id, err := pathID(v)
	return pause.Scope{Of: of, ID: id}, err
}

// pauseIt pauses, and goes on to a page that says what the pause met.
func (s *Console) pauseIt(of pause.Kind, next string) func(visit) error {
	return func(v visit) error {
		scope, err := scoped(v, of)
		if err != nil {
			return err
		}
		note := v.FormValue("note")
		answer, _, err := s.commands.Pause(v.ctx(), v.who, once(v, note), scope, note, func(settled pause.Settled) ([]byte, error) {
			return fmt.Appendf(nil, "taken_back=%d&begun=%d", settled.TakenBack, settled.Begun), nil
		})
		if err != nil {
			return err
		}
		return v.Redirect(http.StatusSeeOther, next+"?"+string(answer.Body))
	}
}

func (s *Console) resumeIt(of pause.Kind, next string) func(visit) error {
	return func(v visit) error {
		scope, err := scoped(v, of)
		if err != nil {
			return err
		}
		if _, _, err := s.commands.Resume(v.ctx(), v.who, once(v, ""), scope, nil); err != nil {
			return err
		}
		return v.Redirect(http.StatusSeeOther, next)
	}
}
