-- name: RetryRunAdd :exec
INSERT INTO retry_runs (id, workspace_id, created_by, account_id, code)
VALUES (@id, @workspace_id, @created_by, sqlc.narg(account_id), sqlc.narg(code));

-- The failed sends that a retry would follow: the last of their message, and none that a machine will follow by itself.
-- name: RetryCandidates :many
SELECT s.id FROM sends s
WHERE s.workspace_id = @workspace_id AND s.id > @after AND s.status = 'failed' AND s.requeue_at IS NULL
    AND (sqlc.narg(account_id)::uuid IS NULL OR s.account_id = sqlc.narg(account_id))
    AND (sqlc.narg(code)::text IS NULL OR s.code = sqlc.narg(code))
    AND NOT EXISTS (SELECT FROM sends n WHERE n.message_id = s.message_id AND n.retry_of = s.id)
ORDER BY s.id LIMIT @most;

-- name: RetryItemsAdd :exec
INSERT INTO retry_items (run_id, send_id, verdict)
SELECT @run_id, said.send, said.verdict FROM (SELECT unnest(@sends::uuid[]) AS send, unnest(@verdicts::text[]) AS verdict) said;

-- name: RetryRunGet :one
SELECT id, workspace_id, created_by, created_at, account_id, code, begun_at, ended_at FROM retry_runs
WHERE workspace_id = @workspace_id AND id = @id;

-- name: RetryRunLock :one
SELECT id, workspace_id, created_by, created_at, account_id, code, begun_at, ended_at FROM retry_runs
WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: RetryRunBegin :exec
UPDATE retry_runs SET begun_at = sendonce_now() WHERE id = @id AND begun_at IS NULL;

-- name: RetryRunEnd :exec
UPDATE retry_runs SET ended_at = sendonce_now() WHERE id = @id AND ended_at IS NULL
    AND NOT EXISTS (SELECT FROM retry_items i WHERE i.run_id = @id AND i.verdict = '' AND i.outcome IS NULL);

-- name: RetryItemsCount :many
SELECT verdict, outcome, count(*) AS number FROM retry_items WHERE run_id = @run_id GROUP BY verdict, outcome;

-- name: RetryItemsPage :many
SELECT send_id, verdict, outcome, next_id FROM retry_items
WHERE run_id = @run_id AND send_id > @after ORDER BY send_id LIMIT @most;

-- The runs that were begun and have not ended, whoever began them.
-- name: RetryRunsOpen :many
SELECT r.id, r.workspace_id, p.id AS principal_id, p.role, p.name FROM retry_runs r JOIN principals p ON p.id = r.created_by
WHERE r.begun_at IS NOT NULL AND r.ended_at IS NULL ORDER BY r.begun_at, r.id;

-- name: RetryItemsWaiting :many
SELECT send_id FROM retry_items WHERE run_id = @run_id AND verdict = '' AND outcome IS NULL ORDER BY send_id LIMIT @most;

-- The item is locked before its send: another server that works on the same run passes over it.
-- name: RetryItemTake :one
SELECT send_id FROM retry_items WHERE run_id = @run_id AND send_id = @send_id AND outcome IS NULL FOR NO KEY UPDATE SKIP LOCKED;

-- name: RetryItemDone :exec
UPDATE retry_items SET outcome = @outcome::text, next_id = sqlc.narg(next_id) WHERE run_id = @run_id AND send_id = @send_id AND outcome IS NULL;
