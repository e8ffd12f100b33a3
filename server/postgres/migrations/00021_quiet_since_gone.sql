-- +goose Up

-- "Not delivered" counts a grace after the deadline or, when that was later, after the tab was gone: a machine that slept may
-- send its request when it wakes, just before its tab closes.

-- Runs before a row becomes sent or failed: both need something that was said, by someone who can be named.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sends_need_evidence() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    quiet public.quiet_times;
    resolution public.evidence;
    over timestamptz;
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
            over := greatest(OLD.deadline_at, OLD.gone_at) + quiet.grace;
            -- When the person looked counts, not when the row is moved.
            IF OLD.gone_at IS NOT NULL AND resolution.received_at >= over
                OR resolution.accept_unseen AND resolution.received_at >= OLD.deadline_at + quiet.unseen THEN
                RETURN NEW;
            END IF;
            RAISE EXCEPTION 'it was too early to say that send % was not delivered', NEW.id USING ERRCODE = 'SO006',
                HINT = format('Look again after %s if its browser said that the tab is gone; else after %s, with accept_unseen.',
                    over, OLD.deadline_at + quiet.unseen);
        END IF;
    END IF;
    RAISE EXCEPTION 'nothing proves that send % was not delivered', NEW.id USING ERRCODE = 'SO006',
        HINT = 'Record a proof that names this send''s attempt, or a resolution by a person who looked; until then it is unconfirmed.';
END $$;
-- +goose StatementEnd
