-- +goose Up
-- Sequences: what is written to many people, one step after the other. SQLSTATE SO018 is sequences.

CREATE TABLE sequences (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- A finished one takes nobody new and goes on for whom it has; a stopped one is over.
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'finished', 'stopped')),
    -- Grows with each change of the steps.
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    changed_by uuid NOT NULL REFERENCES principals,
    changed_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (workspace_id, id)
);

-- A step is its id, whatever its place. One that was taken out keeps its row: messages name it.
CREATE TABLE sequence_steps (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    sequence_id uuid NOT NULL,
    place integer NOT NULL CHECK (place > 0),
    purpose text NOT NULL CHECK (length(purpose) BETWEEN 1 AND 200),
    purpose_key text NOT NULL CHECK (length(purpose_key) BETWEEN 1 AND 600),
    channel text NOT NULL CHECK (channel IN ('linkedin', 'email')),
    template_id uuid NOT NULL,
    delay_count integer NOT NULL CHECK (delay_count BETWEEN 0 AND 365),
    delay_unit text NOT NULL CHECK (delay_unit IN ('days', 'business_days')),
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    removed_at timestamptz,
    UNIQUE (workspace_id, sequence_id, id),
    FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences (workspace_id, id),
    FOREIGN KEY (workspace_id, template_id) REFERENCES templates (workspace_id, id),
    -- Deferred, so that two steps can change places.
    CONSTRAINT one_step_in_a_place EXCLUDE (sequence_id WITH =, place WITH =) WHERE (removed_at IS NULL) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT one_step_for_a_purpose EXCLUDE (sequence_id WITH =, purpose_key WITH =) WHERE (removed_at IS NULL) DEFERRABLE INITIALLY DEFERRED
);

-- A person in a sequence, written to from one account.
CREATE TABLE enrolments (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    sequence_id uuid NOT NULL,
    person_id uuid NOT NULL,
    account_id uuid NOT NULL,
    channel text NOT NULL CHECK (channel IN ('linkedin', 'email')),
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'held', 'stopped', 'finished')),
    -- What it waits for, or what made it so; with a sentence where the code alone does not say it. Neither names the person.
    reason text NOT NULL DEFAULT 'new' CHECK (length(reason) BETWEEN 1 AND 64),
    detail text NOT NULL DEFAULT '' CHECK (length(detail) <= 1000),
    -- The message that it waits for, or that made it so.
    message_id uuid REFERENCES messages DEFERRABLE INITIALLY DEFERRED, -- the message is made with the commit
    due_at timestamptz, -- when the next step is due, once that is known
    look_at timestamptz NOT NULL DEFAULT sendonce_now(),
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    changed_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (workspace_id, sequence_id, id),
    FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences (workspace_id, id),
    FOREIGN KEY (workspace_id, person_id) REFERENCES people (workspace_id, id),
    FOREIGN KEY (workspace_id, account_id, channel) REFERENCES accounts (workspace_id, id, channel)
);
CREATE UNIQUE INDEX one_open_enrolment_per_person ON enrolments (sequence_id, person_id) WHERE state IN ('running', 'paused', 'held');
CREATE INDEX enrolments_to_look ON enrolments (look_at) WHERE state = 'running';
CREATE INDEX enrolments_person ON enrolments (person_id);
CREATE INDEX enrolments_sequence ON enrolments (sequence_id, id);

-- What became of an enrolment, written by the database for every writer.
CREATE TABLE enrolment_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    enrolment_id uuid NOT NULL REFERENCES enrolments,
    at timestamptz NOT NULL DEFAULT sendonce_now(),
    state text NOT NULL,
    reason text NOT NULL,
    message_id uuid,
    principal_id uuid,
    written_by text NOT NULL
);
CREATE INDEX enrolment_events_enrolment ON enrolment_events (enrolment_id, id);

-- Which step a message is, to which row of a person.
CREATE TABLE step_messages (
    message_id uuid PRIMARY KEY REFERENCES messages,
    workspace_id uuid NOT NULL,
    sequence_id uuid NOT NULL,
    step_id uuid NOT NULL,
    enrolment_id uuid NOT NULL,
    person_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    -- Set by the database when the message is withdrawn or closed and nothing of it was, or may have been, delivered.
    vacated_at timestamptz,
    FOREIGN KEY (workspace_id, sequence_id, step_id) REFERENCES sequence_steps (workspace_id, sequence_id, id),
    FOREIGN KEY (workspace_id, sequence_id, enrolment_id) REFERENCES enrolments (workspace_id, sequence_id, id)
);
CREATE UNIQUE INDEX one_message_per_person_and_step ON step_messages (step_id, person_id) WHERE vacated_at IS NULL;
CREATE INDEX step_messages_person ON step_messages (person_id, sequence_id);
CREATE INDEX step_messages_enrolment ON step_messages (enrolment_id);

-- What counts as a step that a person has had, or may have: all but what was called off undelivered and never proved delivered since.
CREATE VIEW steps_had AS
SELECT t.message_id, t.sequence_id, t.step_id, t.enrolment_id, t.person_id, t.created_at,
    EXISTS (SELECT FROM sends s WHERE s.message_id = t.message_id AND s.status = 'sent') AS is_sent
FROM step_messages t
WHERE t.vacated_at IS NULL OR EXISTS (SELECT FROM deliveries d WHERE d.message_id = t.message_id)
    OR EXISTS (SELECT FROM sends s WHERE s.message_id = t.message_id AND s.status = 'sent');

-- The messages that nobody approves: their person has had that step by another message, under whatever name, or what they are a step of is paused
-- or over.
CREATE VIEW held_steps AS
SELECT t.message_id, CASE WHEN had.had THEN 'step_had' ELSE 'sequence_paused' END AS because
FROM step_messages t JOIN enrolments e ON e.id = t.enrolment_id JOIN sequences q ON q.id = t.sequence_id
    CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM same_people w JOIN steps_had h ON h.person_id = ANY (w.ids)
        WHERE w.person_id = t.person_id AND h.step_id = t.step_id AND h.message_id <> t.message_id AND h.is_sent) AS had) had
WHERE t.vacated_at IS NULL AND (had.had OR e.state = 'paused' OR q.state IN ('paused', 'stopped') AND e.state IN ('running', 'held'));

-- Runs before a message becomes a step's. Whoever makes two for one person meets at the person.
-- +goose StatementBegin
CREATE FUNCTION step_messages_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    message public.messages;
    enrolment public.enrolments;
    same uuid[];
    had public.steps_had;
BEGIN
    PERFORM public.person_lock(NEW.person_id);
    SELECT w.ids INTO same FROM public.same_people w WHERE w.person_id = NEW.person_id;
    SELECT * INTO message FROM public.messages WHERE id = NEW.message_id;
    SELECT * INTO enrolment FROM public.enrolments WHERE id = NEW.enrolment_id;
    IF NEW.vacated_at IS NOT NULL OR enrolment.state <> 'running' OR enrolment.person_id <> ALL (same)
        OR (message.workspace_id, message.person_id, message.account_id)
            IS DISTINCT FROM (NEW.workspace_id, NEW.person_id, enrolment.account_id) THEN
        RAISE EXCEPTION 'message % is no step of enrolment %', NEW.message_id, NEW.enrolment_id USING ERRCODE = 'SO018',
            HINT = 'A step is a message to the person and from the account of a running enrolment.';
    END IF;
    SELECT * INTO had FROM public.steps_had h WHERE h.person_id = ANY (same) AND h.step_id = NEW.step_id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'person % has message % for step %', NEW.person_id, had.message_id, NEW.step_id USING ERRCODE = 'SO018',
            HINT = 'A step is said once to a person: go on with that message.';
    END IF;
    SELECT * INTO had FROM public.steps_had h WHERE h.person_id = ANY (same) AND h.sequence_id = NEW.sequence_id AND NOT h.is_sent LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'message % of the step before is not sent', had.message_id USING ERRCODE = 'SO018',
            HINT = 'Wait until it is. If it is unconfirmed, look and resolve it first.';
    END IF;
    NEW.created_at := public.sendonce_now();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs before any update: a place is given back by the database alone, once nothing of its message can reach the person any more.
-- +goose StatementBegin
CREATE FUNCTION step_messages_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.vacated_at IS NULL AND NEW.vacated_at IS NOT NULL AND to_jsonb(NEW) - 'vacated_at' = to_jsonb(OLD) - 'vacated_at'
        AND EXISTS (SELECT FROM public.messages m WHERE m.id = OLD.message_id AND (m.authority = 'withdrawn' OR m.closed_at IS NOT NULL))
        AND NOT EXISTS (SELECT FROM public.sends s WHERE s.message_id = OLD.message_id AND s.status IN ('started', 'unconfirmed', 'sent')) THEN
        NEW.vacated_at := public.sendonce_now();
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'which step message % is, is frozen', OLD.message_id USING ERRCODE = 'SO018',
        HINT = 'Withdraw the message before it begins, or once it has failed: then the step can be said by another one.';
END $$;
-- +goose StatementEnd

-- Runs after a message is withdrawn or closed.
-- +goose StatementBegin
CREATE FUNCTION step_messages_vacate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE public.step_messages t SET vacated_at = public.sendonce_now() WHERE t.message_id = NEW.id AND t.vacated_at IS NULL
        AND NOT EXISTS (SELECT FROM public.sends s WHERE s.message_id = NEW.id AND s.status IN ('started', 'unconfirmed', 'sent'));
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Runs before an enrolment is born, and before what it is or its end would change.
-- +goose StatementBegin
CREATE FUNCTION enrolments_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    same uuid[];
    other uuid;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.state IN ('stopped', 'finished') THEN
            RAISE EXCEPTION 'enrolment % is %, which is for good', OLD.id, OLD.state USING ERRCODE = 'SO018',
                HINT = 'Enrol the person again: it goes on after what they have had.';
        END IF;
        RAISE EXCEPTION 'who is in which sequence is frozen for enrolment %', OLD.id USING ERRCODE = 'SO003', HINT = 'Stop it and make another.';
    END IF;
    PERFORM public.person_lock(NEW.person_id);
    SELECT w.ids INTO same FROM public.same_people w WHERE w.person_id = NEW.person_id;
    SELECT e.id INTO other FROM public.enrolments e
        WHERE e.sequence_id = NEW.sequence_id AND e.person_id = ANY (same) AND e.state IN ('running', 'paused', 'held') LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'person % is in the sequence by enrolment %', NEW.person_id, other USING ERRCODE = 'SO018',
            HINT = 'Go on with that one, or stop it first.';
    END IF;
    IF NEW.state <> 'running' OR (SELECT s.state FROM public.sequences s WHERE s.id = NEW.sequence_id) NOT IN ('running', 'paused') THEN
        RAISE EXCEPTION 'sequence % takes nobody', NEW.sequence_id USING ERRCODE = 'SO018', HINT = 'Resume it first. A stopped one is over.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs after an enrolment is born, and after its state or reason changes. A state is told in the feed as well.
-- +goose StatementBegin
CREATE FUNCTION enrolments_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    was text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        was := OLD.state;
    END IF;
    INSERT INTO public.enrolment_events (workspace_id, enrolment_id, state, reason, message_id, principal_id, written_by)
    VALUES (NEW.workspace_id, NEW.id, NEW.state, NEW.reason, NEW.message_id, nullif(current_setting('sendonce.principal', true), '')::uuid, session_user);
    IF was IS DISTINCT FROM NEW.state THEN
        INSERT INTO public.events (workspace_id, type, message_id, account_id, person_id, sequence_id, enrolment_id, from_state, to_state, code)
        VALUES (NEW.workspace_id, 'enrolment', NEW.message_id, NEW.account_id, NEW.person_id, NEW.sequence_id, NEW.id, was, NEW.state, NEW.reason);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION sequences_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    was text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        was := OLD.state;
    END IF;
    INSERT INTO public.events (workspace_id, type, sequence_id, from_state, to_state) VALUES (NEW.workspace_id, 'sequence', NEW.id, was, NEW.state);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION sequences_final() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'sequence % was stopped, which is for good', OLD.id USING ERRCODE = 'SO018', HINT = 'Make a new sequence.';
END $$;
-- +goose StatementEnd

-- Runs after something was told of a person, or of a message to them: what waits for it is looked at soon. An enrolment that somebody has
-- locked is passed over and not waited for, because enrolments come before all else in the order of locks: it is looked at in its turn.
-- +goose StatementBegin
CREATE FUNCTION enrolments_wake() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE public.enrolments SET look_at = public.sendonce_now() WHERE id IN (
        SELECT e.id FROM public.same_people w JOIN public.enrolments e ON e.person_id = ANY (w.ids)
        WHERE w.person_id = NEW.person_id AND e.state = 'running' FOR NO KEY UPDATE OF e SKIP LOCKED);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- "Approve all" and "retry all" of a sequence, of one step of it, or of some who are in it. Of another workspace's nothing waits in this one.
ALTER TABLE bulk_runs
    ADD COLUMN sequence_id uuid REFERENCES sequences,
    ADD COLUMN step_id uuid REFERENCES sequence_steps,
    ADD COLUMN enrolments uuid[] CHECK (cardinality(enrolments) BETWEEN 1 AND 200);

ALTER TABLE events ADD COLUMN sequence_id uuid, ADD COLUMN enrolment_id uuid, DROP CONSTRAINT events_type_check;
ALTER TABLE events ADD CONSTRAINT events_type_check CHECK (type IN ('authority', 'closed', 'approval_requested', 'approved', 'approval_voided',
    'completed', 'delivery', 'delivery_trouble', 'written_by_hand', 'incident_opened', 'incident_closed', 'account_stopped', 'account_cleared', 'account_paused',
    'account_resumed', 'install_revoked', 'install_paused', 'install_resumed', 'workspace_paused', 'workspace_resumed',
    'everything_paused', 'everything_resumed', 'person_replied', 'person_suppressed', 'person_unsuppressed', 'person_merged', 'person_removed',
    'sequence', 'enrolment'));
