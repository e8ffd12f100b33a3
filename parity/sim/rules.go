package sim

// neverSo names what stands in the database at the end of a world, and must not, however it came there: a query counts it.
var neverSo = []struct{ what, ask string }{
	{
		"sends were made by a machine of one whose refusal came after its deadline",
		`SELECT count(*) FROM sends s JOIN sends before ON before.id = s.retry_of WHERE s.requeues > 0 AND before.ended_at > before.deadline_at`,
	},
	{
		"sends failed by the word of an attempt that was not theirs, or of a worker that had not been there",
		`SELECT count(*) FROM send_events e JOIN sends s ON s.id = e.send_id WHERE e.to_status = 'failed' AND e.from_status <> 'failed'
			AND NOT EXISTS (SELECT FROM evidence v WHERE v.send_id = s.id AND v.received_at = e.at
				AND (v.kind = 'resolution' OR v.kind IN ('report', 'proof') AND v.attempt = s.attempt))`,
	},
	{
		"sends became unconfirmed, and no look was planned",
		`SELECT count(*) FROM send_events e WHERE e.to_status = 'unconfirmed' AND NOT EXISTS (SELECT FROM checks c WHERE c.send_id = e.send_id)`,
	},
	{
		"sends were made by a machine of a message that was closed or withdrawn",
		`SELECT count(*) FROM sends s JOIN messages m ON m.id = s.message_id WHERE s.requeues > 0 AND (m.closed_at < s.created_at
			OR EXISTS (SELECT FROM events e WHERE e.message_id = m.id AND e.type = 'authority' AND e.to_state = 'withdrawn' AND e.at < s.created_at))`,
	},
	{
		"accounts were stopped by nothing that was reported at that moment",
		`SELECT count(*) FROM events e WHERE e.type = 'account_stopped' AND NOT EXISTS (
			SELECT FROM evidence v JOIN sends s ON s.id = v.send_id WHERE s.account_id = e.account_id AND v.received_at = e.at)`,
	},
	{
		"ends that stop an account left it going on",
		`SELECT count(*) FROM sends s JOIN send_events f ON f.send_id = s.id AND f.to_status = 'failed' AND f.from_status <> 'failed'
			WHERE (s.code = 'account_stopped' OR s.reason = 'signed_out')
			AND NOT EXISTS (SELECT FROM events e WHERE e.account_id = s.account_id AND e.type = 'account_stopped' AND e.at = f.at)
			AND coalesce((SELECT e.type FROM events e WHERE e.account_id = s.account_id AND e.type IN ('account_stopped', 'account_cleared')
				AND e.at < f.at ORDER BY e.id DESC LIMIT 1), '') <> 'account_stopped'`,
	},
	{
		"sends were called off by a reply that came before their approval",
		`SELECT count(*) FROM sends s JOIN approvals a ON a.id = s.approval_id JOIN same_people p ON p.person_id = s.person_id JOIN people one ON one.id = p.one_id
			WHERE s.status = 'canceled' AND s.code = 'replied' AND (one.replied_at > a.approved_at) IS NOT TRUE`,
	},
	{
		"people have replied later than is known of them",
		`SELECT count(*) FROM delivery_observations o JOIN messages m ON m.id = o.message_id JOIN same_people p ON p.person_id = m.person_id
			JOIN people one ON one.id = p.one_id WHERE o.kind = 'replied' AND (one.replied_at >= least(o.at, o.received_at)) IS NOT TRUE`,
	},
	{
		"sends ended because of a reply that nothing is known of",
		`SELECT count(*) FROM sends s JOIN same_people p ON p.person_id = s.person_id JOIN people one ON one.id = p.one_id
			WHERE s.status = 'failed' AND s.reason = 'replied' AND one.replied_at IS NULL`,
	},
	{
		"messages can never go out, and still wait",
		`SELECT count(*) FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
			WHERE m.authority IN ('proposed', 'approved') AND m.closed_at IS NULL AND v.send_before < sendonce_now() - interval '10 minutes'
			AND NOT EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND s.started_at IS NOT NULL)`,
	},
	{
		"messages are called expired, and are still to come or have begun",
		`SELECT count(*) FROM messages m JOIN sends s ON s.message_id = m.id WHERE m.authority = 'expired' AND s.status NOT IN ('failed', 'canceled')`,
	},
	{
		"copies are taken for those of two messages",
		`SELECT count(*) FROM (SELECT FROM delivery_sends d JOIN sends s ON s.id = d.send_id GROUP BY d.delivery_id HAVING count(DISTINCT s.message_id) > 1) x`,
	},
	{
		"sends were confirmed by a copy, and none is known",
		`SELECT count(*) FROM sends s WHERE s.code IN ('confirmed', 'already_there') AND NOT EXISTS (SELECT FROM delivery_sends d WHERE d.send_id = s.id)`,
	},
}

func (w *World) finallyRules() {
	w.must(w.clock.show(w.ctx))
	for _, one := range neverSo {
		var count int
		w.must(w.owner.QueryRow(w.ctx, one.ask).Scan(&count))
		if count > 0 {
			w.breach("%d %s", count, one.what)
		}
	}
}
