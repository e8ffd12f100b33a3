-- One statement for the message and what it says. Both are of one moment, which the answer names.
-- name: MessageInsert :exec
WITH made AS (
    INSERT INTO messages (id, workspace_id, account_id, person_id, channel, purpose, purpose_key, task, follows_send, follows_why, version, authority, created_by, created_at)
    VALUES (@id, @workspace_id, @account_id, @person_id, @channel, @purpose, @purpose_key, sqlc.narg(task), sqlc.narg(follows_send), sqlc.narg(follows_why), 1,
        'proposed', @created_by, @created_at)
    RETURNING id, version, created_by, created_at
)
INSERT INTO message_versions (message_id, version, body, subject, digest, text_hash, send_after, send_before, client_release, template_id,
    template_version, created_by, created_at)
SELECT made.id, made.version, @body, sqlc.narg(subject), @digest, @text_hash, sqlc.narg(send_after), sqlc.narg(send_before),
    @client_release, sqlc.narg(template_id), sqlc.narg(template_version), made.created_by, made.created_at
FROM made;

-- name: VersionInsert :exec
INSERT INTO message_versions (message_id, version, body, subject, digest, text_hash, send_after, send_before, client_release, created_by)
VALUES (@message_id, @version, @body, sqlc.narg(subject), @digest, @text_hash, sqlc.narg(send_after), sqlc.narg(send_before),
    @client_release, @created_by);

-- name: MessageSetVersion :exec
UPDATE messages SET version = @version WHERE id = @id;

-- The lock order of cold operations: the message, then SendsLockOfMessage.
-- name: MessageLockScoped :one
SELECT id, account_id, person_id, channel, purpose, task, version, authority, delivered_at, closed_at, follows_send FROM messages
WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- Read after the locks: so is the time.
-- name: MessageContent :one
SELECT v.body, v.subject, v.digest, v.send_after, v.send_before, v.expired_at, sendonce_now()::timestamptz AS now_at,
    EXISTS (SELECT FROM deliveries d WHERE d.message_id = v.message_id)::boolean AS has_delivery,
    coalesce((SELECT x.because FROM held_steps x WHERE x.message_id = v.message_id), '')::text AS step_held,
    ap.version AS approved_version, ap.expires_at AS approval_ends, ap.approved_at, by.name AS approver,
    r.rejected_at, r.why AS rejected_why, against.name AS rejecter
FROM message_versions v LEFT JOIN approvals ap ON ap.message_id = v.message_id AND ap.voided_at IS NULL
    LEFT JOIN principals by ON by.id = ap.approver
    LEFT JOIN rejections r ON r.message_id = v.message_id AND r.version = v.version
    LEFT JOIN principals against ON against.id = r.rejected_by
WHERE v.message_id = @message_id AND v.version = @version;

-- name: SendInsert :exec
INSERT INTO sends (id, workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash,
    approval_id, due_at, waiting_for)
SELECT @id, m.workspace_id, m.id, m.account_id, m.person_id, @ordinal, sqlc.narg(retry_of), v.version, v.digest, v.text_hash,
    @approval_id, @due_at, sqlc.narg(waiting_for)
FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version = m.version WHERE m.id = @message_id;

-- name: MessagePage :many
SELECT x.message_id FROM message_sections x
WHERE x.workspace_id = @workspace_id AND (sqlc.narg(before)::uuid IS NULL OR x.message_id < sqlc.narg(before))
    AND (cardinality(@statuses::text[]) = 0 OR x.status = ANY (@statuses::text[]))
    AND (cardinality(@authorities::text[]) = 0 OR x.authority = ANY (@authorities::text[]))
    AND (@section::text = '' OR x.section = @section::text)
    AND (sqlc.narg(person_id)::uuid IS NULL OR x.message_id IN (SELECT o.id FROM messages o
        WHERE o.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = sqlc.narg(person_id)::uuid)::uuid[])))
ORDER BY x.message_id DESC LIMIT @most;

-- name: MessageCounts :many
SELECT x.section::text AS section, count(*) AS number FROM message_sections x WHERE x.workspace_id = @workspace_id GROUP BY x.section;

-- name: MessagesByID :many
SELECT m.id, m.account_id, m.person_id, m.channel, m.purpose, m.task, m.version, m.authority, m.created_at,
    m.follows_send, m.follows_why, before.message_id AS follows_message, before.status AS follows_status, m.closed_at, m.closed_why, closer.name AS closer,
    by.name AS proposer, v.body, v.subject, v.digest, v.send_after, v.send_before, v.client_release, v.expired_at, v.template_id, v.template_version, coalesce(nullif(pe.name, ''), one.name)::text AS person_name,
    a.handle, a.member_urn, a.member_name, a.stopped_at, a.stopped_code, a.cool_until, a.paused_at, a.created_at AS account_created_at,
    coalesce((SELECT c.thread FROM conversations c WHERE c.account_id = m.account_id AND c.person_id = m.person_id), '')::text AS conversation,
    t.sequence_id, q.name AS sequence_name, t.step_id, t.enrolment_id
FROM messages m
JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
JOIN accounts a ON a.id = m.account_id
JOIN people pe ON pe.id = m.person_id
JOIN people one ON one.id = coalesce(pe.merged_into, pe.id)
JOIN principals by ON by.id = m.created_by
LEFT JOIN sends before ON before.id = m.follows_send
LEFT JOIN principals closer ON closer.id = m.closed_by
LEFT JOIN step_messages t ON t.message_id = m.id
LEFT JOIN sequences q ON q.id = t.sequence_id
WHERE m.workspace_id = @workspace_id AND m.id = ANY (@ids::uuid[])
ORDER BY m.id DESC;

-- A queued send waits for what holds it now, whatever its row last waited for: these are the facts of that. A browser holds it
-- back when every one that may take it is paused. The slot is read as one value: for an EXISTS the planner may read all slots
-- and all sends into a hash.
-- name: SendsOfMessages :many
SELECT s.id, s.message_id, s.ordinal, s.retry_of, s.version, s.status, s.code, s.reason, s.attempt, s.lease_holder,
    s.sender_version, s.created_at, s.started_at, s.deadline_at, s.ended_at, s.confirmed_at, s.parked_at, s.gone_at, s.requeue_at,
    coalesce(s.waiting_for, '')::text AS waiting_for, (s.status = 'queued' AND s.due_at > sendonce_now())::boolean AS not_due,
    (CASE WHEN s.status = 'queued' THEN s.due_at ELSE 'epoch' END)::timestamptz AS due_at, coalesce(pace.free_at, 'epoch')::timestamptz AS pace_free_at, coalesce(pace.because, '')::text AS pace_because, q.grace, q.unseen,
    c.due_at AS next_check_at,
    EXISTS (SELECT FROM instance WHERE armed_at IS NOT NULL)::boolean AS armed,
    EXISTS (SELECT FROM pause_of_everything WHERE paused_at IS NOT NULL)::boolean AS everything_paused,
    (SELECT w.paused_at IS NOT NULL FROM workspaces w WHERE w.id = s.workspace_id)::boolean AS workspace_paused,
    coalesce(s.status = 'queued' AND (SELECT bool_and(i.paused_at IS NOT NULL) FROM installs i JOIN principals p ON p.id = i.principal_id
        WHERE i.workspace_id = s.workspace_id AND i.revoked_at IS NULL AND (p.role = 'admin'
            OR EXISTS (SELECT FROM account_grants g WHERE g.account_id = s.account_id AND g.principal_id = p.id))), false)::boolean AS install_paused,
    coalesce((SELECT o.status FROM account_slots sl JOIN sends o ON o.id = sl.send_id
        WHERE sl.account_id = s.account_id AND o.id <> s.id) IN ('leased', 'started'), false)::boolean AS account_busy,
    EXISTS (SELECT FROM checks f WHERE f.account_id = s.account_id AND f.answered_at IS NULL
        AND f.first_until > (SELECT sendonce_now()))::boolean AS check_first
FROM sends s JOIN messages m ON m.id = s.message_id JOIN quiet_times q ON q.channel = m.channel
LEFT JOIN checks c ON c.send_id = s.id
LEFT JOIN LATERAL (SELECT p.free_at, p.because FROM account_pace(s.account_id, sendonce_now()) AS p (free_at, because, open_until, day_begun, day_most)
    WHERE s.status = 'queued') pace ON true
WHERE s.message_id = ANY (@messages::uuid[]) ORDER BY s.message_id, s.ordinal;

-- Of each send the first copies: the first of all says when it was sent; and how many there are.
-- name: DeliveriesOfSends :many
SELECT s.id AS send_id, d.provider_id, d.delivered_at, d.total
FROM sends s CROSS JOIN LATERAL (SELECT c.id, c.provider_id, c.delivered_at, c.created_at, count(*) OVER () AS total
    FROM delivery_sends ds JOIN deliveries c ON c.id = ds.delivery_id WHERE ds.send_id = s.id ORDER BY c.created_at, c.id LIMIT @most) d
WHERE s.id = ANY (@sends::uuid[]) ORDER BY d.created_at, d.id;

-- Of each send the newest, and how much was said of it in all.
-- name: EvidenceOfSends :many
SELECT e.send_id, e.kind, e.outcome, e.note, e.body, e.received_at, e.asked_at, e.install_id, e.attempt, e.accept_unseen, e.total, p.name AS by_name
FROM sends s CROSS JOIN LATERAL (SELECT a.*, count(*) OVER () AS total FROM evidence a WHERE a.send_id = s.id ORDER BY a.id DESC LIMIT @most) e
    LEFT JOIN principals p ON p.id = e.principal_id
WHERE s.id = ANY (@sends::uuid[]) ORDER BY e.id;

-- name: ApprovalsOfMessages :many
SELECT ap.id, ap.message_id, ap.version, ap.digest, ap.repeat_approved, ap.yes_to, ap.policy_number, ap.override_why, ap.approved_at, ap.expires_at, ap.voided_at,
    ap.void_reason, p.name AS approver_name, ended.name AS voided_by_name, claimant.name AS override_of
FROM approvals ap JOIN principals p ON p.id = ap.approver LEFT JOIN principals ended ON ended.id = ap.voided_by
    LEFT JOIN principals claimant ON claimant.id = ap.overrides
WHERE ap.message_id = ANY (@messages::uuid[]) ORDER BY ap.approved_at, ap.id;

-- Of each message the newest. A version is the one before it plus one.
-- name: VersionsOfMessages :many
SELECT v.message_id, v.version, v.created_at, p.name AS author
FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version > m.version - @most::integer JOIN principals p ON p.id = v.created_by
WHERE m.id = ANY (@messages::uuid[]) ORDER BY v.message_id, v.version;

-- Of each send the newest, and how many there are.
-- name: EventsOfSends :many
SELECT e.send_id, e.message_id, e.at, e.from_status, e.to_status, e.code, e.reason, e.waiting_for, e.lease_holder, e.actor, e.total, p.name AS by_name
FROM sends s CROSS JOIN LATERAL (SELECT a.*, count(*) OVER () AS total FROM send_events a WHERE a.send_id = s.id ORDER BY a.id DESC LIMIT @most) e
    LEFT JOIN principals p ON p.id = e.principal_id
WHERE s.id = ANY (@sends::uuid[]) ORDER BY e.id;

-- name: SendPage :many
SELECT s.id, s.message_id FROM sends s
WHERE s.workspace_id = @workspace_id AND (sqlc.narg(before)::uuid IS NULL OR s.id < sqlc.narg(before))
    AND (cardinality(@statuses::text[]) = 0 OR s.status = ANY (@statuses::text[]))
ORDER BY s.id DESC LIMIT @most;

-- name: SendMessage :one
SELECT message_id FROM sends WHERE workspace_id = @workspace_id AND id = @id;
