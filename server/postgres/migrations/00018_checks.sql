-- +goose Up

-- What a machine may still learn about an unconfirmed send: an install of its account looks at the conversation, and only
-- looks. One row per send that was ever unconfirmed. due_at is null when no further look is planned.
CREATE TABLE checks (
    send_id uuid PRIMARY KEY REFERENCES sends,
    account_id uuid NOT NULL REFERENCES accounts,
    due_at timestamptz DEFAULT sendonce_now(),
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    -- The account's next send waits for the first answer, but not for ever.
    first_until timestamptz NOT NULL DEFAULT sendonce_now() + interval '5 minutes',
    answered_at timestamptz
);
CREATE INDEX checks_due ON checks (account_id, due_at, send_id);
CREATE INDEX checks_first ON checks (account_id, first_until) WHERE answered_at IS NULL;

-- What a look found is evidence, as what a report says: who looked, when and at what.
ALTER TABLE evidence DROP CONSTRAINT evidence_kind_check,
    ADD CONSTRAINT evidence_kind_check CHECK (kind IN ('report', 'proof', 'confirmation', 'resolution', 'check')),
    ADD CONSTRAINT check_names_its_result CHECK (kind <> 'check' OR
        outcome IN ('found', 'absent', 'no_conversation', 'could_not_check'));

-- Runs after a send became unconfirmed, or was settled, whoever wrote it.
-- +goose StatementBegin
CREATE FUNCTION sends_check() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.status = 'unconfirmed' THEN
        INSERT INTO public.checks (send_id, account_id) VALUES (NEW.id, NEW.account_id) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE public.checks SET due_at = NULL, answered_at = coalesce(answered_at, public.sendonce_now())
            WHERE send_id = NEW.id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The accounts for which an install may look at LinkedIn: not where LinkedIn took offence, nor where a person said stop, nor
-- while another message is under way, whose copy might be taken for this one's before it is reported.
CREATE VIEW lookable_accounts AS
SELECT a.id FROM accounts a
WHERE a.stopped_at IS NULL AND a.paused_at IS NULL
    AND (a.cool_until IS NULL OR a.cool_until <= (SELECT sendonce_now()))
    AND (SELECT e.paused_at FROM pause_of_everything e) IS NULL
    AND (SELECT w.paused_at FROM workspaces w WHERE w.id = a.workspace_id) IS NULL
    AND coalesce((SELECT o.status NOT IN ('leased', 'started') FROM account_slots sl JOIN sends o ON o.id = sl.send_id
        WHERE sl.account_id = a.id), true);

-- As before: where a look may be taken, armed, and not while the first look at an unconfirmed send is awaited.
CREATE OR REPLACE VIEW open_accounts AS
SELECT a.id FROM lookable_accounts a
WHERE EXISTS (SELECT FROM instance WHERE armed_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM checks c WHERE c.account_id = a.id AND c.answered_at IS NULL
        AND c.first_until > (SELECT sendonce_now()));
