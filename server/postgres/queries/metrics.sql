-- What has not ended, by the queue's index, and what is unconfirmed, by its own: neither walks over the sends that are done.
-- name: SendsLive :many
SELECT live.status, count(*) AS number FROM (
    (SELECT q.status FROM accounts a CROSS JOIN LATERAL (
        SELECT s.status FROM sends s WHERE s.account_id = a.id AND s.due_at < 'infinity' LIMIT @most) q LIMIT @most)
    UNION ALL
    (SELECT u.status FROM sends u WHERE u.ended_at IS NOT NULL AND u.vacated_at IS NULL AND u.confirmed_by IS NULL LIMIT @most)
) live GROUP BY live.status;

-- name: IncidentsByKind :many
SELECT kind, count(*) AS number FROM incidents WHERE closed_at IS NULL GROUP BY kind;
