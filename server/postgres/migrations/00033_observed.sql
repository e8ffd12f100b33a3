-- +goose Up

-- What a browser saw in a conversation is a fact of its account: whoever sees it, it is the same. provider_id is the copy of ours
-- after which it stands; seen_id is the reply, or the message that the member wrote by hand, of which the digest is kept. send_id is
-- the send, or the checked one, on whose way it was first seen, and so whose person's conversation it was.
ALTER TABLE delivery_observations DROP CONSTRAINT delivery_observations_kind_check,
    ADD CONSTRAINT delivery_observations_kind_check CHECK (
        kind IN ('accepted', 'sent', 'delivered', 'read', 'replied', 'undelivered', 'bounced', 'manual')),
    ADD COLUMN account_id uuid REFERENCES accounts,
    ADD COLUMN send_id uuid REFERENCES sends,
    ADD COLUMN seen_id text NOT NULL DEFAULT '' CHECK (length(seen_id) <= 500),
    ADD COLUMN text_digest text NOT NULL DEFAULT '' CHECK (text_digest = '' OR text_digest ~ '^sha256:[0-9a-f]{64}$'),
    ADD CONSTRAINT by_hand_is_named CHECK (
        kind <> 'manual' OR (install_id IS NOT NULL AND account_id IS NOT NULL AND seen_id <> '' AND text_digest <> ''));
-- One browser may not fill what waits, and all of them together not what is known of one copy.
CREATE INDEX delivery_observations_of_install ON delivery_observations (install_id) WHERE message_id IS NULL AND provider_id <> '';
CREATE INDEX delivery_observations_of_copy ON delivery_observations (account_id, provider_id) WHERE account_id IS NOT NULL;

-- As before; what names no copy and no message waits for none. What a browser saw is about a copy of its own account alone, and to
-- the person whose conversation it had open. What looks written by hand and has the text of an attempt to that person from that
-- account may be a copy that nobody has recognised, and waits: a browser may send one request twice, and no look of the attempt sees
-- a copy that comes late.
CREATE OR REPLACE VIEW waiting_observations AS
SELECT o.id, o.workspace_id, o.source_id, o.kind, o.provider_id, o.at, o.said_hash, o.received_at, coalesce(
    (SELECT (array_agg(DISTINCT d.message_id))[1] FROM accounts a JOIN deliveries d ON d.account_id = a.id AND d.provider_id = o.provider_id
        WHERE a.workspace_id = o.workspace_id AND a.id = coalesce(o.account_id, a.id)
            AND (o.send_id IS NULL OR EXISTS (
                SELECT FROM sends w JOIN messages t ON t.person_id = w.person_id WHERE w.id = o.send_id AND t.id = d.message_id))
        HAVING count(DISTINCT d.message_id) = 1),
    (SELECT m.id FROM messages m WHERE m.id = o.named_message_id AND m.workspace_id = o.workspace_id)) AS message_id
FROM delivery_observations o
WHERE o.message_id IS NULL AND (o.provider_id <> '' OR o.named_message_id IS NOT NULL) AND (o.kind <> 'manual' OR NOT EXISTS (
    SELECT FROM deliveries b JOIN messages m ON m.id = b.message_id
    JOIN sends s ON s.account_id = b.account_id AND s.person_id = m.person_id AND s.started_at IS NOT NULL
    JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
    WHERE b.account_id = o.account_id AND b.provider_id = o.provider_id
        AND 'sha256:' || encode(sha256(convert_to(v.body, 'UTF8')), 'hex') = o.text_digest));

ALTER TABLE events DROP CONSTRAINT events_type_check,
    ADD CONSTRAINT events_type_check CHECK (type IN ('authority', 'closed', 'approval_requested', 'approved', 'approval_voided', 'completed',
        'delivery', 'delivery_trouble', 'written_by_hand', 'incident_opened', 'incident_closed', 'account_stopped', 'account_cleared',
        'account_paused', 'account_resumed', 'install_revoked', 'install_paused', 'install_resumed', 'workspace_paused',
        'workspace_resumed', 'everything_paused', 'everything_resumed', 'person_replied', 'person_suppressed', 'person_unsuppressed'));

-- Each message by hand is one event, as each reply is. It is no step of delivery, and no trouble.
-- +goose StatementBegin
CREATE FUNCTION by_hand_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.events (workspace_id, type, message_id, version, account_id, person_id)
    SELECT m.workspace_id, 'written_by_hand', m.id, m.version, m.account_id, m.person_id FROM public.messages m WHERE m.id = NEW.message_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
