package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/problem"
	"sendonce/server/rule"
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

type incidentView struct {
	ID        uuid.UUID  `json:"id"`
	Kind      string     `json:"kind"`
	Text      string     `json:"text"`
	SubjectID uuid.UUID  `json:"subject_id"`
	MessageID *uuid.UUID `json:"message_id"`
	AccountID *uuid.UUID `json:"account_id"`
	InstallID *uuid.UUID `json:"install_id"`
	Count     int        `json:"count"`
	OpenedAt  time.Time  `json:"opened_at"`
	LastAt    time.Time  `json:"last_at"`
	ClosedAt  *time.Time `json:"closed_at"`
}

func showIncident(i incident.Incident) incidentView {
	return incidentView{
		ID: i.ID, Kind: i.Kind, Text: rule.IncidentText(i.Kind), SubjectID: i.Subject, MessageID: i.Message, AccountID: i.Account,
		InstallID: i.Install, Count: i.Count, OpenedAt: i.OpenedAt, LastAt: i.LastAt, ClosedAt: i.ClosedAt,
	}
}

// listIncidents shows the open ones, or with ?state=all the closed ones after them. There are few: no second page.
func (a *API) listIncidents(c call) error {
	state := c.QueryParam("state")
	if state != "" && state != "open" && state != "all" {
		return problem.Field("state", `it must be "open" or "all"`)
	}
	found, err := a.reads.IncidentList(c.ctx(), c.who.Workspace, state == "all", config.IncidentsPerPageMax)
	if err != nil {
		return err
	}
	p := page{most: config.IncidentsPerPageMax}
	return showPage(c, p, found, func(i incident.Incident) uuid.UUID { return i.ID }, showIncident)
}
