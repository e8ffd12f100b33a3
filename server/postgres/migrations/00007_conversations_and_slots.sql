-- +goose Up

-- The thread in which an account last reached a person: it is opened and read first the next time.
CREATE TABLE conversations (
    account_id uuid NOT NULL REFERENCES accounts,
    person_id uuid NOT NULL REFERENCES people,
    thread text NOT NULL CHECK (length(thread) BETWEEN 1 AND 500),
    seen_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (account_id, person_id)
);

-- A report that arrives again is the same observation: it is known by the hash of what it says.
ALTER TABLE evidence ADD COLUMN said_hash bytea;
CREATE UNIQUE INDEX evidence_said_once ON evidence (send_id, said_hash) WHERE said_hash IS NOT NULL;

-- Every account has its slot, whoever made the account: without the row nothing could be leased for it.
-- +goose StatementBegin
CREATE FUNCTION accounts_slot() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.account_slots (account_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
