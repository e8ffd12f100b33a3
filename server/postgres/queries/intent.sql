-- The third of the locks of cold operations: the message, its sends, the person.
-- name: PersonLock :exec
SELECT person_lock(@id::uuid);

-- The other message for the same intent that decides: one that may still go out, else the one that began last. Read after the
-- person's lock.
-- name: IntentRival :one
SELECT r.message_id, r.channel, r.waits::boolean AS waits,
    coalesce(r.live_send, '00000000-0000-0000-0000-000000000000')::uuid AS live_send, coalesce(r.live_status, '')::text AS live_status,
    coalesce(r.begun_send, '00000000-0000-0000-0000-000000000000')::uuid AS begun_send, coalesce(r.begun_status, '')::text AS begun_status
FROM message_intents r
WHERE r.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = @person_id::uuid)::uuid[]) AND r.message_id <> @besides AND (r.purpose = @purpose::text OR r.task = sqlc.narg(task)::text)
    AND (r.waits OR r.live_send IS NOT NULL OR r.begun_send IS NOT NULL)
ORDER BY (r.waits OR r.live_send IS NOT NULL) DESC, r.began_at DESC NULLS LAST LIMIT 1;

-- name: SendToFollow :one
SELECT s.id, s.message_id, s.status, m.channel FROM sends s JOIN messages m ON m.id = s.message_id
WHERE s.workspace_id = @workspace_id AND s.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = @person_id::uuid)::uuid[])
    AND s.id = @id;

-- The same for the message of a send.
-- name: IntentRivalOfSend :many
SELECT r.message_id, r.channel, r.waits::boolean AS waits,
    coalesce(r.live_send, '00000000-0000-0000-0000-000000000000')::uuid AS live_send, coalesce(r.live_status, '')::text AS live_status,
    coalesce(r.begun_send, '00000000-0000-0000-0000-000000000000')::uuid AS begun_send, coalesce(r.begun_status, '')::text AS begun_status
FROM sends s JOIN messages m ON m.id = s.message_id JOIN same_people w ON w.person_id = m.person_id
    JOIN message_intents r ON r.person_id = ANY (w.ids)
WHERE s.id = @id AND r.message_id <> m.id AND (r.purpose = m.purpose_key OR r.task = m.task)
    AND (r.waits OR r.live_send IS NOT NULL OR r.begun_send IS NOT NULL)
ORDER BY (r.waits OR r.live_send IS NOT NULL) DESC, r.began_at DESC NULLS LAST LIMIT 1;
