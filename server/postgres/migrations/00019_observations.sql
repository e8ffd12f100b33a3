-- +goose Up

-- Reports that settle nothing, since nobody can tell which attempt they speak of, or it is not that install's to say. Kept
-- for a person to read; the server only adds to it. The evidence in it holds no message text.
CREATE TABLE observations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    install_id uuid NOT NULL REFERENCES installs,
    why text NOT NULL CHECK (why IN ('unknown_lease', 'foreign_lease')),
    body jsonb NOT NULL,
    said_hash bytea NOT NULL,
    received_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (install_id, said_hash)
);
