-- +goose Up

-- When a look was asked for, by this database's clock: what a browser's clock says counts for nothing, and an answer may
-- wait long before it arrives.
ALTER TABLE evidence ADD COLUMN asked_at timestamptz,
    ADD CONSTRAINT only_a_check_is_asked CHECK (asked_at IS NULL OR kind = 'check');

-- Sends that became unconfirmed before there were checks are looked at too. Their accounts have gone on since and wait for
-- nothing.
INSERT INTO checks (send_id, account_id, first_until)
SELECT id, account_id, sendonce_now() FROM sends WHERE status = 'unconfirmed' ON CONFLICT DO NOTHING;
