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
// and nothing that a click of ours made called written by hand. None of them may have confirmed a send.
func (w *World) finallyObserved() {
	rows, err := w.owner.Query(w.ctx, `SELECT o.kind, o.provider_id, o.seen_id, o.message_id IS NOT NULL AND NOT EXISTS (
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
	var confirmed int
	w.must(w.owner.QueryRow(w.ctx, `SELECT count(*) FROM evidence WHERE body ->> 'source' = ''`).Scan(&confirmed))
	if confirmed > 0 {
		w.breach("%d sends were confirmed by what a browser saw by the way", confirmed)
	}
}

func (w *World) checkObserved(o observation) {
	t, about := w.site.placeOf(o.About)
	if t == nil || !t.copies[about].own {
		w.breach("something was observed after %s, which is no message of a member", o.About)
		return
	}
	kind := delivery.Kind(o.Kind)
	if kind == delivery.Read {
		if slices.Index(t.copies, t.seen) < about {
			w.breach("%s was observed to be read, and the person has not come so far", o.About)
		}
		return
	}
	in, place := w.site.placeOf(o.ID)
	switch {
	case in != t || place <= about:
		w.breach("%s was observed after %s, and does not stand there", o.ID, o.About)
	case t.copies[place].own != (kind == delivery.Manual):
		w.breach("%s was observed as %s, and is not", o.ID, kind)
	case kind == delivery.Manual && o.IsShown && t.copies[place].press != 0:
		w.breach("%s is called written by hand, and a click of ours made it", o.ID)
	}
}

// placeOf is the conversation in which the copy with that id stands, and its place there; nil when there is none.
func (s *site) placeOf(id string) (*thread, int) {
	for _, t := range s.threads {
		if i := slices.IndexFunc(t.copies, func(c *copied) bool { return c.id == id }); i >= 0 {
			return t, i
		}
	}
	return nil, 0
}
