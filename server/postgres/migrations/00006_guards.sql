-- +goose Up

-- What no writer may do, in the database itself. The triggers that call these functions are made by the repeatable part
-- (rules.sql.tmpl), because which moves are legal comes from shared/statuses.json.
--
-- Every function is SECURITY DEFINER with a pinned search_path: a temporary table that is named like one of ours is
-- found first by an unpinned function, and blinds it.
--
-- SQLSTATE class SO is ours: SO001 birth, SO002 move, SO003 frozen column, SO004 lease, SO005 stamped column, SO006
-- proof, SO007 confirmation, SO008 append-only, SO009 sibling, SO010 durability.

-- +goose StatementBegin
CREATE FUNCTION sends_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    message public.messages;
    latest public.sends;
BEGIN
    IF NEW.status <> 'queued' OR NEW.releases <> 0 OR num_nonnulls(NEW.lease_token, NEW.lease_holder, NEW.leased_at,
        NEW.lease_expires_at, NEW.attempt, NEW.started_at, NEW.deadline_at, NEW.sender_version, NEW.gone_at, NEW.code,
        NEW.reason, NEW.ended_at, NEW.requeue_at, NEW.confirmed_by, NEW.confirmed_at, NEW.vacated_at) > 0 THEN
        RAISE EXCEPTION 'a send is born queued and bare' USING ERRCODE = 'SO001',
            HINT = 'Insert it as queued without lease, start, end or evidence; it then moves step by step.';
    END IF;
    -- The message's row is what two inserts, and an insert and a late confirmation, meet at.
    SELECT * INTO message FROM public.messages WHERE id = NEW.message_id FOR NO KEY UPDATE;
    IF NOT FOUND OR (message.workspace_id, message.account_id, message.person_id)
        IS DISTINCT FROM (NEW.workspace_id, NEW.account_id, NEW.person_id) THEN
        RAISE EXCEPTION 'a send goes to its message''s person, from its message''s account' USING ERRCODE = 'SO001',
            HINT = 'Copy workspace_id, account_id and person_id from the message.';
    END IF;
    IF NOT EXISTS (SELECT FROM public.approvals a JOIN public.message_versions v USING (message_id, version, digest)
        WHERE a.id = NEW.approval_id AND a.voided_at IS NULL
        AND (a.message_id, a.version, a.digest, v.text_hash) = (NEW.message_id, NEW.version, NEW.digest, NEW.text_hash)) THEN
        RAISE EXCEPTION 'a send carries the bytes of a standing approval of its own message' USING ERRCODE = 'SO001',
            HINT = 'Copy version, digest and text_hash from the version that the standing approval names.';
    END IF;
    IF message.delivered_at IS NOT NULL
        OR EXISTS (SELECT FROM public.sends WHERE message_id = NEW.message_id AND status = 'sent')
        OR EXISTS (SELECT FROM public.deliveries WHERE message_id = NEW.message_id) THEN
        RAISE EXCEPTION 'message % was already delivered', NEW.message_id USING ERRCODE = 'SO009',
            HINT = 'A second message to this person is a new message that a person approves.';
    END IF;
    SELECT * INTO latest FROM public.sends WHERE message_id = NEW.message_id ORDER BY ordinal DESC LIMIT 1;
    IF latest.id IS NULL THEN
        IF NEW.ordinal <> 1 OR NEW.retry_of IS NOT NULL THEN
            RAISE EXCEPTION 'the first send of a message has ordinal 1 and no retry_of' USING ERRCODE = 'SO001',
                HINT = 'Insert it with ordinal 1.';
        END IF;
    ELSIF latest.vacated_at IS NULL THEN
        RAISE EXCEPTION 'message % already has a live send, %, which is %', NEW.message_id, latest.id, latest.status
            USING ERRCODE = 'SO009', HINT = 'Wait for its end. If it is unconfirmed, look and resolve it first.';
    ELSIF NEW.ordinal <> latest.ordinal + 1 OR NEW.retry_of IS DISTINCT FROM latest.id THEN
        RAISE EXCEPTION 'the next send of message % is ordinal % and names % in retry_of', NEW.message_id,
            latest.ordinal + 1, latest.id USING ERRCODE = 'SO001', HINT = 'Only the latest send of a message is retried.';
    END IF;
    NEW.created_at := public.sendonce_now();
    NEW.last_event_id := nextval('public.send_event_ids');
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs after a send is born. Locking the message keeps two writers apart only as long as both look after they have
-- waited; a transaction with an older snapshot looks before, so it must meet a row that has really changed.
-- +goose StatementBegin
CREATE FUNCTION sends_born() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE public.messages SET last_ordinal = NEW.ordinal WHERE id = NEW.message_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Called only for an update that the generated WHEN of its trigger found illegal: it finds out which rule was broken and
-- says what to do instead.
-- +goose StatementBegin
CREATE FUNCTION sends_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (OLD.id, OLD.workspace_id, OLD.message_id, OLD.account_id, OLD.person_id, OLD.ordinal, OLD.retry_of, OLD.version,
        OLD.digest, OLD.text_hash, OLD.approval_id)
        IS DISTINCT FROM
       (NEW.id, NEW.workspace_id, NEW.message_id, NEW.account_id, NEW.person_id, NEW.ordinal, NEW.retry_of, NEW.version,
        NEW.digest, NEW.text_hash, NEW.approval_id) THEN
        RAISE EXCEPTION 'what send % is, is frozen: id, workspace, message, account, person, ordinal, retry_of, version, digest and approval', OLD.id
            USING ERRCODE = 'SO003', HINT = 'Leave the row as it is; a different intent is a new message.';
    END IF;
    IF OLD.status <> NEW.status AND NOT EXISTS (
        SELECT FROM public.send_moves WHERE from_status = OLD.status AND to_status = NEW.status) THEN
        RAISE EXCEPTION 'send % may not go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'SO002',
            HINT = CASE WHEN NEW.status IN ('queued', 'leased')
                THEN 'A send that began is never queued again. If it certainly failed, retry its message: that makes a new send.'
                ELSE 'The table send_moves lists the moves that exist.' END;
    END IF;
    IF (OLD.started_at, OLD.leased_at, OLD.ended_at, OLD.confirmed_at, OLD.vacated_at, OLD.created_at, OLD.last_event_id)
        IS DISTINCT FROM
       (NEW.started_at, NEW.leased_at, NEW.ended_at, NEW.confirmed_at, NEW.vacated_at, NEW.created_at, NEW.last_event_id) THEN
        RAISE EXCEPTION 'the times of send % are stamped by the database', OLD.id USING ERRCODE = 'SO005',
            HINT = 'Change the status alone; started_at, leased_at, ended_at, confirmed_at and vacated_at follow it.';
    END IF;
    IF (OLD.lease_token, OLD.lease_holder, OLD.lease_expires_at)
        IS DISTINCT FROM (NEW.lease_token, NEW.lease_holder, NEW.lease_expires_at) THEN
        RAISE EXCEPTION 'the lease of send % may not be changed, moved or extended', OLD.id USING ERRCODE = 'SO004',
            HINT = 'Put the send back to queued, which clears its lease, and lease it again.';
    END IF;
    IF (OLD.attempt, OLD.deadline_at, OLD.sender_version) IS DISTINCT FROM (NEW.attempt, NEW.deadline_at, NEW.sender_version)
        AND (OLD.status, NEW.status) <> ('leased', 'started') THEN
        RAISE EXCEPTION 'the attempt of send % is written once, by its start', OLD.id USING ERRCODE = 'SO004',
            HINT = 'attempt, deadline_at and sender_version are set with the move from leased to started.';
    END IF;
    IF OLD.gone_at IS DISTINCT FROM NEW.gone_at THEN
        RAISE EXCEPTION 'that the tab of send % is gone is written once, after its start', OLD.id USING ERRCODE = 'SO004',
            HINT = 'Set gone_at on a row that has started and has none; the database puts its own time there.';
    END IF;
    IF OLD.confirmed_by IS DISTINCT FROM NEW.confirmed_by THEN
        RAISE EXCEPTION 'the confirmation of send % is written once, with the move to sent', OLD.id
            USING ERRCODE = 'SO007', HINT = 'Record a later confirmation as another row of evidence.';
    END IF;
    IF OLD.status = 'leased' AND NEW.status = 'started' THEN
        RAISE EXCEPTION 'a start must be durable, and synchronous_commit is % here', current_setting('synchronous_commit')
            USING ERRCODE = 'SO010',
            HINT = 'Begin the transaction with SET LOCAL synchronous_commit = on.';
    END IF;
    RAISE EXCEPTION 'the outcome of send % is written with its move', OLD.id USING ERRCODE = 'SO003',
        HINT = 'code and reason change only together with the status.';
END $$;
-- +goose StatementEnd

-- Runs before every legal update: the times are the database's. It reads the clock while it holds the row, so a start
-- that waited for its lock is held against the moment at which it got it.
-- +goose StatementBegin
CREATE FUNCTION sends_stamp() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    now_at timestamptz;
BEGIN
    NEW.last_event_id := nextval('public.send_event_ids');
    now_at := public.sendonce_now();
    IF OLD.gone_at IS NULL AND NEW.gone_at IS NOT NULL THEN
        NEW.gone_at := now_at;
    END IF;
    IF OLD.status = NEW.status THEN
        RETURN NEW;
    END IF;
    CASE NEW.status
        WHEN 'leased' THEN
            NEW.leased_at := now_at;
            IF (NEW.lease_token IS NOT NULL AND NEW.lease_holder IS NOT NULL AND NEW.lease_expires_at > now_at
                AND NEW.lease_expires_at <= now_at + interval '10 minutes') IS NOT TRUE THEN
                RAISE EXCEPTION 'a lease of send % needs a token, a holder and an end', OLD.id USING ERRCODE = 'SO004',
                    HINT = 'Set lease_token, lease_holder and lease_expires_at, at most 10 minutes from now.';
            END IF;
        WHEN 'queued' THEN
            NEW.leased_at := NULL;
            NEW.lease_token := NULL;
            NEW.lease_holder := NULL;
            NEW.lease_expires_at := NULL;
        WHEN 'started' THEN
            NEW.started_at := now_at;
            IF now_at > OLD.lease_expires_at THEN
                RAISE EXCEPTION 'the lease of send % ran out at %', OLD.id, OLD.lease_expires_at USING ERRCODE = 'SO004',
                    HINT = 'Put the send back to queued, which clears its lease, and lease it again.';
            ELSIF (length(NEW.attempt) BETWEEN 16 AND 64 AND NEW.deadline_at > now_at
                AND NEW.deadline_at <= now_at + interval '1 day') IS NOT TRUE THEN
                RAISE EXCEPTION 'a start of send % names its attempt and its deadline', OLD.id USING ERRCODE = 'SO004',
                    HINT = 'Set attempt (16 to 64 characters) and deadline_at, at most a day from now, with the move.';
            END IF;
        ELSE
            NEW.due_at := 'infinity';
            NEW.waiting_for := NULL;
            NEW.ended_at := coalesce(OLD.ended_at, now_at);
            IF NEW.status IN ('failed', 'canceled') THEN
                NEW.vacated_at := coalesce(OLD.vacated_at, now_at);
            ELSIF NEW.status = 'sent' THEN
                -- A confirmation clears the error and what was to follow from it.
                NEW.confirmed_at := now_at;
                NEW.code := CASE WHEN NEW.code IS DISTINCT FROM OLD.code THEN NEW.code ELSE 'confirmed' END;
                NEW.reason := NULL;
                NEW.requeue_at := NULL;
            END IF;
    END CASE;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs before a row becomes sent or failed: both need something that was said, by someone who can be named.
-- +goose StatementBegin
CREATE FUNCTION sends_need_evidence() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    quiet public.quiet_times;
    resolution public.evidence;
BEGIN
    IF NEW.status = 'sent' THEN
        IF NOT EXISTS (SELECT FROM public.evidence e WHERE e.id = NEW.confirmed_by AND e.send_id = NEW.id
            AND (e.kind = 'confirmation' OR e.kind = 'resolution' AND e.outcome = 'delivered')) THEN
            RAISE EXCEPTION 'send % is sent only on evidence', NEW.id USING ERRCODE = 'SO007',
                HINT = 'Insert a row of evidence (kind confirmation) for this send first and name its id in confirmed_by.';
        END IF;
        RETURN NEW;
    END IF;
    IF EXISTS (SELECT FROM public.delivery_sends d WHERE d.send_id = NEW.id)
        OR EXISTS (SELECT FROM public.deliveries d WHERE d.message_id = NEW.message_id AND d.send_id = NEW.id)
        OR EXISTS (SELECT FROM public.evidence e WHERE e.send_id = NEW.id AND e.kind = 'confirmation') THEN
        RAISE EXCEPTION 'there is evidence that send % was delivered', NEW.id USING ERRCODE = 'SO006',
            HINT = 'Move it to sent and name its confirmation in confirmed_by.';
    END IF;
    IF EXISTS (SELECT FROM public.evidence e WHERE e.send_id = NEW.id AND e.kind = 'proof' AND e.attempt = OLD.attempt) THEN
        RETURN NEW;
    END IF;
    IF OLD.status = 'unconfirmed' THEN
        SELECT * INTO resolution FROM public.evidence e WHERE e.send_id = NEW.id AND e.kind = 'resolution'
            ORDER BY e.id DESC LIMIT 1;
        IF resolution.outcome = 'not_delivered' THEN
            SELECT q.* INTO quiet FROM public.quiet_times q JOIN public.messages m ON m.channel = q.channel
                WHERE m.id = NEW.message_id;
            -- When the person looked counts, not when the row is moved.
            IF OLD.gone_at IS NOT NULL AND resolution.received_at >= OLD.deadline_at + quiet.grace
                OR resolution.accept_unseen AND resolution.received_at >= OLD.deadline_at + quiet.unseen THEN
                RETURN NEW;
            END IF;
            RAISE EXCEPTION 'it was too early to say that send % was not delivered', NEW.id USING ERRCODE = 'SO006',
                HINT = format('Look again after %s if its browser said that the tab is gone; else after %s, with accept_unseen.',
                    OLD.deadline_at + quiet.grace, OLD.deadline_at + quiet.unseen);
        END IF;
    END IF;
    RAISE EXCEPTION 'nothing proves that send % was not delivered', NEW.id USING ERRCODE = 'SO006',
        HINT = 'Record a proof that names this send''s attempt, or a resolution by a person who looked; until then it is unconfirmed.';
END $$;
-- +goose StatementEnd

-- Runs after every change of a send. The server says who acts in sendonce.actor; whoever does not is a hand.
-- +goose StatementBegin
CREATE FUNCTION sends_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.send_events (id, workspace_id, send_id, message_id, at, from_status, to_status, code, reason,
        waiting_for, attempt, lease_holder, actor, principal_id, written_by)
    VALUES (NEW.last_event_id, NEW.workspace_id, NEW.id, NEW.message_id, public.sendonce_now(),
        CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status, NEW.code, NEW.reason, NEW.waiting_for, NEW.attempt,
        CASE WHEN TG_OP = 'UPDATE' THEN coalesce(NEW.lease_holder, OLD.lease_holder) END,
        coalesce(nullif(current_setting('sendonce.actor', true), ''), 'sql'),
        nullif(current_setting('sendonce.principal', true), '')::uuid, session_user);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Runs after a row that had left its slot proves delivered after all. The message row is really updated, so that a retry
-- that is being inserted meets it under every isolation level; what has not begun is canceled. What has begun stays: its
-- own end will show whether there were two deliveries. The cancel is the server's, whoever brought the confirmation.
-- +goose StatementBegin
CREATE FUNCTION sends_late_delivery() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    actor text := coalesce(current_setting('sendonce.actor', true), '');
BEGIN
    UPDATE public.messages SET delivered_at = coalesce(delivered_at, public.sendonce_now()) WHERE id = NEW.message_id;
    PERFORM set_config('sendonce.actor', 'server', true);
    UPDATE public.sends SET status = 'canceled', code = 'sibling_exists'
        WHERE message_id = NEW.message_id AND id <> NEW.id AND status IN ('queued', 'leased');
    PERFORM set_config('sendonce.actor', actor, true);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Runs before a delivery is recorded: it belongs to its send's message.
-- +goose StatementBegin
CREATE FUNCTION deliveries_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.sends WHERE id = NEW.send_id AND message_id = NEW.message_id
        AND workspace_id = NEW.workspace_id AND account_id = NEW.account_id) THEN
        RAISE EXCEPTION 'a delivery belongs to the message and the account of its send' USING ERRCODE = 'SO001',
            HINT = 'Copy workspace_id, account_id and message_id from the send.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs before a send is said to have seen a delivery: a copy belongs to one message.
-- +goose StatementBegin
CREATE FUNCTION delivery_sends_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.deliveries d JOIN public.sends s USING (message_id)
        WHERE d.id = NEW.delivery_id AND s.id = NEW.send_id) THEN
        RAISE EXCEPTION 'send % cannot have seen a delivery of another message', NEW.send_id USING ERRCODE = 'SO001',
            HINT = 'Look the delivery up by account, provider id and the send''s own message.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs after a delivery is recorded: a second copy of one message is something a person must know, at once. Two copies
-- from one send came from one click; from different sends, from two. Two writers that record one each must not both
-- count before the other commits: they meet at a lock that is always the last they take.
-- +goose StatementBegin
CREATE FUNCTION deliveries_count() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    others integer;
    from_others integer;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('delivery of message ' || NEW.message_id, 0));
    SELECT count(*), count(*) FILTER (WHERE send_id <> NEW.send_id) INTO others, from_others
        FROM public.deliveries WHERE message_id = NEW.message_id AND id <> NEW.id;
    IF others > 0 THEN
        INSERT INTO public.incidents (workspace_id, kind, subject_id, message_id, account_id)
        VALUES (NEW.workspace_id, CASE WHEN from_others > 0 THEN 'delivered_twice' ELSE 'browser_repeated' END,
            NEW.message_id, NEW.message_id, NEW.account_id)
        ON CONFLICT (workspace_id, kind, subject_id) WHERE closed_at IS NULL
            DO UPDATE SET count = incidents.count + 1, last_at = public.sendonce_now();
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION ledger_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is kept for ever: % is refused', TG_TABLE_NAME, lower(TG_OP) USING ERRCODE = 'SO008',
        HINT = 'Nothing that happened is removed or rewritten. Add a row that says what is so now.';
END $$;
-- +goose StatementEnd

-- An approval is only ever voided, once; a message keeps who it is for and from.
-- +goose StatementBegin
CREATE FUNCTION identity_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'what a row of % is, is frozen', TG_TABLE_NAME USING ERRCODE = 'SO003',
        HINT = CASE TG_TABLE_NAME WHEN 'approvals' THEN 'Void the approval and approve the current version anew.'
            ELSE 'A message to someone else, or from another account, is a new message.' END;
END $$;
-- +goose StatementEnd
