-- +goose Up

-- What a browser saw in a conversation is a fact of its account: whoever sees it, it is the same. provider_id is the copy of ours
-- after which it stands, seen_id the reply, or the message that the member wrote by hand.
ALTER TABLE delivery_observations DROP CONSTRAINT delivery_observations_kind_check,
    ADD CONSTRAINT delivery_observations_kind_check CHECK (
        kind IN ('accepted', 'sent', 'delivered', 'read', 'replied', 'undelivered', 'bounced', 'manual')),
    ADD COLUMN account_id uuid REFERENCES accounts,
    ADD COLUMN seen_id text NOT NULL DEFAULT '' CHECK (length(seen_id) <= 500),
    ADD CONSTRAINT by_hand_is_named CHECK (
        kind <> 'manual' OR (install_id IS NOT NULL AND account_id IS NOT NULL AND seen_id <> ''));
-- One browser may not fill what waits.
CREATE INDEX delivery_observations_of_install ON delivery_observations (install_id) WHERE message_id IS NULL AND install_id IS NOT NULL;

-- Which own message of a conversation may be one of ours that nobody has recognised? One whose id a delivery has; and one from the
-- time of an attempt to that person, from that account, whose copy nobody has seen: until it is settled nobody can tell. As for the
-- rivals of a check, what failed left none, an unseen browser's copy may come the latest, and LinkedIn's clock may differ by five
-- minutes (ApprovalSlack in server/config).
CREATE VIEW by_hand_in_doubt AS
SELECT o.id FROM delivery_observations o
WHERE o.kind = 'manual' AND o.message_id IS NULL AND (
    EXISTS (SELECT FROM deliveries d WHERE d.account_id = o.account_id AND d.provider_id = o.seen_id)
    OR EXISTS (SELECT FROM deliveries b JOIN messages m ON m.id = b.message_id
        JOIN sends s ON s.account_id = b.account_id AND s.person_id = m.person_id
        JOIN quiet_times q ON q.channel = m.channel
        WHERE b.account_id = o.account_id AND b.provider_id = o.provider_id
            AND s.started_at IS NOT NULL AND s.status IN ('started', 'unconfirmed', 'sent')
            AND o.at > s.started_at - interval '5 minutes'
            AND o.at < greatest(s.deadline_at + q.unseen, s.gone_at + q.grace) + interval '5 minutes'
            AND NOT EXISTS (SELECT FROM delivery_sends ds WHERE ds.send_id = s.id)));

-- As before; what a browser saw is about a copy of its own account alone, and a message by hand is one only when it is surely none
-- of ours.
CREATE OR REPLACE VIEW waiting_observations AS
SELECT o.id, o.workspace_id, o.source_id, o.kind, o.provider_id, o.at, o.said_hash, o.received_at, coalesce(
    (SELECT (array_agg(DISTINCT d.message_id))[1] FROM accounts a JOIN deliveries d ON d.account_id = a.id AND d.provider_id = o.provider_id
        WHERE a.workspace_id = o.workspace_id AND a.id = coalesce(o.account_id, a.id) HAVING count(DISTINCT d.message_id) = 1),
    (SELECT m.id FROM messages m WHERE m.id = o.named_message_id AND m.workspace_id = o.workspace_id)) AS message_id
FROM delivery_observations o WHERE o.message_id IS NULL AND NOT EXISTS (SELECT FROM by_hand_in_doubt b WHERE b.id = o.id);
