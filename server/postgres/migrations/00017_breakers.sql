-- +goose Up

-- How often in a row a machine made the next send by itself, up to this one. A person's retry begins anew.
ALTER TABLE sends ADD COLUMN requeues integer NOT NULL DEFAULT 0 CHECK (requeues >= 0);

-- Ends that say that LinkedIn is not well, or not pleased: a burst of them trips the account's breaker. Those before a person
-- cleared the account are over.
CREATE TABLE account_troubles (
    account_id uuid NOT NULL REFERENCES accounts,
    at timestamptz NOT NULL DEFAULT sendonce_now(),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64)
);
CREATE INDEX account_troubles_recent ON account_troubles (account_id, at);
ALTER TABLE accounts ADD COLUMN cleared_at timestamptz;
