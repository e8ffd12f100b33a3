-- name: ReceiptHead :one
SELECT w.id AS workspace_id, w.name AS workspace_name, one.replied_at, sendonce_now()::timestamptz AS now_at
FROM messages m JOIN workspaces w ON w.id = m.workspace_id JOIN people pe ON pe.id = m.person_id
    JOIN people one ON one.id = coalesce(pe.merged_into, pe.id)
WHERE m.id = @message_id;

-- The newest. A version is the one before it plus one.
-- name: ReceiptVersions :many
SELECT v.version, v.digest, v.subject, v.body, v.send_after, v.send_before, v.client_release, v.created_at, v.expired_at, v.template_id, v.template_version, p.name AS author
FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version > m.version - @most::integer JOIN principals p ON p.id = v.created_by
WHERE m.id = @message_id ORDER BY v.version;

-- name: ReceiptLeases :many
SELECT s.id, s.digest, s.approval_id, s.lease_holder, s.leased_at, s.lease_expires_at, s.gone_at, p.name AS paired_by
FROM sends s LEFT JOIN installs i ON i.id = s.lease_holder LEFT JOIN principals p ON p.id = i.principal_id
WHERE s.message_id = @message_id;

-- Those whose timeline names the message: an incident itself names only the last message that it concerned.
-- name: ReceiptIncidents :many
SELECT i.id, i.kind, i.count, i.opened_at, i.last_at, i.closed_at, i.note, p.name AS closed_by_name
FROM incidents i LEFT JOIN principals p ON p.id = i.closed_by
WHERE i.id IN (SELECT e.incident_id FROM incident_events e WHERE e.message_id = @message_id)
ORDER BY i.opened_at, i.id;

-- name: ReceiptRetries :many
SELECT i.run_id, s.id AS send_id, i.verdict, i.outcome, i.next_id, r.created_at, r.begun_at, p.name AS asked_by
FROM sends s JOIN bulk_items i ON i.send_id = s.id JOIN bulk_runs r ON r.id = i.run_id JOIN principals p ON p.id = r.created_by
WHERE s.message_id = @message_id ORDER BY r.created_at, i.run_id, s.id;
