-- +goose Up

-- "Retry all": what a person was shown, and what became of it. A row of retry_items is done in the transaction that makes
-- its send, so that a server which dies in between repeats nothing.
CREATE TABLE retry_runs (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    account_id uuid REFERENCES accounts,
    code text CHECK (length(code) BETWEEN 1 AND 64),
    begun_at timestamptz,
    ended_at timestamptz CHECK (ended_at IS NULL OR begun_at IS NOT NULL),
    UNIQUE (workspace_id, id)
);
CREATE INDEX retry_runs_open ON retry_runs (begun_at) WHERE begun_at IS NOT NULL AND ended_at IS NULL;

-- verdict is what the preview said: '' would be sent again, else why not. outcome is the same of the run, null until then.
CREATE TABLE retry_items (
    run_id uuid NOT NULL REFERENCES retry_runs,
    send_id uuid NOT NULL REFERENCES sends,
    verdict text NOT NULL CHECK (length(verdict) <= 64),
    outcome text CHECK (length(outcome) <= 64),
    next_id uuid REFERENCES sends,
    PRIMARY KEY (run_id, send_id),
    CONSTRAINT made_names_its_send CHECK ((next_id IS NOT NULL) = (outcome IS NOT DISTINCT FROM ''))
);
CREATE INDEX retry_items_waiting ON retry_items (run_id, send_id) WHERE verdict = '' AND outcome IS NULL;
