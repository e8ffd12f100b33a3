package console

import (
	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/problem"
)

// incidentCard is an incident as a person sees it.
type incidentCard struct {
	incident.Story
	MayDecide bool
	Key       string
	Whole     bool // on its own page, with its timeline
}

// CanClose reports whether the person may say that they have seen it.
func (c incidentCard) CanClose() bool {
	return c.MayDecide && c.IsOpen() && !c.Kind.IsCondition()
}

type incidentsPage struct {
	Cards  []incidentCard
	Closed bool
	More   string // the address of the next page, or ""
}

// showIncidents is the open ones, or with ?state=closed the closed ones.
func (s *Console) showIncidents(v visit) error {
	after := uuid.Nil
	if text := v.QueryParam("after"); text != "" {
		id, err := uuid.Parse(text)
		if err != nil {
			return problem.New(problem.InvalidCursor, "begin again at the first page")
		}
		after = id
	}
	page := incidentsPage{Closed: v.QueryParam("state") == "closed"}
	found, err := s.reads.IncidentList(v.ctx(), v.who.Workspace, incident.Page{
		Open: !page.Closed, Closed: page.Closed, After: after, Most: config.PageSizeDefault + 1,
	})
	if err != nil {
		return err
	}
	if len(found) > config.PageSizeDefault {
		found = found[:config.PageSizeDefault]
		page.More = "/incidents?after=" + found[len(found)-1].ID.String()
		if page.Closed {
			page.More += "&state=closed"
		}
	}
	for _, one := range found {
		page.Cards = append(page.Cards, s.incidentCard(v, incident.Story{Incident: one}))
	}
	return s.show(v, "incidents", "Incidents", page)
}

func (s *Console) incidentCard(v visit, story incident.Story) incidentCard {
	return incidentCard{Story: story, MayDecide: v.who.May(access.Decide), Key: uuid.NewString()}
}

func (s *Console) showIncident(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	story, err := s.reads.IncidentStory(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	card := s.incidentCard(v, story)
	card.Whole = true
	return s.show(v, "incident", "Incident", card)
}

func (s *Console) closeIncident(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	note := v.FormValue("note")
	return s.run(v, note, "/incidents", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := incident.Close(v.ctx(), tx, v.who, id, note)
		return id, uuid.Nil, err
	})
}
