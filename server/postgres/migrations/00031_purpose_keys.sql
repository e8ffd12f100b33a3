-- +goose Up

-- A purpose as a reader would call it the same. The program folds it (message.Fold), as it folds a text for its text_hash: lower()
-- knows the letters of the database's locale only, and neither spaces nor what nobody sees.
ALTER TABLE messages ADD COLUMN purpose_key text;
-- Not by an UPDATE, which would be one of every message to all that watches them.
ALTER TABLE messages ALTER COLUMN purpose_key TYPE text USING lower(regexp_replace(purpose, '\s+', ' ', 'g'));
ALTER TABLE messages ALTER COLUMN purpose_key SET NOT NULL,
    ADD CONSTRAINT purpose_key_length CHECK (length(purpose_key) BETWEEN 1 AND 600); -- folding makes up to three letters of one

CREATE OR REPLACE VIEW message_intents AS
SELECT m.id AS message_id, m.person_id, m.channel, m.purpose_key AS purpose, m.task, m.follows_send,
    (m.authority IN ('draft', 'proposed') AND m.closed_at IS NULL) AS waits,
    live.id AS live_send, live.status AS live_status,
    begun.id AS begun_send, begun.status AS begun_status, begun.began_at
FROM messages m
LEFT JOIN LATERAL (SELECT s.id, s.status FROM sends s WHERE s.message_id = m.id
    AND s.status IN ('queued', 'leased', 'started', 'unconfirmed') LIMIT 1) live ON true
LEFT JOIN LATERAL (SELECT s.id, s.status, coalesce(s.started_at, s.confirmed_at) AS began_at FROM sends s
    WHERE s.message_id = m.id AND (s.started_at IS NOT NULL OR s.status = 'sent') ORDER BY s.ordinal DESC LIMIT 1) begun ON true;

-- As before, with purposes that are one to a reader.
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
            WHERE o.person_id = message.person_id AND o.message_id <> message.id AND m.purpose_key = message.purpose_key
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
