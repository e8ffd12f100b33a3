-- No row: a source of that name is there.
-- name: SourceInsert :one
INSERT INTO callback_sources (id, workspace_id, name, created_by) VALUES (@id, @workspace_id, @name, @created_by)
ON CONFLICT (workspace_id, name) WHERE ended_at IS NULL DO NOTHING
RETURNING created_at;

-- name: SourceList :many
SELECT id, workspace_id, name, created_at, ended_at FROM callback_sources
WHERE workspace_id = @workspace_id ORDER BY id DESC LIMIT @most;

-- name: SourceGet :one
SELECT id, workspace_id, name, created_at, ended_at FROM callback_sources WHERE id = @id;

-- name: SourceLock :one
SELECT id, workspace_id, name, created_at, ended_at FROM callback_sources
WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: SourceEnd :exec
UPDATE callback_sources SET ended_at = coalesce(ended_at, sendonce_now()) WHERE id = @id;

-- The former secrets stay good for a while, so that the provider can be told of the new one.
-- name: SecretsRetire :exec
UPDATE callback_secrets SET ends_at = sendonce_now() + @overlap::interval WHERE source_id = @source_id AND ends_at IS NULL;

-- name: SecretInsert :exec
INSERT INTO callback_secrets (source_id, key_id, sealed) VALUES (@source_id, @key_id, @sealed);

-- name: SecretsGood :many
SELECT key_id, sealed FROM callback_secrets
WHERE source_id = @source_id AND (ends_at IS NULL OR ends_at > sendonce_now()) ORDER BY id DESC LIMIT @most;

-- A fact once, and nothing under an id that was told before.
-- name: EventFactAdd :execrows
INSERT INTO delivery_observations (workspace_id, source_id, kind, provider_id, named_message_id, at, detail, said_hash)
SELECT @workspace_id, @source_id::uuid, @kind, @provider_id, sqlc.narg(named_message_id), @at, @detail, @said_hash
WHERE NOT EXISTS (SELECT FROM callback_events e WHERE e.source_id = @source_id::uuid AND e.event_id = @event_id)
ON CONFLICT (workspace_id, said_hash) DO NOTHING;

-- name: EventIDAdd :exec
INSERT INTO callback_events (source_id, event_id, observation_id)
SELECT @source_id, @event_id, o.id FROM delivery_observations o WHERE o.workspace_id = @workspace_id AND o.said_hash = @said_hash
ON CONFLICT DO NOTHING;
