-- name: InstanceGet :one
SELECT id, epoch, armed_at FROM instance;

-- name: Now :one
SELECT sendonce_now()::timestamptz AS now_at;
