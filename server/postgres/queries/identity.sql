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
RETURNING id;

-- name: IdentityInsert :exec
INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES (@workspace_id, @kind, @value, @person_id)
ON CONFLICT DO NOTHING;

-- name: PersonNameIfNone :exec
UPDATE people SET name = @name WHERE workspace_id = @workspace_id AND id = @id AND name = '';

-- name: IdentitiesOfPeople :many
SELECT person_id, kind, value FROM person_identities
WHERE workspace_id = @workspace_id AND person_id = ANY (@people::uuid[]) ORDER BY person_id, kind, value;
