package sim

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/server/incident"
)

// held is one copy that a message is said to have, with the earliest approval that an attempt of it rests on.
type held struct {
	Message, Copy string
	ApprovedAt    time.Time
	Kinds         []incident.Kind // of those about the message
}

// foundFrom is how much older than the approval a copy may be that is the message's: LinkedIn's clock is not ours.
const foundFrom = 5 * time.Minute

// finallyDeliveries holds each copy that is taken for a message's against what stands in the conversations: the member wrote it to that
// person, after the approval. Of two that clicks of ours made, a person is told that there were two.
func (w *World) finallyDeliveries() {
	rows, err := w.owner.Query(w.ctx, `SELECT d.message_id::text, d.provider_id,
			(SELECT min(ap.approved_at) FROM sends s JOIN approvals ap ON ap.id = s.approval_id WHERE s.message_id = d.message_id AND s.started_at IS NOT NULL),
			ARRAY(SELECT i.kind FROM incidents i WHERE d.message_id IN (i.message_id, i.subject_id))
		FROM deliveries d ORDER BY d.message_id, d.created_at, d.provider_id`)
	w.must(err)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[held])
	w.must(err)
	clicks := map[string]int{}
	for _, h := range all {
		t, place := w.site.placeOf(h.Copy)
		if t == nil || !w.people.wrote(h.Message, t, place) {
			w.breach("%s is taken for message %s, and is no copy of it", h.Copy, h.Message)
			continue
		}
		c := t.copies[place]
		if c.at.Before(h.ApprovedAt.Add(-foundFrom)) {
			w.breach("a copy from %s is taken for message %s, which was approved at %s", c.at, h.Message, h.ApprovedAt)
		}
		before := clicks[h.Message]
		if clicks[h.Message] = c.press; before == 0 || c.press == 0 {
			continue
		}
		// Which attempt made a copy can be told where each made one; of two copies by one click nobody can tell.
		if before != c.press && !slices.Contains(h.Kinds, incident.DeliveredTwice) {
			w.breach("message %s has copies of clicks %d and %d, and of incidents only %v", h.Message, before, c.press, h.Kinds)
		}
	}
}

// wrote says whether the copy is one that the message may have: of its member, to its person, with a text of it that was approved.
func (p *people) wrote(id string, t *thread, place int) bool {
	return slices.ContainsFunc(p.messages, func(m *message) bool {
		c := t.copies[place]
		return m.id == id && c.own && m.member == t.member && m.person == t.person && m.approved[c.text]
	})
}
