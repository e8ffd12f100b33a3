package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/problem"
	"sendonce/server/sequence"
)

// sequenceRoutes are the pages of sequences, and of who is in them.
func (s *Console) sequenceRoutes(e *echo.Echo) {
	e.GET("/sequences", s.signedIn(access.Read, s.showSequences))
	e.POST("/sequences", s.signedIn(access.Compose, s.addSequence))
	e.GET("/sequences/:id", s.signedIn(access.Read, s.showSequence))
	e.GET("/sequences/:id/preview", s.signedIn(access.Read, s.previewSequence))
	e.GET("/sequences/:id/steps", s.signedIn(access.Compose, s.showSteps))
	e.POST("/sequences/:id/steps", s.signedIn(access.Compose, s.changeSteps))
	e.POST("/sequences/:id/pause", s.signedIn(access.Decide, s.moveSequence(sequence.Paused)))
	e.POST("/sequences/:id/resume", s.signedIn(access.Decide, s.moveSequence(sequence.Running)))
	e.POST("/sequences/:id/finish", s.signedIn(access.Decide, s.moveSequence(sequence.Finished)))
	e.POST("/sequences/:id/stop", s.signedIn(access.Decide, s.moveSequence(sequence.Stopped)))

	e.GET("/enrolling", s.signedIn(access.Propose, s.showEnrolling))
	e.POST("/sequences/:id/enrolments", s.signedIn(access.Propose, s.enrolMany))
	e.POST("/enrolments", s.signedIn(access.Propose, s.enrolOne))
	e.GET("/enrolments/:id", s.signedIn(access.Read, s.showEnrolment))
	e.POST("/enrolments/:id/pause", s.signedIn(access.Decide, s.moveEnrolment(sequence.Paused)))
	e.POST("/enrolments/:id/resume", s.signedIn(access.Decide, s.moveEnrolment(sequence.Running)))
	e.POST("/enrolments/:id/stop", s.signedIn(access.Decide, s.moveEnrolment(sequence.Stopped)))
}

// stateWords are the words for how a sequence or an enrolment stands.
var stateWords = map[sequence.State]string{
	sequence.Running: "Running", sequence.Paused: "Paused", sequence.Held: "Held", sequence.Finished: "Finished", sequence.Stopped: "Stopped",
}

// stateCount is how many enrolments stand in one way.
type stateCount struct {
	State sequence.State
	Count int
}

// Text is the word for the state.
func (c stateCount) Text() string { return stateWords[c.State] }

// sequenceCard is a sequence on a page.
type sequenceCard struct{ sequence.Sequence }

// StateText is the word for how it stands.
func (c sequenceCard) StateText() string { return stateWords[c.State] }

// Counted is how many of its enrolments stand how, without the states that none is in.
func (c sequenceCard) Counted() (counts []stateCount) {
	for _, state := range sequence.EnrolmentStates() {
		if n := c.Counts[state]; n > 0 {
			counts = append(counts, stateCount{state, n})
		}
	}
	return counts
}

// Everybody is how many enrolments it has.
func (c sequenceCard) Everybody() (all int) {
	for _, one := range c.Counted() {
		all += one.Count
	}
	return all
}

// Open is how many enrolments are not over.
func (c sequenceCard) Open() int {
	return c.Counts[sequence.Running] + c.Counts[sequence.Paused] + c.Counts[sequence.Held]
}

// Is reports whether it stands in that way.
func (c sequenceCard) Is(state string) bool { return string(c.State) == state }

// Takes reports whether somebody may be enrolled.
func (c sequenceCard) Takes() bool {
	return len(c.Steps) > 0 && (c.State == sequence.Running || c.State == sequence.Paused)
}

type sequencesPage struct {
	Cards      []sequenceCard
	More       string // the address of the next page, or ""
	MayCompose bool
	Key        string
}

func (s *Console) showSequences(v visit) error {
	after, err := readAfter(v)
	if err != nil {
		return err
	}
	found, err := s.reads.SequenceList(v.ctx(), v.who.Workspace, after, config.PageSizeDefault+1)
	if err != nil {
		return err
	}
	page := sequencesPage{MayCompose: v.who.May(access.Compose), Key: uuid.NewString()}
	if len(found) > config.PageSizeDefault {
		found = found[:config.PageSizeDefault]
		page.More = "/sequences?after=" + found[len(found)-1].ID.String()
	}
	for _, one := range found {
		page.Cards = append(page.Cards, sequenceCard{one})
	}
	return s.show(v, "sequences", "Sequences", page)
}

// addSequence makes a sequence and goes on to its steps, because it has none yet.
func (s *Console) addSequence(v visit) error {
	name := v.FormValue("name")
	answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, name), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		made, err := sequence.Create(v.ctx(), tx, v.who, name)
		return command.Answer{Status: http.StatusSeeOther, Object: made.ID}, uuid.Nil, err
	})
	if err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, "/sequences/"+answer.Object.String()+"/steps")
}

// sequencePage is a sequence with a part of who is in it.
type sequencePage struct {
	sequenceCard
	Shown     []shownStep
	Waiting   int            // messages of it that wait for approval
	Gone      int            // those of them whose steps were taken out
	Chosen    sequence.State // "" for all
	Rows      []enrolmentCard
	More      string // the address of the next part, or ""
	MayWrite  bool
	MayDecide bool
	MayEnrol  bool
	Key       string
}

func (s *Console) showSequence(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	found, err := s.reads.SequenceRead(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	page := sequencePage{
		sequenceCard: sequenceCard{found}, Chosen: sequence.State(v.QueryParam("state")), Key: uuid.NewString(),
		MayWrite: v.who.May(access.Compose) && found.State != sequence.Stopped, MayDecide: v.who.May(access.Decide), MayEnrol: v.who.May(access.Propose),
	}
	if page.Chosen != "" && !slices.Contains(sequence.EnrolmentStates(), page.Chosen) {
		return problem.Field("state", "choose one of the page's own")
	}
	if page.Shown, err = s.shownSteps(v, found.Steps); err != nil {
		return err
	}
	if err := s.addWaiting(v, &page); err != nil {
		return err
	}
	if err := s.addRows(v, &page); err != nil {
		return err
	}
	return s.show(v, "sequence", page.Name, page)
}

// addWaiting counts what waits for approval.
func (s *Console) addWaiting(v visit, page *sequencePage) error {
	waiting, err := s.reads.StepsWaiting(v.ctx(), v.who.Workspace, page.ID)
	if err != nil {
		return err
	}
	for _, n := range waiting {
		page.Waiting += n
	}
	page.Gone = page.Waiting
	for i := range page.Shown {
		page.Shown[i].Waiting = waiting[page.Shown[i].ID]
		page.Gone -= page.Shown[i].Waiting
	}
	return nil
}

// addRows reads a part of who is in the sequence.
func (s *Console) addRows(v visit, page *sequencePage) error {
	after, err := readAfter(v)
	if err != nil {
		return err
	}
	most := config.PageSizeDefault
	found, err := s.reads.EnrolmentList(v.ctx(), v.who.Workspace, sequence.Page{Sequence: page.ID, State: page.Chosen, After: after, Most: most + 1})
	if err != nil {
		return err
	}
	if len(found) > most {
		found = found[:most]
		page.More = fmt.Sprintf("/sequences/%s?%s#people", page.ID, url.Values{"state": {string(page.Chosen)}, "after": {found[most-1].ID.String()}}.Encode())
	}
	page.Rows, err = s.enrolmentCards(v, found)
	return err
}

// moveSequence has a sequence be in another state.
func (s *Console) moveSequence(to sequence.State) func(visit) error {
	return func(v visit) error {
		id, err := pathID(v)
		if err != nil {
			return err
		}
		defer s.enrolling.Wake()
		return s.run(v, "", "/sequences/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
			_, err := sequence.Move(v.ctx(), tx, v.who, id, to)
			return id, uuid.Nil, err
		})
	}
}
