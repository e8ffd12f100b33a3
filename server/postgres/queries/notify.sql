-- name: Notify :exec
SELECT pg_notify(said.channel, said.payload)
FROM (SELECT unnest(@channels::text[]) AS channel, unnest(@payloads::text[]) AS payload) said;
