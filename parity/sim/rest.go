package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/rule"
)

// finallyRests: what a server or a browser has to see to may wait at one moment, and not for long.
func (w *World) finallyRests() {
	before := w.overdue()
	if len(before) == 0 {
		return
	}
	until := time.Now().Add(restWithin)
	for time.Now().Before(until) && w.step() {
	}
	after := w.overdue()
	for _, what := range slices.Sorted(maps.Keys(before)) {
		if since, still := after[what]; still && since == before[what] {
			w.breach("%s, and still is %s later", what, restWithin)
		}
	}
}

// overdue is what waits to be seen to, and since when.
func (w *World) overdue() map[string]time.Time {
	waits := map[string]time.Time{}
	w.overdueChecks(waits, "the check of send %s is due", "SELECT send_id::text, account_id::text, due_at FROM checks WHERE due_at <= sendonce_now()")
	w.overdueChecks(waits, "nobody has looked for send %s", `SELECT s.id::text, s.account_id::text, s.started_at
		FROM sends s LEFT JOIN checks c ON c.send_id = s.id WHERE s.status = $1 AND coalesce(c.tries, 0) = 0`, rule.Unconfirmed)
	w.overdueIncidents(waits)
	for _, b := range w.browsers {
		for _, t := range b.ourTabs() {
			// One whose worker died before it heard of it is blank, unless a hand leads it elsewhere.
			if t.doc != nil && t.doc.person != nil {
				waits[fmt.Sprintf("%s has a tab of ours open, number %d", b.name, t.id)] = time.Time{}
			}
		}
	}
	return waits
}

// overdueChecks: what is unconfirmed is looked at when it is due, as long as a browser is there to look.
func (w *World) overdueChecks(waits map[string]time.Time, what, ask string, of ...any) {
	w.must(w.clock.show(w.ctx))
	rows, err := w.owner.Query(w.ctx, ask, of...)
	w.must(err)
	defer rows.Close()
	for rows.Next() {
		var send, account string
		var due time.Time
		w.must(rows.Scan(&send, &account, &due))
		for m, id := range w.people.accounts {
			if id == account && w.hasFreeBrowser(m) {
				waits[fmt.Sprintf(what, send)] = due
			}
		}
	}
	w.must(rows.Err())
}

// overdueIncidents: what holds has its incident, and what holds no more has none that is open.
func (w *World) overdueIncidents(waits map[string]time.Time) {
	s := w.aliveServer()
	looked, err := s.store.IncidentLook(w.ctx, incidentLimits, config.IncidentConditionsMax, func(seen incident.Seen) incident.Changes {
		changes := incident.Decide(seen)
		for _, one := range changes.Open {
			waits[fmt.Sprintf("%s of %s has no incident", one.Kind, one.Subject)] = time.Time{}
		}
		for _, one := range changes.Close {
			waits[fmt.Sprintf("%s of %s is over, its incident %s is open", one.Kind, one.Subject, one.ID)] = one.LastAt
		}
		return incident.Changes{}
	})
	w.must(err)
	if !looked {
		w.t.Fatal("a server is at the incidents while the world stands still")
	}
}
