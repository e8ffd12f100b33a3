package console

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/problem"
)

// runPage is a "retry all" or "approve all" as a person sees it.
type runPage struct {
	bulk.Run
	MayDecide bool
	Key       string
	Refused   []reason
	Moved     []reason
	// Of is the sequence that it is about; nil when it is about everything.
	Of *sequenceCard
}

// reason is why some of them are left out.
type reason struct {
	Text  string
	Count int
}

// CanBegin reports whether a yes would do anything.
func (p runPage) CanBegin() bool {
	return p.MayDecide && p.State() == bulk.Previewed && p.Allowed > 0
}

// IsRunning reports whether the page is to be kept fresh.
func (p runPage) IsRunning() bool { return p.State() == bulk.Running }

func reasons(counts map[problem.Code]int) []reason {
	var all []reason
	for code, count := range counts {
		all = append(all, reason{code.Meaning(), count})
	}
	slices.SortFunc(all, func(a, b reason) int { return b.Count - a.Count })
	return all
}

// runsAt is where the pages of a kind of run are.
var runsAt = map[bulk.Kind]string{bulk.Retry: "/retries/", bulk.Approval: "/approvals/"}

// previewRun looks at everything that a run of that kind is about, or what of it is of a sequence or a step, and goes on to what it would
// come to.
func (s *Console) previewRun(kind bulk.Kind) func(visit) error {
	return func(v visit) error {
		filter, err := readFilter(v)
		if err != nil {
			return err
		}
		answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, filterPayload(filter)), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
			if err := isOurs(v, tx, filter); err != nil {
				return command.Answer{}, uuid.Nil, err
			}
			run, err := bulk.Preview(v.ctx(), tx, v.who, kind, filter)
			return command.Answer{Status: http.StatusSeeOther, Object: run.ID}, uuid.Nil, err
		})
		if err != nil {
			return err
		}
		return v.Redirect(http.StatusSeeOther, runsAt[kind]+answer.Object.String())
	}
}

// readFilter reads the sequence or the step that a form is about; a form without them is about everything.
func readFilter(v visit) (filter bulk.Filter, err error) {
	for field, into := range map[string]*uuid.UUID{"sequence": &filter.Sequence, "step": &filter.Step} {
		if v.FormValue(field) == "" {
			continue
		}
		if *into, err = formID(v, field); err != nil {
			return filter, err
		}
	}
	return filter, nil
}

// filterPayload tells the forms of different filters apart.
func filterPayload(f bulk.Filter) string {
	if f.Sequence == uuid.Nil && f.Step == uuid.Nil {
		return ""
	}
	return f.Sequence.String() + " " + f.Step.String()
}

// isOurs refuses a filter by what the workspace has not.
func isOurs(v visit, tx command.Tx, f bulk.Filter) error {
	if f.Sequence != uuid.Nil {
		if _, err := tx.SequenceGet(v.ctx(), v.who.Workspace, f.Sequence); err != nil {
			return err
		}
	}
	if f.Step == uuid.Nil {
		return nil
	}
	known, err := tx.StepIs(v.ctx(), v.who.Workspace, f.Step)
	if err == nil && !known {
		err = problem.New(problem.NotFound, "there is no such step")
	}
	return err
}

// beginRun lets a preview happen, exactly as it was shown.
func (s *Console) beginRun(kind bulk.Kind) func(visit) error {
	return func(v visit) error {
		id, err := pathID(v)
		if err != nil {
			return err
		}
		defer s.bulk.Wake()
		return s.run(v, "", runsAt[kind]+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
			_, err := bulk.Begin(v.ctx(), tx, v.who, kind, id)
			return id, uuid.Nil, err
		})
	}
}

func (s *Console) runPage(v visit, kind bulk.Kind) (runPage, error) {
	id, err := pathID(v)
	if err != nil {
		return runPage{}, err
	}
	run, err := s.reads.BulkRun(v.ctx(), v.who.Workspace, kind, id)
	if err != nil {
		return runPage{}, err
	}
	page := runPage{
		Run: run, MayDecide: v.who.May(access.Decide), Key: uuid.NewString(), Refused: reasons(run.Refused), Moved: reasons(run.Moved),
	}
	if run.Filter.Sequence == uuid.Nil {
		return page, nil
	}
	of, err := s.reads.SequenceRead(v.ctx(), v.who.Workspace, run.Filter.Sequence)
	page.Of = &sequenceCard{of}
	return page, err
}

// StepIs is the purpose of the step that it is about, or "" when it is about no single one, or about one that was taken out.
func (p runPage) StepIs() string {
	if p.Of == nil {
		return ""
	}
	for _, step := range p.Of.Steps {
		if step.ID == p.Filter.Step {
			return step.Purpose
		}
	}
	return ""
}
