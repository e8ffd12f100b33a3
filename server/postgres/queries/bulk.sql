-- name: BulkRunAdd :exec
INSERT INTO bulk_runs (id, workspace_id, kind, created_by, account_id, code, purpose, sequence_id, step_id, enrolments)
VALUES (@id, @workspace_id, @kind, @created_by, sqlc.narg(account_id), sqlc.narg(code), sqlc.narg(purpose), sqlc.narg(sequence_id), sqlc.narg(step_id),
    sqlc.narg(enrolments)::uuid[]);

-- The failed sends that a retry would follow: the last of their message, and none that a machine will follow by itself.
-- name: RetryCandidates :many
SELECT s.id FROM sends s
WHERE s.workspace_id = @workspace_id AND s.id > @after AND s.status = 'failed' AND s.requeue_at IS NULL
    AND (sqlc.narg(account_id)::uuid IS NULL OR s.account_id = sqlc.narg(account_id))
    AND (sqlc.narg(code)::text IS NULL OR s.code = sqlc.narg(code))
    AND (sqlc.narg(sequence_id)::uuid IS NULL AND sqlc.narg(step_id)::uuid IS NULL AND sqlc.narg(enrolments)::uuid[] IS NULL
        OR EXISTS (SELECT FROM step_messages t WHERE t.message_id = s.message_id AND t.sequence_id = coalesce(sqlc.narg(sequence_id), t.sequence_id)
            AND t.step_id = coalesce(sqlc.narg(step_id), t.step_id) AND t.enrolment_id = ANY (coalesce(sqlc.narg(enrolments), ARRAY[t.enrolment_id]))))
    AND NOT EXISTS (SELECT FROM sends n WHERE n.message_id = s.message_id AND n.retry_of = s.id)
ORDER BY s.id LIMIT @most;

-- The messages that wait for approval, or for one more since the one they had ran out.
-- name: ApprovalCandidates :many
SELECT m.id, m.version, v.digest FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
WHERE m.workspace_id = @workspace_id AND m.id > @after AND m.authority IN ('proposed', 'expired') AND m.closed_at IS NULL
    AND (sqlc.narg(account_id)::uuid IS NULL OR m.account_id = sqlc.narg(account_id))
    AND (sqlc.narg(purpose)::text IS NULL OR m.purpose_key = sqlc.narg(purpose))
    AND (sqlc.narg(sequence_id)::uuid IS NULL AND sqlc.narg(step_id)::uuid IS NULL AND sqlc.narg(enrolments)::uuid[] IS NULL
        OR EXISTS (SELECT FROM step_messages t WHERE t.message_id = m.id AND t.sequence_id = coalesce(sqlc.narg(sequence_id), t.sequence_id)
            AND t.step_id = coalesce(sqlc.narg(step_id), t.step_id) AND t.enrolment_id = ANY (coalesce(sqlc.narg(enrolments), ARRAY[t.enrolment_id]))))
ORDER BY m.id LIMIT @most;

-- What a decision about each message rests on, without a lock: for a preview.
-- name: ApprovalFacts :many
SELECT m.id, m.account_id, m.person_id, m.purpose, m.task, m.follows_send, m.closed_at, m.version, m.authority, v.digest, v.text_hash, v.send_before, sendonce_now()::timestamptz AS now_at,
    (m.delivered_at IS NOT NULL OR EXISTS (SELECT FROM sends o WHERE o.message_id = m.id AND o.status = 'sent')
        OR EXISTS (SELECT FROM deliveries d WHERE d.message_id = m.id))::boolean AS delivered,
    ap.version AS approved_version, ap.expires_at AS approval_ends, r.rejected_at,
    l.id AS latest_id, l.ordinal AS latest_ordinal, l.status AS latest_status, l.parked_at AS latest_parked,
    EXISTS (SELECT FROM account_grants g WHERE g.account_id = m.account_id AND g.principal_id = @principal_id)::boolean AS granted,
    coalesce((SELECT x.because FROM held_steps x WHERE x.message_id = m.id), '')::text AS step_held,
    v.expired_at, w.one_id::uuid AS one_id, c.level::text AS level, coalesce(c.because, '')::text AS because
FROM messages m
JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
JOIN same_people w ON w.person_id = m.person_id
CROSS JOIN LATERAL person_contact(m.person_id, m.account_id, NULL::uuid) AS c (level, because, owner_id, free_from)
LEFT JOIN approvals ap ON ap.message_id = m.id AND ap.voided_at IS NULL
LEFT JOIN rejections r ON r.message_id = m.id AND r.version = m.version
LEFT JOIN sends l ON l.message_id = m.id AND l.ordinal = m.last_ordinal
WHERE m.workspace_id = @workspace_id AND m.id = ANY (@messages::uuid[]);

-- name: BulkSendsAdd :exec
INSERT INTO bulk_items (run_id, send_id, verdict)
SELECT @run_id, said.send, said.verdict FROM (SELECT unnest(@sends::uuid[]) AS send, unnest(@verdicts::text[]) AS verdict) said;

-- name: BulkMessagesAdd :exec
INSERT INTO bulk_items (run_id, message_id, version, digest, verdict)
SELECT @run_id, said.message, said.version, said.digest, said.verdict FROM (SELECT unnest(@messages::uuid[]) AS message,
    unnest(@versions::integer[]) AS version, unnest(@digests::text[]) AS digest, unnest(@verdicts::text[]) AS verdict) said;

-- The messages of an approval in the version that its preview looked at: those that it allowed, or those that it left out.
-- name: BulkMessagesShown :many
SELECT i.subject_id, i.version, i.digest, i.verdict, i.outcome, i.next_id, v.subject, v.body, v.send_after, v.send_before, v.expired_at
FROM bulk_items i JOIN message_versions v ON v.message_id = i.message_id AND v.version = i.version
WHERE i.run_id = @run_id AND (i.verdict = '') = @allowed::boolean AND i.subject_id > @after
ORDER BY i.subject_id LIMIT @most;

-- name: BulkRunGet :one
SELECT id, workspace_id, kind, created_by, created_at, account_id, code, purpose, sequence_id, step_id, enrolments, begun_at, ended_at FROM bulk_runs
WHERE workspace_id = @workspace_id AND kind = @kind AND id = @id;

-- name: BulkRunLock :exec
SELECT id FROM bulk_runs WHERE workspace_id = @workspace_id AND kind = @kind AND id = @id FOR NO KEY UPDATE;

-- name: BulkRunBegin :exec
UPDATE bulk_runs SET begun_at = sendonce_now(), begun_by = @begun_by WHERE id = @id AND begun_at IS NULL;

-- name: BulkRunEnd :exec
UPDATE bulk_runs SET ended_at = sendonce_now() WHERE id = @id AND ended_at IS NULL
    AND NOT EXISTS (SELECT FROM bulk_items i WHERE i.run_id = @id AND i.verdict = '' AND i.outcome IS NULL);

-- name: BulkItemsCount :many
SELECT verdict, outcome, count(*) AS number FROM bulk_items WHERE run_id = @run_id GROUP BY verdict, outcome;

-- name: BulkItemsPage :many
SELECT i.subject_id, i.version, i.digest, i.verdict, i.outcome, i.next_id, v.subject, coalesce(v.body, '')::text AS body
FROM bulk_items i LEFT JOIN message_versions v ON v.message_id = i.message_id AND v.version = i.version
WHERE i.run_id = @run_id AND i.subject_id > @after ORDER BY i.subject_id LIMIT @most;

-- The runs that were begun and have not ended, whoever began them.
-- name: BulkRunsOpen :many
SELECT r.id, r.kind, r.workspace_id, p.id AS principal_id, p.role, p.name
FROM bulk_runs r JOIN principals p ON p.id = coalesce(r.begun_by, r.created_by)
WHERE r.begun_at IS NOT NULL AND r.ended_at IS NULL ORDER BY r.begun_at, r.id;

-- name: BulkItemsWaiting :many
SELECT subject_id FROM bulk_items WHERE run_id = @run_id AND verdict = '' AND outcome IS NULL ORDER BY subject_id LIMIT @most;

-- The item is locked before what it is about: another server that works on the same run passes over it.
-- name: BulkItemTake :one
SELECT subject_id, version, digest FROM bulk_items WHERE run_id = @run_id AND subject_id = @subject_id AND outcome IS NULL
FOR NO KEY UPDATE SKIP LOCKED;

-- name: BulkItemDone :exec
UPDATE bulk_items SET outcome = @outcome::text, next_id = sqlc.narg(next_id)
WHERE run_id = @run_id AND subject_id = @subject_id AND outcome IS NULL;
