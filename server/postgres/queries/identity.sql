-- name: PersonByIdentity :one
SELECT person_id FROM person_identities WHERE workspace_id = @workspace_id AND kind = @kind AND value = @value;

-- One statement, so that of two requests for one new person the loser makes no person that nobody is. The reference from
-- identity to person is checked at the end of the statement.
-- name: PersonInsert :one
WITH identity AS (
    INSERT INTO person_identities (workspace_id, kind, value, person_id)
    VALUES (@workspace_id, @kind, @value, gen_random_uuid()) ON CONFLICT DO NOTHING
    RETURNING person_id
)
INSERT INTO people (id, workspace_id, name) SELECT identity.person_id, @workspace_id, @name::text FROM identity
RETURNING id, sendonce_now()::timestamptz AS now_at;

-- Nobody who has a profile gets another one here: what was approved for them would go there.
-- name: IdentityInsert :exec
INSERT INTO person_identities (workspace_id, kind, value, person_id)
SELECT @workspace_id, @kind::text, @value, @person_id::uuid
WHERE @kind = 'email' OR NOT EXISTS (SELECT FROM person_identities o WHERE o.person_id = @person_id AND o.kind <> 'email')
ON CONFLICT DO NOTHING;

-- name: PersonNameIfNone :exec
UPDATE people SET name = @name WHERE workspace_id = @workspace_id AND id = @id AND name = '';

-- name: IdentitiesOfPeople :many
SELECT person_id, kind, value FROM person_identities
WHERE workspace_id = @workspace_id AND person_id = ANY (@people::uuid[]) ORDER BY person_id, kind, value;

-- Everybody, or who has exactly this identity.
-- name: PeoplePage :many
SELECT p.id, p.name, p.suppressed_at, p.replied_at, p.created_at FROM people p
WHERE p.workspace_id = @workspace_id AND (sqlc.narg(after)::uuid IS NULL OR p.id > sqlc.narg(after))
    AND (@value::text = '' OR p.id = (SELECT i.person_id FROM person_identities i
        WHERE i.workspace_id = @workspace_id AND i.kind = @kind::text AND i.value = @value::text))
ORDER BY p.id LIMIT @most;
