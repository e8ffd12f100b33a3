-- name: TemplateInsert :exec
WITH made AS (INSERT INTO templates (id, workspace_id, version) VALUES (@id, @workspace_id, 1) RETURNING id, version)
INSERT INTO template_versions (template_id, version, name, subject, body, variables, created_by)
SELECT made.id, made.version, @name, @subject, @body, @variables, @created_by FROM made;

-- name: TemplateLock :one
SELECT id FROM templates WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: TemplateNext :exec
WITH next AS (UPDATE templates t SET version = @version WHERE t.id = @id RETURNING t.id, t.version)
INSERT INTO template_versions (template_id, version, name, subject, body, variables, created_by)
SELECT next.id, next.version, @name, @subject, @body, @variables, @created_by FROM next;

-- name: TemplatePage :many
SELECT t.id, t.version, t.created_at, v.name, v.subject, v.body, v.variables, v.created_at AS changed_at, p.name AS changed_by
FROM templates t JOIN template_versions v ON v.template_id = t.id AND v.version = t.version JOIN principals p ON p.id = v.created_by
WHERE t.workspace_id = @workspace_id AND (sqlc.narg(id)::uuid IS NULL OR t.id = sqlc.narg(id))
    AND (sqlc.narg(after)::uuid IS NULL OR t.id > sqlc.narg(after))
ORDER BY t.id LIMIT @most;

-- What is known of a person, whichever of their rows is named.
-- name: PersonKnown :one
SELECT one.name, one.company, one.fields FROM people p JOIN people one ON one.id = coalesce(p.merged_into, p.id)
WHERE p.workspace_id = @workspace_id AND p.id = @id;
