-- +goose Up
-- Long because it is one change of the schema: what it adds, and every function that must know of it.

-- Who may be written to, and by whom. SQLSTATE SO015 is people.

-- A person may be several rows: merging two lets one point to the other, and moves nothing. Messages, sends and identities stay with
-- the row that they name, because what was approved names it; whatever counts per person reads all rows of the one.
ALTER TABLE people
    ADD COLUMN company text NOT NULL DEFAULT '' CHECK (length(company) <= 300),
    -- As a reader would call it the same: the program folds it (message.Fold).
    ADD COLUMN company_key text NOT NULL DEFAULT '' CHECK (length(company_key) <= 900),
    ADD COLUMN owner_id uuid REFERENCES principals,
    ADD COLUMN merged_into uuid,
    ADD COLUMN merged_at timestamptz,
    ADD COLUMN merged_by uuid REFERENCES principals,
    ADD COLUMN removed_at timestamptz,
    ADD COLUMN removed_by uuid REFERENCES principals,
    ADD FOREIGN KEY (workspace_id, merged_into) REFERENCES people (workspace_id, id),
    ADD CONSTRAINT merging_says_when_and_who CHECK (num_nonnulls(merged_into, merged_at, merged_by) IN (0, 3)),
    ADD CONSTRAINT removed_is_bare CHECK (removed_at IS NULL OR name = '' AND company = '' AND company_key = '' AND owner_id IS NULL);
CREATE INDEX people_merged ON people (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX people_company ON people (workspace_id, company_key) WHERE company_key <> '';

-- For each row: the one that the person is known as by now, and every row that is the same person.
CREATE VIEW same_people AS
SELECT p.id AS person_id, one.id AS one_id, one.id || ARRAY(SELECT f.id FROM people f WHERE f.merged_into = one.id ORDER BY f.id) AS ids
FROM people p JOIN people one ON one.id = coalesce(p.merged_into, p.id);

-- Locks the person, whichever of its rows is named, and returns the row that is locked. Everybody who locks a person does it here:
-- two messages to one person meet, also when they name two rows of it. Whoever waited for a merge looks again.
-- +goose StatementBegin
CREATE FUNCTION person_lock(of_person uuid) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    one uuid;
BEGIN
    LOOP
        SELECT coalesce(p.merged_into, p.id) INTO one FROM public.people p WHERE p.id = of_person;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        PERFORM FROM public.people p WHERE p.id = one AND p.merged_into IS NULL FOR NO KEY UPDATE;
        IF FOUND THEN
            RETURN one;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Who must not be contacted, by name, address, domain or company: one row each time somebody said so. That of a person is kept on the
-- person as well (suppressed_at). A row is lifted by somebody who says why, and by nothing else.
CREATE TABLE suppressions (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    scope text NOT NULL CHECK (scope IN ('person', 'linkedin_urn', 'linkedin_slug', 'email', 'email_domain', 'company')),
    -- Normalized: a person's id, an identity's value, a domain in ASCII, a company's folded name. '' once whom it named was removed.
    value text NOT NULL CHECK (length(value) <= 900),
    why text NOT NULL CHECK (length(why) <= 300),
    set_by uuid NOT NULL REFERENCES principals,
    set_at timestamptz NOT NULL DEFAULT sendonce_now(),
    lifted_at timestamptz,
    lifted_by uuid REFERENCES principals,
    lifted_why text CHECK (length(lifted_why) BETWEEN 1 AND 300),
    CONSTRAINT lifting_says_who_and_why CHECK (num_nonnulls(lifted_at, lifted_by, lifted_why) IN (0, 3)),
    CONSTRAINT suppression_names_somebody CHECK (value <> '' OR lifted_at IS NOT NULL),
    CONSTRAINT a_person_by_their_id CHECK (scope <> 'person' OR value = '' OR value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
);
CREATE UNIQUE INDEX one_standing_suppression ON suppressions (workspace_id, scope, value) WHERE lifted_at IS NULL;
CREATE INDEX suppressions_workspace ON suppressions (workspace_id, id);

-- By what each row of a person is known to a suppression. A domain covers the domains below it.
CREATE VIEW contact_keys AS
SELECT i.person_id, i.kind AS scope, i.value FROM person_identities i
UNION ALL
SELECT i.person_id, 'email_domain', array_to_string(d.parts[n.first:], '.')
FROM person_identities i
CROSS JOIN LATERAL (SELECT string_to_array(substring(i.value FROM '[^@]*$'), '.') AS parts) d
CROSS JOIN LATERAL generate_series(1, cardinality(d.parts) - 1) AS n (first)
WHERE i.kind = 'email'
UNION ALL
SELECT p.id, 'company', p.company_key FROM people p WHERE p.company_key <> '';

-- What a removed person leaves: a keyed hash of each address, and no date. Whoever has the key can ask whether an address is among
-- them; nobody can read one.
CREATE TABLE removed_marks (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    mark bytea NOT NULL CHECK (length(mark) = 32),
    PRIMARY KEY (workspace_id, mark)
);

-- The key of a workspace's marks, sealed under a key of the data folder as the secrets of callback sources are: a copy of the
-- database alone cannot be asked. It stays the same for good, or no mark would be known again.
CREATE TABLE mark_keys (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    key_id text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 64),
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT sendonce_now()
);

-- What was done about a person, written by the database for every writer. other_id is whom they were merged into, or who owns them.
CREATE TABLE person_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    person_id uuid NOT NULL REFERENCES people,
    at timestamptz NOT NULL DEFAULT sendonce_now(),
    what text NOT NULL CHECK (what IN ('suppressed', 'unsuppressed', 'owned', 'disowned', 'merged', 'removed')),
    other_id uuid,
    principal_id uuid,
    written_by text NOT NULL
);
CREATE INDEX person_events_person ON person_events (person_id, id);

-- The team's rules about people. colleague_days: so long after a colleague's message another recruiter needs a reason; 0 is never.
-- person_most of 0 is as many as are approved. content_days of 0 keeps texts for good.
ALTER TABLE policies
    ADD COLUMN colleague_days integer NOT NULL DEFAULT 30 CHECK (colleague_days BETWEEN 0 AND 365),
    ADD COLUMN person_most integer NOT NULL DEFAULT 0 CHECK (person_most BETWEEN 0 AND 1000),
    ADD COLUMN person_days integer NOT NULL DEFAULT 7 CHECK (person_days BETWEEN 1 AND 365),
    ADD COLUMN content_days integer NOT NULL DEFAULT 0 CHECK (content_days BETWEEN 0 AND 3650);

CREATE OR REPLACE VIEW policies_now AS
SELECT w.id AS workspace_id, coalesce(p.number, 0) AS number, coalesce(p.approvers, 'any') AS approvers,
    coalesce(p.approval_lasts, w.approval_lasts) AS approval_lasts, coalesce(p.cool_off_days, 30) AS cool_off_days,
    coalesce(p.auto_approve, '[]') AS auto_approve, coalesce(p.colleague_days, 30) AS colleague_days,
    coalesce(p.person_most, 0) AS person_most, coalesce(p.person_days, 7) AS person_days, coalesce(p.content_days, 0) AS content_days
FROM workspaces w
LEFT JOIN LATERAL (SELECT * FROM policies l WHERE l.workspace_id = w.id ORDER BY l.number DESC LIMIT 1) p ON true;

-- A yes to a person whom a colleague owns, or wrote to lately: whose claim it passes over, and why.
ALTER TABLE approvals
    ADD COLUMN overrides uuid REFERENCES principals,
    ADD COLUMN override_why text CHECK (length(override_why) BETWEEN 1 AND 300),
    ADD CONSTRAINT override_says_why CHECK ((overrides IS NULL) = (override_why IS NULL));

-- A text may expire: it is gone then, and its digest and its hash stay.
ALTER TABLE message_versions ADD COLUMN expired_at timestamptz;
ALTER TABLE message_versions DROP CONSTRAINT message_versions_body_check;
ALTER TABLE message_versions ADD CONSTRAINT expired_text_is_gone CHECK (
    CASE WHEN expired_at IS NULL THEN length(body) BETWEEN 1 AND 8000 ELSE body = '' AND subject IS NULL END);
CREATE INDEX message_versions_to_expire ON message_versions (created_at) WHERE expired_at IS NULL;

-- The one effective level of a person for messages from an account: 'do_not_contact', else 'owned', else 'too_often', else 'free'.
-- passed_over is whose claim an approval passes over, with its reason: it counts for nothing, and everything else does.
-- because says what makes it so, owner_id whose claim it is, free_from when it ends by itself ('epoch': it does not). Without an
-- account every owner's claim counts. STABLE: it sees what the statement that asks sees, so after the locks all that they waited for.
-- +goose StatementBegin
CREATE FUNCTION person_contact(of_person uuid, from_account uuid, passed_over uuid, OUT level text, OUT because text, OUT owner_id uuid, OUT free_from timestamptz)
    RETURNS record LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    one public.people;
    rules public.policies_now;
    same uuid[];
    now_at timestamptz := public.sendonce_now();
    maker uuid := (SELECT a.created_by FROM public.accounts a WHERE a.id = from_account);
BEGIN
    free_from := 'epoch';
    SELECT o.* INTO STRICT one FROM public.people r JOIN public.people o ON o.id = coalesce(r.merged_into, r.id) WHERE r.id = of_person;
    same := one.id || ARRAY(SELECT f.id FROM public.people f WHERE f.merged_into = one.id);
    SELECT * INTO STRICT rules FROM public.policies_now p WHERE p.workspace_id = one.workspace_id;

    level := 'do_not_contact';
    IF one.removed_at IS NOT NULL THEN
        because := 'removed';
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM public.people p WHERE p.id = ANY (same) AND p.suppressed_at IS NOT NULL) THEN
        because := 'person';
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM public.suppressions s WHERE s.workspace_id = one.workspace_id AND s.lifted_at IS NULL) THEN
        SELECT s.scope INTO because FROM public.contact_keys k JOIN public.suppressions s
            ON s.workspace_id = one.workspace_id AND s.scope = k.scope AND s.value = k.value AND s.lifted_at IS NULL
            WHERE k.person_id = ANY (same)
            ORDER BY array_position(ARRAY['linkedin_urn', 'linkedin_slug', 'email', 'email_domain', 'company'], s.scope) LIMIT 1;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;

    level := 'owned';
    IF one.owner_id IS NOT NULL AND one.owner_id IS DISTINCT FROM maker AND one.owner_id IS DISTINCT FROM passed_over AND NOT EXISTS (
        SELECT FROM public.account_grants g WHERE g.account_id = from_account AND g.principal_id = one.owner_id) THEN
        because := 'owner';
        owner_id := one.owner_id;
        RETURN;
    END IF;
    SELECT a.created_by, coalesce(s.started_at, s.confirmed_at) + make_interval(days => rules.colleague_days) INTO owner_id, free_from
        FROM public.sends s JOIN public.accounts a ON a.id = s.account_id
        WHERE s.person_id = ANY (same) AND s.account_id <> from_account AND a.created_by <> maker
            AND a.created_by IS DISTINCT FROM passed_over
            AND s.status IN ('started', 'unconfirmed', 'sent')
            AND coalesce(s.started_at, s.confirmed_at) > now_at - make_interval(days => rules.colleague_days)
            AND NOT EXISTS (SELECT FROM public.account_grants theirs JOIN public.account_grants ours USING (principal_id)
                WHERE theirs.account_id = s.account_id AND ours.account_id = from_account)
        ORDER BY coalesce(s.started_at, s.confirmed_at) DESC LIMIT 1;
    IF FOUND THEN
        because := 'contacted';
        RETURN;
    END IF;
    free_from := 'epoch';

    level := 'too_often';
    IF rules.person_most > 0 THEN
        SELECT coalesce(s.started_at, s.confirmed_at) + make_interval(days => rules.person_days) INTO free_from
            FROM public.sends s
            WHERE s.person_id = ANY (same) AND s.status IN ('started', 'unconfirmed', 'sent')
                AND coalesce(s.started_at, s.confirmed_at) > now_at - make_interval(days => rules.person_days)
            ORDER BY coalesce(s.started_at, s.confirmed_at) DESC OFFSET rules.person_most - 1 LIMIT 1;
        IF FOUND THEN
            because := 'person_limit';
            RETURN;
        END IF;
        free_from := 'epoch';
    END IF;
    level := 'free';
    because := '';
END $$;
-- +goose StatementEnd

-- Which rows of people a standing suppression is about.
CREATE VIEW suppressed_people AS
SELECT named.suppression_id, each_row.id AS person_id
FROM (
    SELECT s.id AS suppression_id, CASE WHEN s.scope = 'person' THEN s.value::uuid END AS person_id
    FROM suppressions s WHERE s.scope = 'person' AND s.lifted_at IS NULL
    UNION ALL
    SELECT s.id, i.person_id FROM suppressions s
    JOIN person_identities i ON i.workspace_id = s.workspace_id AND i.kind = s.scope AND i.value = s.value
    WHERE s.lifted_at IS NULL
    UNION ALL
    SELECT s.id, k.person_id FROM suppressions s
    JOIN contact_keys k ON k.scope = s.scope AND k.value = s.value
    JOIN people p ON p.id = k.person_id AND p.workspace_id = s.workspace_id
    WHERE s.scope IN ('email_domain', 'company') AND s.lifted_at IS NULL
) named
JOIN same_people w ON w.person_id = named.person_id
CROSS JOIN LATERAL unnest(w.ids) AS each_row (id);

-- While a person is being removed: the transactions that may empty what is otherwise kept as it is. Only person_forget writes here.
CREATE TABLE forgetting (xid xid8 PRIMARY KEY);

-- All that is forgotten of a person who is removed, in one place. What stays names nobody: ids, moments, digests, moves, and the
-- purposes and tasks, which the digests bind. Each address leaves its mark, which whoever has the key has made of it.
-- +goose StatementBegin
CREATE FUNCTION person_forget(of_person uuid, by_principal uuid, marks bytea[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    now_at CONSTANT timestamptz := public.sendonce_now();
    gone CONSTANT text := '(removed)';
    same uuid[];
    their_messages uuid[];
    their_sends uuid[];
    their_marks uuid[];
BEGIN
    SELECT w.ids INTO STRICT same FROM public.same_people w WHERE w.person_id = of_person;
    their_messages := ARRAY(SELECT m.id FROM public.messages m WHERE m.person_id = ANY (same));
    their_sends := ARRAY(SELECT s.id FROM public.sends s WHERE s.message_id = ANY (their_messages));
    their_marks := ARRAY(SELECT s.id FROM public.suppressions s WHERE s.scope = 'person' AND s.value = ANY (same::text[])
        OR EXISTS (SELECT FROM public.person_identities i WHERE i.person_id = ANY (same)
            AND (i.workspace_id, i.kind, i.value) = (s.workspace_id, s.scope, s.value)));
    IF cardinality(marks) <> (SELECT count(*) FROM public.person_identities i WHERE i.person_id = ANY (same)) THEN
        RAISE EXCEPTION 'each address of person % leaves its mark', of_person USING ERRCODE = 'SO015',
            HINT = 'Give the keyed hash of every identity of every row of the person.';
    END IF;
    IF EXISTS (SELECT FROM public.sends s WHERE s.id = ANY (their_sends) AND s.status IN ('queued', 'leased', 'started', 'unconfirmed')) THEN
        RAISE EXCEPTION 'a send to person % has not ended', of_person USING ERRCODE = 'SO015',
            HINT = 'Cancel what waits, and wait for the end of what has begun. If it is unconfirmed, look and resolve it first.';
    END IF;
    INSERT INTO public.forgetting (xid) VALUES (pg_current_xact_id());
    INSERT INTO public.removed_marks (workspace_id, mark)
        SELECT p.workspace_id, unnest(marks) FROM public.people p WHERE p.id = of_person ON CONFLICT DO NOTHING;

    UPDATE public.people SET name = '', company = '', company_key = '', owner_id = NULL, removed_at = now_at, removed_by = by_principal
        WHERE id = ANY (same);
    DELETE FROM public.person_identities WHERE person_id = ANY (same);
    DELETE FROM public.conversations WHERE person_id = ANY (same);
    UPDATE public.suppressions SET value = '', why = '', lifted_at = coalesce(lifted_at, now_at), lifted_by = coalesce(lifted_by, by_principal),
        lifted_why = gone WHERE id = ANY (their_marks);

    UPDATE public.message_versions SET body = '', subject = NULL, expired_at = now_at
        WHERE message_id = ANY (their_messages) AND expired_at IS NULL;
    UPDATE public.messages SET follows_why = CASE WHEN follows_why IS NOT NULL THEN gone END,
        closed_why = CASE WHEN closed_why IS NOT NULL THEN gone END
        WHERE id = ANY (their_messages) AND num_nonnulls(follows_why, closed_why) > 0;
    UPDATE public.approvals SET override_why = gone WHERE message_id = ANY (their_messages) AND override_why IS NOT NULL;
    UPDATE public.rejections SET why = '' WHERE message_id = ANY (their_messages) AND why <> '';
    UPDATE public.evidence SET note = CASE WHEN note IS NOT NULL THEN '' END, body = body - 'conversation'
        WHERE send_id = ANY (their_sends) AND (note <> '' OR body ? 'conversation');
    UPDATE public.delivery_observations SET detail = '' WHERE message_id = ANY (their_messages) AND detail <> '';
    UPDATE public.incidents SET note = '' WHERE note <> '' AND (message_id = ANY (their_messages)
        OR subject_id = ANY (their_messages || their_sends || same));
    UPDATE public.incident_events e SET note = '' FROM public.incidents i WHERE i.id = e.incident_id AND e.note <> ''
        AND (i.message_id = ANY (their_messages) OR i.subject_id = ANY (their_messages || their_sends || same));
    UPDATE public.idempotency_keys SET answer_body = NULL, forgotten_at = now_at
        WHERE answer_body <> '' AND object_id = ANY (their_messages || their_sends || their_marks || same);

    DELETE FROM public.forgetting WHERE xid = pg_current_xact_id();
END $$;
-- +goose StatementEnd

-- Runs before a person is born merged or removed, is merged or removed, is taken back from either, or has their own mark cleared.
-- +goose StatementBegin
CREATE FUNCTION people_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    survivor public.people;
    rival public.message_intents;
    live public.sends;
    ours uuid[];
    same uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        RAISE EXCEPTION 'a person is born neither merged nor removed' USING ERRCODE = 'SO015', HINT = 'Insert them, then merge or remove them.';
    END IF;
    IF (OLD.id, OLD.workspace_id, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.workspace_id, NEW.created_at) THEN
        RAISE EXCEPTION 'who person % is, is frozen', OLD.id USING ERRCODE = 'SO003', HINT = 'Another person is another row.';
    END IF;
    IF NEW.removed_at IS DISTINCT FROM OLD.removed_at THEN
        IF OLD.removed_at IS NOT NULL OR NOT EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
            RAISE EXCEPTION 'person % is removed as a whole and for good', OLD.id USING ERRCODE = 'SO015',
                HINT = 'Call person_forget; it empties all that names them.';
        END IF;
        NEW.removed_at := public.sendonce_now();
    END IF;
    IF OLD.suppressed_at IS NOT NULL AND NEW.suppressed_at IS NULL AND EXISTS (SELECT FROM public.suppressions s
        WHERE (s.workspace_id, s.scope, s.value) = (OLD.workspace_id, 'person', OLD.id::text) AND s.lifted_at IS NULL) THEN
        RAISE EXCEPTION 'somebody said that person % must not be contacted', OLD.id USING ERRCODE = 'SO015',
            HINT = 'Lift that suppression with lifted_by and lifted_why.';
    END IF;
    IF (NEW.merged_into, NEW.merged_at, NEW.merged_by) IS NOT DISTINCT FROM (OLD.merged_into, OLD.merged_at, OLD.merged_by) THEN
        RETURN NEW;
    END IF;
    IF OLD.merged_into IS NOT NULL THEN
        -- They go where the one went into whom they were merged, and nowhere else: people_point_on moves them.
        IF NOT EXISTS (SELECT FROM public.people o WHERE o.id = OLD.merged_into AND o.merged_into = NEW.merged_into) THEN
            RAISE EXCEPTION 'person % was merged, which is for good', OLD.id USING ERRCODE = 'SO015',
                HINT = 'What was counted for two as one is not parted again.';
        END IF;
        NEW.merged_at := public.sendonce_now();
        RETURN NEW;
    END IF;
    SELECT * INTO survivor FROM public.people WHERE id = NEW.merged_into;
    IF survivor.id IS NULL OR survivor.id = NEW.id OR survivor.merged_into IS NOT NULL OR survivor.removed_at IS NOT NULL
        OR NEW.removed_at IS NOT NULL THEN
        RAISE EXCEPTION 'person % cannot be merged into %', NEW.id, NEW.merged_into USING ERRCODE = 'SO015',
            HINT = 'A merge is for good, and goes to a person who is neither merged nor removed.';
    END IF;
    SELECT w.ids INTO ours FROM public.same_people w WHERE w.person_id = NEW.id;
    SELECT w.ids INTO same FROM public.same_people w WHERE w.person_id = survivor.id;
    SELECT s.* INTO live FROM public.sends s WHERE s.person_id = ANY (ours || same) AND (s.status IN ('queued', 'leased') OR s.requeue_at IS NOT NULL) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'send % was approved by somebody who saw one history of two, and is %', live.id, live.status USING ERRCODE = 'SO015',
            HINT = 'Cancel it, void its approval, and have it approved again after the merge.';
    END IF;
    SELECT b.* INTO rival FROM public.message_intents a JOIN public.message_intents b ON b.purpose = a.purpose OR b.task = a.task
        WHERE a.person_id = ANY (ours) AND (a.waits OR a.live_send IS NOT NULL)
            AND b.person_id = ANY (same) AND (b.waits OR b.live_send IS NOT NULL) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'both people have a message for one intent that may still go out; of the other it is %', rival.message_id
            USING ERRCODE = 'SO015', HINT = 'Take one of them back. If it is unconfirmed, look and resolve it first.';
    END IF;
    NEW.merged_at := public.sendonce_now();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Whoever was merged into one that is merged now is that other one too: no pointer ever leads to another.
-- +goose StatementBegin
CREATE FUNCTION people_point_on() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE public.people SET merged_into = NEW.merged_into, merged_by = NEW.merged_by, merged_at = NEW.merged_at WHERE merged_into = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION people_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    did text;
    other uuid;
BEGIN
    FOR did, other IN
        SELECT d.what, d.other FROM (VALUES
            (1, OLD.suppressed_at IS NULL AND NEW.suppressed_at IS NOT NULL, 'suppressed', NULL::uuid),
            (2, OLD.suppressed_at IS NOT NULL AND NEW.suppressed_at IS NULL, 'unsuppressed', NULL),
            (3, OLD.owner_id IS DISTINCT FROM NEW.owner_id AND NEW.owner_id IS NOT NULL, 'owned', NEW.owner_id),
            (4, OLD.owner_id IS NOT NULL AND NEW.owner_id IS NULL, 'disowned', OLD.owner_id),
            (5, OLD.merged_into IS DISTINCT FROM NEW.merged_into, 'merged', NEW.merged_into),
            (6, OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL, 'removed', NULL)
        ) AS d (place, happened, what, other) WHERE d.happened ORDER BY d.place
    LOOP
        INSERT INTO public.person_events (workspace_id, person_id, what, other_id, principal_id, written_by)
        VALUES (NEW.workspace_id, NEW.id, did, other, nullif(current_setting('sendonce.principal', true), '')::uuid, session_user);
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- An identity names one row of people for good: what was approved for that row goes to it.
-- +goose StatementBegin
CREATE FUNCTION person_identities_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'an identity names one person for good: % is refused', lower(TG_OP) USING ERRCODE = 'SO015',
        HINT = 'If two are one person, merge them; if one asks to be forgotten, remove them.';
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION suppressions_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
        RETURN NEW;
    END IF;
    IF (OLD.id, OLD.workspace_id, OLD.scope, OLD.value, OLD.why, OLD.set_by, OLD.set_at)
        IS DISTINCT FROM (NEW.id, NEW.workspace_id, NEW.scope, NEW.value, NEW.why, NEW.set_by, NEW.set_at) OR OLD.lifted_at IS NOT NULL THEN
        RAISE EXCEPTION 'suppression % stays as it is until it is lifted, and then for good', OLD.id USING ERRCODE = 'SO015',
            HINT = 'Lift it with lifted_by and lifted_why; who is not to be contacted again is another row.';
    END IF;
    NEW.lifted_at := public.sendonce_now();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs after a person's own suppression is set or lifted. Two of the same person meet at the row of people.
-- +goose StatementBegin
CREATE FUNCTION suppressions_people() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE public.people SET suppressed_at = CASE WHEN NEW.lifted_at IS NULL THEN NEW.set_at END
        WHERE workspace_id = NEW.workspace_id AND id = NEW.value::uuid;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A text expires once, whole, and only when nothing can need it any more.
-- +goose StatementBegin
CREATE FUNCTION message_versions_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    live public.sends;
    changes CONSTANT text[] := '{body,subject,expired_at}';
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.expired_at IS NULL AND NEW.expired_at IS NOT NULL AND to_jsonb(NEW) - changes = to_jsonb(OLD) - changes THEN
        SELECT s.* INTO live FROM public.sends s
            WHERE s.message_id = OLD.message_id AND (s.status IN ('queued', 'leased', 'started', 'unconfirmed') OR s.requeue_at IS NOT NULL) LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'message % has the send %, which is %', OLD.message_id, live.id, live.status USING ERRCODE = 'SO015',
                HINT = 'A text stays while it may be sent or looked for.';
        END IF;
        NEW.expired_at := public.sendonce_now();
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% is kept for ever: % is refused', TG_TABLE_NAME, lower(TG_OP) USING ERRCODE = 'SO008',
        HINT = 'Nothing that happened is removed or rewritten. Add a row that says what is so now.';
END $$;
-- +goose StatementEnd

-- As before, and what a removed person leaves is emptied.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% is kept for ever: % is refused', TG_TABLE_NAME, lower(TG_OP) USING ERRCODE = 'SO008',
        HINT = 'Nothing that happened is removed or rewritten. Add a row that says what is so now.';
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION identity_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what a row of % is, is frozen', TG_TABLE_NAME USING ERRCODE = 'SO003',
        HINT = CASE TG_TABLE_NAME WHEN 'approvals' THEN 'Void the approval and approve the current version anew.'
            ELSE 'A message to someone else, or from another account, is a new message.' END;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION messages_final() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'message % was %, which is for good', OLD.id, CASE WHEN OLD.closed_at IS NULL THEN 'withdrawn' ELSE 'closed' END
        USING ERRCODE = 'SO012', HINT = 'Propose a new message.';
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION incidents_refuse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.forgetting WHERE xid = pg_current_xact_id()) THEN
        RETURN NEW;
    END IF;
    IF OLD.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'incident % was closed at %', OLD.id, OLD.closed_at USING ERRCODE = 'SO003',
            HINT = 'What comes back is a new incident: insert it.';
    END IF;
    RAISE EXCEPTION 'what incident % is about and when it was opened is frozen, and its count only grows', OLD.id
        USING ERRCODE = 'SO003', HINT = 'Change count, message_id, closed_at, closed_by and note alone.';
END $$;
-- +goose StatementEnd

-- As before, and no send is born to who must not be contacted, nor of a text that is gone.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sends_authority() RETURNS trigger
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
    IF (SELECT c.level FROM public.person_contact(NEW.person_id, NEW.account_id, NULL) c) = 'do_not_contact' THEN
        RAISE EXCEPTION 'person % must not be contacted', NEW.person_id USING ERRCODE = 'SO015',
            HINT = 'Lift the suppression first, if they agree; who was removed is not written to again.';
    END IF;
    IF EXISTS (SELECT FROM public.message_versions v WHERE v.message_id = NEW.message_id AND v.version = NEW.version AND v.expired_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the text of message % is gone', NEW.message_id USING ERRCODE = 'SO015', HINT = 'Write its next version.';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- As before, over all rows of the person.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION intent_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    own uuid;
    one uuid;
    same uuid[];
    this public.message_intents;
    rival public.message_intents;
    followed public.sends;
BEGIN
    IF TG_TABLE_NAME = 'sends' THEN
        own := NEW.message_id;
    ELSE
        own := NEW.id;
    END IF;
    one := public.person_lock(NEW.person_id);
    UPDATE public.people SET intents = intents + 1 WHERE id = one;
    SELECT w.ids INTO same FROM public.same_people w WHERE w.person_id = one;
    SELECT * INTO this FROM public.message_intents WHERE message_id = own;
    SELECT * INTO followed FROM public.sends WHERE id = this.follows_send;
    IF followed.person_id <> ALL (same) THEN
        RAISE EXCEPTION 'message % follows a send to somebody else', own USING ERRCODE = 'SO013',
            HINT = 'Name a send to the same person in follows_send.';
    ELSIF followed.status IN ('queued', 'leased', 'started', 'unconfirmed') THEN
        RAISE EXCEPTION 'message % follows send %, which is %', own, followed.id, followed.status USING ERRCODE = 'SO013',
            HINT = 'Wait for its end. If it is unconfirmed, look and resolve it first.';
    END IF;
    SELECT * INTO rival FROM public.message_intents r
        WHERE r.person_id = ANY (same) AND r.message_id <> own AND (r.purpose = this.purpose OR r.task = this.task)
            AND (r.waits OR r.live_send IS NOT NULL OR r.begun_send IS NOT NULL)
        ORDER BY (r.waits OR r.live_send IS NOT NULL) DESC, r.began_at DESC NULLS LAST LIMIT 1;
    IF rival.waits OR rival.live_send IS NOT NULL THEN
        RAISE EXCEPTION 'message % to the same person for the same purpose or task may still go out', rival.message_id
            USING ERRCODE = 'SO013',
            HINT = 'Change that message, take it back, or wait for its end. If it is unconfirmed, look and resolve it first.';
    ELSIF rival.begun_send IS DISTINCT FROM this.follows_send AND rival.begun_send IS NOT NULL THEN
        RAISE EXCEPTION 'send % was to the same person for the same purpose or task', rival.begun_send USING ERRCODE = 'SO013',
            HINT = 'A further message is a new decision: insert it with that send in follows_send, and why in follows_why.';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- As before, over all rows of the person.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION deliveries_same_person() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    message public.messages;
    person public.same_people;
BEGIN
    SELECT * INTO message FROM public.messages WHERE id = NEW.message_id;
    SELECT * INTO person FROM public.same_people WHERE person_id = message.person_id;
    PERFORM pg_advisory_xact_lock(hashtextextended('delivery to person ' || person.one_id, 0));
    IF EXISTS (SELECT FROM public.sends o JOIN public.deliveries d ON d.message_id = o.message_id
            JOIN public.messages m ON m.id = o.message_id
            WHERE o.person_id = ANY (person.ids) AND o.message_id <> message.id AND m.purpose_key = message.purpose_key
            AND d.created_at > public.sendonce_now() - interval '1 day')
        AND message.follows_send IS NULL
        AND NOT EXISTS (SELECT FROM public.deliveries d WHERE d.message_id = message.id AND d.id <> NEW.id)
        AND NOT EXISTS (SELECT FROM public.sends s JOIN public.approvals a ON a.id = s.approval_id
            WHERE s.id = NEW.send_id AND a.repeat_approved) THEN
        INSERT INTO public.incidents (workspace_id, kind, subject_id, message_id, account_id)
        VALUES (NEW.workspace_id, 'second_message', person.one_id, message.id, NEW.account_id)
        ON CONFLICT (workspace_id, kind, subject_id) WHERE closed_at IS NULL
            DO UPDATE SET count = incidents.count + 1, message_id = excluded.message_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The feed tells of a person who is another one from then on (to_state is that one's id), or who was removed.
ALTER TABLE events DROP CONSTRAINT events_type_check;
ALTER TABLE events ADD CONSTRAINT events_type_check CHECK (type IN ('authority', 'closed', 'approval_requested', 'approved', 'approval_voided',
    'completed', 'delivery', 'delivery_trouble', 'written_by_hand', 'incident_opened', 'incident_closed', 'account_stopped', 'account_cleared', 'account_paused',
    'account_resumed', 'install_revoked', 'install_paused', 'install_resumed', 'workspace_paused', 'workspace_resumed',
    'everything_paused', 'everything_resumed', 'person_replied', 'person_suppressed', 'person_unsuppressed', 'person_merged', 'person_removed'));

-- As before, and of merges and removals. What one of two had replied before they were merged is no reply of the merge's.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION people_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    was public.people;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        was := OLD;
    END IF;
    IF NEW.replied_at IS NOT NULL AND NEW.replied_at IS DISTINCT FROM was.replied_at
        AND NOT EXISTS (SELECT FROM public.people f WHERE f.merged_into = NEW.id AND f.replied_at = NEW.replied_at) THEN
        INSERT INTO public.events (workspace_id, type, person_id) VALUES (NEW.workspace_id, 'person_replied', NEW.id);
    END IF;
    IF (NEW.suppressed_at IS NULL) <> (was.suppressed_at IS NULL) THEN
        INSERT INTO public.events (workspace_id, type, person_id) VALUES (NEW.workspace_id,
            CASE WHEN NEW.suppressed_at IS NULL THEN 'person_unsuppressed' ELSE 'person_suppressed' END, NEW.id);
    END IF;
    IF NEW.merged_into IS DISTINCT FROM was.merged_into THEN
        INSERT INTO public.events (workspace_id, type, person_id, to_state) VALUES (NEW.workspace_id, 'person_merged', NEW.id, NEW.merged_into::text);
    END IF;
    IF was.removed_at IS NULL AND NEW.removed_at IS NOT NULL THEN
        INSERT INTO public.events (workspace_id, type, person_id) VALUES (NEW.workspace_id, 'person_removed', NEW.id);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
