-- name: MessageLock :one
SELECT id FROM messages WHERE id = @id FOR NO KEY UPDATE;

-- name: MessageSetAuthority :exec
UPDATE messages SET authority = @authority WHERE id = @id;

-- name: ApprovalInsert :one
INSERT INTO approvals (message_id, version, digest, repeat_approved, yes_to, policy_number, overrides, override_why, approver, expires_at)
SELECT m.id, @version, @digest, @repeat_approved, @yes_to::uuid[], sqlc.narg(policy_number), sqlc.narg(overrides), sqlc.narg(override_why),
    @approver, sendonce_now() + p.approval_lasts
FROM messages m JOIN policies_now p ON p.workspace_id = m.workspace_id WHERE m.id = @message_id
RETURNING id;

-- name: ApprovalVoid :exec
UPDATE approvals SET voided_at = sendonce_now(), void_reason = @reason::text, voided_by = sqlc.narg(voided_by)
WHERE message_id = @message_id AND voided_at IS NULL;

-- name: RejectionInsert :exec
INSERT INTO rejections (message_id, version, digest, why, rejected_by) VALUES (@message_id, @version, @digest, @why, @rejected_by);

-- name: RejectionsOfMessages :many
SELECT r.message_id, r.version, r.why, r.rejected_at, p.name AS rejecter FROM rejections r JOIN principals p ON p.id = r.rejected_by
WHERE r.message_id = ANY (@messages::uuid[]) ORDER BY r.message_id, r.version;

-- What other messages to the same person have reached them, may have, or are about to: by account, channel and purpose of
-- any kind. A send that a machine will follow after a rate limit is about to.
-- name: EarlierMessages :many
SELECT m.id AS for_message, m.purpose AS for_purpose, e.message_id, e.purpose, e.handle, e.status, e.begun_at::timestamptz AS begun_at, e.same_text::boolean AS same_text
FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
CROSS JOIN LATERAL (
    SELECT s.message_id, o.purpose, a.handle, s.status, coalesce(s.started_at, s.confirmed_at, s.created_at) AS begun_at,
        s.text_hash = v.text_hash AS same_text
    FROM sends s JOIN messages o ON o.id = s.message_id JOIN accounts a ON a.id = s.account_id
    WHERE s.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = m.person_id)::uuid[]) AND s.message_id <> m.id
        AND (s.status IN ('queued', 'leased', 'started', 'unconfirmed', 'sent') OR s.requeue_at IS NOT NULL)
    ORDER BY s.text_hash = v.text_hash DESC, begun_at DESC, s.id LIMIT @most
) e
WHERE m.workspace_id = @workspace_id AND m.id = ANY (@messages::uuid[]);
