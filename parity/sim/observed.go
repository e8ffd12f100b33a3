package sim

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"sendonce/server/delivery"
)

// observation is what is kept of one thing that a browser saw. IsShown: it counts for its message.
type observation struct {
	Kind, About, ID string
	IsShown         bool
}

// finallyObserved holds what is kept of the browsers' observations against what stands in the conversations: each thing once, true,
// and nothing that a click of ours made called written by hand.
func (w *World) finallyObserved() {
	rows, err := w.clock.Query(w.ctx, `SELECT o.kind, o.provider_id, o.seen_id, o.message_id IS NOT NULL AND NOT EXISTS (
			SELECT FROM deliveries d WHERE d.account_id = o.account_id AND d.provider_id = o.seen_id)
		FROM delivery_observations o WHERE o.account_id IS NOT NULL ORDER BY o.id`)
	w.must(err)
	kept, err := pgx.CollectRows(rows, pgx.RowToStructByPos[observation])
	w.must(err)
	known := map[[3]string]bool{}
	for _, o := range kept {
		what := [3]string{o.Kind, o.About, o.ID}
		if known[what] {
			w.breach("%v is kept twice", what)
		}
		known[what] = true
		w.note(observed + o.Kind)
		w.checkObserved(o)
	}
}

func (w *World) checkObserved(o observation) {
	about, of := w.site.copyOf(o.About)
	later, _ := w.site.copyOf(o.ID)
	switch kind := delivery.Kind(o.Kind); {
	case about == nil || !about.own:
		w.breach("something was observed after %s, which is no message of a member", o.About)
	case kind == delivery.Read:
		if of.seen == nil {
			w.breach("%s was observed to be read, and the person has seen nothing", o.About)
		}
	case later == nil || later.own != (kind == delivery.Manual):
		w.breach("%s was observed as %s, and is not", o.ID, kind)
	case kind == delivery.Manual && o.IsShown && later.press != 0:
		w.breach("%s is called written by hand, and a click of ours made it", o.ID)
	}
}

// copyOf is the copy with that id, and where it stands, or nil.
func (s *site) copyOf(id string) (*copied, *thread) {
	for _, t := range s.threads {
		if i := slices.IndexFunc(t.copies, func(c *copied) bool { return c.id == id }); i >= 0 {
			return t.copies[i], t
		}
	}
	return nil, nil
}
