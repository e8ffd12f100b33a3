-- +goose Up

-- Closure is apart from authority and status: the person's or the task's work is done, and the message begins nothing more.
ALTER TABLE messages
    ADD COLUMN closed_at timestamptz,
    ADD COLUMN closed_by uuid REFERENCES principals,
    ADD COLUMN closed_why text CHECK (length(closed_why) BETWEEN 1 AND 300),
    -- When the sweep must look whether the message may still begin: the end of its approval or of its window, whichever is
    -- sooner. Null when no end is known, or when there is nothing more to look for.
    ADD COLUMN lapses_at timestamptz,
    ADD CONSTRAINT closing_says_who_and_why CHECK (num_nonnulls(closed_at, closed_by, closed_why) IN (0, 3));
CREATE INDEX messages_lapse ON messages (lapses_at) WHERE lapses_at IS NOT NULL;

UPDATE messages m SET lapses_at = least(ap.expires_at, v.send_before)
FROM message_versions v LEFT JOIN approvals ap ON ap.message_id = v.message_id AND ap.voided_at IS NULL
WHERE v.message_id = m.id AND v.version = m.version AND m.authority IN ('proposed', 'approved')
    AND NOT EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND s.status = 'sent');

-- SQLSTATE SO012 is authority and closure.

-- Called only for an update that takes back what is final.
-- +goose StatementBegin
CREATE FUNCTION messages_final() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'message % was %, which is for good', OLD.id, CASE WHEN OLD.closed_at IS NULL THEN 'withdrawn' ELSE 'closed' END
        USING ERRCODE = 'SO012', HINT = 'Propose a new message.';
END $$;
-- +goose StatementEnd

-- Runs before a message is closed. A send is born under its message's lock, so that none is born beside this.
-- +goose StatementBegin
CREATE FUNCTION messages_closing() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    live public.sends;
BEGIN
    SELECT * INTO live FROM public.sends WHERE message_id = NEW.id AND status IN ('queued', 'leased', 'started');
    IF FOUND THEN
        RAISE EXCEPTION 'message % has the send %, which is %', NEW.id, live.id, live.status USING ERRCODE = 'SO012',
            HINT = 'Cancel it first; if it has started, wait for its end.';
    END IF;
    NEW.closed_at := public.sendonce_now();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs before a send is born, once sends_birth has locked its message.
-- +goose StatementBegin
CREATE FUNCTION sends_authority() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    message public.messages;
BEGIN
    SELECT * INTO message FROM public.messages WHERE id = NEW.message_id;
    IF message.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'message % is closed: it begins nothing more', NEW.message_id USING ERRCODE = 'SO012',
            HINT = 'Propose a new message.';
    END IF;
    IF message.authority <> 'approved' THEN
        RAISE EXCEPTION 'message % is %, and only what is approved may go out', NEW.message_id, message.authority
            USING ERRCODE = 'SO012', HINT = 'Approve its current version first.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs after a version is made, which no approval covers yet, and after an approval is given.
-- +goose StatementBegin
CREATE FUNCTION messages_lapse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'message_versions' THEN
        UPDATE public.messages SET lapses_at = NEW.send_before WHERE id = NEW.message_id;
    ELSE
        UPDATE public.messages SET lapses_at = least(NEW.expires_at, (SELECT v.send_before FROM public.message_versions v
            WHERE v.message_id = NEW.message_id AND v.version = NEW.version)) WHERE id = NEW.message_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- As before, and a closed message is nobody's to decide.
CREATE OR REPLACE VIEW message_sections AS
SELECT m.id AS message_id, m.workspace_id, m.authority, st.status,
    CASE
        WHEN st.status = 'unconfirmed' OR st.status = 'queued' AND EXISTS (
            SELECT FROM sends s WHERE s.message_id = m.id AND s.status = 'queued' AND s.parked_at IS NOT NULL) THEN 'needs_a_look'
        WHEN st.status = 'sent' THEN 'done'
        WHEN st.status IN ('queued', 'leased', 'started') THEN 'in_queue'
        WHEN m.authority IN ('withdrawn', 'rejected') OR m.closed_at IS NOT NULL THEN 'called_off'
        WHEN m.authority <> 'approved' THEN 'waiting'
        WHEN st.status = 'failed' THEN 'not_sent'
        ELSE 'called_off'
    END AS section
FROM messages m
CROSS JOIN LATERAL (SELECT coalesce(
    (SELECT s.status FROM sends s WHERE s.message_id = m.id AND s.status = 'sent' LIMIT 1),
    (SELECT s.status FROM sends s WHERE s.message_id = m.id ORDER BY s.ordinal DESC LIMIT 1),
    '') AS status) st;
