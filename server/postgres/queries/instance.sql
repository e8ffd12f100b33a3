-- name: InstanceGet :one
SELECT id, epoch, armed_at FROM instance;
