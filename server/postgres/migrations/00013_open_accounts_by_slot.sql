-- +goose Up

-- The same accounts as before. The slot is read as one value: for an EXISTS a session that planned it while there were few
-- sends reads all of them, with every lease.
CREATE OR REPLACE VIEW open_accounts AS
SELECT a.id FROM accounts a
WHERE a.stopped_at IS NULL AND a.paused_at IS NULL
    AND (a.cool_until IS NULL OR a.cool_until <= (SELECT sendonce_now()))
    AND EXISTS (SELECT FROM instance WHERE armed_at IS NOT NULL)
    AND coalesce((SELECT o.status NOT IN ('leased', 'started') FROM account_slots sl JOIN sends o ON o.id = sl.send_id
        WHERE sl.account_id = a.id), true);
