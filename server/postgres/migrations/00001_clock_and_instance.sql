-- +goose Up

-- Every statement reads the time through sendonce_now(): the machine's clock plus an offset that only the tables' owner
-- may set, so that tests and simulations can move the time of a whole database at once.
CREATE TABLE clock_offset (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    ahead interval NOT NULL DEFAULT '0'
);
INSERT INTO clock_offset DEFAULT VALUES;

-- VOLATILE, so that it is read when it is called: a start must see the time after it got its row lock, not the time its
-- statement began. Every name is qualified, the operator too: it runs with the search_path of whoever calls it. In
-- PL/pgSQL, because a session plans it once; in SQL each statement that calls it would plan it anew.
-- +goose StatementBegin
CREATE FUNCTION sendonce_now() RETURNS timestamptz
    LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED AS $$
BEGIN
    RETURN pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) (SELECT ahead FROM public.clock_offset);
END $$;
-- +goose StatementEnd

-- One row: which history this database is. Installs remember the highest (epoch, event) they were told.
CREATE TABLE instance (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    epoch bigint NOT NULL DEFAULT 1 CHECK (epoch > 0),
    armed_at timestamptz DEFAULT sendonce_now()
);
INSERT INTO instance DEFAULT VALUES;

-- How long after the deadline of an attempt a person must wait before "it was not delivered" counts. The database
-- refuses it earlier, so the times stand here and not in a server's settings.
CREATE TABLE quiet_times (
    channel text PRIMARY KEY,
    grace interval NOT NULL CHECK (grace > '0'),
    unseen interval NOT NULL CHECK (unseen >= grace)
);
INSERT INTO quiet_times (channel, grace, unseen) VALUES
    ('linkedin', '10 minutes', '24 hours'),
    ('email', '60 minutes', '24 hours');
