package console

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// retriesPage is a "retry all" as a person sees it.
type retriesPage struct {
	bulk.Run
	MayDecide bool
	Key       string
	Refused   []reason
	Moved     []reason
}

// reason is why some of them are not sent again.
type reason struct {
	Text  string
	Count int
}

// CanBegin reports whether a yes would send anything.
func (p retriesPage) CanBegin() bool {
	return p.MayDecide && p.State() == bulk.Previewed && p.Allowed > 0
}

// IsRunning reports whether the page is to be kept fresh.
func (p retriesPage) IsRunning() bool { return p.State() == bulk.Running }

func reasons(counts map[problem.Code]int) []reason {
	var all []reason
	for code, count := range counts {
		all = append(all, reason{code.Meaning(), count})
	}
	slices.SortFunc(all, func(a, b reason) int { return b.Count - a.Count })
	return all
}

// previewRetries looks at every failed message and shows what a retry of all would come to.
func (s *Console) previewRetries(v visit) error {
	answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, ""), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		run, err := bulk.Preview(v.ctx(), tx, v.who, bulk.Retry, bulk.Filter{})
		return command.Answer{Status: http.StatusSeeOther, Object: run.ID}, uuid.Nil, err
	})
	if err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, "/retries/"+answer.Object.String())
}

func (s *Console) showRetries(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	run, err := s.reads.BulkRun(v.ctx(), v.who.Workspace, bulk.Retry, id)
	if err != nil {
		return err
	}
	return s.show(v, "retries", "Retry all failed", retriesPage{
		Run: run, MayDecide: v.who.May(access.Decide), Key: uuid.NewString(), Refused: reasons(run.Refused), Moved: reasons(run.Moved),
	})
}

func (s *Console) beginRetries(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	defer s.bulk.Wake()
	return s.run(v, "", "/retries/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := bulk.Begin(v.ctx(), tx, v.who, bulk.Retry, id)
		return id, uuid.Nil, err
	})
}

// CanRetryAll reports whether the section is the one of failed messages and the person may decide.
func (s section) CanRetryAll() bool {
	return s.Section == message.NotSent && len(s.Cards) > 0 && s.Cards[0].MayDecide
}

// Key makes one preview of two taps.
func (s section) Key() string { return uuid.NewString() }
