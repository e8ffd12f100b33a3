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

-- Nobody who has a profile, on any row of theirs, gets another one here: what was approved for them would go there.
-- name: IdentityInsert :exec
INSERT INTO person_identities (workspace_id, kind, value, person_id)
SELECT @workspace_id, @kind::text, @value, @person_id::uuid
WHERE @kind = 'email' OR NOT EXISTS (SELECT FROM same_people w JOIN person_identities o ON o.person_id = ANY (w.ids)
    WHERE w.person_id = @person_id::uuid AND o.kind <> 'email')
ON CONFLICT DO NOTHING;

-- The row that whoever locks the person locks: a merge beside it meets it there.
-- name: PersonNameIfNone :exec
UPDATE people SET name = @name WHERE workspace_id = @workspace_id AND id = (SELECT w.one_id FROM same_people w WHERE w.person_id = @id::uuid)
    AND name = '' AND removed_at IS NULL;

-- name: IdentitiesOfPeople :many
SELECT person_id, kind, value FROM person_identities
WHERE workspace_id = @workspace_id AND person_id = ANY (@people::uuid[]) ORDER BY person_id, kind, value;

