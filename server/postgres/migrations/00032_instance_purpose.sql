-- +goose Up

-- What this database is for: messages to real people, or the sandbox, whose browsers and whose LinkedIn are made up. The first
-- server that serves it says so, and nobody changes it: a sandbox that served a real database would call its messages sent,
-- and a real server on a sandbox's database would send what was only tried out.
CREATE TABLE instance_purpose (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    purpose text NOT NULL CHECK (purpose IN ('real', 'sandbox')),
    decided_at timestamptz NOT NULL DEFAULT sendonce_now()
);

-- What was used before anybody said what it is for was used for real: a database of an earlier version is such a one.
-- +goose StatementBegin
CREATE FUNCTION instance_purpose_birth() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.purpose = 'sandbox' AND NOT EXISTS (SELECT FROM public.instance_purpose)
        AND (EXISTS (SELECT FROM public.accounts) OR EXISTS (SELECT FROM public.send_events)
            OR EXISTS (SELECT FROM public.instance WHERE system_id IS NOT NULL)) THEN
        RAISE EXCEPTION 'this database was used for real messages' USING ERRCODE = 'SO014',
            HINT = 'Give the sandbox an empty database.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Each kind of database has its own kind of browsers. A made-up one says so in place of the version of an extension.
-- +goose StatementBegin
CREATE FUNCTION installs_purpose() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.instance_purpose WHERE purpose = 'sandbox') THEN
        IF NEW.extension_version <> 'sandbox' THEN
            RAISE EXCEPTION 'a real browser in a sandbox would write to real people what was only tried out' USING ERRCODE = 'SO014',
                HINT = 'Pair it with a server that was started without --sandbox.';
        END IF;
    ELSIF NEW.extension_version = 'sandbox' THEN
        RAISE EXCEPTION 'a made-up browser among real messages would call sent what nobody received' USING ERRCODE = 'SO014',
            HINT = 'A sandbox brings its own browser, to a database of its own.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
