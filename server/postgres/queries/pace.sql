-- What holds for an account now, and what it comes to at this moment. The last to set each is known from number 1 on.
-- name: PaceGet :one
SELECT a.id, a.channel, now_at.at::timestamptz AS now_at,
    h.number::integer AS hours_number, h.zone::text AS zone, h.opens_minute::integer AS opens_minute, h.closes_minute::integer AS closes_minute,
    array_to_string(h.days, ',')::text AS days, array_to_string(h.holidays, ',')::text AS holidays, h.late_days::integer AS late_days,
    hs.set_at AS hours_set_at, hp.name AS hours_set_by,
    l.number::integer AS limits_number, l.per_day::integer AS per_day, l.per_hour::integer AS per_hour, l.gap_seconds::integer AS gap_seconds,
    l.jitter_seconds::integer AS jitter_seconds, l.warm_up_from::integer AS warm_up_from, l.warm_up_days::integer AS warm_up_days,
    coalesce(ls.why, '')::text AS why, ls.set_at AS limits_set_at, lp.name AS limits_set_by,
    p.free_at::timestamptz AS free_at, p.because::text AS because, p.open_until::timestamptz AS open_until, p.day_begun::integer AS day_begun, p.day_most::integer AS day_most
FROM accounts a
CROSS JOIN LATERAL (SELECT sendonce_now() AS at) now_at
JOIN account_hours_now h ON h.account_id = a.id
JOIN account_limits_now l ON l.account_id = a.id
LEFT JOIN account_hours hs ON hs.account_id = a.id AND hs.number = h.number
LEFT JOIN principals hp ON hp.id = hs.set_by
LEFT JOIN account_limits ls ON ls.account_id = a.id AND ls.number = l.number
LEFT JOIN principals lp ON lp.id = ls.set_by
CROSS JOIN LATERAL account_pace(a.id, now_at.at) AS p (free_at, because, open_until, day_begun, day_most)
WHERE a.workspace_id = @workspace_id AND a.id = @id;

-- name: PaceUsual :one
SELECT d.per_day, d.per_hour, d.gap_seconds, d.jitter_seconds, d.warm_up_from, d.warm_up_days
FROM pace_defaults d JOIN accounts a ON a.channel = d.channel WHERE a.id = @id;

-- A start that was decided before has the slot until it is committed; a later one reads what is set here. Two who set come one after the other.
-- name: PaceLock :one
SELECT sl.account_id FROM account_slots sl JOIN accounts a ON a.id = sl.account_id
WHERE a.workspace_id = @workspace_id AND sl.account_id = @id FOR NO KEY UPDATE OF sl;

-- name: ZoneIsKnown :one
SELECT zone_is_known(@zone)::boolean;

-- name: HoursInsert :exec
INSERT INTO account_hours (account_id, number, zone, opens_minute, closes_minute, days, holidays, late_days, set_by)
SELECT @account_id, h.number + 1, @zone, @opens_minute, @closes_minute, @days::integer[], string_to_array(@holidays::text, ',')::date[], @late_days, @set_by
FROM account_hours_now h WHERE h.account_id = @account_id;

-- name: LimitsInsert :exec
INSERT INTO account_limits (account_id, number, per_day, per_hour, gap_seconds, jitter_seconds, warm_up_from, warm_up_days, why, set_by)
SELECT @account_id, l.number + 1, @per_day, @per_hour, @gap_seconds, @jitter_seconds, @warm_up_from, @warm_up_days, @why, @set_by
FROM account_limits_now l WHERE l.account_id = @account_id;
