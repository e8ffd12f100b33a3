package sim

import "slices"

// mark is said of a person who must not be contacted: by what id it is lifted, and how many sends to them had begun when it was answered.
type mark struct {
	id    string
	begun int
}

// What people do about people.
const (
	peopleMarked = "a person must not be contacted"
	peopleLifted = "a person may be contacted again"
	peopleMerged = "two people are one"
	mergeNo      = "a merge was refused: "
)

// suppress has somebody not be contacted, often one to whom a message is on its way, and remembers what had begun when that was
// answered: nothing more may begin.
func (p *people) suppress() {
	m := p.any()
	if m == nil {
		return
	}
	var made struct{ ID string }
	got := p.ask("POST", "/v1/suppressions", map[string]any{"linkedin": origin + "/in/" + m.person.slug, "why": "they said no"}, &made)
	p.mustNot(got, m.person.slug, "must not be contacted, and is still to be", waitsForOne)
	if _, before := p.marked[m.person]; !before && got.ok() {
		p.marked[m.person] = mark{made.ID, p.begunTo(m.person)}
		p.w.note(peopleMarked)
	}
}

// begunTo counts the sends to a person's own profile that have ever started.
func (p *people) begunTo(who *person) (count int) {
	p.w.must(p.w.owner.QueryRow(p.w.ctx, `SELECT count(*) FROM sends s JOIN person_identities i ON i.person_id = s.person_id
		WHERE s.started_at IS NOT NULL AND i.kind = 'linkedin_slug' AND i.value = $1`, who.slug).Scan(&count))
	return count
}

// checkMark holds a mark against what has begun.
func (p *people) checkMark(who *person) {
	if now := p.begunTo(who); now != p.marked[who].begun {
		p.w.breach("%d sends to %s began, who must not be contacted", now-p.marked[who].begun, who.slug)
	}
}

// lift lets somebody be contacted again.
func (p *people) lift() {
	marked := slices.DeleteFunc(slices.Clone(p.w.site.persons), func(one *person) bool { return p.marked[one].id == "" })
	if len(marked) == 0 {
		return
	}
	who := marked[p.w.rng.IntN(len(marked))]
	p.checkMark(who)
	if p.ask("POST", "/v1/suppressions/"+p.marked[who].id+"/lifting", map[string]any{"why": "they asked for a call"}, nil).ok() {
		p.w.note(peopleLifted)
	}
	delete(p.marked, who) // also when no answer came: it may stand no longer
}

// merge says of two that they are one, at most once in a world: it leaves fewer people to write to.
func (p *people) merge() {
	one, other := p.any(), p.any()
	if p.merged || one == nil || one.person == other.person || !p.w.chance(mergeShare) {
		return
	}
	kept, gone := p.idOf(one.person), p.idOf(other.person)
	if kept == "" || gone == "" {
		return
	}
	path := "/v1/people/" + kept + "/merge"
	var shown struct{ Seen string }
	if !p.ask("GET", path+"?other="+gone, nil, &shown).ok() {
		return
	}
	got := p.ask("POST", path, map[string]any{"other": gone, "seen": shown.Seen}, nil)
	switch {
	case got.ok():
		p.w.note(peopleMerged)
	case got.status != 0:
		p.w.note(mergeNo + got.problem.Code)
	}
	p.merged = got.ok() || got.status == 0 // without an answer nobody knows
}

// idOf is under which id a person is known, or "".
func (p *people) idOf(who *person) string {
	var found struct{ Items []struct{ ID string } }
	if p.ask("GET", "/v1/people?linkedin="+origin+"/in/"+who.slug, nil, &found).ok() && len(found.Items) > 0 {
		return found.Items[0].ID
	}
	return ""
}

// setLimit has the team allow so many messages to one person, in some worlds.
func (p *people) setLimit() {
	if p.w.chance(limitShare) && p.ask("PATCH", "/v1/workspace/policy", map[string]any{"person_most": personMost, "person_days": 7}, nil).ok() {
		p.limited = true
	}
}

// finallyPeople holds what has begun against what was said of people.
func (w *World) finallyPeople() {
	for _, who := range w.site.persons {
		if w.people.marked[who].id != "" {
			w.people.checkMark(who)
		}
	}
	// The numbers of the feed and of the history come from one sequence: what was made before a merge of its person does not begin after it.
	var crossed int
	w.must(w.owner.QueryRow(w.ctx, `SELECT count(*) FROM events merge JOIN sends s ON s.person_id IN (merge.person_id, merge.to_state::uuid)
		JOIN send_events born ON born.send_id = s.id AND born.from_status IS NULL
		JOIN send_events began ON began.send_id = s.id AND began.from_status = 'leased' AND began.to_status = 'started'
		WHERE merge.type = 'person_merged' AND born.id < merge.id AND began.id > merge.id`).Scan(&crossed))
	if crossed > 0 {
		w.breach("%d sends began that were approved before their person was merged with another", crossed)
	}
	if !w.people.limited || w.people.merged {
		return
	}
	var over int
	w.must(w.owner.QueryRow(w.ctx, `SELECT count(*) FROM (SELECT s.person_id FROM sends s WHERE s.status IN ('started', 'unconfirmed', 'sent')
		AND NOT EXISTS (SELECT FROM send_events e WHERE e.send_id = s.id AND e.to_status = 'failed')
		GROUP BY s.person_id HAVING count(*) > $1) AS often`, personMost).Scan(&over))
	if over > 0 {
		w.breach("%d people were written to more often than the team allows", over)
	}
}
