-- name: InstanceGet :one
SELECT id, epoch, armed_at FROM instance;

-- name: Now :one
SELECT sendonce_now()::timestamptz AS now_at;

-- What every transaction says first: that it commits durably, how long it may wait, and who acts. The statements are few
-- and look rows up by their keys: planning them anew each time would cost more than running them.
-- name: SetTransaction :exec
SELECT set_config('synchronous_commit', 'on', true), set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('lock_timeout', @lock_timeout::text, true), set_config('statement_timeout', @statement_timeout::text, true),
    set_config('sendonce.actor', @actor::text, true), set_config('sendonce.principal', @principal::text, true);
