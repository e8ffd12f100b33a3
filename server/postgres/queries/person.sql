-- Who is known by the shown URN, or else, while nobody is, by the shown address.
-- name: PersonJoining :one
SELECT
    coalesce((SELECT i.value FROM person_identities i WHERE i.person_id = s.person_id AND i.kind = 'linkedin_urn' ORDER BY i.value LIMIT 1), '')::text AS pinned_urn,
    coalesce((SELECT i.person_id FROM person_identities i WHERE i.workspace_id = s.workspace_id AND i.kind = 'linkedin_urn' AND i.value = @urn),
        (SELECT i.person_id FROM person_identities i WHERE i.workspace_id = s.workspace_id AND i.kind = 'linkedin_slug' AND i.value = @slug),
        '00000000-0000-0000-0000-000000000000')::uuid AS owner
FROM sends s WHERE s.id = @send_id;

-- name: PersonPinURN :execrows
INSERT INTO person_identities (workspace_id, kind, value, person_id)
SELECT s.workspace_id, 'linkedin_urn', @urn, s.person_id FROM sends s WHERE s.id = @send_id
ON CONFLICT DO NOTHING;

-- name: PersonName :exec
UPDATE people SET name = @name WHERE id = (SELECT person_id FROM sends s WHERE s.id = @send_id) AND name = '';

-- A person as an account knows them: with the thread in which it last reached them. Read after the lock: so is the time.
-- name: PersonMet :one
SELECT p.name, sendonce_now()::timestamptz AS now_at,
    coalesce((SELECT c.thread FROM conversations c WHERE c.account_id = @account_id AND c.person_id = p.id), '')::text AS conversation
FROM people p WHERE p.workspace_id = @workspace_id AND p.id = @id;
