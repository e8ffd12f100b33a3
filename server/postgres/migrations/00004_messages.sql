-- +goose Up

CREATE TABLE people (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name text NOT NULL DEFAULT '' CHECK (length(name) <= 300),
    suppressed_at timestamptz,
    replied_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    -- What a message and an identity must agree with.
    UNIQUE (workspace_id, id)
);

CREATE TABLE person_identities (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    kind text NOT NULL CHECK (kind IN ('linkedin_urn', 'linkedin_slug', 'email')),
    -- Normalized before it is a key.
    value text NOT NULL CHECK (length(value) BETWEEN 1 AND 320),
    person_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, kind, value),
    FOREIGN KEY (workspace_id, person_id) REFERENCES people (workspace_id, id)
);
CREATE INDEX person_identities_person ON person_identities (person_id);

-- A message is the operation: one intended communication to one person. It outlives every attempt.
CREATE TABLE messages (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    account_id uuid NOT NULL,
    person_id uuid NOT NULL,
    channel text NOT NULL CHECK (channel IN ('linkedin', 'email')),
    purpose text NOT NULL CHECK (length(purpose) BETWEEN 1 AND 200),
    task text CHECK (length(task) <= 200),
    version integer NOT NULL CHECK (version > 0),
    authority text NOT NULL CHECK (authority IN ('draft', 'proposed', 'approved', 'rejected', 'expired', 'withdrawn')),
    -- Set by the database when a send of this message proves delivered after it had left its slot.
    delivered_at timestamptz,
    -- Written by the database with each new send: a transaction with an older snapshot that would decide without that
    -- send meets a changed row here and fails to serialize.
    last_ordinal integer NOT NULL DEFAULT 0,
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    -- The channel decides how long "not delivered" must wait, so it is the account's own.
    FOREIGN KEY (workspace_id, account_id, channel) REFERENCES accounts (workspace_id, id, channel),
    FOREIGN KEY (workspace_id, person_id) REFERENCES people (workspace_id, id)
);
CREATE INDEX messages_workspace ON messages (workspace_id, id);
CREATE INDEX messages_person ON messages (person_id);

CREATE TABLE message_versions (
    message_id uuid NOT NULL REFERENCES messages,
    version integer NOT NULL CHECK (version > 0),
    body text NOT NULL CHECK (length(body) BETWEEN 1 AND 8000),
    subject text CHECK (length(subject) <= 300),
    digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    -- SHA-256 of the folded text, by which the same words are known again on any channel and account.
    text_hash bytea NOT NULL,
    send_after timestamptz,
    send_before timestamptz,
    -- The release of the program that proposed it, so that duplicates can be grouped by release.
    client_release text NOT NULL DEFAULT '' CHECK (length(client_release) <= 100),
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (message_id, version),
    -- What an approval names.
    UNIQUE (message_id, version, digest),
    CONSTRAINT window_opens_before_it_closes CHECK (send_after IS NULL OR send_before IS NULL OR send_after < send_before)
);

-- An approval binds one principal's yes to the digest of one version. It is never changed, only voided.
CREATE TABLE approvals (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    message_id uuid NOT NULL,
    version integer NOT NULL,
    digest text NOT NULL,
    repeat_approved boolean NOT NULL DEFAULT false,
    approver uuid NOT NULL REFERENCES principals,
    approved_at timestamptz NOT NULL DEFAULT sendonce_now(),
    expires_at timestamptz NOT NULL,
    voided_at timestamptz,
    void_reason text,
    FOREIGN KEY (message_id, version, digest) REFERENCES message_versions (message_id, version, digest),
    CONSTRAINT void_says_why CHECK ((voided_at IS NULL) = (void_reason IS NULL))
);
CREATE UNIQUE INDEX approvals_standing ON approvals (message_id) WHERE voided_at IS NULL;
