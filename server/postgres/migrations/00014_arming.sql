-- +goose Up

-- A database that may not be the one that sent before (restored, copied, put back, wiped) holds fire: nothing is leased
-- until a person has armed it. instance.armed_at is the fact that leases and starts rest on. Nobody writes the table
-- instance but the trigger of instance_events: the server's role can only add to that history, and what it may add
-- there without a person can only disarm.
--
-- SQLSTATE SO011 is arming.

ALTER TABLE instance
    -- Where this history lives: the cluster's system identifier and the database's oid. A dump and a template take the
    -- values along and find themselves elsewhere. Null until the first server has served it.
    ADD COLUMN system_id bigint,
    ADD COLUMN database_oid bigint,
    ADD COLUMN disarmed_at timestamptz,
    ADD COLUMN disarmed_code text;

-- When the install last said what it remembers.
ALTER TABLE installs ADD COLUMN hello_at timestamptz;

-- Where this database lives now.
-- +goose StatementBegin
CREATE FUNCTION instance_system() RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT system_identifier FROM pg_control_system());
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION instance_database() RETURNS bigint
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT oid FROM pg_database WHERE datname = current_database());
END $$;
-- +goose StatementEnd

CREATE TABLE instance_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    what text NOT NULL CHECK (what IN ('begun', 'disarmed', 'armed')),
    -- Why it was disarmed, and the install whose mark said so.
    code text CHECK (length(code) BETWEEN 1 AND 64),
    install_id uuid REFERENCES installs,
    mark_epoch bigint,
    mark_event bigint,
    -- Who armed it, and that they did so though installs had not reported.
    principal_id uuid REFERENCES principals,
    accept_unseen boolean NOT NULL DEFAULT false,
    -- The rest is stamped by the database.
    at timestamptz NOT NULL DEFAULT sendonce_now(),
    epoch bigint NOT NULL DEFAULT 0,
    unreported bigint NOT NULL DEFAULT 0,
    system_id bigint NOT NULL DEFAULT 0,
    database_oid bigint NOT NULL DEFAULT 0,
    CONSTRAINT disarmed_says_why CHECK ((what = 'disarmed') = (code IS NOT NULL)),
    CONSTRAINT armed_names_a_person CHECK ((what = 'armed') = (principal_id IS NOT NULL)),
    CONSTRAINT only_disarming_names_an_install CHECK (what = 'disarmed' OR install_id IS NULL)
);

-- The installs that may know something and have not said it since the database was disarmed.
CREATE VIEW unreported_installs AS
SELECT i.id FROM installs i, instance
WHERE i.revoked_at IS NULL AND (i.hello_at >= instance.disarmed_at) IS NOT TRUE;

-- Runs before a row of the history, and does what it says. Arming needs an admin who is named and, where installs have not
-- reported, their explicit yes. Its epoch is above every one that an install has heard of, so that what was allowed in an
-- older one permits nothing; a number beyond all sense is somebody's mistake and does not count.
-- +goose StatementBegin
CREATE FUNCTION instance_events_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    here public.instance;
    sensible_epochs CONSTANT bigint := 1000000000;
BEGIN
    SELECT * INTO STRICT here FROM public.instance FOR NO KEY UPDATE;
    NEW.at := public.sendonce_now();
    NEW.epoch := here.epoch;
    NEW.unreported := (SELECT count(*) FROM public.unreported_installs);
    NEW.system_id := public.instance_system();
    NEW.database_oid := public.instance_database();
    CASE NEW.what
        WHEN 'begun' THEN
            IF here.system_id IS NOT NULL OR EXISTS (SELECT FROM public.send_events) THEN
                RAISE EXCEPTION 'this database has a history already' USING ERRCODE = 'SO011',
                    HINT = 'Only an empty database begins. Disarm this one; a person arms it.';
            END IF;
            UPDATE public.instance SET system_id = NEW.system_id, database_oid = NEW.database_oid;
        WHEN 'disarmed' THEN
            UPDATE public.instance SET armed_at = NULL, disarmed_at = coalesce(here.disarmed_at, NEW.at),
                disarmed_code = coalesce(here.disarmed_code, NEW.code);
        WHEN 'armed' THEN
            IF here.armed_at IS NOT NULL THEN
                RAISE EXCEPTION 'this database is armed already' USING ERRCODE = 'SO011', HINT = 'There is nothing to do.';
            ELSIF NOT EXISTS (SELECT FROM public.principals WHERE id = NEW.principal_id AND role = 'admin') THEN
                RAISE EXCEPTION 'only an admin arms a database' USING ERRCODE = 'SO011',
                    HINT = 'Name the admin who has looked in principal_id.';
            ELSIF NEW.unreported > 0 AND NOT NEW.accept_unseen THEN
                RAISE EXCEPTION '% installs have not reported what they know', NEW.unreported USING ERRCODE = 'SO011',
                    HINT = 'Wait until they have connected, or say accept_unseen.';
            END IF;
            NEW.epoch := greatest(here.epoch, (SELECT max(mark_epoch) FROM public.installs WHERE mark_epoch < sensible_epochs)) + 1;
            UPDATE public.instance SET epoch = NEW.epoch, armed_at = NEW.at, disarmed_at = NULL, disarmed_code = NULL,
                system_id = NEW.system_id, database_oid = NEW.database_oid;
    END CASE;
    RETURN NEW;
END $$;
-- +goose StatementEnd
