-- +goose Up

-- One intent is under way at a time: a message to the same person for the same purpose or the same task, from whatever account
-- and on whatever channel, is a new decision. It names the send that it follows, and why.
ALTER TABLE messages
    ADD COLUMN follows_send uuid REFERENCES sends,
    ADD COLUMN follows_why text CHECK (length(follows_why) BETWEEN 1 AND 300),
    ADD CONSTRAINT follows_says_why CHECK ((follows_send IS NULL) = (follows_why IS NULL));

-- Counted up by the database with each message and each send to the person: where two writers meet, and what one with an older
-- snapshot finds changed.
ALTER TABLE people ADD COLUMN intents integer NOT NULL DEFAULT 0;

-- What each message is for, and how far it has come: it waits for a person; or a send of it has not ended; or the latest that
-- began may have reached the person. A message of which none is so counts for nothing: it was taken back, or stopped, in time.
CREATE VIEW message_intents AS
SELECT m.id AS message_id, m.person_id, m.channel, lower(m.purpose) AS purpose, m.task, m.follows_send,
    (m.authority IN ('draft', 'proposed') AND m.closed_at IS NULL) AS waits,
    live.id AS live_send, live.status AS live_status,
    begun.id AS begun_send, begun.status AS begun_status, begun.began_at
FROM messages m
LEFT JOIN LATERAL (SELECT s.id, s.status FROM sends s WHERE s.message_id = m.id
    AND s.status IN ('queued', 'leased', 'started', 'unconfirmed') LIMIT 1) live ON true
LEFT JOIN LATERAL (SELECT s.id, s.status, coalesce(s.started_at, s.confirmed_at) AS began_at FROM sends s
    WHERE s.message_id = m.id AND (s.started_at IS NOT NULL OR s.status = 'sent') ORDER BY s.ordinal DESC LIMIT 1) begun ON true;

-- SQLSTATE SO013 is the intent.

-- Runs after a message is born or comes back to where it waits for a person, and after a send is born.
-- +goose StatementBegin
CREATE FUNCTION intent_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    own uuid;
    this public.message_intents;
    rival public.message_intents;
    followed public.sends;
BEGIN
    IF TG_TABLE_NAME = 'sends' THEN
        own := NEW.message_id;
    ELSE
        own := NEW.id;
    END IF;
    UPDATE public.people SET intents = intents + 1 WHERE id = NEW.person_id;
    SELECT * INTO this FROM public.message_intents WHERE message_id = own;
    SELECT * INTO followed FROM public.sends WHERE id = this.follows_send;
    IF followed.person_id <> this.person_id THEN
        RAISE EXCEPTION 'message % follows a send to somebody else', own USING ERRCODE = 'SO013',
            HINT = 'Name a send to the same person in follows_send.';
    ELSIF followed.status IN ('queued', 'leased', 'started', 'unconfirmed') THEN
        RAISE EXCEPTION 'message % follows send %, which is %', own, followed.id, followed.status USING ERRCODE = 'SO013',
            HINT = 'Wait for its end. If it is unconfirmed, look and resolve it first.';
    END IF;
    SELECT * INTO rival FROM public.message_intents r
        WHERE r.person_id = this.person_id AND r.message_id <> own AND (r.purpose = this.purpose OR r.task = this.task)
            AND (r.waits OR r.live_send IS NOT NULL OR r.begun_send IS NOT NULL)
        ORDER BY (r.waits OR r.live_send IS NOT NULL) DESC, r.began_at DESC NULLS LAST LIMIT 1;
    IF rival.waits OR rival.live_send IS NOT NULL THEN
        RAISE EXCEPTION 'message % to the same person for the same purpose or task may still go out', rival.message_id
            USING ERRCODE = 'SO013',
            HINT = 'Change that message, take it back, or wait for its end. If it is unconfirmed, look and resolve it first.';
    ELSIF rival.begun_send IS DISTINCT FROM this.follows_send AND rival.begun_send IS NOT NULL THEN
        RAISE EXCEPTION 'send % was to the same person for the same purpose or task', rival.begun_send USING ERRCODE = 'SO013',
            HINT = 'A further message is a new decision: insert it with that send in follows_send, and why in follows_why.';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- As before, and a message that follows another was meant.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION deliveries_same_person() RETURNS trigger
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
        AND message.follows_send IS NULL
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
