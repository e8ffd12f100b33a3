-- +goose Up

-- A source is a provider that says what became of messages. It belongs to one workspace; what it says is taken for that
-- workspace alone, whatever it names.
CREATE TABLE callback_sources (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    -- From then on nothing of it is taken. The row stays, because what it has said names it.
    ended_at timestamptz
);
CREATE UNIQUE INDEX callback_sources_name ON callback_sources (workspace_id, name) WHERE ended_at IS NULL;

-- To verify a signature the secret itself is needed, so it is sealed under a key of the data folder: a copy of the database
-- alone cannot sign. Of several, each is good until it ends.
CREATE TABLE callback_secrets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id uuid NOT NULL REFERENCES callback_sources,
    key_id text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 64),
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    ends_at timestamptz
);
CREATE INDEX callback_secrets_source ON callback_secrets (source_id, id);

-- How far a message came, as a provider or a browser saw it. One row per fact, however often and under however many ids it
-- is told: said_hash is over who says it and what. It never moves a send by itself.
CREATE TABLE delivery_observations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    source_id uuid REFERENCES callback_sources,
    install_id uuid REFERENCES installs,
    kind text NOT NULL CHECK (kind IN ('accepted', 'sent', 'delivered', 'read', 'replied', 'undelivered', 'bounced')),
    provider_id text NOT NULL DEFAULT '' CHECK (length(provider_id) <= 500),
    -- The message that the provider names. Nothing says that there is one, or that it is of this workspace.
    named_message_id uuid,
    at timestamptz NOT NULL,
    detail text NOT NULL DEFAULT '' CHECK (length(detail) <= 500),
    said_hash bytea NOT NULL,
    received_at timestamptz NOT NULL DEFAULT sendonce_now(),
    -- The message that it is about, once that is known; written once.
    message_id uuid REFERENCES messages,
    UNIQUE (workspace_id, said_hash),
    CONSTRAINT one_says_it CHECK (num_nonnulls(source_id, install_id) = 1)
);
CREATE INDEX delivery_observations_message ON delivery_observations (message_id, id) WHERE message_id IS NOT NULL;
CREATE INDEX delivery_observations_waiting ON delivery_observations (received_at, id) WHERE message_id IS NULL;

-- Every id under which a source told a fact. An id that was told before is the same event, whatever it says now.
CREATE TABLE callback_events (
    source_id uuid NOT NULL REFERENCES callback_sources,
    event_id text NOT NULL CHECK (length(event_id) BETWEEN 1 AND 200),
    observation_id bigint NOT NULL REFERENCES delivery_observations,
    received_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (source_id, event_id)
);

-- Which message is each observation about that is not joined yet? The one whose delivery has its provider id, if only one has;
-- else the one that it names. Both only within the source's workspace.
CREATE VIEW waiting_observations AS
SELECT o.id, o.workspace_id, o.source_id, o.kind, o.provider_id, o.at, o.said_hash, o.received_at, coalesce(
    (SELECT (array_agg(DISTINCT d.message_id))[1] FROM accounts a JOIN deliveries d ON d.account_id = a.id AND d.provider_id = o.provider_id
        WHERE a.workspace_id = o.workspace_id HAVING count(DISTINCT d.message_id) = 1),
    (SELECT m.id FROM messages m WHERE m.id = o.named_message_id AND m.workspace_id = o.workspace_id)) AS message_id
FROM delivery_observations o WHERE o.message_id IS NULL;
