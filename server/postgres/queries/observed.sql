-- May this browser speak of the conversation of a send? The account is its principal's, the page was that of the account's member,
-- and the person is known by no other URN.
-- name: ObserverMay :one
SELECT coalesce(ac.member_urn = @member_urn::text AND i.workspace_id = s.workspace_id
    AND (@person_urn::text IN (SELECT p.value FROM person_identities p WHERE p.person_id = ANY (same.ids) AND p.kind = 'linkedin_urn')
        OR NOT EXISTS (SELECT FROM person_identities p WHERE p.person_id = ANY (same.ids) AND p.kind = 'linkedin_urn'))
    AND (pr.role = 'admin' OR EXISTS (SELECT FROM account_grants g WHERE g.account_id = s.account_id AND g.principal_id = pr.id)),
    false)::boolean AS may
FROM sends s
JOIN same_people same ON same.person_id = s.person_id
JOIN accounts ac ON ac.id = s.account_id
JOIN installs i ON i.id = @install_id
JOIN principals pr ON pr.id = i.principal_id
WHERE s.id = @send_id;

-- What a browser saw on the way of a send, once: no more of one browser than @waiting_max that wait for their message, and no more
-- about one copy than @copy_max. A clock that is ahead says now.
-- name: SeenAdd :exec
INSERT INTO delivery_observations (workspace_id, install_id, account_id, send_id, kind, provider_id, seen_id, text_digest, at, said_hash)
SELECT s.workspace_id, @install_id::uuid, s.account_id, s.id, @kind, @provider_id::text, @seen_id, @text_digest,
    least(@at::timestamptz, sendonce_now()), @said_hash
FROM sends s
WHERE s.id = @send_id
    AND (SELECT count(*) FROM delivery_observations o
        WHERE o.install_id = @install_id::uuid AND o.provider_id <> '' AND o.message_id IS NULL) < @waiting_max::bigint
    AND (SELECT count(*) FROM delivery_observations o
        WHERE o.account_id = s.account_id AND o.provider_id = @provider_id::text) < @copy_max::bigint
ON CONFLICT (workspace_id, said_hash) DO NOTHING;
