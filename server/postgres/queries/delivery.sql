-- Of these facts, those that are about no known message yet, with the message that can be told now. The zero id is none.
-- name: WaitingAmong :many
SELECT w.id, w.kind, w.provider_id, w.at, w.received_at, coalesce(w.message_id, '00000000-0000-0000-0000-000000000000')::uuid AS message_id,
    coalesce(m.person_id, '00000000-0000-0000-0000-000000000000')::uuid AS person_id, w.workspace_id, coalesce(s.name, '')::text AS source_name
FROM waiting_observations w LEFT JOIN messages m ON m.id = w.message_id LEFT JOIN callback_sources s ON s.id = w.source_id
WHERE w.workspace_id = @workspace_id AND w.said_hash = ANY (@hashes::bytea[]) ORDER BY w.id;

-- The same of all workspaces, a page at a time, from the oldest that is not too old on.
-- name: WaitingPage :many
SELECT w.id, w.kind, w.provider_id, w.at, w.received_at, coalesce(w.message_id, '00000000-0000-0000-0000-000000000000')::uuid AS message_id,
    coalesce(m.person_id, '00000000-0000-0000-0000-000000000000')::uuid AS person_id, w.workspace_id, coalesce(s.name, '')::text AS source_name
FROM waiting_observations w LEFT JOIN messages m ON m.id = w.message_id LEFT JOIN callback_sources s ON s.id = w.source_id
WHERE (w.received_at, w.id) > (@after_at::timestamptz, @after_id::bigint) AND w.received_at > (SELECT sendonce_now() - @within::interval)
ORDER BY w.received_at, w.id LIMIT @most;

-- What no message was known for in all that time, with the ids under which it was told.
-- name: WaitingForget :execrows
DELETE FROM delivery_observations WHERE id IN (SELECT w.id FROM delivery_observations w
    WHERE w.message_id IS NULL AND (w.provider_id <> '' OR w.named_message_id IS NOT NULL) AND w.received_at < sendonce_now() - @kept::interval
    ORDER BY w.received_at, w.id LIMIT @most FOR UPDATE SKIP LOCKED);

-- name: ObservationJoin :exec
UPDATE delivery_observations SET message_id = @message_id WHERE id = @id AND message_id IS NULL;

-- A reply that kept a send from acting, so it answers another message and is joined to none here: the browser that says which tells
-- that beside. It looked before the attempt's deadline, however late it says so.
-- name: ReplySeenAdd :one
INSERT INTO delivery_observations (workspace_id, install_id, kind, at, said_hash)
SELECT s.workspace_id, @install_id, 'replied', least(sendonce_now(), s.deadline_at), @said_hash
FROM sends s WHERE s.id = @send_id
ON CONFLICT (workspace_id, said_hash) DO UPDATE SET message_id = delivery_observations.message_id
RETURNING at;

-- name: SendPerson :one
SELECT workspace_id, person_id FROM sends WHERE id = @id;

-- The lock order of cold operations: every message with a send that waits to go to this person, then all their sends.
-- name: MessagesWaitingFor :many
SELECT m.id FROM messages m WHERE m.workspace_id = @workspace_id
    AND m.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = @person_id::uuid)::uuid[])
    AND EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND s.status IN ('queued', 'leased'))
ORDER BY m.id FOR NO KEY UPDATE;

-- name: SendsLockOfMessages :many
SELECT id FROM sends WHERE message_id = ANY (@messages::uuid[]) ORDER BY id FOR NO KEY UPDATE;

-- A clock that is ahead must not hold back what is approved after now.
-- name: PersonReplied :exec
UPDATE people SET replied_at = greatest(replied_at, least(@at::timestamptz, sendonce_now()))
WHERE workspace_id = @workspace_id AND id = (SELECT w.one_id FROM same_people w WHERE w.person_id = @id::uuid);

-- What a start would be refused for this reply: the same comparison.
-- name: SendsRepliedTo :many
SELECT s.id, s.account_id, s.status FROM sends s JOIN approvals ap ON ap.id = s.approval_id JOIN same_people w ON w.person_id = s.person_id JOIN people pe ON pe.id = w.one_id
WHERE s.message_id = ANY (@messages::uuid[]) AND s.status IN ('queued', 'leased') AND pe.replied_at > ap.approved_at ORDER BY s.id;

-- Of these messages those of a sequence whose person has answered it, with a send that waits.
-- name: StepsAnswered :many
SELECT s.message_id, s.account_id FROM sends s JOIN held_steps x ON x.message_id = s.message_id AND x.because = 'enrolment_over'
WHERE s.message_id = ANY (@messages::uuid[]) AND s.status IN ('queued', 'leased') ORDER BY s.id;

-- The sends of a message, the newest first, and whether each has seen this copy.
-- name: SendsOfCopy :many
SELECT s.id, s.status, s.started_at, EXISTS (SELECT FROM delivery_sends ds JOIN deliveries d ON d.id = ds.delivery_id
    WHERE ds.send_id = s.id AND d.provider_id = @provider_id)::boolean AS has_copy
FROM sends s WHERE s.message_id = @message_id ORDER BY s.ordinal DESC;

-- Of each message the newest, and whatever says first how far it, or a copy of it, came; and how many there are. A message by hand
-- that was recognised since as one of ours is none.
-- name: ObservationsOfMessages :many
SELECT o.message_id, o.kind, o.provider_id, o.seen_id, o.at, o.detail, o.received_at, o.total, coalesce(s.name, '')::text AS source_name
FROM (SELECT a.*, count(*) OVER (PARTITION BY a.message_id) AS total,
        row_number() OVER (PARTITION BY a.message_id ORDER BY a.id DESC) AS newest,
        row_number() OVER (PARTITION BY a.message_id, a.kind ORDER BY a.at, a.detail COLLATE "C", a.id) AS first_of_kind,
        row_number() OVER (PARTITION BY a.message_id, a.kind, a.provider_id ORDER BY a.at, a.detail COLLATE "C", a.id) AS first_of_copy
    FROM delivery_observations a
    WHERE a.message_id = ANY (@messages::uuid[])
        AND NOT (a.kind = 'manual' AND EXISTS (SELECT FROM deliveries d WHERE d.account_id = a.account_id AND d.provider_id = a.seen_id))) o
    LEFT JOIN callback_sources s ON s.id = o.source_id
WHERE o.newest <= @most::bigint OR o.first_of_kind = 1
    OR o.first_of_copy = 1 AND EXISTS (SELECT FROM deliveries d WHERE d.message_id = o.message_id AND d.provider_id = o.provider_id)
ORDER BY o.id;
