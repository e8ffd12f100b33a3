-- Who is known by the shown URN, or else, while nobody is, by the shown address. Of one who is the same person it is the send's own row.
-- And whether that profile must not be contacted, whoever it is.
-- name: PersonJoining :one
SELECT
    coalesce((SELECT i.value FROM person_identities i WHERE i.person_id = s.person_id AND i.kind = 'linkedin_urn' ORDER BY i.value LIMIT 1), '')::text AS pinned_urn,
    coalesce(CASE WHEN known.by = ANY (w.ids) THEN s.person_id ELSE known.by END, '00000000-0000-0000-0000-000000000000')::uuid AS owner,
    EXISTS (SELECT FROM suppressions x WHERE x.workspace_id = s.workspace_id AND x.lifted_at IS NULL
        AND (x.scope = 'linkedin_urn' AND x.value = @urn OR x.scope = 'linkedin_slug' AND x.value = @slug))::boolean AS suppressed
FROM sends s JOIN same_people w ON w.person_id = s.person_id
CROSS JOIN LATERAL (SELECT coalesce(
    (SELECT i.person_id FROM person_identities i WHERE i.workspace_id = s.workspace_id AND i.kind = 'linkedin_urn' AND i.value = @urn),
    (SELECT i.person_id FROM person_identities i WHERE i.workspace_id = s.workspace_id AND i.kind = 'linkedin_slug' AND i.value = @slug)) AS by) known
WHERE s.id = @send_id;

-- name: PersonPinURN :execrows
INSERT INTO person_identities (workspace_id, kind, value, person_id)
SELECT s.workspace_id, 'linkedin_urn', @urn, s.person_id FROM sends s WHERE s.id = @send_id
ON CONFLICT DO NOTHING;

-- name: PersonName :exec
UPDATE people SET name = @name WHERE id = (SELECT person_id FROM sends s WHERE s.id = @send_id) AND name = '' AND removed_at IS NULL;

-- name: PeopleAreOne :one
SELECT EXISTS (SELECT FROM same_people w WHERE w.person_id = @one::uuid AND @other::uuid = ANY (w.ids))::boolean AS are_one;

-- How freely a person may be written to. Whoever decides on it holds the person's lock.
-- name: PersonContact :one
SELECT c.level::text AS level, coalesce(c.because, '')::text AS because,
    coalesce(c.owner_id, '00000000-0000-0000-0000-000000000000')::uuid AS owner_id, c.free_from::timestamptz AS free_from,
    coalesce(p.name, '')::text AS owner_name
FROM person_contact(@person_id::uuid, sqlc.narg(account_id)::uuid, sqlc.narg(passed_over)::uuid) AS c (level, because, owner_id, free_from) LEFT JOIN principals p ON p.id = c.owner_id;

-- The same of whoever has an identity, read with what makes them or locks them.
-- name: IdentityContact :one
SELECT c.level::text AS level, coalesce(c.because, '')::text AS because,
    coalesce(c.owner_id, '00000000-0000-0000-0000-000000000000')::uuid AS owner_id, c.free_from::timestamptz AS free_from,
    coalesce(p.name, '')::text AS owner_name
FROM person_identities i CROSS JOIN LATERAL person_contact(i.person_id, @account_id::uuid, NULL::uuid) AS c (level, because, owner_id, free_from)
LEFT JOIN principals p ON p.id = c.owner_id
WHERE i.workspace_id = @workspace_id AND i.kind = @kind AND i.value = @value;

-- The same of many messages, each from its account, for a page.
-- name: MessagesContact :many
SELECT m.id, c.level::text AS level, coalesce(c.because, '')::text AS because,
    coalesce(c.owner_id, '00000000-0000-0000-0000-000000000000')::uuid AS owner_id, c.free_from::timestamptz AS free_from,
    coalesce(p.name, '')::text AS owner_name
FROM messages m CROSS JOIN LATERAL person_contact(m.person_id, m.account_id, NULL::uuid) AS c (level, because, owner_id, free_from) LEFT JOIN principals p ON p.id = c.owner_id
WHERE m.workspace_id = @workspace_id AND m.id = ANY (@messages::uuid[]);

-- Everybody, or who has exactly this identity, or whose name holds this; not who was merged into another, nor who was removed.
-- name: PeoplePage :many
SELECT p.id, p.name, p.company, p.fields, p.replied_at, p.created_at, p.removed_at, p.owner_id, coalesce(o.name, '')::text AS owner_name,
    c.level::text AS level, coalesce(c.because, '')::text AS because, w.ids::uuid[] AS ids
FROM (SELECT f.* FROM people f
    WHERE f.workspace_id = @workspace_id AND f.merged_into IS NULL AND f.removed_at IS NULL
        AND (sqlc.narg(after)::uuid IS NULL OR f.id > sqlc.narg(after))
        AND (@value::text = '' OR f.id = (SELECT k.one_id FROM person_identities i JOIN same_people k ON k.person_id = i.person_id
            WHERE i.workspace_id = @workspace_id AND i.kind = @kind::text AND i.value = @value::text))
        AND (@name::text = '' OR strpos(lower(f.name), lower(@name::text)) > 0)
    ORDER BY f.id LIMIT @most) p
JOIN same_people w ON w.person_id = p.id
CROSS JOIN LATERAL person_contact(p.id, NULL::uuid, NULL::uuid) AS c (level, because, owner_id, free_from)
LEFT JOIN principals o ON o.id = p.owner_id
ORDER BY p.id;

-- The person that any of its rows names.
-- name: PersonGet :one
SELECT p.id, p.name, p.company, p.fields, p.replied_at, p.created_at, p.removed_at, p.owner_id, coalesce(o.name, '')::text AS owner_name,
    c.level::text AS level, coalesce(c.because, '')::text AS because, w.ids::uuid[] AS ids
FROM same_people w JOIN people p ON p.id = w.one_id
CROSS JOIN LATERAL person_contact(p.id, NULL::uuid, NULL::uuid) AS c (level, because, owner_id, free_from)
LEFT JOIN principals o ON o.id = p.owner_id
WHERE p.workspace_id = @workspace_id AND w.person_id = @id::uuid;

-- name: PersonEvents :many
SELECT e.at, e.what, e.other_id, coalesce(owner.name, '')::text AS other_name, coalesce(p.name, '')::text AS by_name
FROM person_events e LEFT JOIN principals p ON p.id = e.principal_id LEFT JOIN principals owner ON owner.id = e.other_id
WHERE e.person_id = ANY (@people::uuid[]) ORDER BY e.id DESC LIMIT @most;

-- name: PersonSet :exec
UPDATE people SET name = @name, company = @company, company_key = @company_key, fields = @fields, owner_id = sqlc.narg(owner_id)
WHERE workspace_id = @workspace_id AND id = @id AND removed_at IS NULL;

-- Who may own people: somebody of the workspace who decides.
-- name: PersonOwnerNamed :one
SELECT name FROM principals WHERE workspace_id = @workspace_id AND id = @id AND role IN ('admin', 'recruiter');

-- What a merge or a removal would meet. intents counts each message and each send to the person.
-- name: PersonStakes :one
SELECT p.id, p.name, p.removed_at, p.owner_id, coalesce(o.name, '')::text AS owner_name, p.intents,
    (SELECT count(*) FROM messages m WHERE m.person_id = ANY (w.ids)) AS messages,
    (SELECT count(*) FROM messages m WHERE m.person_id = ANY (w.ids) AND m.authority IN ('draft', 'proposed') AND m.closed_at IS NULL) AS proposed,
    (SELECT count(*) FROM sends s WHERE s.person_id = ANY (w.ids) AND (s.status IN ('queued', 'leased') OR s.requeue_at IS NOT NULL)) AS waiting,
    (SELECT count(*) FROM sends s WHERE s.person_id = ANY (w.ids) AND s.status = 'started') AS started,
    (SELECT count(*) FROM sends s WHERE s.person_id = ANY (w.ids) AND s.status = 'unconfirmed') AS unconfirmed,
    (SELECT count(*) FROM sends s WHERE s.person_id = ANY (w.ids) AND s.status = 'sent') AS sent,
    c.level::text AS level, coalesce(c.because, '')::text AS because, w.ids::uuid[] AS ids
FROM same_people w JOIN people p ON p.id = w.one_id
CROSS JOIN LATERAL person_contact(p.id, NULL::uuid, NULL::uuid) AS c (level, because, owner_id, free_from)
LEFT JOIN principals o ON o.id = p.owner_id
WHERE p.workspace_id = @workspace_id AND w.person_id = @id::uuid;

-- How many uploaded files name the person in a row that is kept.
-- name: PersonFiles :one
SELECT count(DISTINCT r.import_id) AS files FROM import_rows r JOIN imports i ON i.id = r.import_id
WHERE i.workspace_id = @workspace_id AND NOT r.forgotten AND (r.person_id = ANY (@people::uuid[])
    OR r.names && ARRAY(SELECT n.kind || ':' || n.value FROM person_identities n WHERE n.person_id = ANY (@people::uuid[])));

-- Messages of two people for one intent that may both still go out.
-- name: IntentsOfBoth :many
SELECT a.message_id AS kept_message, b.message_id AS gone_message, a.purpose
FROM message_intents a JOIN message_intents b ON b.purpose = a.purpose OR b.task = a.task
WHERE a.person_id = ANY (@kept::uuid[]) AND b.person_id = ANY (@gone::uuid[])
    AND (a.waits OR a.live_send IS NOT NULL) AND (b.waits OR b.live_send IS NOT NULL)
ORDER BY a.message_id, b.message_id LIMIT @most;

-- The lock order of cold operations, for everything of a person: their messages, then SendsLockOfMessages, then PersonLock.
-- name: MessagesLockOfPeople :many
SELECT m.id FROM messages m WHERE m.workspace_id = @workspace_id AND m.person_id = ANY (@people::uuid[]) ORDER BY m.id FOR NO KEY UPDATE;

-- Those of these people who were not merged meanwhile, by id.
-- name: PeopleLock :many
SELECT id FROM people WHERE id = ANY (@people::uuid[]) AND merged_into IS NULL ORDER BY id FOR NO KEY UPDATE;

-- name: SendsWaitingOf :many
SELECT s.id, s.message_id, s.account_id, s.status FROM sends s
WHERE s.message_id = ANY (@messages::uuid[]) AND s.status IN ('queued', 'leased') ORDER BY s.id;

-- name: ApprovalsVoidOf :exec
UPDATE approvals SET voided_at = sendonce_now(), void_reason = @reason::text, voided_by = sqlc.narg(voided_by)
WHERE message_id = ANY (@messages::uuid[]) AND voided_at IS NULL;

-- name: MessagesProposeAgain :exec
UPDATE messages SET authority = 'proposed' WHERE id = ANY (@messages::uuid[]) AND authority = 'approved';

-- What one of two people is known for goes on with the other: the newest reply always, the rest where the other has none, and of fields as
-- many as a person may have. What is left out stands in the row that goes.
-- name: PersonInherit :exec
UPDATE people k SET name = CASE WHEN k.name = '' THEN g.name ELSE k.name END, replied_at = greatest(k.replied_at, g.replied_at),
    company = CASE WHEN k.company = '' THEN g.company ELSE k.company END,
    company_key = CASE WHEN k.company = '' THEN g.company_key ELSE k.company_key END, owner_id = coalesce(k.owner_id, g.owner_id),
    fields = k.fields || (SELECT coalesce(jsonb_object_agg(o.key, o.value), '{}') FROM (
        SELECT f.key, f.value FROM jsonb_each(g.fields) f WHERE f.key NOT IN (SELECT jsonb_object_keys(k.fields)) ORDER BY f.key
        LIMIT greatest((@fields_most)::integer - (SELECT count(*)::integer FROM jsonb_object_keys(k.fields)), 0)) o)
FROM people g WHERE k.id = @kept AND g.id = @gone;

-- Whoever was merged into the one that goes is pointed on by the database.
-- name: PersonMerge :exec
UPDATE people SET merged_into = @kept::uuid, merged_by = @merged_by::uuid, merged_at = sendonce_now() WHERE id = @gone;

-- What a machine would send again it sends no more.
-- name: RequeuesClearOf :many
UPDATE sends SET requeue_at = NULL WHERE message_id = ANY (@messages::uuid[]) AND requeue_at IS NOT NULL RETURNING message_id;

-- name: MessagesWithdrawOf :exec
UPDATE messages SET authority = 'withdrawn' WHERE id = ANY (@messages::uuid[]) AND authority IN ('draft', 'proposed', 'approved', 'expired')
    AND NOT EXISTS (SELECT FROM sends s WHERE s.message_id = messages.id AND s.status = 'sent');

-- name: PersonForget :exec
SELECT person_forget(@person_id::uuid, @by_principal::uuid, @marks::bytea[]);

-- A person as an account knows them: with the thread in which it last reached them. Read after the lock: so is the time.
-- name: PersonMet :one
SELECT coalesce(nullif(p.name, ''), one.name)::text AS name, sendonce_now()::timestamptz AS now_at,
    coalesce((SELECT c.thread FROM conversations c WHERE c.account_id = @account_id AND c.person_id = p.id), '')::text AS conversation
FROM people p JOIN people one ON one.id = coalesce(p.merged_into, p.id) WHERE p.workspace_id = @workspace_id AND p.id = @id;
