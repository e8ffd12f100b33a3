-- +goose Up
-- Templates and what they can say of a person, and lists of people that come in a file.

-- A template is what many messages say, each with its own values. A version is kept as it was: messages name the one that they were
-- written from. What a message says is in its own version, and is never rendered again.
CREATE TABLE templates (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    version integer NOT NULL CHECK (version > 0),
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    UNIQUE (workspace_id, id)
);
CREATE TABLE template_versions (
    template_id uuid NOT NULL REFERENCES templates,
    version integer NOT NULL CHECK (version > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    subject text NOT NULL CHECK (length(subject) <= 300),
    body text NOT NULL CHECK (length(body) BETWEEN 1 AND 8000),
    -- A list of {name, required, default}, in the order in which the texts name them.
    variables jsonb NOT NULL CHECK (jsonb_typeof(variables) = 'array'),
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (template_id, version)
);
ALTER TABLE message_versions
    ADD COLUMN template_id uuid,
    ADD COLUMN template_version integer,
    ADD FOREIGN KEY (template_id, template_version) REFERENCES template_versions (template_id, version),
    ADD CONSTRAINT template_in_a_version CHECK ((template_id IS NULL) = (template_version IS NULL));

-- What is known of a person beside name and company, by the names that templates have for it: an object of texts.
ALTER TABLE people
    ADD COLUMN fields jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(fields) = 'object' AND length(fields::text) <= 60000),
    DROP CONSTRAINT removed_is_bare,
    ADD CONSTRAINT removed_is_bare CHECK (removed_at IS NULL OR name = '' AND company = '' AND company_key = '' AND fields = '{}' AND owner_id IS NULL);

-- A file with people. It is looked at from the first row to the last (judged_to), and once it is begun carried out in the same way
-- (handled_to): both in parts, each in one transaction with what it writes of the rows, so that it goes on where it was.
CREATE TABLE imports (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    file_name text NOT NULL CHECK (length(file_name) <= 200),
    encoding text NOT NULL CHECK (encoding IN ('utf-8', 'utf-16le', 'utf-16be', 'windows-1252')),
    delimiter text NOT NULL CHECK (length(delimiter) = 1),
    has_header boolean NOT NULL,
    header text[] NOT NULL,
    -- What each column is: '' is nothing.
    mapping text[] NOT NULL,
    mapping_number integer NOT NULL DEFAULT 1,
    row_count integer NOT NULL CHECK (row_count BETWEEN 1 AND 50001),
    last_row integer NOT NULL,
    judged_to integer NOT NULL DEFAULT 0 CHECK (judged_to <= last_row),
    handled_to integer NOT NULL DEFAULT 0 CHECK (handled_to <= last_row),
    created_by uuid NOT NULL REFERENCES principals,
    created_at timestamptz NOT NULL DEFAULT sendonce_now(),
    begun_by uuid REFERENCES principals,
    begun_at timestamptz,
    ended_at timestamptz,
    -- What was uploaded is gone since.
    forgotten_at timestamptz,
    CHECK (cardinality(header) = cardinality(mapping)),
    CONSTRAINT import_begun_says_who CHECK ((begun_by IS NULL) = (begun_at IS NULL)),
    CONSTRAINT import_is_looked_at_first CHECK (begun_at IS NULL OR judged_to = last_row),
    CONSTRAINT import_ends_with_its_last_row CHECK (ended_at IS NULL OR handled_to = last_row AND begun_at IS NOT NULL)
);
CREATE INDEX imports_workspace ON imports (workspace_id, id);
CREATE INDEX imports_open ON imports (id) WHERE ended_at IS NULL AND forgotten_at IS NULL;

CREATE TABLE import_rows (
    import_id uuid NOT NULL REFERENCES imports,
    number integer NOT NULL CHECK (number > 0),
    cells jsonb NOT NULL CHECK (jsonb_typeof(cells) = 'array'),
    flaw text NOT NULL CHECK (length(flaw) <= 300),
    -- Every address in it, whatever its column, as kind:value. By these a removed person is found.
    names text[] NOT NULL,
    verdict text CHECK (verdict IN ('new', 'known', 'contacted', 'owned', 'unconfirmed', 'in_file_twice', 'do_not_contact', 'invalid')),
    why text NOT NULL DEFAULT '' CHECK (length(why) <= 300),
    same_as integer,
    person_id uuid REFERENCES people,
    outcome text CHECK (outcome IN ('made', 'filled', 'unchanged', 'left_out')),
    forgotten boolean NOT NULL DEFAULT false,
    PRIMARY KEY (import_id, number),
    CONSTRAINT forgotten_row_is_empty CHECK (NOT forgotten OR cells = '[]' AND names = '{}')
);
CREATE INDEX import_rows_person ON import_rows (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX import_rows_names ON import_rows USING gin (names);
CREATE INDEX import_rows_to_forget ON import_rows (import_id, number) WHERE NOT forgotten;

-- What the columns of a header were when an import with it was begun last.
CREATE TABLE import_mappings (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    header_hash bytea NOT NULL CHECK (length(header_hash) = 32),
    mapping text[] NOT NULL,
    set_by uuid NOT NULL REFERENCES principals,
    set_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (workspace_id, header_hash)
);

-- As before, and of all else that is known of a person. All that is forgotten of one who is removed, in one place. What stays names nobody: ids, moments, digests, moves, and the
-- purposes and tasks, which the digests bind. Each address leaves its mark, which whoever has the key has made of it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION person_forget(of_person uuid, by_principal uuid, marks bytea[]) RETURNS void
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

    UPDATE public.people SET name = '', company = '', company_key = '', fields = '{}', owner_id = NULL, removed_at = now_at, removed_by = by_principal
        WHERE id = ANY (same);
    UPDATE public.import_rows r SET cells = '[]', names = '{}', flaw = '', why = '', forgotten = true FROM public.imports i
        WHERE i.id = r.import_id AND i.workspace_id = (SELECT p.workspace_id FROM public.people p WHERE p.id = of_person) AND NOT r.forgotten
            AND (r.person_id = ANY (same) OR r.names && ARRAY(SELECT n.kind || ':' || n.value FROM public.person_identities n WHERE n.person_id = ANY (same)));
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
