-- +goose Up

CREATE SEQUENCE send_event_ids;

-- One row of delivery of a message. A legal move keeps its page (HOT): status stands in no index and in no index
-- predicate, and fillfactor leaves room for the row's own versions.
CREATE TABLE sends (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    message_id uuid NOT NULL REFERENCES messages,
    account_id uuid NOT NULL REFERENCES accounts,
    person_id uuid NOT NULL REFERENCES people,
    ordinal integer NOT NULL CHECK (ordinal > 0),
    retry_of uuid REFERENCES sends,
    version integer NOT NULL,
    digest text NOT NULL,
    text_hash bytea NOT NULL,
    approval_id uuid NOT NULL REFERENCES approvals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),

    status text NOT NULL DEFAULT 'queued',
    -- Not to be leased before; 'infinity' once the row has left the queue for good.
    due_at timestamptz NOT NULL DEFAULT sendonce_now(),
    waiting_for text,
    parked_at timestamptz,
    releases integer NOT NULL DEFAULT 0 CHECK (releases >= 0),

    lease_token uuid,
    lease_holder uuid REFERENCES installs,
    leased_at timestamptz,
    lease_expires_at timestamptz,

    attempt text CHECK (length(attempt) BETWEEN 16 AND 64),
    started_at timestamptz,
    deadline_at timestamptz,
    sender_version text,
    -- When the install said that no tab of this attempt is left; stamped by the database.
    gone_at timestamptz,

    code text,
    reason text,
    ended_at timestamptz,
    requeue_at timestamptz,
    confirmed_by bigint,
    confirmed_at timestamptz,
    -- Set exactly when the row fails or is canceled, never cleared: the message's one live place is then free.
    vacated_at timestamptz,
    last_event_id bigint NOT NULL DEFAULT 0,

    CONSTRAINT queued_is_bare CHECK (status <> 'queued' OR
        (lease_token IS NULL AND lease_holder IS NULL AND leased_at IS NULL AND lease_expires_at IS NULL
         AND started_at IS NULL AND attempt IS NULL AND deadline_at IS NULL)),
    CONSTRAINT leased_names_its_lease CHECK (status <> 'leased' OR
        (lease_token IS NOT NULL AND lease_holder IS NOT NULL AND leased_at IS NOT NULL AND lease_expires_at IS NOT NULL
         AND started_at IS NULL AND attempt IS NULL AND deadline_at IS NULL)),
    CONSTRAINT started_names_its_attempt CHECK (status NOT IN ('started', 'unconfirmed', 'failed') OR
        (started_at IS NOT NULL AND attempt IS NOT NULL AND deadline_at IS NOT NULL AND lease_token IS NOT NULL)),
    CONSTRAINT canceled_never_started CHECK (status <> 'canceled' OR started_at IS NULL),
    CONSTRAINT start_names_its_attempt CHECK ((started_at IS NULL) = (attempt IS NULL)),
    CONSTRAINT gone_after_its_start CHECK (gone_at IS NULL OR started_at IS NOT NULL),
    CONSTRAINT started_inside_its_lease CHECK (started_at IS NULL OR
        (lease_expires_at IS NOT NULL AND started_at <= lease_expires_at)),
    CONSTRAINT lease_is_short CHECK (lease_expires_at IS NULL OR lease_expires_at <= leased_at + interval '10 minutes'),
    CONSTRAINT deadline_follows_the_start CHECK (deadline_at IS NULL OR
        (deadline_at > started_at AND deadline_at <= started_at + interval '1 day')),
    CONSTRAINT sent_names_its_evidence CHECK ((status = 'sent') = (confirmed_by IS NOT NULL)),
    CONSTRAINT vacated_when_over CHECK (
        (status NOT IN ('failed', 'canceled') OR vacated_at IS NOT NULL)
        AND (status IN ('failed', 'canceled', 'sent') OR vacated_at IS NULL))
) WITH (fillfactor = 50);

-- One live delivery per message. A sent row that never failed stays in the index; a row that proves delivered after it
-- failed is out of it, so that the fact can be recorded beside a sibling.
CREATE UNIQUE INDEX one_live_send_per_message ON sends (message_id) WHERE vacated_at IS NULL;
CREATE UNIQUE INDEX one_send_per_ordinal ON sends (message_id, ordinal);
CREATE UNIQUE INDEX one_next_send_per_ended_one ON sends (message_id, retry_of) NULLS NOT DISTINCT;
CREATE INDEX sends_dispatch ON sends (account_id, due_at);
CREATE INDEX sends_person_text ON sends (person_id, text_hash);
CREATE INDEX sends_requeue ON sends (requeue_at) WHERE requeue_at IS NOT NULL;
-- Unique, so that evidence can only speak of a send of its own workspace.
CREATE UNIQUE INDEX sends_workspace ON sends (workspace_id, id);

-- The one LinkedIn lease an account may have, in a row of its own: an index on sends would keep every move from being
-- a HOT update. The slot is free when it names no send, or one that is neither leased nor started.
CREATE TABLE account_slots (
    account_id uuid PRIMARY KEY REFERENCES accounts,
    send_id uuid REFERENCES sends
);

-- What was said about a send, by whom and when. Rows add up and are never changed.
CREATE TABLE evidence (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    send_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('report', 'proof', 'confirmation', 'resolution')),
    attempt text,
    principal_id uuid REFERENCES principals,
    install_id uuid REFERENCES installs,
    outcome text NOT NULL CHECK (length(outcome) BETWEEN 1 AND 64),
    note text CHECK (length(note) <= 2000),
    accept_unseen boolean NOT NULL DEFAULT false,
    body jsonb NOT NULL DEFAULT '{}',
    -- The server's role may write neither this nor the id: the quiet time is counted from it.
    received_at timestamptz NOT NULL DEFAULT sendonce_now(),
    FOREIGN KEY (workspace_id, send_id) REFERENCES sends (workspace_id, id),
    CONSTRAINT proof_names_its_attempt CHECK (kind <> 'proof' OR attempt IS NOT NULL),
    CONSTRAINT resolution_names_a_person CHECK (kind <> 'resolution' OR
        (principal_id IS NOT NULL AND note IS NOT NULL AND outcome IN ('delivered', 'not_delivered')))
);
CREATE INDEX evidence_send ON evidence (send_id, id);

-- A delivery is one copy that the provider really has. Two sends may have seen the same one.
CREATE TABLE deliveries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    account_id uuid NOT NULL REFERENCES accounts,
    provider_id text NOT NULL CHECK (length(provider_id) BETWEEN 1 AND 500),
    message_id uuid NOT NULL REFERENCES messages,
    send_id uuid NOT NULL REFERENCES sends,
    delivered_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (account_id, provider_id)
);
CREATE INDEX deliveries_message ON deliveries (message_id);

CREATE TABLE delivery_sends (
    delivery_id uuid NOT NULL REFERENCES deliveries,
    send_id uuid NOT NULL REFERENCES sends,
    PRIMARY KEY (delivery_id, send_id)
);
CREATE INDEX delivery_sends_send ON delivery_sends (send_id);

-- The history: one row for every change of a send, written by the database itself for every writer.
CREATE TABLE send_events (
    id bigint PRIMARY KEY,
    workspace_id uuid NOT NULL,
    send_id uuid NOT NULL REFERENCES sends,
    message_id uuid NOT NULL,
    at timestamptz NOT NULL,
    from_status text,
    to_status text NOT NULL,
    code text,
    reason text,
    waiting_for text,
    attempt text,
    lease_holder uuid,
    actor text NOT NULL,
    principal_id uuid,
    written_by text NOT NULL
);
CREATE INDEX send_events_send ON send_events (send_id, id);
CREATE INDEX send_events_workspace ON send_events (workspace_id, id);

-- Something a person must know. One open incident per kind and subject, with a count.
CREATE TABLE incidents (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces,
    kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
    subject_id uuid NOT NULL,
    message_id uuid REFERENCES messages,
    account_id uuid REFERENCES accounts,
    install_id uuid REFERENCES installs,
    count integer NOT NULL DEFAULT 1,
    opened_at timestamptz NOT NULL DEFAULT sendonce_now(),
    last_at timestamptz NOT NULL DEFAULT sendonce_now(),
    closed_at timestamptz
);
CREATE UNIQUE INDEX one_open_incident ON incidents (workspace_id, kind, subject_id) WHERE closed_at IS NULL;
