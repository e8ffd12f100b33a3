package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/pause"
)

type principalView struct {
	ID   uuid.UUID   `json:"id"`
	Role access.Role `json:"role"`
	Name string      `json:"name"`
}

// getWorkspace shows the team, what holds it and who asks.
func (a *API) getWorkspace(c call) error {
	w, err := a.reads.WorkspaceGet(c.ctx(), c.who.Workspace)
	if err != nil {
		return err
	}
	own, everything, err := a.reads.PausesOver(c.ctx(), c.who.Workspace)
	if err != nil {
		return err
	}
	policy, err := a.reads.PolicyGet(c.ctx(), c.who.Workspace)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, struct {
		ID                   uuid.UUID     `json:"id"`
		Name                 string        `json:"name"`
		ApprovalLastsSeconds int64         `json:"approval_lasts_seconds"`
		Policy               policyView    `json:"policy"`
		CreatedAt            time.Time     `json:"created_at"`
		Sandbox              bool          `json:"sandbox"`
		Principal            principalView `json:"principal"`
		Paused               *standingView `json:"paused"`
		EverythingPaused     *standingView `json:"everything_paused"`
	}{
		w.ID, w.Name, int64(policy.ApprovalLasts / time.Second), showPolicy(policy), w.CreatedAt, w.IsSandbox,
		principalView{c.who.ID, c.who.Role, c.who.Name},
		showStanding(own), showStanding(everything),
	})
}

// standingView is a pause that stands; null when there is none.
type standingView struct {
	At   time.Time `json:"at"`
	By   *string   `json:"by"`
	Note *string   `json:"note"`
}

func showStanding(p *pause.Pause) *standingView {
	if p == nil {
		return nil
	}
	return &standingView{p.At, orNull(p.By), orNull(p.Note)}
}
