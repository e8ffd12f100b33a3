-- +goose Up

-- A receipt asks what was said of one message in every incident's timeline, and in every "retry all" of one of its sends.
CREATE INDEX incident_events_message ON incident_events (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX retry_items_send ON retry_items (send_id);
