-- A report that was recorded before inserts nothing and returns no row.
-- name: EvidenceAdd :one
INSERT INTO evidence (workspace_id, send_id, kind, attempt, install_id, outcome, body, said_hash, asked_at)
VALUES (@workspace_id, @send_id, @kind, sqlc.narg(attempt), sqlc.narg(install_id), @outcome, @body, @said_hash, sqlc.narg(asked_at))
ON CONFLICT (send_id, said_hash) WHERE said_hash IS NOT NULL DO NOTHING
RETURNING id;

-- The same observation, recorded before.
-- name: EvidenceSaid :one
SELECT id FROM evidence WHERE send_id = @send_id AND said_hash = @said_hash;

-- What a person says about a send.
-- name: ResolutionAdd :one
INSERT INTO evidence (workspace_id, send_id, kind, principal_id, outcome, note, accept_unseen)
VALUES (@workspace_id, @send_id, 'resolution', @principal_id, @outcome, @note, @accept_unseen)
RETURNING id;

-- name: DeliveryAdd :exec
INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id, delivered_at)
VALUES (@workspace_id, @account_id, @provider_id, @message_id, @send_id, sqlc.narg(delivered_at))
ON CONFLICT (account_id, provider_id) DO NOTHING;

-- A copy that another message took in the meantime is not seen by this send: evidence is recorded all the same.
-- name: DeliverySeenBy :exec
INSERT INTO delivery_sends (delivery_id, send_id)
SELECT d.id, s.id FROM sends s JOIN deliveries d ON d.account_id = s.account_id AND d.message_id = s.message_id
WHERE s.id = @send_id AND d.provider_id = @provider_id
ON CONFLICT DO NOTHING;

-- Which of these provider ids are deliveries of another message than the send's.
-- name: DeliveriesHeldByOthers :many
SELECT d.provider_id FROM sends s JOIN deliveries d ON d.account_id = s.account_id
WHERE s.id = @send_id AND d.provider_id = ANY (@provider_ids::text[]) AND d.message_id <> s.message_id;

-- A copy from before it is not the send's.
-- name: SendApprovedAt :one
SELECT a.approved_at FROM sends s JOIN approvals a ON a.id = s.approval_id WHERE s.id = @send_id;

-- Nothing is remembered of a person who was removed.
-- name: ConversationRemember :exec
INSERT INTO conversations (account_id, person_id, thread)
SELECT r.account_id, r.person_id, r.thread
FROM (SELECT @account_id::uuid AS account_id, @person_id::uuid AS person_id, @thread::text AS thread) r
WHERE NOT EXISTS (SELECT FROM people p WHERE p.id = r.person_id AND p.removed_at IS NOT NULL)
ON CONFLICT (account_id, person_id) DO UPDATE SET thread = EXCLUDED.thread, seen_at = sendonce_now();

-- name: AccountStop :exec
UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = @code WHERE id = @id AND stopped_at IS NULL;

-- Two reports at one moment are counted one after the other.
-- name: AccountLock :one
SELECT id FROM accounts WHERE id = @id FOR NO KEY UPDATE;

-- name: TroubleAdd :exec
INSERT INTO account_troubles (account_id, code) VALUES (@account_id, @code);

-- Those that can no longer trip anything are forgotten.
-- name: TroublesForget :exec
DELETE FROM account_troubles WHERE account_id = @account_id AND at <= sendonce_now() - @within::interval;

-- name: TroublesSince :many
SELECT t.at FROM account_troubles t JOIN accounts a ON a.id = t.account_id
WHERE t.account_id = @account_id AND (a.cleared_at IS NULL OR t.at > a.cleared_at) ORDER BY t.at DESC LIMIT @most;

-- name: AccountCoolDown :exec
UPDATE accounts SET cool_until = greatest(cool_until, sendonce_now() + @cool_for::interval) WHERE id = @id;
