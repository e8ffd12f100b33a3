-- name: ImportInsert :exec
INSERT INTO imports (id, workspace_id, file_name, encoding, delimiter, has_header, header, mapping, row_count, last_row, created_by)
VALUES (@id, @workspace_id, @file_name, @encoding, @delimiter, @has_header, @header::text[], @mapping::text[], @row_count, @last_row, @created_by);

-- name: ImportRowInsert :exec
INSERT INTO import_rows (import_id, number, cells, flaw, names, forgotten) VALUES (@import_id, @number, @cells, @flaw, @names::text[], @forgotten);

-- name: ImportMappingGet :one
SELECT mapping FROM import_mappings WHERE workspace_id = @workspace_id AND header_hash = @header_hash;

-- name: ImportMappingSet :exec
INSERT INTO import_mappings (workspace_id, header_hash, mapping, set_by) VALUES (@workspace_id, @header_hash, @mapping::text[], @set_by)
ON CONFLICT (workspace_id, header_hash) DO UPDATE SET mapping = excluded.mapping, set_by = excluded.set_by, set_at = sendonce_now();

-- name: ImportPage :many
SELECT i.*, p.name AS created_by_name FROM imports i JOIN principals p ON p.id = i.created_by
WHERE i.workspace_id = @workspace_id AND (sqlc.narg(id)::uuid IS NULL OR i.id = sqlc.narg(id)) AND (sqlc.narg(before)::uuid IS NULL OR i.id < sqlc.narg(before))
ORDER BY i.id DESC LIMIT @most;

-- Of rows beyond judged_to the verdict is that of an earlier mapping.
-- name: ImportCounts :many
SELECT r.verdict::text AS verdict, coalesce(r.outcome, '')::text AS outcome, count(*) AS number
FROM import_rows r JOIN imports i ON i.id = r.import_id
WHERE r.import_id = @import_id AND r.verdict IS NOT NULL AND r.number <= i.judged_to GROUP BY r.verdict, r.outcome;

-- name: ImportLock :one
SELECT id FROM imports WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: ImportLockFree :one
SELECT id FROM imports WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE SKIP LOCKED;

-- name: ImportMap :exec
UPDATE imports SET mapping = @mapping::text[], mapping_number = mapping_number + 1, judged_to = 0 WHERE id = @id AND begun_at IS NULL;

-- name: ImportBegin :exec
UPDATE imports SET begun_at = sendonce_now(), begun_by = @begun_by WHERE id = @id AND begun_at IS NULL;

-- name: ImportsOpen :many
SELECT i.id, p.id AS principal_id, p.workspace_id, p.role, p.name FROM imports i JOIN principals p ON p.id = coalesce(i.begun_by, i.created_by)
WHERE i.ended_at IS NULL AND i.forgotten_at IS NULL AND (i.begun_at IS NOT NULL OR i.judged_to < i.last_row AND i.mapping && '{linkedin,email}'::text[])
ORDER BY i.id;

-- name: ImportRowsAfter :many
SELECT number, cells, flaw, coalesce(verdict, '')::text AS verdict, why, coalesce(same_as, 0)::integer AS same_as, person_id, coalesce(outcome, '')::text AS outcome, forgotten
FROM import_rows WHERE import_id = @import_id AND number > @after AND (@verdict::text = '' OR verdict = @verdict::text) ORDER BY number LIMIT @most;

-- A row that names somebody who was removed is emptied, and one that was emptied since it was read stays so.
-- name: ImportRowsWrite :exec
UPDATE import_rows r SET verdict = w.verdict, why = CASE WHEN r.forgotten AND NOT w.forgotten THEN '' ELSE w.why END, same_as = nullif(w.same_as, 0),
    person_id = nullif(w.person_id, '00000000-0000-0000-0000-000000000000'), outcome = nullif(w.outcome, ''), forgotten = r.forgotten OR w.forgotten,
    cells = CASE WHEN w.forgotten THEN '[]' ELSE r.cells END, names = CASE WHEN w.forgotten THEN '{}' ELSE r.names END
FROM (SELECT unnest(@numbers::integer[]) AS number, unnest(@verdicts::text[]) AS verdict, unnest(@whys::text[]) AS why, unnest(@same::integer[]) AS same_as, unnest(@people::uuid[]) AS person_id, unnest(@outcomes::text[]) AS outcome, unnest(@forgotten::boolean[]) AS forgotten) AS w
WHERE r.import_id = @import_id AND r.number = w.number;

-- name: ImportJudged :execrows
UPDATE imports SET judged_to = @judged_to WHERE id = @id AND judged_to = @was AND begun_at IS NULL;

-- name: ImportHandled :execrows
UPDATE imports SET handled_to = @handled_to, ended_at = CASE WHEN last_row = @handled_to THEN sendonce_now() END
WHERE id = @id AND handled_to = @was AND begun_at IS NOT NULL AND ended_at IS NULL;

-- Whom addresses belong to: the place of each among those that were asked for, with the person. One after the other by the key, whatever
-- the planner believes of a table that has just grown by a whole list.
-- name: PeopleNamed :many
SELECT DISTINCT a.place::integer AS place, i.one_id::uuid AS one_id
FROM (SELECT unnest(@places::integer[]) AS place, unnest(@kinds::text[]) AS kind, unnest(@values::text[]) AS value) AS a
CROSS JOIN LATERAL (SELECT coalesce(p.merged_into, p.id) AS one_id FROM person_identities o JOIN people p ON p.id = o.person_id
    WHERE o.workspace_id = @workspace_id AND o.kind = a.kind AND o.value = a.value OFFSET 0) AS i;

-- What is known of people who are not merged into others, for one who may pass over claims of their own.
-- name: PeopleMet :many
SELECT p.id, p.name, p.company, p.fields, p.removed_at, w.ids::uuid[] AS ids, c.level::text AS level, coalesce(c.because, '')::text AS because, coalesce(o.name, '')::text AS owner_name,
    EXISTS (SELECT FROM sends s WHERE s.person_id = ANY (w.ids) AND s.status = 'unconfirmed')::boolean AS unconfirmed,
    EXISTS (SELECT FROM sends s WHERE s.person_id = ANY (w.ids) AND s.status IN ('started', 'sent'))::boolean AS contacted
FROM (SELECT DISTINCT unnest(@people::uuid[]) AS id) AS asked
JOIN people p ON p.id = asked.id
CROSS JOIN LATERAL (SELECT y.ids FROM same_people y WHERE y.person_id = p.id OFFSET 0) AS w
CROSS JOIN LATERAL person_contact(p.id, NULL::uuid, @passed_over::uuid) AS c (level, because, owner_id, free_from)
LEFT JOIN principals o ON o.id = c.owner_id
WHERE p.workspace_id = @workspace_id AND p.merged_into IS NULL;

-- name: SuppressionsNamed :many
SELECT a.place::integer AS place, s.scope
FROM (SELECT unnest(@places::integer[]) AS place, unnest(@scopes::text[]) AS scope, unnest(@values::text[]) AS value) AS a
JOIN suppressions s ON s.workspace_id = @workspace_id AND s.scope = a.scope AND s.value = a.value AND s.lifted_at IS NULL;

-- name: MarksFound :many
SELECT mark FROM removed_marks WHERE workspace_id = @workspace_id AND mark = ANY (@marks::bytea[]);

-- name: PeopleInsertMany :exec
INSERT INTO people (id, workspace_id, name, company, company_key, fields)
SELECT p.id, @workspace_id, p.name, p.company, p.company_key, p.fields::jsonb
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@names::text[]) AS name, unnest(@companies::text[]) AS company, unnest(@company_keys::text[]) AS company_key, unnest(@fields::text[]) AS fields) AS p;

-- In the order of their keys, as everybody adds addresses: two who add the same ones do not wait for each other in a circle.
-- name: IdentitiesInsertMany :execrows
INSERT INTO person_identities (workspace_id, kind, value, person_id)
SELECT @workspace_id, i.kind, i.value, i.person_id FROM (SELECT unnest(@kinds::text[]) AS kind, unnest(@values::text[]) AS value, unnest(@people::uuid[]) AS person_id) AS i
ORDER BY i.kind, i.value ON CONFLICT DO NOTHING;

-- name: PeopleFillMany :exec
UPDATE people p SET name = f.name, company = f.company, company_key = f.company_key, fields = f.fields::jsonb
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@names::text[]) AS name, unnest(@companies::text[]) AS company, unnest(@company_keys::text[]) AS company_key, unnest(@fields::text[]) AS fields) AS f
WHERE p.workspace_id = @workspace_id AND p.id = f.id AND p.removed_at IS NULL;

-- What is kept long enough: first the imports, so that nobody goes on with them, then their rows in bites.
-- name: ImportsForget :exec
UPDATE imports SET forgotten_at = sendonce_now() WHERE forgotten_at IS NULL AND created_at < sendonce_now() - @kept::interval;

-- name: ImportRowsForget :execrows
UPDATE import_rows r SET cells = '[]', names = '{}', flaw = '', forgotten = true
FROM (SELECT o.import_id, o.number FROM imports i JOIN import_rows o ON o.import_id = i.id AND NOT o.forgotten WHERE i.forgotten_at IS NOT NULL LIMIT @most) gone
WHERE r.import_id = gone.import_id AND r.number = gone.number;
