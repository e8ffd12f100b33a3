-- The lock order of hot operations: the send, its person, its account's slot. Each CTE needs the one before it, so they
-- lock in this order.
-- name: SendLock :one
WITH the_send AS MATERIALIZED (
    SELECT l.id, l.person_id, l.account_id FROM sends l WHERE l.id = @id FOR NO KEY UPDATE
), the_person AS MATERIALIZED (
    SELECT person_lock(w.person_id) AS id FROM the_send w
), the_slot AS MATERIALIZED (
    SELECT sl.account_id FROM account_slots sl
    WHERE sl.account_id = (SELECT w.account_id FROM the_send w WHERE (SELECT o.id FROM the_person o) IS NOT NULL) FOR NO KEY UPDATE
)
SELECT the_send.id FROM the_send, the_person, the_slot;

-- What is due for an account, passing over rows that another session is looking at. It walks the index from the oldest
-- and stops at the first row: the clock and the account are read once, in subqueries that no row has a part in. An account
-- that would be refused is not looked into: each refusal would be written on its row and in the history, with every poll.
-- Nor is anything looked for on behalf of a paused install, or of an account that may not begin anything now: its pace holds all its rows
-- alike, so that each stays due and goes as soon as it may, also when somebody sets other limits.
-- name: SendNextDue :one
SELECT s.id FROM sends s
WHERE s.account_id = @account_id AND s.due_at <= (SELECT sendonce_now()) AND s.status = 'queued' AND s.parked_at IS NULL
    AND s.id <> ALL (coalesce(@skip::uuid[], '{}')) AND EXISTS (SELECT FROM open_accounts a WHERE a.id = @account_id)
    AND (SELECT i.paused_at FROM installs i WHERE i.id = @install_id) IS NULL
    AND (SELECT p.because FROM account_pace(@account_id, sendonce_now()) AS p (free_at, because, open_until, day_begun, day_most)) = ''
ORDER BY s.due_at, s.id LIMIT 1
FOR NO KEY UPDATE OF s SKIP LOCKED;

-- Which of these accounts have a send that may be leased now, or a conversation that is due to be looked at. OFFSET 0 keeps the pace from
-- being asked of those that have nothing to send.
-- name: SendDueAccounts :many
SELECT d.id FROM (SELECT a.id FROM open_accounts a
    WHERE a.id = ANY (@accounts::uuid[]) AND EXISTS (SELECT FROM sends s WHERE s.account_id = a.id
        AND s.due_at <= (SELECT sendonce_now()) AND s.status = 'queued' AND s.parked_at IS NULL)
    OFFSET 0) d
WHERE (SELECT p.because FROM account_pace(d.id, sendonce_now()) AS p (free_at, because, open_until, day_begun, day_most)) = ''
UNION
SELECT l.id FROM lookable_accounts l
WHERE l.id = ANY (@accounts::uuid[]) AND EXISTS (SELECT FROM checks c WHERE c.account_id = l.id
    AND c.due_at <= (SELECT sendonce_now()));

-- name: SendRow :one
SELECT s.id, s.workspace_id, s.message_id, s.account_id, s.person_id, s.ordinal, s.status, s.digest, s.lease_token,
    s.lease_holder, s.lease_expires_at, s.attempt, s.started_at, s.deadline_at, s.vacated_at, s.parked_at, s.releases,
    s.code, s.last_event_id, s.requeues
FROM sends s WHERE s.id = @id;

-- The hot report's lock: the send alone.
-- name: SendRowLock :one
SELECT s.id, s.workspace_id, s.message_id, s.account_id, s.person_id, s.ordinal, s.status, s.digest, s.lease_token,
    s.lease_holder, s.lease_expires_at, s.attempt, s.started_at, s.deadline_at, s.vacated_at, s.parked_at, s.releases,
    s.code, s.last_event_id, s.requeues
FROM sends s WHERE s.id = @id FOR NO KEY UPDATE;

-- Everything a lease or a start rests on, read after the locks: so is the time. A session may act for the account while it
-- is its install's newest and the install's principal was granted the account. LIMIT 1 tells the planner that there is one
-- instance: where it expects many rows, it reads whole tables into hashes for the EXISTS above. Deliveries are counted,
-- because for an EXISTS a plan that was made while the table was small reads the whole table.
-- name: SendFacts :one
SELECT
    sendonce_now()::timestamptz AS now_at,
    inst.epoch, inst.armed_at,
    (m.authority IN ('withdrawn', 'rejected'))::boolean AS withdrawn,
    (m.delivered_at IS NOT NULL
        OR EXISTS (SELECT FROM sends o WHERE o.message_id = s.message_id AND o.id <> s.id AND o.status = 'sent')
        OR (SELECT count(*) FROM deliveries d WHERE d.message_id = s.message_id) > 0)::boolean AS delivered,
    v.send_after, v.send_before,
    ap.voided_at, ap.approved_at, ap.expires_at AS approval_ends, ap.digest AS approved_digest, ap.repeat_approved,
    one.replied_at,
    ac.stopped_at, ac.stopped_code, ac.paused_at, ac.cool_until,
    ws.paused_at AS workspace_paused_at, every.paused_at AS everything_paused_at, i.paused_at AS install_paused_at,
    EXISTS (SELECT FROM account_slots sl JOIN sends o ON o.id = sl.send_id
        WHERE sl.account_id = s.account_id AND sl.send_id <> s.id AND o.status IN ('leased', 'started'))::boolean AS account_busy,
    coalesce((SELECT o.status = 'sent' AND o.confirmed_at >= ap.approved_at FROM sends o WHERE o.id = m.follows_send), false)::boolean AS followed_sent,
    EXISTS (SELECT FROM sends o WHERE o.person_id = ANY (same.ids) AND o.text_hash = s.text_hash
        AND o.message_id <> s.message_id AND o.status = 'sent' AND o.confirmed_at >= ap.approved_at)::boolean AS identical_delivered,
    EXISTS (SELECT FROM sends o WHERE o.person_id = ANY (same.ids) AND o.text_hash = s.text_hash
        AND o.message_id <> s.message_id AND o.status IN ('started', 'unconfirmed')
        AND (NOT ap.repeat_approved OR o.started_at >= ap.approved_at))::boolean AS identical_may_have_reached,
    coalesce(i.session_id = @session_id::uuid, false)::boolean AS session_is_newest,
    i.revoked_at,
    coalesce(i.workspace_id = s.workspace_id AND (pr.role = 'admin'
        OR EXISTS (SELECT FROM account_grants g WHERE g.account_id = s.account_id AND g.principal_id = pr.id)), false)::boolean AS granted
FROM sends s
JOIN messages m ON m.id = s.message_id
JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
JOIN approvals ap ON ap.id = s.approval_id
JOIN people pe ON pe.id = s.person_id
JOIN people one ON one.id = coalesce(pe.merged_into, pe.id)
CROSS JOIN LATERAL (SELECT one.id || ARRAY(SELECT f.id FROM people f WHERE f.merged_into = one.id) AS ids) same
JOIN accounts ac ON ac.id = s.account_id
JOIN workspaces ws ON ws.id = s.workspace_id
CROSS JOIN (SELECT epoch, armed_at FROM instance LIMIT 1) inst
CROSS JOIN (SELECT paused_at FROM pause_of_everything LIMIT 1) every
LEFT JOIN installs i ON i.id = @install_id
LEFT JOIN principals pr ON pr.id = i.principal_id
WHERE s.id = @id;

-- How freely the person may be written to from the account, but for the claim that the approval passes over. Read with SendFacts, after the
-- same locks.
-- name: SendContact :one
SELECT c.level::text AS level, c.free_from::timestamptz AS free_from
FROM sends s JOIN approvals ap ON ap.id = s.approval_id
CROSS JOIN LATERAL person_contact(s.person_id, s.account_id, ap.overrides) AS c (level, because, owner_id, free_from)
WHERE s.id = @id;

-- When the account may begin another message, and until when this one may begin that was scheduled for a time ('epoch': it was not). Read with SendFacts, after the
-- same locks.
-- name: SendPace :one
SELECT p.free_at::timestamptz AS free_at, p.because::text AS because, p.open_until::timestamptz AS open_until,
    (CASE WHEN v.send_after IS NOT NULL AND v.send_before IS NULL THEN schedule_ends(s.account_id, greatest(v.send_after, ap.approved_at))
        ELSE 'epoch' END)::timestamptz AS schedule_ends
FROM sends s JOIN approvals ap ON ap.id = s.approval_id
JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
CROSS JOIN LATERAL account_pace(s.account_id, sendonce_now()) AS p (free_at, because, open_until, day_begun, day_most)
WHERE s.id = @id;

-- What an install needs to deliver the send that it has this lease of.
-- name: SendWork :one
SELECT ac.member_urn, pe.name AS person_name, v.body, ap.approved_at, ap.repeat_approved,
    coalesce((SELECT i.value FROM person_identities i WHERE i.person_id = s.person_id AND i.kind = 'linkedin_slug' ORDER BY i.value LIMIT 1), '')::text AS slug,
    coalesce((SELECT i.value FROM person_identities i WHERE i.person_id = s.person_id AND i.kind = 'linkedin_urn' ORDER BY i.value LIMIT 1), '')::text AS urn,
    coalesce((SELECT c.thread FROM conversations c WHERE c.account_id = s.account_id AND c.person_id = s.person_id), '')::text AS conversation,
    ARRAY(SELECT d.provider_id FROM deliveries d JOIN messages o ON o.id = d.message_id
        WHERE d.account_id = s.account_id AND o.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = s.person_id)::uuid[])
            AND d.message_id <> s.message_id
        ORDER BY d.created_at DESC LIMIT @held_max)::text[] AS held_ids
FROM sends s
JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
JOIN approvals ap ON ap.id = s.approval_id
JOIN people pe ON pe.id = s.person_id
JOIN accounts ac ON ac.id = s.account_id
WHERE s.id = @id AND s.lease_token = @lease;

-- name: SendSetLeased :one
UPDATE sends SET status = 'leased', lease_token = @lease, lease_holder = @holder, waiting_for = NULL,
    lease_expires_at = sendonce_now() + @lasts::interval
WHERE id = @id AND status = 'queued'
RETURNING last_event_id;

-- name: SlotTake :exec
UPDATE account_slots SET send_id = @send_id WHERE account_id = @account_id;

-- name: SendSetStarted :one
UPDATE sends SET status = 'started', attempt = @attempt, sender_version = @sender_version,
    deadline_at = sendonce_now() + @deadline::interval
WHERE id = @id AND status = 'leased' AND lease_token = @lease AND least(lease_expires_at, @open_until::timestamptz) >= sendonce_now()
RETURNING last_event_id;

-- Back to the queue, for every reason: the lease is cleared, so that a start with it is refused. Counting a release and
-- parking after too many in a row are one statement with it.
-- name: SendSetQueued :one
UPDATE sends SET status = 'queued', lease_token = NULL, lease_holder = NULL, lease_expires_at = NULL,
    waiting_for = CASE WHEN releases + @counts::integer >= @park_after::integer THEN 'released_too_often' ELSE sqlc.narg(waiting_for) END,
    due_at = coalesce(sqlc.narg(due_at)::timestamptz, due_at), releases = releases + @counts::integer,
    parked_at = CASE WHEN @parks::boolean OR releases + @counts::integer >= @park_after::integer THEN sendonce_now() END
WHERE id = @id AND status = 'leased' AND lease_token = @lease
RETURNING account_id, workspace_id, message_id, parked_at;

-- name: SendDelay :exec
UPDATE sends SET waiting_for = @waiting_for, due_at = coalesce(sqlc.narg(due_at)::timestamptz, due_at),
    parked_at = CASE WHEN @parks::boolean THEN sendonce_now() END
WHERE id = @id AND status = 'queued';

-- name: SendSetCanceled :one
UPDATE sends SET status = 'canceled', code = @code WHERE id = @id AND status IN ('queued', 'leased') RETURNING last_event_id;

-- The leases of an install, for its newest session alone. A session that begins after this statement was begun has none
-- among them.
-- name: SendsLeasedTo :many
SELECT s.id, s.lease_token FROM installs i JOIN sends s ON s.lease_holder = i.id JOIN account_slots sl ON sl.send_id = s.id
WHERE i.id = @install_id AND i.session_id = @session_id::uuid AND s.status = 'leased';

-- name: SendsWithExpiredLease :many
SELECT s.id, s.lease_token FROM accounts a JOIN sends s ON s.account_id = a.id
WHERE s.due_at < 'infinity' AND s.status = 'leased' AND s.lease_expires_at < (SELECT sendonce_now())
ORDER BY s.lease_expires_at LIMIT @most;

-- name: SendsOverdue :many
SELECT s.id FROM accounts a JOIN sends s ON s.account_id = a.id
WHERE s.due_at < 'infinity' AND s.status = 'started' AND s.deadline_at < (SELECT sendonce_now())
ORDER BY s.deadline_at LIMIT @most;

-- name: SendExpire :one
UPDATE sends SET status = 'queued', lease_token = NULL, lease_holder = NULL, lease_expires_at = NULL,
    releases = releases + 1, parked_at = CASE WHEN releases + 1 >= @park_after::integer THEN sendonce_now() END,
    waiting_for = CASE WHEN releases + 1 >= @park_after::integer THEN 'released_too_often' END
WHERE id = @id AND status = 'leased' AND lease_token = @lease AND lease_expires_at < sendonce_now()
RETURNING account_id, workspace_id, message_id, parked_at;

-- name: SendSetOverdue :one
UPDATE sends SET status = 'unconfirmed', code = @code
WHERE id = @id AND status = 'started' AND deadline_at < sendonce_now()
RETURNING account_id;

-- name: SendSetEnded :one
UPDATE sends SET status = @to_status, code = @code, reason = sqlc.narg(reason),
    requeue_at = CASE WHEN @requeue_in::interval > '0' THEN sendonce_now() + @requeue_in::interval END
WHERE id = @id AND status = @from_status AND lease_token = @lease
RETURNING last_event_id;

-- name: SendSetSent :one
UPDATE sends SET status = 'sent', code = @code, reason = NULL, requeue_at = NULL, confirmed_by = @evidence_id
WHERE id = @id AND status = @from_status
RETURNING last_event_id;

-- name: SendMarkGone :exec
UPDATE sends SET gone_at = sendonce_now() WHERE id = @id AND lease_token = @lease AND started_at IS NOT NULL AND gone_at IS NULL;

-- name: SendsToRequeue :many
SELECT id FROM sends WHERE requeue_at <= (SELECT sendonce_now()) ORDER BY requeue_at LIMIT @most;

-- name: SendClearRequeue :exec
UPDATE sends SET requeue_at = NULL WHERE id = @id AND requeue_at IS NOT NULL;

-- The message's lock is held. No row: the send already has a next one.
-- name: SendInsertNext :one
INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id, requeues)
SELECT workspace_id, message_id, account_id, person_id, ordinal + 1, id, version, digest, text_hash, approval_id,
    CASE WHEN @by_machine::boolean THEN requeues + 1 ELSE 0 END
FROM sends WHERE sends.id = @id
    AND NOT EXISTS (SELECT FROM sends n WHERE n.message_id = sends.message_id AND n.retry_of = sends.id)
RETURNING id, account_id;

-- The lock order of cold operations: messages by id, then all their sends by id.
-- name: MessageLockOfSend :one
SELECT m.id FROM messages m WHERE m.id = (SELECT message_id FROM sends WHERE sends.id = @send_id) FOR NO KEY UPDATE;

-- name: SendsLockOfMessage :many
SELECT id, status, ordinal, parked_at FROM sends WHERE message_id = @message_id ORDER BY id FOR NO KEY UPDATE;

-- What a retry rests on beside SendFacts, read after the same locks.
-- name: SendRetryFacts :one
SELECT latest.id AS latest_id, latest.status AS latest_status, s.text_hash, (s.version <> m.version)::boolean AS edited, (m.closed_at IS NOT NULL)::boolean AS closed, m.follows_send,
    (v.expired_at IS NOT NULL)::boolean AS text_is_gone,
    coalesce((SELECT x.because FROM held_steps x WHERE x.message_id = s.message_id), '')::text AS step_held,
    EXISTS (SELECT FROM sends o WHERE o.person_id = ANY (w.ids) AND o.text_hash = s.text_hash
        AND o.message_id <> s.message_id AND o.status IN ('queued', 'leased'))::boolean AS identical_waits
FROM sends s JOIN messages m ON m.id = s.message_id JOIN same_people w ON w.person_id = s.person_id
    JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
    JOIN LATERAL (SELECT n.id, n.status FROM sends n WHERE n.message_id = s.message_id ORDER BY n.ordinal DESC LIMIT 1) latest ON true
WHERE s.id = @id;

-- What a resolution rests on, read after the locks: so is the time. The first resolution is the one that was heard.
-- name: SendResolutionFacts :one
SELECT sendonce_now()::timestamptz AS now_at, s.gone_at, q.grace, q.unseen
FROM sends s JOIN messages m ON m.id = s.message_id JOIN quiet_times q ON q.channel = m.channel WHERE s.id = @id;

-- name: SendFirstResolution :one
SELECT e.outcome, e.note, e.received_at, p.name AS by_name FROM evidence e JOIN principals p ON p.id = e.principal_id
WHERE e.send_id = @id AND e.kind = 'resolution' ORDER BY e.id LIMIT 1;
