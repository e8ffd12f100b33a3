-- The feed after a place, in its one order: the two histories are read apart, each by its own index, and merged. EventState is
-- asked after it, never before: what is forgotten between the two then counts as missed.
-- name: EventsAfter :many
WITH given AS MATERIALIZED (
    SELECT @workspace_id::uuid AS workspace_id, @after::bigint AS shown_after, @after_id::bigint AS id, @most::integer AS most
),
beginning AS MATERIALIZED (
    SELECT b.shown_after, b.id FROM (
        SELECT g.shown_after, g.id FROM given g
        UNION ALL SELECT h.shown_after, h.id FROM event_horizons h WHERE h.workspace_id = (SELECT workspace_id FROM given)
        UNION ALL SELECT i.feed_after, i.feed_id FROM instance i
    ) b ORDER BY b.shown_after DESC, b.id DESC LIMIT 1
)
SELECT f.id, f.shown_after, f.at, f.type::text AS type, f.message_id, f.version, f.send_id, f.account_id, f.person_id, f.install_id,
    f.incident_id, f.sequence_id, f.enrolment_id, f.from_state, f.to_state, f.code, f.actor, p.name AS principal_name
FROM (
    (SELECT e.id, e.shown_after, e.at, e.type, e.message_id, e.version, e.send_id, e.account_id, e.person_id, e.install_id, e.incident_id,
        e.sequence_id, e.enrolment_id, e.from_state, e.to_state, e.code, e.actor, e.principal_id
    FROM events e
    WHERE e.workspace_id = (SELECT workspace_id FROM given)
        AND (e.shown_after, e.id) > ((SELECT shown_after FROM beginning), (SELECT id FROM beginning))
        AND e.shown_after < (SELECT events_settled()) AND e.id > (SELECT i.feed_id FROM instance i)
    ORDER BY e.shown_after, e.id LIMIT (SELECT most FROM given))
    UNION ALL
    (SELECT e.id, e.shown_after, e.at, 'send', e.message_id, NULL, e.send_id, s.account_id, s.person_id, NULL, NULL, NULL, NULL,
        e.from_status, e.to_status, e.code, e.actor, e.principal_id
    FROM send_events e JOIN sends s ON s.id = e.send_id
    WHERE e.workspace_id = (SELECT workspace_id FROM given)
        AND (e.shown_after, e.id) > ((SELECT shown_after FROM beginning), (SELECT id FROM beginning))
        AND e.from_status IS DISTINCT FROM e.to_status
        AND e.shown_after < (SELECT events_settled()) AND e.id > (SELECT i.feed_id FROM instance i)
    ORDER BY e.shown_after, e.id LIMIT (SELECT most FROM given))
) f LEFT JOIN principals p ON p.id = f.principal_id
ORDER BY f.shown_after, f.id LIMIT (SELECT most FROM given);

-- What a cursor is held against: which history this is, up to where it was forgotten, and whether the event that the cursor
-- names is in it. And since when a committed event waits for an older transaction to end; the epoch is never.
-- name: EventState :one
WITH given AS MATERIALIZED (
    SELECT @workspace_id::uuid AS workspace_id, @after::bigint AS shown_after, @id::bigint AS id, @at::timestamptz AS at
)
SELECT i.epoch, coalesce((SELECT h.shown_after FROM event_horizons h WHERE h.workspace_id = g.workspace_id), 0)::bigint AS horizon_after,
    coalesce((SELECT h.id FROM event_horizons h WHERE h.workspace_id = g.workspace_id), 0)::bigint AS horizon_id,
    (EXISTS (SELECT FROM send_events e WHERE e.id = g.id AND e.workspace_id = g.workspace_id AND e.shown_after = g.shown_after AND e.at = g.at)
        OR EXISTS (SELECT FROM events e WHERE e.id = g.id AND e.workspace_id = g.workspace_id AND e.shown_after = g.shown_after AND e.at = g.at))::boolean AS known,
    coalesce(events_held_back(g.workspace_id), 'epoch')::timestamptz AS held_back_since
FROM instance i CROSS JOIN given g;

-- The last event of each workspace's feed, and whether another is there that waits for an older transaction to end.
-- name: EventsNewest :many
SELECT w.id::uuid AS workspace_id, i.epoch, coalesce(n.shown_after, 0)::bigint AS shown_after, coalesce(n.id, 0)::bigint AS id,
    coalesce(n.at, 'epoch')::timestamptz AS at, (events_held_back(w.id) IS NOT NULL)::boolean AS held_back
FROM unnest(@workspaces::uuid[]) AS w (id) CROSS JOIN instance i
LEFT JOIN LATERAL (
    (SELECT e.shown_after, e.id, e.at FROM send_events e
    WHERE e.workspace_id = w.id AND e.from_status IS DISTINCT FROM e.to_status
        AND (e.shown_after, e.id) > (i.feed_after, i.feed_id) AND e.shown_after < (SELECT events_settled()) AND e.id > i.feed_id
    ORDER BY e.shown_after DESC, e.id DESC LIMIT 1)
    UNION ALL
    (SELECT e.shown_after, e.id, e.at FROM events e
    WHERE e.workspace_id = w.id
        AND (e.shown_after, e.id) > (i.feed_after, i.feed_id) AND e.shown_after < (SELECT events_settled()) AND e.id > i.feed_id
    ORDER BY e.shown_after DESC, e.id DESC LIMIT 1)
    UNION ALL
    (SELECT h.shown_after, h.id, NULL::timestamptz FROM event_horizons h WHERE h.workspace_id = w.id)
    ORDER BY shown_after DESC, id DESC LIMIT 1
) n ON true;

-- The oldest by id, so that it walks no further than it deletes.
-- name: EventsForget :execrows
DELETE FROM events WHERE id IN (
    SELECT o.id FROM (SELECT e.id, e.at FROM events e ORDER BY e.id LIMIT @most) o
    WHERE o.at < (SELECT sendonce_now()) - @kept::interval);
