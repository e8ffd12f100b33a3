-- +goose Up

-- How a person looks at messages: the status of each (sent if any of its sends is, else the latest send's; '' before the
-- first), and the one section it stands in. What may have reached someone or is parked comes first, then what waits for a
-- person.
CREATE VIEW message_sections AS
SELECT m.id AS message_id, m.workspace_id, m.authority, st.status,
    CASE
        WHEN st.status = 'unconfirmed' OR st.status = 'queued' AND EXISTS (
            SELECT FROM sends s WHERE s.message_id = m.id AND s.status = 'queued' AND s.parked_at IS NOT NULL) THEN 'needs_a_look'
        WHEN st.status = 'sent' THEN 'done'
        WHEN st.status IN ('queued', 'leased', 'started') THEN 'in_queue'
        WHEN m.authority IN ('withdrawn', 'rejected') THEN 'called_off'
        WHEN m.authority <> 'approved' THEN 'waiting'
        WHEN st.status = 'failed' THEN 'not_sent'
        ELSE 'called_off'
    END AS section
FROM messages m
CROSS JOIN LATERAL (SELECT coalesce(
    (SELECT s.status FROM sends s WHERE s.message_id = m.id AND s.status = 'sent' LIMIT 1),
    (SELECT s.status FROM sends s WHERE s.message_id = m.id ORDER BY s.ordinal DESC LIMIT 1),
    '') AS status) st;
