-- May this install speak of a lease that was given to another one? A browser that was paired anew speaks of its earlier
-- leases; a database that was restored may have forgotten the earlier pairing.
-- name: InstallMaySpeakFor :one
SELECT coalesce(NOT EXISTS (SELECT FROM installs o JOIN installs i ON i.id = @install_id
    WHERE o.id = @lease_holder AND (o.principal_id <> i.principal_id OR o.workspace_id <> i.workspace_id)), false)::boolean AS may;

-- Once, and no more than @most of one install. Without a row it was kept before, or there are too many.
-- name: ObservationAdd :execrows
INSERT INTO observations (workspace_id, install_id, why, body, said_hash)
SELECT @workspace_id, @install_id, @why, @body, @said_hash
WHERE (SELECT count(*) FROM observations o WHERE o.install_id = @install_id) < @most::bigint
ON CONFLICT (install_id, said_hash) DO NOTHING;
