-- name: InstanceGet :one
SELECT id, epoch, armed_at FROM instance;

-- name: InstanceOfHello :one
SELECT epoch, armed_at, coalesce((SELECT max(e.id) FROM send_events e), 0)::bigint AS newest,
    coalesce((SELECT max(h.id) FROM instance_events h), 0)::bigint AS turn
FROM instance;

-- name: InstanceState :one
SELECT id, epoch, armed_at, disarmed_at, disarmed_code, system_id, database_oid FROM instance;

-- The database as it is now, and whether an event that somebody remembers is missing.
-- name: InstanceLook :one
SELECT i.id, i.epoch, i.armed_at, i.disarmed_at, i.disarmed_code, i.system_id, i.database_oid,
    instance_system()::bigint AS system_here, instance_database()::bigint AS database_here,
    coalesce((SELECT max(e.id) FROM send_events e), 0)::bigint AS newest,
    EXISTS (SELECT FROM unnest(@events::bigint[]) AS r (id) WHERE NOT EXISTS (SELECT FROM send_events e WHERE e.id = r.id))::boolean AS missing
FROM instance i;

-- name: InstanceBegin :exec
INSERT INTO instance_events (what) SELECT 'begun' FROM instance WHERE system_id IS NULL;

-- name: InstanceDisarm :exec
INSERT INTO instance_events (what, code, install_id, mark_epoch, mark_event)
SELECT 'disarmed', @code::text, sqlc.narg(install_id), sqlc.narg(mark_epoch), sqlc.narg(mark_event) FROM instance WHERE armed_at IS NOT NULL;

-- name: InstanceArm :exec
INSERT INTO instance_events (what, principal_id, accept_unseen) VALUES ('armed', @principal_id::uuid, @accept_unseen);

-- What installs have said since the database holds fire.
-- name: InstanceReports :one
SELECT count(*) AS total, (SELECT count(*) FROM unreported_installs) AS unreported,
    count(*) FILTER (WHERE (i.mark_epoch, i.mark_event) > (s.epoch, (SELECT coalesce(max(id), 0) FROM send_events))) AS ahead
FROM installs i, instance s WHERE i.revoked_at IS NULL;

-- A person of another workspace is not named.
-- name: InstanceHistory :many
SELECT e.what, e.at, e.epoch, coalesce(e.code, '')::text AS code, e.unreported, e.accept_unseen, coalesce(p.name, '')::text AS by_name
FROM instance_events e LEFT JOIN principals p ON p.id = e.principal_id AND p.workspace_id = @workspace_id
ORDER BY e.id DESC LIMIT @most;

-- name: Now :one
SELECT sendonce_now()::timestamptz AS now_at;

-- What every transaction says first: that it commits durably, how long it may wait, and who acts. The statements are few
-- and look rows up by their keys: planning them anew each time would cost more than running them.
-- name: SetTransaction :exec
SELECT set_config('synchronous_commit', 'on', true), set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('lock_timeout', @lock_timeout::text, true), set_config('statement_timeout', @statement_timeout::text, true),
    set_config('idle_in_transaction_session_timeout', @idle_timeout::text, true),
    set_config('sendonce.actor', @actor::text, true), set_config('sendonce.principal', @principal::text, true);

-- For a transaction in which another acts than the one who asked for it.
-- name: SetActor :exec
SELECT set_config('sendonce.actor', @actor::text, true);

-- The first server says what the database is for. Another one that says it at the same moment is waited for.
-- name: PurposeClaim :exec
INSERT INTO instance_purpose (purpose) VALUES (@purpose) ON CONFLICT DO NOTHING;

-- name: PurposeGet :one
SELECT purpose FROM instance_purpose;
