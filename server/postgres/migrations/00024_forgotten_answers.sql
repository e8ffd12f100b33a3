-- +goose Up

-- The answer of a command is kept for a time, because it may hold a message's text; the key for ever: what was asked under it
-- once is never done again. A key whose answer was forgotten is answered with what its object is by then.
ALTER TABLE idempotency_keys ADD COLUMN forgotten_at timestamptz,
    ADD CONSTRAINT forgotten_answer_is_gone CHECK (forgotten_at IS NULL OR answer_body IS NULL);

-- What the look for old answers walks. An answer without a body has nothing to forget.
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys (created_at) WHERE answer_body <> '';

-- +goose StatementBegin
CREATE FUNCTION idempotency_keys_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'what was asked under the key %, and what came of it, is frozen', OLD.key USING ERRCODE = 'SO003',
        HINT = 'An answer is written once and may be forgotten; another request takes another key.';
END $$;
-- +goose StatementEnd
