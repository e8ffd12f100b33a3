-- +goose Up

-- The feed of events (docs/decisions/, "The feed of events"): moves of sends are read from send_events, everything else from the table events.
-- Both take their ids from one sequence and bear the transaction that wrote them. Ids are drawn before the commits and come in
-- another order, so the feed goes by (xid, id) and ends before the oldest transaction that still runs.

ALTER TABLE send_events ADD COLUMN xid xid8 NOT NULL DEFAULT '0';
ALTER TABLE send_events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
-- Nothing read by the index that this one replaces. What is no move is not in the feed.
DROP INDEX send_events_workspace;
CREATE INDEX send_events_feed ON send_events (workspace_id, xid, id) WHERE from_status IS DISTINCT FROM to_status;

-- Written by the triggers of what it tells of, for every writer. It refers to nothing: an event is a notice, and what it tells
-- of stands without it. No text of a message.
CREATE TABLE events (
    id bigint PRIMARY KEY DEFAULT nextval('send_event_ids'),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    workspace_id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT sendonce_now(),
    type text NOT NULL CHECK (type IN ('authority', 'closed', 'approval_requested', 'approved', 'approval_voided', 'completed',
        'incident_opened', 'incident_closed', 'account_stopped', 'account_cleared', 'account_paused', 'account_resumed',
        'person_replied', 'person_suppressed', 'person_unsuppressed')),
    message_id uuid,
    version integer,
    send_id uuid,
    account_id uuid,
    person_id uuid,
    incident_id uuid,
    from_state text,
    to_state text,
    code text,
    actor text NOT NULL DEFAULT coalesce(nullif(current_setting('sendonce.actor', true), ''), 'sql'),
    principal_id uuid DEFAULT nullif(current_setting('sendonce.principal', true), '')::uuid
);
CREATE INDEX events_feed ON events (workspace_id, xid, id);

-- Up to where a workspace's events were forgotten: whoever has not read up to there has missed some.
CREATE TABLE event_horizons (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    xid xid8 NOT NULL,
    id bigint NOT NULL
);

-- The feed begins after this id: older rows come from before it, or from before the last arming, when the numbers of
-- transactions may have been another cluster's.
ALTER TABLE instance ADD COLUMN events_from bigint NOT NULL DEFAULT 0;
UPDATE instance SET events_from = coalesce((SELECT max(id) FROM send_events), 0);

-- Every transaction below this number that could have written here is over, as the statement that asks sees it. One that is
-- known to run in another database of the cluster cannot have; whichever is not known to, might. STABLE, so that it sees with
-- the snapshot of that statement.
-- +goose StatementBegin
CREATE FUNCTION events_settled() RETURNS xid8
    LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(min(running), pg_snapshot_xmax(pg_current_snapshot()))
    FROM pg_snapshot_xip(pg_current_snapshot()) AS running
    WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_xid = running::xid
        AND a.datid <> (SELECT oid FROM pg_database WHERE datname = current_database()))
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION messages_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    was public.messages;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        was := OLD;
    END IF;
    IF NEW.authority IS DISTINCT FROM was.authority THEN
        INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id, from_state, to_state)
        VALUES (NEW.workspace_id, 'authority', NEW.id, NEW.version, NEW.account_id, NEW.person_id, was.authority, NEW.authority);
    END IF;
    IF NEW.closed_at IS NOT NULL AND was.closed_at IS NULL THEN
        INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id)
        VALUES (NEW.workspace_id, 'closed', NEW.id, NEW.version, NEW.account_id, NEW.person_id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION approvals_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id, code)
    SELECT m.workspace_id, CASE WHEN NEW.voided_at IS NULL THEN 'approved' ELSE 'approval_voided' END, m.id, NEW.version,
        m.account_id, m.person_id, NEW.void_reason
    FROM public.messages m WHERE m.id = NEW.message_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The next three run when their transaction commits: whether a message waits for a person, or has come to its end, is decided
-- by what is so then and not by the order in which a writer got there.

-- +goose StatementBegin
CREATE FUNCTION messages_asked() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id)
    SELECT m.workspace_id, 'approval_requested', m.id, m.version, m.account_id, m.person_id
    FROM public.messages m WHERE m.id = NEW.id AND m.authority = 'proposed' AND m.closed_at IS NULL AND m.version = NEW.version
        AND NOT EXISTS (SELECT FROM public.events e WHERE e.workspace_id = m.workspace_id AND e.xid = pg_current_xact_id()
            AND e.type = 'approval_requested' AND e.message_id = m.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A message that ends without a send that began. What began tells its own end.
-- +goose StatementBegin
CREATE FUNCTION messages_completed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id, to_state)
    SELECT m.workspace_id, 'completed', m.id, m.version, m.account_id, m.person_id,
        CASE WHEN m.closed_at IS NULL THEN m.authority ELSE 'closed' END
    FROM public.messages m WHERE m.id = NEW.id AND (m.authority, m.closed_at) IS NOT DISTINCT FROM (NEW.authority, NEW.closed_at)
        AND NOT EXISTS (SELECT FROM public.sends s WHERE s.message_id = m.id AND s.status <> 'canceled')
        AND NOT EXISTS (SELECT FROM public.events e WHERE e.workspace_id = m.workspace_id AND e.xid = pg_current_xact_id()
            AND e.type = 'completed' AND e.message_id = m.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Not the end of its message: a failure that a machine or another send follows; a cancel whose message waits for a person
-- again, or was taken back, closed or has expired, now or at the next sweep (that tells the end itself); anything beside a send
-- that was delivered.
-- +goose StatementBegin
CREATE FUNCTION sends_completed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type, message_id, version, send_id, account_id, person_id, to_state, code)
    SELECT s.workspace_id, 'completed', s.message_id, s.version, s.id, s.account_id, s.person_id, s.status, s.code
    FROM public.sends s WHERE s.id = NEW.id AND (s.status, s.requeue_at) IS NOT DISTINCT FROM (NEW.status, NEW.requeue_at)
        AND s.requeue_at IS NULL
        AND (s.status <> 'canceled' OR coalesce(s.code, '') NOT IN ('approval_expired', 'window_closed')
            AND EXISTS (SELECT FROM public.messages m WHERE m.id = s.message_id AND m.authority = 'approved' AND m.closed_at IS NULL))
        AND NOT EXISTS (SELECT FROM public.sends o WHERE o.message_id = s.message_id AND o.id <> s.id
            AND (o.status = 'sent' OR o.ordinal > s.ordinal AND s.status IN ('failed', 'canceled')))
        AND NOT EXISTS (SELECT FROM public.events e WHERE e.workspace_id = s.workspace_id AND e.xid = pg_current_xact_id()
            AND e.type = 'completed' AND e.message_id = s.message_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION incidents_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type, incident_id, message_id, account_id, code)
    VALUES (NEW.workspace_id, CASE WHEN NEW.closed_at IS NULL THEN 'incident_opened' ELSE 'incident_closed' END, NEW.id,
        NEW.message_id, NEW.account_id, NEW.kind);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION accounts_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (OLD.stopped_at IS NULL) <> (NEW.stopped_at IS NULL) THEN
        INSERT INTO public.events (workspace_id, type, account_id, code) VALUES (NEW.workspace_id,
            CASE WHEN NEW.stopped_at IS NULL THEN 'account_cleared' ELSE 'account_stopped' END, NEW.id, NEW.stopped_code);
    END IF;
    IF (OLD.paused_at IS NULL) <> (NEW.paused_at IS NULL) THEN
        INSERT INTO public.events (workspace_id, type, account_id) VALUES (NEW.workspace_id,
            CASE WHEN NEW.paused_at IS NULL THEN 'account_resumed' ELSE 'account_paused' END, NEW.id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Every reply is one; a person is suppressed, or no longer, once.
-- +goose StatementBegin
CREATE FUNCTION people_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    was public.people;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        was := OLD;
    END IF;
    IF NEW.replied_at IS NOT NULL AND NEW.replied_at IS DISTINCT FROM was.replied_at THEN
        INSERT INTO public.events (workspace_id, type, person_id) VALUES (NEW.workspace_id, 'person_replied', NEW.id);
    END IF;
    IF (NEW.suppressed_at IS NULL) <> (was.suppressed_at IS NULL) THEN
        INSERT INTO public.events (workspace_id, type, person_id) VALUES (NEW.workspace_id,
            CASE WHEN NEW.suppressed_at IS NULL THEN 'person_unsuppressed' ELSE 'person_suppressed' END, NEW.id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Events may be forgotten, by whoever may delete them, but not unnoticed: the horizon moves with them. Rows from before an
-- arming are in no feed.
-- +goose StatementBegin
CREATE FUNCTION events_forgotten() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.event_horizons AS h (workspace_id, xid, id)
    SELECT DISTINCT ON (g.workspace_id) g.workspace_id, g.xid, g.id FROM gone g, public.instance i
    WHERE g.id > i.events_from ORDER BY g.workspace_id, g.xid DESC, g.id DESC
    ON CONFLICT (workspace_id) DO UPDATE SET xid = excluded.xid, id = excluded.id
        WHERE (excluded.xid, excluded.id) > (h.xid, h.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION events_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'an event is not rewritten: % of % is refused', lower(TG_OP), TG_TABLE_NAME USING ERRCODE = 'SO008',
        HINT = 'Delete old events; readers who have not read them are told so.';
END $$;
-- +goose StatementEnd

-- Runs after an arming, which cuts the feed: it begins anew after everything that was written by then. The lock waits for whoever
-- has drawn an id and has not committed.
-- +goose StatementBegin
CREATE FUNCTION events_begin_anew() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE public.send_events, public.events IN SHARE MODE;
    DELETE FROM public.event_horizons;
    UPDATE public.instance SET events_from = nextval('public.send_event_ids');
    RETURN NULL;
END $$;
-- +goose StatementEnd
