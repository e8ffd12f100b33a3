-- +goose Up

-- A pause says since when, by whom and why. What it holds back is decided with the other facts of a lease and of a start.
ALTER TABLE accounts ADD COLUMN paused_by uuid REFERENCES principals, ADD COLUMN pause_note text CHECK (length(pause_note) <= 300);
ALTER TABLE installs ADD COLUMN paused_at timestamptz, ADD COLUMN paused_by uuid REFERENCES principals,
    ADD COLUMN pause_note text CHECK (length(pause_note) <= 300);
ALTER TABLE workspaces ADD COLUMN paused_at timestamptz, ADD COLUMN paused_by uuid REFERENCES principals,
    ADD COLUMN pause_note text CHECK (length(pause_note) <= 300);

-- Everything, in all workspaces: the one who runs the server pauses it, by the command beside the server. A row of its own,
-- because the server may change this and not which history the database is.
CREATE TABLE pause_of_everything (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    paused_at timestamptz,
    pause_note text CHECK (length(pause_note) <= 300)
);
INSERT INTO pause_of_everything DEFAULT VALUES;

CREATE OR REPLACE VIEW open_accounts AS
SELECT a.id FROM accounts a
WHERE a.stopped_at IS NULL AND a.paused_at IS NULL
    AND (a.cool_until IS NULL OR a.cool_until <= (SELECT sendonce_now()))
    AND EXISTS (SELECT FROM instance WHERE armed_at IS NOT NULL)
    AND (SELECT e.paused_at FROM pause_of_everything e) IS NULL
    AND (SELECT w.paused_at FROM workspaces w WHERE w.id = a.workspace_id) IS NULL
    AND coalesce((SELECT o.status NOT IN ('leased', 'started') FROM account_slots sl JOIN sends o ON o.id = sl.send_id
        WHERE sl.account_id = a.id), true);
