package sim

// What must not be so at the moment at which people hear that something was done.
const (
	stillToCome = `SELECT count(*) FROM sends WHERE message_id::text = $1 AND status IN ('queued', 'leased')`
	underWay    = `SELECT count(*) FROM sends WHERE message_id::text = $1 AND status = 'started'`
	waitsForOne = `SELECT count(*) FROM sends s JOIN same_people p ON p.person_id = s.person_id JOIN person_identities i ON i.person_id = ANY (p.ids)
		WHERE i.kind = 'linkedin_slug' AND i.value = $1 AND s.status IN ('queued', 'leased')`
	justApproved = `SELECT count(*) FROM approvals a CROSS JOIN sim_clock c WHERE a.message_id::text = $1 AND a.approved_at = c.at`
	noRetry      = `SELECT count(*) FROM sends s JOIN messages m ON m.id = s.message_id JOIN approvals a ON a.id = s.approval_id
		JOIN same_people p ON p.person_id = s.person_id CROSS JOIN sim_clock c
		WHERE s.id::text = $1 AND s.created_at = c.at AND (s.version <> m.version OR NOT a.repeat_approved AND EXISTS (SELECT FROM sends o
			WHERE o.person_id = ANY (p.ids) AND o.text_hash = s.text_hash AND o.message_id <> s.message_id AND o.status IN ('queued', 'leased')))`
	// An approval that has just been made without a yes, beside a message to the person with the same text or for the same purpose.
	unasked = `SELECT count(*) FROM messages m JOIN approvals a ON a.message_id = m.id AND a.voided_at IS NULL CROSS JOIN sim_clock c
		JOIN same_people p ON p.person_id = m.person_id JOIN message_versions v ON v.message_id = m.id AND v.version = a.version
		JOIN messages o ON o.person_id = ANY (p.ids) AND o.id <> m.id JOIN sends s ON s.message_id = o.id
		WHERE m.id::text = $1 AND a.approved_at = c.at AND a.yes_to = '{}' AND (s.status IN ('started', 'unconfirmed', 'sent') AND s.text_hash = v.text_hash
			OR (s.status IN ('queued', 'leased', 'started', 'unconfirmed', 'sent') OR s.requeue_at IS NOT NULL) AND o.purpose_key = m.purpose_key)`
)

// mustNot holds an answer that said yes against what it promises.
func (p *people) mustNot(got reply, of, what, ask string) {
	if !got.ok() {
		return
	}
	p.w.must(p.w.clock.show(p.w.ctx))
	var against int
	p.w.must(p.w.owner.QueryRow(p.w.ctx, ask, of).Scan(&against))
	if against > 0 {
		p.w.breach("%s %s", of, what)
	}
}
