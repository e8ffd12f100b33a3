-- +goose Up

-- The feed of events (docs/decisions/, "The feed of events"): moves of sends are read from send_events, everything else from the table
-- events. Both take their ids from one sequence.
--
-- Ids are drawn before the commits and come in another order, and a transaction that got its number early may write after one that
-- got a higher number and is over. So each row bears the newest transaction that was over when it was written, or its own number where
-- that is higher. The feed goes by (shown_after, id) and ends before the oldest transaction that still runs: whatever is committed
-- later has a higher place than all that was shown, and nothing has a lower place than what it came after. The default is read by the
-- statement of a trigger, so under the lock of the row that moved.

ALTER TABLE send_events ADD COLUMN shown_after bigint NOT NULL DEFAULT 0;
ALTER TABLE send_events ALTER COLUMN shown_after SET DEFAULT
    greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
-- Nothing read by the index that this one replaces. What is no move is not in the feed.
DROP INDEX send_events_workspace;
CREATE INDEX send_events_feed ON send_events (workspace_id, shown_after, id) WHERE from_status IS DISTINCT FROM to_status;

-- Written by the triggers of what it tells of, for every writer. It refers to nothing: an event is a notice, and what it tells
-- of stands without it. No text of a message. xid is of the transaction that wrote it, which must know what it has told already.
CREATE TABLE events (
    id bigint PRIMARY KEY DEFAULT nextval('send_event_ids'),
    shown_after bigint NOT NULL DEFAULT
        greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    workspace_id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT sendonce_now(),
    type text NOT NULL CHECK (type IN ('authority', 'closed', 'approval_requested', 'approved', 'approval_voided', 'completed',
        'delivery', 'delivery_trouble', 'incident_opened', 'incident_closed', 'account_stopped', 'account_cleared', 'account_paused',
        'account_resumed', 'install_revoked', 'install_paused', 'install_resumed', 'workspace_paused', 'workspace_resumed',
        'everything_paused', 'everything_resumed', 'person_replied', 'person_suppressed', 'person_unsuppressed')),
    message_id uuid,
    version integer,
    send_id uuid,
    account_id uuid,
    person_id uuid,
    install_id uuid,
    incident_id uuid,
    from_state text,
    to_state text,
    code text,
    actor text NOT NULL DEFAULT coalesce(nullif(current_setting('sendonce.actor', true), ''), 'sql'),
    principal_id uuid DEFAULT nullif(current_setting('sendonce.principal', true), '')::uuid
);
CREATE INDEX events_feed ON events (workspace_id, shown_after, id);

-- Up to where a workspace's events were forgotten: whoever has not read up to there has missed some.
CREATE TABLE event_horizons (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    shown_after bigint NOT NULL,
    id bigint NOT NULL
);

-- How far of each message the feed has said that it came, so that it says each step once. What is shown of a message is folded from
-- what was observed; nothing reads this but the trigger that writes it.
CREATE TABLE delivery_told (
    message_id uuid PRIMARY KEY REFERENCES messages,
    state text CHECK (state IN ('accepted', 'sent', 'delivered', 'read', 'replied')),
    undelivered boolean NOT NULL DEFAULT false,
    bounced boolean NOT NULL DEFAULT false
);
INSERT INTO delivery_told (message_id, state, undelivered, bounced)
SELECT message_id, (ARRAY['accepted', 'sent', 'delivered', 'read', 'replied'])[
        max(array_position(ARRAY['accepted', 'sent', 'delivered', 'read', 'replied'], kind))],
    bool_or(kind = 'undelivered'), bool_or(kind = 'bounced')
FROM delivery_observations WHERE message_id IS NOT NULL GROUP BY message_id;

-- The feed begins behind this place. Rows with an id up to feed_id come from before there was a feed, or from before the last
-- arming, when the numbers of transactions may have been another cluster's.
ALTER TABLE instance ADD COLUMN feed_after bigint NOT NULL DEFAULT 0, ADD COLUMN feed_id bigint NOT NULL DEFAULT 0;
UPDATE instance SET feed_id = coalesce((SELECT max(id) FROM send_events), 0);

-- Every transaction below this number that could have written here is over, as the statement that asks sees it. One that is
-- known to run in another database of the cluster cannot have; whichever is not known to, might. STABLE, so that it sees with
-- the snapshot of that statement.
-- +goose StatementBegin
CREATE FUNCTION events_settled() RETURNS bigint
    LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(min(running::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
    FROM pg_snapshot_xip(pg_current_snapshot()) AS running
    WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_xid = running::xid
        AND a.datid <> (SELECT oid FROM pg_database WHERE datname = current_database()))
$$;
-- +goose StatementEnd

-- When the first event of a workspace happened that is committed and waits for an older transaction to end; null when none does.
-- +goose StatementBegin
CREATE FUNCTION events_held_back(of_workspace uuid) RETURNS timestamptz
    LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH bounds AS MATERIALIZED (
        SELECT events_settled() AS settled, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS unborn, i.feed_id FROM public.instance i
    )
    SELECT least(
        (SELECT e.at FROM public.send_events e WHERE e.workspace_id = of_workspace AND e.from_status IS DISTINCT FROM e.to_status
            AND e.shown_after >= (SELECT settled FROM bounds) AND e.shown_after < (SELECT unborn FROM bounds)
            AND e.id > (SELECT feed_id FROM bounds) ORDER BY e.shown_after, e.id LIMIT 1),
        (SELECT e.at FROM public.events e WHERE e.workspace_id = of_workspace
            AND e.shown_after >= (SELECT settled FROM bounds) AND e.shown_after < (SELECT unborn FROM bounds)
            AND e.id > (SELECT feed_id FROM bounds) ORDER BY e.shown_after, e.id LIMIT 1))
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
        AND NOT EXISTS (SELECT FROM public.events e WHERE e.workspace_id = m.workspace_id
            AND e.shown_after >= pg_current_xact_id()::text::bigint AND e.xid = pg_current_xact_id()
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
        AND NOT EXISTS (SELECT FROM public.events e WHERE e.workspace_id = m.workspace_id
            AND e.shown_after >= pg_current_xact_id()::text::bigint AND e.xid = pg_current_xact_id()
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
        AND NOT EXISTS (SELECT FROM public.events e WHERE e.workspace_id = s.workspace_id
            AND e.shown_after >= pg_current_xact_id()::text::bigint AND e.xid = pg_current_xact_id()
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

-- +goose StatementBegin
CREATE FUNCTION installs_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL THEN
        INSERT INTO public.events (workspace_id, type, install_id, code)
        VALUES (NEW.workspace_id, 'install_revoked', NEW.id, NEW.revoked_code);
    END IF;
    IF (OLD.paused_at IS NULL) <> (NEW.paused_at IS NULL) THEN
        INSERT INTO public.events (workspace_id, type, install_id) VALUES (NEW.workspace_id,
            CASE WHEN NEW.paused_at IS NULL THEN 'install_resumed' ELSE 'install_paused' END, NEW.id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION workspaces_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type)
    VALUES (NEW.id, CASE WHEN NEW.paused_at IS NULL THEN 'workspace_resumed' ELSE 'workspace_paused' END);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What holds everything back is told to each workspace.
-- +goose StatementBegin
CREATE FUNCTION everything_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type)
    SELECT w.id, CASE WHEN NEW.paused_at IS NULL THEN 'everything_resumed' ELSE 'everything_paused' END FROM public.workspaces w;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Runs at the commit, for a fact whose message is known. Two facts of one message meet at its row, which is the last lock that their
-- transactions take. A confirmed send or a known copy counts as sent, as it does where messages are shown, and its own event says so.
-- +goose StatementBegin
CREATE FUNCTION delivery_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    way CONSTANT text[] := ARRAY['accepted', 'sent', 'delivered', 'read', 'replied'];
    step CONSTANT integer := array_position(way, NEW.kind); -- null for a trouble, which is no step
    was public.delivery_told;
BEGIN
    INSERT INTO public.delivery_told (message_id) VALUES (NEW.message_id) ON CONFLICT DO NOTHING;
    SELECT * INTO was FROM public.delivery_told WHERE message_id = NEW.message_id FOR NO KEY UPDATE;
    IF coalesce(was.state, 'accepted') = 'accepted' AND (
        EXISTS (SELECT FROM public.sends s WHERE s.message_id = NEW.message_id AND s.status = 'sent')
        OR EXISTS (SELECT FROM public.deliveries d WHERE d.message_id = NEW.message_id)) THEN
        was.state := 'sent';
    END IF;
    IF step <= coalesce(array_position(way, was.state), 0)
        OR NEW.kind = 'undelivered' AND was.undelivered OR NEW.kind = 'bounced' AND was.bounced THEN
        RETURN NULL;
    END IF;
    UPDATE public.delivery_told SET state = CASE WHEN step IS NULL THEN state ELSE NEW.kind END,
        undelivered = undelivered OR NEW.kind = 'undelivered', bounced = bounced OR NEW.kind = 'bounced'
        WHERE message_id = NEW.message_id;
    INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id, from_state, to_state, code)
    SELECT m.workspace_id, CASE WHEN step IS NULL THEN 'delivery_trouble' ELSE 'delivery' END, m.id, m.version, m.account_id, m.person_id,
        CASE WHEN step IS NOT NULL THEN was.state END, CASE WHEN step IS NOT NULL THEN NEW.kind END,
        CASE WHEN step IS NULL THEN NEW.kind END
    FROM public.messages m WHERE m.id = NEW.message_id;
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
    INSERT INTO public.event_horizons AS h (workspace_id, shown_after, id)
    SELECT DISTINCT ON (g.workspace_id) g.workspace_id, g.shown_after, g.id FROM gone g, public.instance i
    WHERE g.id > i.feed_id ORDER BY g.workspace_id, g.shown_after DESC, g.id DESC
    ON CONFLICT (workspace_id) DO UPDATE SET shown_after = excluded.shown_after, id = excluded.id
        WHERE (excluded.shown_after, excluded.id) > (h.shown_after, h.id);
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

-- Runs after an arming, which cuts the feed: it begins anew behind everything that was written by then. The lock waits for whoever
-- has drawn an id and has not committed; an update of sends draws it before it writes to send_events.
-- +goose StatementBegin
CREATE FUNCTION events_begin_anew() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE public.sends, public.send_events, public.events IN SHARE MODE;
    DELETE FROM public.event_horizons;
    UPDATE public.instance SET feed_id = nextval('public.send_event_ids'),
        feed_after = pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1;
    RETURN NULL;
END $$;
-- +goose StatementEnd
