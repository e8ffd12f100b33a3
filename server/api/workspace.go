package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
)

type principalView struct {
	ID   uuid.UUID   `json:"id"`
	Role access.Role `json:"role"`
	Name string      `json:"name"`
}

// getWorkspace shows the team and who asks.
func (a *API) getWorkspace(c call) error {
	w, err := a.reads.WorkspaceGet(c.ctx(), c.who.Workspace)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, struct {
		ID                   uuid.UUID     `json:"id"`
		Name                 string        `json:"name"`
		ApprovalLastsSeconds int64         `json:"approval_lasts_seconds"`
		CreatedAt            time.Time     `json:"created_at"`
		Principal            principalView `json:"principal"`
	}{w.ID, w.Name, int64(w.ApprovalLasts / time.Second), w.CreatedAt, principalView{c.who.ID, c.who.Role, c.who.Name}})
}
