-- Two servers that start at once must not make two workspaces. The number means nothing but "Sendonce's first workspace".
-- name: WorkspaceFirstLock :exec
SELECT pg_advisory_xact_lock(5736433664);

-- name: WorkspaceFirst :one
SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1;

-- name: WorkspaceInsert :one
INSERT INTO workspaces (name) VALUES (@name) RETURNING id;

-- name: WorkspaceGet :one
SELECT id, name, created_at, EXISTS (SELECT FROM instance_purpose WHERE purpose = 'sandbox')::boolean AS is_sandbox
FROM workspaces WHERE id = @id;

-- name: PrincipalInsert :exec
INSERT INTO principals (workspace_id, role, name) VALUES (@workspace_id, @role, @name)
ON CONFLICT (workspace_id, name) DO NOTHING;

-- name: PrincipalByName :one
SELECT id, workspace_id, role, name FROM principals WHERE workspace_id = @workspace_id AND name = @name;

-- name: SignInLinkWasUsed :one
SELECT EXISTS (SELECT FROM sign_in_links WHERE used_at IS NOT NULL)::boolean;

-- name: TokenInsert :exec
INSERT INTO api_tokens (token_hash, principal_id) VALUES (@token_hash, @principal_id);

-- name: TokenPrincipal :one
SELECT p.id, p.workspace_id, p.role, p.name FROM api_tokens t JOIN principals p ON p.id = t.principal_id
WHERE t.token_hash = @token_hash AND t.revoked_at IS NULL;

-- name: SignInLinkInsert :exec
INSERT INTO sign_in_links (token_hash, principal_id, expires_at)
VALUES (@token_hash, @principal_id, sendonce_now() + @lasts::interval);

-- The row's own lock lets one of two taps through.
-- name: SignInLinkUse :one
UPDATE sign_in_links SET used_at = sendonce_now()
WHERE token_hash = @token_hash AND used_at IS NULL AND expires_at > sendonce_now()
RETURNING principal_id;

-- name: SessionInsert :exec
INSERT INTO console_sessions (token_hash, principal_id, expires_at)
VALUES (@token_hash, @principal_id, sendonce_now() + @lasts::interval);

-- name: SessionsForget :exec
DELETE FROM console_sessions WHERE expires_at < sendonce_now();

-- name: SessionPrincipal :one
SELECT p.id, p.workspace_id, p.role, p.name FROM console_sessions c JOIN principals p ON p.id = c.principal_id
WHERE c.token_hash = @token_hash AND c.expires_at > sendonce_now();

-- name: SessionDelete :exec
DELETE FROM console_sessions WHERE token_hash = @token_hash;
