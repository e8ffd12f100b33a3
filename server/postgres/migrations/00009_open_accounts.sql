-- +goose Up

-- The accounts for which a send may be leased at all: the facts that hold every send of an account alike. A lease is
-- decided on the same facts once more, under its locks.
CREATE VIEW open_accounts AS
SELECT a.id FROM accounts a
WHERE a.stopped_at IS NULL AND a.paused_at IS NULL
    AND (a.cool_until IS NULL OR a.cool_until <= (SELECT sendonce_now()))
    AND EXISTS (SELECT FROM instance WHERE armed_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM account_slots sl JOIN sends o ON o.id = sl.send_id
        WHERE sl.account_id = a.id AND o.status IN ('leased', 'started'));
