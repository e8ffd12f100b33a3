-- +goose Up

CREATE TABLE accounts (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    channel text NOT NULL CHECK (channel IN ('linkedin', 'email')),
    -- Normalized: the profile's slug, or the mail address.
    handle text NOT NULL CHECK (length(handle) BETWEEN 1 AND 320),
    -- Pinned when an install first shows this member signed in; from then on no other member may send for the account.
    member_urn text,
    member_name text,
    stopped_at timestamptz,
    stopped_code text,
    cool_until timestamptz,
    paused_at timestamptz,
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (workspace_id, channel, handle),
    -- What a message must agree with.
    UNIQUE (workspace_id, id, channel),
    CONSTRAINT stopped_says_why CHECK ((stopped_at IS NULL) = (stopped_code IS NULL))
);
CREATE UNIQUE INDEX accounts_member ON accounts (workspace_id, member_urn) WHERE member_urn IS NOT NULL;

CREATE TABLE account_grants (
    account_id uuid NOT NULL REFERENCES accounts,
    principal_id uuid NOT NULL REFERENCES principals,
    PRIMARY KEY (account_id, principal_id)
);

-- A pairing code is used once; the install it made acts for the principal who made the code.
CREATE TABLE pairing_codes (
    code_hash bytea PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    principal_id uuid NOT NULL REFERENCES principals,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);

CREATE TABLE installs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    principal_id uuid NOT NULL REFERENCES principals,
    extension_version text NOT NULL DEFAULT '',
    -- The current refresh secret, and the one before it, which stays good until the current one was used once: an
    -- install that lost the answer with the next secret can ask again.
    secret_hash bytea NOT NULL,
    former_secret_hash bytea,
    -- The newest connection: every other one of this install is superseded.
    session_id uuid,
    last_seen_at timestamptz,
    mark_epoch bigint NOT NULL DEFAULT 0,
    mark_event bigint NOT NULL DEFAULT 0,
    revoked_at timestamptz,
    revoked_code text,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    CONSTRAINT revoked_says_why CHECK ((revoked_at IS NULL) = (revoked_code IS NULL))
);
CREATE UNIQUE INDEX installs_secret ON installs (secret_hash);
