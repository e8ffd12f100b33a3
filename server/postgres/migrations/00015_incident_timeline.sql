-- +goose Up

-- An incident is one episode. It is opened once, counted while it lasts and closed once; what comes back after that is
-- another row, so that a closed one stays what a person read. Its timeline is written by the database for every writer.
ALTER TABLE incidents
    -- Who closed a fact. A condition ends by itself, and names nobody.
    ADD COLUMN closed_by uuid REFERENCES principals,
    ADD COLUMN note text CHECK (length(note) <= 2000),
    -- When its opening and its end were written to a server's log: once, whichever server and however often it restarts.
    ADD COLUMN opening_logged_at timestamptz,
    ADD COLUMN closing_logged_at timestamptz,
    ADD CONSTRAINT incident_happened CHECK (count > 0),
    ADD CONSTRAINT closing_has_its_words CHECK (closed_at IS NOT NULL OR num_nonnulls(closed_by, note, closing_logged_at) = 0);
CREATE INDEX incidents_opening_unlogged ON incidents (id) WHERE opening_logged_at IS NULL;
CREATE INDEX incidents_closing_unlogged ON incidents (id) WHERE closed_at IS NOT NULL AND closing_logged_at IS NULL;

CREATE TABLE incident_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    incident_id uuid NOT NULL REFERENCES incidents,
    at timestamptz NOT NULL,
    what text NOT NULL CHECK (what IN ('opened', 'counted', 'closed')),
    count integer NOT NULL,
    message_id uuid,
    principal_id uuid,
    note text,
    written_by text NOT NULL
);
CREATE INDEX incident_events_incident ON incident_events (incident_id, id);
INSERT INTO incident_events (incident_id, at, what, count, message_id, written_by)
    SELECT id, opened_at, 'opened', count, message_id, 'migration' FROM incidents;

-- What the look at the conditions reads, without walking over all sends. The first holds exactly the unconfirmed rows. No
-- lease and no start writes one of these columns, so their updates stay on their page.
CREATE INDEX sends_unsettled ON sends (account_id) WHERE ended_at IS NOT NULL AND vacated_at IS NULL AND confirmed_by IS NULL;
CREATE INDEX sends_parked ON sends (message_id) WHERE parked_at IS NOT NULL AND vacated_at IS NULL;

-- Called only for an update that the WHEN of its trigger found illegal.
-- +goose StatementBegin
CREATE FUNCTION incidents_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'incident % was closed at %', OLD.id, OLD.closed_at USING ERRCODE = 'SO003',
            HINT = 'What comes back is a new incident: insert it.';
    END IF;
    RAISE EXCEPTION 'what incident % is about and when it was opened is frozen, and its count only grows', OLD.id
        USING ERRCODE = 'SO003', HINT = 'Change count, message_id, closed_at, closed_by and note alone.';
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION incidents_stamp() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF num_nonnulls(NEW.closed_at, NEW.closed_by, NEW.note) > 0 THEN
            RAISE EXCEPTION 'an incident is born open' USING ERRCODE = 'SO001', HINT = 'Insert it, then close it.';
        END IF;
        NEW.opened_at := public.sendonce_now();
        NEW.last_at := NEW.opened_at;
    ELSE
        NEW.last_at := CASE WHEN NEW.count > OLD.count THEN public.sendonce_now() ELSE OLD.last_at END;
        IF NEW.closed_at IS NOT NULL THEN
            NEW.closed_at := coalesce(OLD.closed_at, public.sendonce_now());
        END IF;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION incidents_timeline() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.count > OLD.count THEN
        INSERT INTO public.incident_events (incident_id, at, what, count, message_id, written_by)
        VALUES (NEW.id, NEW.last_at, CASE TG_OP WHEN 'INSERT' THEN 'opened' ELSE 'counted' END, NEW.count, NEW.message_id, session_user);
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL THEN
        INSERT INTO public.incident_events (incident_id, at, what, count, message_id, principal_id, note, written_by)
        VALUES (NEW.id, NEW.closed_at, 'closed', NEW.count, NEW.message_id, NEW.closed_by, NEW.note, session_user);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Runs after a delivery is recorded: two messages for one purpose that reach one person within a day are something a person
-- must know, unless the approval named the repeat. Two writers that record one each must not both look before the other
-- commits: they meet at a lock of that person, which is always the last they take.
-- +goose StatementBegin
CREATE FUNCTION deliveries_same_person() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    message public.messages;
BEGIN
    SELECT * INTO message FROM public.messages WHERE id = NEW.message_id;
    PERFORM pg_advisory_xact_lock(hashtextextended('delivery to person ' || message.person_id, 0));
    IF EXISTS (SELECT FROM public.sends o JOIN public.deliveries d ON d.message_id = o.message_id
            JOIN public.messages m ON m.id = o.message_id
            WHERE o.person_id = message.person_id AND o.message_id <> message.id AND m.purpose = message.purpose
            AND d.created_at > public.sendonce_now() - interval '1 day')
        AND NOT EXISTS (SELECT FROM public.deliveries d WHERE d.message_id = message.id AND d.id <> NEW.id)
        AND NOT EXISTS (SELECT FROM public.sends s JOIN public.approvals a ON a.id = s.approval_id
            WHERE s.id = NEW.send_id AND a.repeat_approved) THEN
        INSERT INTO public.incidents (workspace_id, kind, subject_id, message_id, account_id)
        VALUES (NEW.workspace_id, 'second_message', message.person_id, message.id, NEW.account_id)
        ON CONFLICT (workspace_id, kind, subject_id) WHERE closed_at IS NULL
            DO UPDATE SET count = incidents.count + 1, message_id = excluded.message_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
