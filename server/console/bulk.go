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

// previewRun looks at everything that a run of that kind is about, and goes on to what it would come to.
func (s *Console) previewRun(kind bulk.Kind) func(visit) error {
	return func(v visit) error {
		answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, ""), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
			run, err := bulk.Preview(v.ctx(), tx, v.who, kind, bulk.Filter{})
			return command.Answer{Status: http.StatusSeeOther, Object: run.ID}, uuid.Nil, err
		})
		if err != nil {
			return err
		}
		return v.Redirect(http.StatusSeeOther, runsAt[kind]+answer.Object.String())
	}
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
	return runPage{
		Run: run, MayDecide: v.who.May(access.Decide), Key: uuid.NewString(), Refused: reasons(run.Refused), Moved: reasons(run.Moved),
	}, nil
}
