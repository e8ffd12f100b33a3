-- +goose Up

CREATE TABLE workspaces (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    approval_lasts interval NOT NULL DEFAULT '7 days' CHECK (approval_lasts BETWEEN '1 minute' AND '90 days'),
    created_at timestamptz NOT NULL DEFAULT sendonce_now()
);

-- A principal is who acts: a person or an agent. It survives the rotation of its tokens.
CREATE TABLE principals (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    role text NOT NULL CHECK (role IN ('admin', 'recruiter', 'viewer', 'agent')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (workspace_id, name)
);

-- Tokens, links and sessions are stored as SHA-256 of a random value of at least 128 bits: the value itself is shown
-- once and kept nowhere.
CREATE TABLE api_tokens (
    token_hash bytea PRIMARY KEY,
    principal_id uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    revoked_at timestamptz
);

CREATE TABLE sign_in_links (
    token_hash bytea PRIMARY KEY,
    principal_id uuid NOT NULL REFERENCES principals,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);

CREATE TABLE console_sessions (
    token_hash bytea PRIMARY KEY,
    principal_id uuid NOT NULL REFERENCES principals,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT sendonce_now()
);

-- The first result of a command, kept under its key and replayed. The key is inserted in the command's own transaction,
-- so a server that dies in between leaves neither.
CREATE TABLE idempotency_keys (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    principal_id uuid NOT NULL REFERENCES principals,
    route text NOT NULL CHECK (length(route) BETWEEN 1 AND 300),
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    payload_hash bytea NOT NULL,
    object_id uuid,
    answer_status integer,
    answer_body bytea,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (workspace_id, principal_id, route, key)
);
