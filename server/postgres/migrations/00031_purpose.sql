-- +goose Up

-- What this database is for: messages to real people, or the sandbox, whose browsers and whose LinkedIn are made up. The first
-- server that serves it says so, and nobody changes it: a sandbox that served a real database would call its messages sent,
-- and a real server on a sandbox's database would send what was only tried out.
CREATE TABLE instance_purpose (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    purpose text NOT NULL CHECK (purpose IN ('real', 'sandbox')),
    decided_at timestamptz NOT NULL DEFAULT sendonce_now()
);

-- Whatever was used before there was a sandbox was used for real.
INSERT INTO instance_purpose (purpose)
SELECT 'real' FROM instance WHERE system_id IS NOT NULL OR EXISTS (SELECT FROM send_events) OR EXISTS (SELECT FROM accounts);
