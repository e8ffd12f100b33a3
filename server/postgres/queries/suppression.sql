-- One that stands already stays as it is.
-- name: SuppressionInsert :execrows
INSERT INTO suppressions (id, workspace_id, scope, value, why, set_by) VALUES (@id, @workspace_id, @scope, @value, @why, @set_by)
ON CONFLICT (workspace_id, scope, value) WHERE lifted_at IS NULL DO NOTHING;

-- name: SuppressionStanding :one
SELECT id FROM suppressions WHERE workspace_id = @workspace_id AND scope = @scope AND value = @value AND lifted_at IS NULL;

-- name: SuppressionGet :one
SELECT s.id, s.scope, s.value, s.why, s.set_at, p.name AS set_by_name, s.lifted_at, l.name AS lifted_by_name, s.lifted_why
FROM suppressions s JOIN principals p ON p.id = s.set_by LEFT JOIN principals l ON l.id = s.lifted_by
WHERE s.workspace_id = @workspace_id AND s.id = @id;

-- The newest first.
-- name: SuppressionPage :many
SELECT s.id, s.scope, s.value, s.why, s.set_at, p.name AS set_by_name, s.lifted_at, l.name AS lifted_by_name, s.lifted_why
FROM suppressions s JOIN principals p ON p.id = s.set_by LEFT JOIN principals l ON l.id = s.lifted_by
WHERE s.workspace_id = @workspace_id AND (sqlc.narg(before)::uuid IS NULL OR s.id < sqlc.narg(before))
    AND (@standing::boolean AND s.lifted_at IS NULL OR @lifted::boolean AND s.lifted_at IS NOT NULL)
ORDER BY s.id DESC LIMIT @most;

-- Those that stand and are about any row of a person.
-- name: SuppressionsOfPeople :many
SELECT s.id, s.scope, s.value, s.why, s.set_at, p.name AS set_by_name, s.lifted_at, l.name AS lifted_by_name, s.lifted_why
FROM suppressions s JOIN principals p ON p.id = s.set_by LEFT JOIN principals l ON l.id = s.lifted_by
WHERE s.id IN (SELECT x.suppression_id FROM suppressed_people x WHERE x.person_id = ANY (@people::uuid[])) ORDER BY s.id;

-- name: SuppressionLift :execrows
UPDATE suppressions SET lifted_at = sendonce_now(), lifted_by = @lifted_by::uuid, lifted_why = @why::text
WHERE workspace_id = @workspace_id AND id = @id AND lifted_at IS NULL;

-- Whom a suppression keeps messages from that have not begun: some of them, for a cold operation of their own.
-- name: MessagesSuppressed :many
SELECT m.id FROM messages m
WHERE m.person_id IN (SELECT x.person_id FROM suppressed_people x WHERE x.suppression_id = @suppression_id::uuid)
    AND EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND s.status IN ('queued', 'leased'))
ORDER BY m.id LIMIT @most FOR NO KEY UPDATE OF m;

-- name: SendsBegunSuppressed :one
SELECT count(*) FROM sends s WHERE s.status = 'started'
    AND s.person_id IN (SELECT x.person_id FROM suppressed_people x WHERE x.suppression_id = @suppression_id::uuid);

-- name: MarkKeyGet :one
SELECT key_id, sealed FROM mark_keys WHERE workspace_id = @workspace_id;

-- Of two that make one at one moment the first one's stays.
-- name: MarkKeyAdd :exec
INSERT INTO mark_keys (workspace_id, key_id, sealed) VALUES (@workspace_id, @key_id, @sealed) ON CONFLICT DO NOTHING;

-- name: MarkKeysOfOthers :many
SELECT workspace_id, key_id, sealed FROM mark_keys WHERE key_id <> @newest ORDER BY workspace_id;

-- name: MarkKeySeal :exec
UPDATE mark_keys SET key_id = @key_id, sealed = @sealed WHERE workspace_id = @workspace_id AND key_id = @former;

-- name: MarksAny :one
SELECT EXISTS (SELECT FROM removed_marks WHERE workspace_id = @workspace_id AND mark = ANY (@marks::bytea[]))::boolean AS any_of_them;

-- Texts that the workspace's policy keeps no longer: of messages of which nothing can go out, or be looked for, and that ended so long
-- ago. The message is locked, so that none is approved meanwhile; one that is being worked on waits for the next look.
-- name: ContentExpire :execrows
UPDATE message_versions v SET body = '', subject = NULL, expired_at = sendonce_now()
FROM (SELECT c.message_id, c.version FROM message_versions c
    JOIN messages m ON m.id = c.message_id
    JOIN policies_now p ON p.workspace_id = m.workspace_id
    WHERE c.expired_at IS NULL AND p.content_days > 0 AND c.created_at < sendonce_now() - p.content_days * interval '1 day'
        AND (m.closed_at IS NOT NULL OR m.authority IN ('withdrawn', 'rejected', 'expired')
            OR EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND s.status = 'sent'))
        AND (m.closed_at IS NULL OR m.closed_at < sendonce_now() - p.content_days * interval '1 day')
        AND NOT EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND (s.requeue_at IS NOT NULL
            OR s.status IN ('queued', 'leased', 'started', 'unconfirmed')
            OR greatest(s.ended_at, s.confirmed_at) > sendonce_now() - p.content_days * interval '1 day'))
        AND NOT EXISTS (SELECT FROM approvals a WHERE a.message_id = m.id AND a.voided_at > sendonce_now() - p.content_days * interval '1 day')
        AND NOT EXISTS (SELECT FROM rejections r WHERE r.message_id = m.id AND r.rejected_at > sendonce_now() - p.content_days * interval '1 day')
    ORDER BY c.created_at LIMIT @most
    FOR NO KEY UPDATE OF m SKIP LOCKED) old
WHERE v.message_id = old.message_id AND v.version = old.version;
