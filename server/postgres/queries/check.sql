-- The account's next due look, passing over one that another session is being given.
-- name: CheckNextDue :one
SELECT c.send_id, c.tries FROM checks c
WHERE c.account_id = @account_id AND c.due_at <= (SELECT sendonce_now())
    AND EXISTS (SELECT FROM lookable_accounts a WHERE a.id = @account_id)
ORDER BY c.due_at, c.send_id LIMIT 1
FOR NO KEY UPDATE OF c SKIP LOCKED;

-- again_in of nothing is never.
-- name: CheckTaken :exec
UPDATE checks SET tries = tries + 1,
    due_at = sendonce_now() + nullif(@again_in::interval, '0')
WHERE send_id = @send_id;

-- What an install needs to look, and whether this session may: as SendFacts has it for a lease.
-- name: CheckWork :one
SELECT sendonce_now()::timestamptz AS now_at, s.workspace_id, s.person_id, ac.member_urn, pe.name AS person_name,
    coalesce((SELECT i.value FROM person_identities i WHERE i.person_id = s.person_id AND i.kind = 'linkedin_slug' ORDER BY i.value LIMIT 1), '')::text AS slug,
    coalesce((SELECT i.value FROM person_identities i WHERE i.person_id = s.person_id AND i.kind = 'linkedin_urn' ORDER BY i.value LIMIT 1), '')::text AS urn,
    coalesce((SELECT c.thread FROM conversations c WHERE c.account_id = s.account_id AND c.person_id = s.person_id), '')::text AS conversation,
    ARRAY(SELECT d.provider_id FROM deliveries d JOIN messages o ON o.id = d.message_id
        WHERE d.account_id = s.account_id AND o.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = s.person_id)::uuid[])
            AND d.message_id <> s.message_id
        ORDER BY d.created_at DESC LIMIT @held_max)::text[] AS held_ids,
    coalesce(i.session_id = @session_id::uuid AND i.revoked_at IS NULL AND i.paused_at IS NULL AND i.workspace_id = s.workspace_id AND (pr.role = 'admin'
        OR EXISTS (SELECT FROM account_grants g WHERE g.account_id = s.account_id AND g.principal_id = pr.id)), false)::boolean AS may_look
FROM sends s
JOIN people pe ON pe.id = s.person_id
JOIN accounts ac ON ac.id = s.account_id
JOIN installs i ON i.id = @install_id
JOIN principals pr ON pr.id = i.principal_id
WHERE s.id = @id;

-- Every attempt of a message that ever started, with the text it was to deliver.
-- name: CheckAttempts :many
SELECT s.id, s.version, s.started_at, ap.approved_at, v.body
FROM sends s
JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
JOIN approvals ap ON ap.id = s.approval_id
WHERE s.message_id = (SELECT m.message_id FROM sends m WHERE m.id = @id) AND s.started_at IS NOT NULL
ORDER BY s.ordinal DESC;

-- Attempts of other messages with a text of this one, to the same person from the same account, whose copy nobody has seen:
-- also where a person said that it was delivered. What failed left none. An unseen browser's copy may come the latest.
-- name: CheckRivals :many
SELECT t.version, o.started_at, greatest(o.deadline_at + q.unseen, o.gone_at + q.grace)::timestamptz AS until_at
FROM (SELECT DISTINCT s.message_id, s.account_id, s.person_id, s.version, s.text_hash FROM sends s
    WHERE s.message_id = (SELECT m.message_id FROM sends m WHERE m.id = @id) AND s.started_at IS NOT NULL) t
JOIN same_people w ON w.person_id = t.person_id
JOIN sends o ON o.person_id = ANY (w.ids) AND o.text_hash = t.text_hash AND o.account_id = t.account_id AND o.message_id <> t.message_id
JOIN accounts a ON a.id = o.account_id
JOIN quiet_times q ON q.channel = a.channel
WHERE o.started_at IS NOT NULL AND o.status IN ('started', 'unconfirmed', 'sent')
    AND NOT EXISTS (SELECT FROM delivery_sends d WHERE d.send_id = o.id);

-- name: CheckAnswered :exec
UPDATE checks SET answered_at = coalesce(answered_at, sendonce_now()) WHERE send_id = @send_id;

-- A look that a person asks for, whenever the next one was planned, and whether or not one ever was. The send is locked, so
-- that none is planned of one that is being settled. A check that is new here holds no other send back.
-- name: CheckAgain :one
INSERT INTO checks (send_id, account_id, first_until)
SELECT s.id, s.account_id, sendonce_now() FROM sends s
WHERE s.id = @send_id AND s.workspace_id = @workspace_id AND s.status = 'unconfirmed' FOR NO KEY UPDATE
ON CONFLICT (send_id) DO UPDATE SET due_at = sendonce_now(), tries = 0
RETURNING account_id;
