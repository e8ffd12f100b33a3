-- +goose Up

-- The SHA-256 of a text's own bytes, which stays when the text expires: what a browser calls written by hand may be a copy of it. Null
-- for a text that had expired before this was written down, and may have been anything.
ALTER TABLE message_versions ADD COLUMN text_digest text CHECK (text_digest ~ '^sha256:[0-9a-f]{64}$');
ALTER TABLE message_versions DISABLE TRIGGER USER;
UPDATE message_versions SET text_digest = 'sha256:' || encode(sha256(convert_to(body, 'UTF8')), 'hex') WHERE expired_at IS NULL;
ALTER TABLE message_versions ENABLE TRIGGER USER;
ALTER TABLE message_versions ADD CONSTRAINT text_has_its_digest CHECK (text_digest IS NOT NULL OR expired_at IS NOT NULL);

-- +goose StatementBegin
CREATE FUNCTION message_versions_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    NEW.text_digest := 'sha256:' || encode(sha256(convert_to(NEW.body, 'UTF8')), 'hex');
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- An automatic answer is no reply: it takes no message further, stops nothing, and nobody has said a word. Only a provider can tell.
ALTER TABLE delivery_observations DROP CONSTRAINT delivery_observations_kind_check,
    ADD CONSTRAINT delivery_observations_kind_check CHECK (
        kind IN ('accepted', 'sent', 'delivered', 'read', 'replied', 'undelivered', 'bounced', 'auto_replied', 'manual'));

-- As before, but a person is whoever they were merged with, and the words of an attempt are known again when they have expired.
CREATE OR REPLACE VIEW waiting_observations AS
SELECT o.id, o.workspace_id, o.source_id, o.kind, o.provider_id, o.at, o.said_hash, o.received_at, coalesce(
    (SELECT (array_agg(DISTINCT d.message_id))[1] FROM accounts a JOIN deliveries d ON d.account_id = a.id AND d.provider_id = o.provider_id
        WHERE a.workspace_id = o.workspace_id AND a.id = coalesce(o.account_id, a.id)
            AND (o.send_id IS NULL OR EXISTS (
                SELECT FROM sends w JOIN same_people p ON p.person_id = w.person_id JOIN messages t ON t.person_id = ANY (p.ids)
                WHERE w.id = o.send_id AND t.id = d.message_id))
        HAVING count(DISTINCT d.message_id) = 1),
    (SELECT m.id FROM messages m WHERE m.id = o.named_message_id AND m.workspace_id = o.workspace_id)) AS message_id
FROM delivery_observations o
WHERE o.message_id IS NULL AND (o.provider_id <> '' OR o.named_message_id IS NOT NULL) AND (o.kind <> 'manual' OR NOT EXISTS (
    SELECT FROM deliveries b JOIN messages m ON m.id = b.message_id JOIN same_people p ON p.person_id = m.person_id
    JOIN sends s ON s.account_id = b.account_id AND s.person_id = ANY (p.ids) AND s.started_at IS NOT NULL
    JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
    WHERE b.account_id = o.account_id AND b.provider_id = o.provider_id AND coalesce(v.text_digest, o.text_digest) = o.text_digest));

-- What no message is known for is looked at for a time, and then forgotten with the ids under which it was told: said again, it is new.
-- What kept a send back as a reply is about no copy, waits for nothing, and stays.
DROP INDEX delivery_observations_waiting;
CREATE INDEX delivery_observations_waiting ON delivery_observations (received_at, id)
    WHERE message_id IS NULL AND (provider_id <> '' OR named_message_id IS NOT NULL);
CREATE INDEX callback_events_observation ON callback_events (observation_id);
ALTER TABLE callback_events DROP CONSTRAINT callback_events_observation_id_fkey,
    ADD CONSTRAINT callback_events_observation_id_fkey FOREIGN KEY (observation_id) REFERENCES delivery_observations ON DELETE CASCADE;

-- Each workspace's policy says how long an answer that may hold a text is kept.
DROP INDEX idempotency_keys_to_forget;
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys (workspace_id, created_at) WHERE answer_body <> '';

-- +goose StatementBegin
CREATE FUNCTION delivery_observations_forget() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    joined_within CONSTANT interval := interval '30 days'; -- config.CallbackJoinWithin
BEGIN
    IF OLD.message_id IS NOT NULL OR OLD.provider_id = '' AND OLD.named_message_id IS NULL THEN
        RAISE EXCEPTION '% is kept for ever: % is refused', TG_TABLE_NAME, lower(TG_OP) USING ERRCODE = 'SO008',
            HINT = 'Nothing that happened is removed or rewritten. Add a row that says what is so now.';
    END IF;
    IF OLD.received_at > public.sendonce_now() - joined_within THEN
        RAISE EXCEPTION 'observation % still waits for its message', OLD.id USING ERRCODE = 'SO008',
            HINT = 'What no message is known for may be removed when it is 30 days old.';
    END IF;
    RETURN OLD;
END $$;
-- +goose StatementEnd

-- An id goes with the fact that it was told for, never alone.
-- +goose StatementBegin
CREATE FUNCTION callback_events_forget() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.delivery_observations o WHERE o.id = OLD.observation_id) THEN
        RAISE EXCEPTION '% is kept for ever: % is refused', TG_TABLE_NAME, lower(TG_OP) USING ERRCODE = 'SO008',
            HINT = 'Nothing that happened is removed or rewritten. Add a row that says what is so now.';
    END IF;
    RETURN OLD;
END $$;
-- +goose StatementEnd
