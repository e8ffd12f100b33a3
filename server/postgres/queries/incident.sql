-- name: IncidentOpen :exec
INSERT INTO incidents (workspace_id, kind, subject_id, message_id, account_id, install_id)
VALUES (@workspace_id, @kind, @subject_id, sqlc.narg(message_id), sqlc.narg(account_id), sqlc.narg(install_id))
ON CONFLICT (workspace_id, kind, subject_id) WHERE closed_at IS NULL DO UPDATE SET count = incidents.count + 1;

-- Open ones first, then the newest.
-- name: IncidentList :many
SELECT i.id, i.workspace_id, i.kind, i.subject_id, i.message_id, i.account_id, i.install_id, i.count, i.opened_at, i.last_at,
    i.closed_at, p.name AS closed_by_name, i.note, a.stopped_code
FROM incidents i LEFT JOIN principals p ON p.id = i.closed_by
LEFT JOIN accounts a ON a.id = i.subject_id AND i.closed_at IS NULL
WHERE i.workspace_id = @workspace_id AND (i.closed_at IS NULL AND @with_open::boolean OR i.closed_at IS NOT NULL AND @with_closed::boolean)
    AND (sqlc.narg(after)::uuid IS NULL OR (i.closed_at IS NULL, i.opened_at, i.id) <
        (SELECT c.closed_at IS NULL, c.opened_at, c.id FROM incidents c WHERE c.id = sqlc.narg(after) AND c.workspace_id = @workspace_id))
ORDER BY (i.closed_at IS NULL) DESC, i.opened_at DESC, i.id DESC LIMIT @most;

-- name: IncidentGet :one
SELECT i.id, i.workspace_id, i.kind, i.subject_id, i.message_id, i.account_id, i.install_id, i.count, i.opened_at, i.last_at,
    i.closed_at, p.name AS closed_by_name, i.note, a.stopped_code
FROM incidents i LEFT JOIN principals p ON p.id = i.closed_by
LEFT JOIN accounts a ON a.id = i.subject_id AND i.closed_at IS NULL
WHERE i.workspace_id = @workspace_id AND i.id = @id;

-- name: IncidentsEarlier :many
SELECT i.id, i.workspace_id, i.kind, i.subject_id, i.message_id, i.account_id, i.install_id, i.count, i.opened_at, i.last_at,
    i.closed_at, p.name AS closed_by_name, i.note, a.stopped_code
FROM incidents i LEFT JOIN principals p ON p.id = i.closed_by
LEFT JOIN accounts a ON a.id = i.subject_id AND i.closed_at IS NULL
JOIN incidents o ON o.workspace_id = i.workspace_id AND o.kind = i.kind AND o.subject_id = i.subject_id AND o.opened_at > i.opened_at
WHERE o.id = @id ORDER BY i.opened_at DESC, i.id LIMIT @most;

-- The newest of a timeline, newest first.
-- name: IncidentEvents :many
SELECT e.at, e.what, e.count, e.message_id, p.name AS by_name, e.note
FROM incident_events e LEFT JOIN principals p ON p.id = e.principal_id
WHERE e.incident_id = @id ORDER BY e.id DESC LIMIT @most;

-- name: IncidentsOpenCount :one
SELECT count(*) FROM incidents WHERE workspace_id = @workspace_id AND closed_at IS NULL;

-- name: IncidentLock :one
SELECT id FROM incidents WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: IncidentClose :exec
UPDATE incidents SET closed_at = sendonce_now(), closed_by = @closed_by::uuid, note = sqlc.narg(note) WHERE id = @id;

-- One server looks at a time; the others leave it to that one. What it reads next has many subqueries and few rows: with 1,000
-- accounts Postgres compiled it for 9 s to run it for 0.5 s.
-- name: IncidentLookBegin :one
SELECT pg_try_advisory_xact_lock(hashtextextended('look for incidents', 0)) AS mine, sendonce_now()::timestamptz AS now_at,
    set_config('jit', 'off', true) AS jit;

-- name: IncidentConditionsOpen :many
SELECT id, kind, subject_id, count, last_at FROM incidents WHERE closed_at IS NULL AND kind = ANY (@kinds::text[])
ORDER BY kind, subject_id;

-- Everything that holds now and is worth an incident. An account "may send" as it may lease, and could for as long, or does so at this moment. It
-- moves when the send that last took its slot has begun within the limit: one that is leased and given back does not count.
-- An unconfirmed send is what has ended without a proof or a confirmation.
-- name: IncidentConditions :many
WITH moment AS MATERIALIZED (SELECT sendonce_now() AS now_at),
open_account AS MATERIALIZED (SELECT o.id FROM open_accounts o)
SELECT 'not_armed'::text AS kind, w.id AS workspace_id, w.id AS subject_id, NULL::uuid AS message_id, NULL::uuid AS account_id,
    NULL::uuid AS install_id, 1::bigint AS number
FROM workspaces w CROSS JOIN instance i WHERE i.armed_at IS NULL
UNION ALL
SELECT 'account_stopped', a.workspace_id, a.id, NULL, a.id, NULL, 1 FROM accounts a WHERE a.stopped_at IS NOT NULL
UNION ALL
SELECT 'parked', s.workspace_id, s.message_id, s.message_id, s.account_id, NULL, 1
FROM sends s WHERE s.parked_at IS NOT NULL AND s.vacated_at IS NULL AND s.status = 'queued'
UNION ALL
SELECT 'due_not_moving', a.workspace_id, a.id, NULL, a.id, NULL, due.number
FROM moment CROSS JOIN accounts a
LEFT JOIN account_slots sl ON sl.account_id = a.id LEFT JOIN sends last ON last.id = sl.send_id
CROSS JOIN LATERAL (SELECT count(*) AS number FROM (SELECT FROM sends s WHERE s.account_id = a.id
    AND s.due_at <= moment.now_at - @due_not_moving::interval AND s.status = 'queued' AND s.parked_at IS NULL
    LIMIT @count_max) found) due
WHERE due.number > 0 AND (a.cool_until IS NULL OR a.cool_until <= moment.now_at - @due_not_moving::interval)
    AND (last.started_at > moment.now_at - @due_not_moving::interval) IS NOT TRUE
    AND (last.status IN ('leased', 'started') OR EXISTS (SELECT FROM open_account o WHERE o.id = a.id)
        AND (SELECT p.because FROM account_pace(a.id, moment.now_at) AS p (free_at, because, open_until, day_begun, day_most)) = ''
        AND (SELECT p.because FROM account_pace(a.id, moment.now_at - @due_not_moving::interval) AS p (free_at, because, open_until, day_begun, day_most)) = '')
UNION ALL
SELECT 'unconfirmed_too_long', s.workspace_id, s.account_id, NULL, s.account_id, NULL, count(*)
FROM moment CROSS JOIN sends s
WHERE s.ended_at IS NOT NULL AND s.vacated_at IS NULL AND s.confirmed_by IS NULL
    AND s.ended_at <= moment.now_at - @unconfirmed_too_long::interval
GROUP BY s.workspace_id, s.account_id
UNION ALL
SELECT 'install_silent', i.workspace_id, i.id, NULL, NULL, i.id, 1
FROM moment CROSS JOIN installs i
WHERE i.revoked_at IS NULL AND coalesce(i.last_seen_at, i.created_at) <= moment.now_at - @install_silent::interval
    AND (EXISTS (SELECT FROM sends s WHERE s.ended_at IS NOT NULL AND s.vacated_at IS NULL AND s.confirmed_by IS NULL
            AND s.lease_holder = i.id AND s.gone_at IS NULL)
        OR NOT EXISTS (SELECT FROM installs o WHERE o.principal_id = i.principal_id AND o.revoked_at IS NULL
                AND coalesce(o.last_seen_at, o.created_at) > moment.now_at - @install_silent::interval)
            AND EXISTS (SELECT FROM account_grants g JOIN open_account o ON o.id = g.account_id
                JOIN sends s ON s.account_id = g.account_id
                WHERE g.principal_id = i.principal_id AND s.due_at <= moment.now_at AND s.status = 'queued' AND s.parked_at IS NULL))
ORDER BY 1, 3 LIMIT @most;

-- A condition's incident that somebody opened meanwhile is left as it is.
-- name: IncidentOpenCondition :exec
INSERT INTO incidents (workspace_id, kind, subject_id, message_id, account_id, install_id, count)
VALUES (@workspace_id, @kind, @subject_id, sqlc.narg(message_id), sqlc.narg(account_id), sqlc.narg(install_id), @count)
ON CONFLICT (workspace_id, kind, subject_id) WHERE closed_at IS NULL DO NOTHING;

-- name: IncidentCount :exec
UPDATE incidents SET count = @count WHERE id = @id AND closed_at IS NULL AND count < @count;

-- Not when it was counted since it was read: then its condition has come back.
-- name: IncidentEnd :exec
UPDATE incidents SET closed_at = sendonce_now() WHERE id = @id AND closed_at IS NULL AND last_at = @last_at;

-- Rows that another server is at are passed over: this waits for nobody.
-- name: IncidentsLogOpening :many
UPDATE incidents SET opening_logged_at = sendonce_now() WHERE id IN (SELECT i.id FROM incidents i
    WHERE i.opening_logged_at IS NULL ORDER BY i.id LIMIT @most FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, workspace_id, kind, subject_id;

-- name: IncidentsLogClosing :many
UPDATE incidents SET closing_logged_at = sendonce_now() WHERE id IN (SELECT i.id FROM incidents i
    WHERE i.closed_at IS NOT NULL AND i.closing_logged_at IS NULL ORDER BY i.id LIMIT @most FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, workspace_id, kind, subject_id;
