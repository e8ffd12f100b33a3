-- +goose Up

-- When an account may begin a message, and how many: its working hours in its own time zone, and its limits. SQLSTATE SO017 is pace.

-- What holds for an account before anybody has set limits for it, by channel. The repeatable part of the schema writes the numbers, which
-- stand in server/config/limits.go with their sources. Only the tables' owner may change them.
CREATE TABLE pace_defaults (
    channel text PRIMARY KEY CHECK (channel IN ('linkedin', 'email')),
    per_day integer NOT NULL CHECK (per_day BETWEEN 1 AND 10000),
    per_hour integer NOT NULL CHECK (per_hour BETWEEN 1 AND 10000),
    gap_seconds integer NOT NULL CHECK (gap_seconds BETWEEN 0 AND 86400),
    jitter_seconds integer NOT NULL CHECK (jitter_seconds BETWEEN 0 AND 86400),
    warm_up_from integer NOT NULL CHECK (warm_up_from BETWEEN 1 AND per_day),
    warm_up_days integer NOT NULL CHECK (warm_up_days BETWEEN 0 AND 90)
);

-- What somebody decided about an account's limits: one row each time, never changed. warm_up_from messages begin on the day of the first,
-- and per_day after warm_up_days. A message begins gap_seconds after the one before it, and a part of jitter_seconds later.
CREATE TABLE account_limits (
    account_id uuid NOT NULL REFERENCES accounts,
    number integer NOT NULL CHECK (number > 0),
    per_day integer NOT NULL CHECK (per_day BETWEEN 1 AND 10000),
    per_hour integer NOT NULL CHECK (per_hour BETWEEN 1 AND 10000),
    gap_seconds integer NOT NULL CHECK (gap_seconds BETWEEN 0 AND 86400),
    jitter_seconds integer NOT NULL CHECK (jitter_seconds BETWEEN 0 AND 86400),
    warm_up_from integer NOT NULL CHECK (warm_up_from BETWEEN 1 AND per_day),
    warm_up_days integer NOT NULL CHECK (warm_up_days BETWEEN 0 AND 90),
    why text NOT NULL DEFAULT '' CHECK (length(why) <= 300),
    set_by uuid NOT NULL REFERENCES principals,
    set_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (account_id, number)
);

CREATE VIEW account_limits_now AS
SELECT a.id AS account_id, coalesce(l.number, 0) AS number, coalesce(l.per_day, d.per_day) AS per_day, coalesce(l.per_hour, d.per_hour) AS per_hour,
    coalesce(l.gap_seconds, d.gap_seconds) AS gap_seconds, coalesce(l.jitter_seconds, d.jitter_seconds) AS jitter_seconds,
    coalesce(l.warm_up_from, d.warm_up_from) AS warm_up_from, coalesce(l.warm_up_days, d.warm_up_days) AS warm_up_days
FROM accounts a JOIN pace_defaults d ON d.channel = a.channel
LEFT JOIN LATERAL (SELECT * FROM account_limits o WHERE o.account_id = a.id ORDER BY o.number DESC LIMIT 1) l ON true;

-- The same of its working hours: on which days of the week (1 is Monday), from which minute of the day until which, but for the holidays.
-- late_days: a message that was scheduled for a time begins no later than so many working days after the one it was due on.
CREATE TABLE account_hours (
    account_id uuid NOT NULL REFERENCES accounts,
    number integer NOT NULL CHECK (number > 0),
    zone text NOT NULL CHECK (length(zone) <= 64),
    opens_minute integer NOT NULL CHECK (opens_minute BETWEEN 0 AND 1439),
    closes_minute integer NOT NULL CHECK (closes_minute BETWEEN 1 AND 1440),
    days integer[] NOT NULL CHECK (cardinality(days) BETWEEN 1 AND 7 AND days <@ '{1,2,3,4,5,6,7}'),
    holidays date[] NOT NULL DEFAULT '{}' CHECK (cardinality(holidays) <= 100),
    late_days integer NOT NULL CHECK (late_days BETWEEN 0 AND 30),
    set_by uuid NOT NULL REFERENCES principals,
    set_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (account_id, number),
    CONSTRAINT opens_before_it_closes CHECK (opens_minute < closes_minute)
);

-- Number 0 is what holds before anybody has said where the account lives: any minute, in days of UTC.
CREATE VIEW account_hours_now AS
SELECT a.id AS account_id, coalesce(h.number, 0) AS number, coalesce(h.zone, 'UTC') AS zone, coalesce(h.opens_minute, 0) AS opens_minute,
    coalesce(h.closes_minute, 1440) AS closes_minute, coalesce(h.days, '{1,2,3,4,5,6,7}') AS days, coalesce(h.holidays, '{}') AS holidays,
    coalesce(h.late_days, 2) AS late_days
FROM accounts a
LEFT JOIN LATERAL (SELECT * FROM account_hours o WHERE o.account_id = a.id ORDER BY o.number DESC LIMIT 1) h ON true;

-- What each account has begun, written by the database alone. counts: not when its attempt stopped before it touched anything. spread is
-- the part of the jitter that the next message waits, decided here once: it is not thrown again whenever somebody looks.
CREATE TABLE account_starts (
    account_id uuid NOT NULL,
    at timestamptz NOT NULL,
    send_id uuid NOT NULL,
    spread double precision NOT NULL CHECK (spread >= 0 AND spread < 1),
    counts boolean NOT NULL DEFAULT true,
    PRIMARY KEY (account_id, at, send_id)
);

-- From 0 to 1, spread evenly over the sends and the same for each of them at every time.
-- +goose StatementBegin
CREATE FUNCTION spread_of(of_send uuid) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT ('x' || substr(md5(of_send::text), 1, 8))::bit(32)::bigint / 4294967296.0::double precision
$$;
-- +goose StatementEnd

-- What began before there were limits warms an account up as well.
INSERT INTO account_starts (account_id, at, send_id, spread, counts)
SELECT account_id, coalesce(started_at, confirmed_at), id, spread_of(id), code IS DISTINCT FROM 'not_attempted' FROM sends
WHERE coalesce(started_at, confirmed_at) IS NOT NULL;

-- The first moment at which the clocks of a zone show that time. A time that they show twice, because they are put back, is its first
-- occurrence; one that they never show, because they are put forward over it, is the moment at which they are. Whole minutes alone.
-- +goose StatementBegin
CREATE FUNCTION first_shown(zone text, shows timestamp) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    near CONSTANT timestamptz := shows AT TIME ZONE zone;
    day_before CONSTANT timestamptz := near - interval '24 hours';
    day_after CONSTANT timestamptz := near + interval '24 hours';
    offset_before CONSTANT interval := (day_before AT TIME ZONE zone) - (day_before AT TIME ZONE 'UTC');
    offset_after CONSTANT interval := (day_after AT TIME ZONE zone) - (day_after AT TIME ZONE 'UTC');
    by_before timestamptz;
    by_after timestamptz;
    middle timestamptz;
BEGIN
    IF offset_before = offset_after THEN
        RETURN near;
    END IF;
    by_before := (shows - offset_before) AT TIME ZONE 'UTC';
    by_after := (shows - offset_after) AT TIME ZONE 'UTC';
    IF by_before AT TIME ZONE zone = shows THEN
        RETURN by_before;
    ELSIF by_after AT TIME ZONE zone = shows THEN
        RETURN by_after;
    END IF;
    -- Never shown: at by_after the clocks show less, at by_before more. They are put forward in between, at a whole second.
    WHILE by_before - by_after > interval '1 second' LOOP
        middle := by_after + make_interval(secs => floor(extract(epoch FROM by_before - by_after) / 2));
        IF middle AT TIME ZONE zone < shows THEN
            by_after := middle;
        ELSE
            by_before := middle;
        END IF;
    END LOOP;
    RETURN by_before;
END $$;
-- +goose StatementEnd

-- The working window that a moment is in, or the next one: of each working day one stretch of time, from the first moment at which the
-- clocks show that it opens to the first at which they show that it closes. A day on which the clocks skip all of it has none. Where no
-- working day is found, as long as was looked.
-- +goose StatementBegin
CREATE FUNCTION working_window(hours account_hours_now, of_moment timestamptz, OUT opens_at timestamptz, OUT closes_at timestamptz)
    RETURNS record LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    days_looked_at CONSTANT integer := 1000; -- more than a hundred holidays on the one working day of the week
    day date := (of_moment AT TIME ZONE hours.zone)::date;
BEGIN
    FOR n IN 1 .. days_looked_at LOOP
        IF extract(isodow FROM day)::integer = ANY (hours.days) AND day <> ALL (hours.holidays) THEN
            closes_at := public.first_shown(hours.zone, day + make_interval(mins => hours.closes_minute));
            IF closes_at > of_moment THEN
                opens_at := public.first_shown(hours.zone, day + make_interval(mins => hours.opens_minute));
                IF opens_at < closes_at THEN
                    RETURN;
                END IF;
            END IF;
        END IF;
        day := day + 1;
    END LOOP;
    closes_at := of_moment + make_interval(days => days_looked_at);
    opens_at := closes_at;
END $$;
-- +goose StatementEnd

-- Until when a message that was due at a moment may begin: the close of the working day that is late_days after the one it was due on.
-- +goose StatementBegin
CREATE FUNCTION schedule_ends(of_account uuid, due timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    hours public.account_hours_now;
    ends timestamptz := due;
BEGIN
    SELECT * INTO STRICT hours FROM public.account_hours_now h WHERE h.account_id = of_account;
    FOR n IN 0 .. hours.late_days LOOP
        SELECT w.closes_at INTO ends FROM public.working_window(hours, ends) w;
    END LOOP;
    RETURN ends;
END $$;
-- +goose StatementEnd

-- When the account may begin another message, asked of a moment: that moment, or a later one and what it waits for until then; and until when it may
-- then. day_begun of day_most messages have begun on that moment's day in the account's zone. Asked under the account's slot it sees
-- every start that it waited for. Started, unconfirmed, sent and failed sends count; only what stopped before it touched anything does not.
-- +goose StatementBegin
CREATE FUNCTION account_pace(of_account uuid, of_moment timestamptz, OUT free_at timestamptz, OUT because text, OUT open_until timestamptz,
    OUT day_begun integer, OUT day_most integer)
    RETURNS record LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    limits public.account_limits_now;
    hours public.account_hours_now;
    day date;
    first_day date;
    again timestamptz;
BEGIN
    SELECT * INTO STRICT limits FROM public.account_limits_now l WHERE l.account_id = of_account;
    SELECT * INTO STRICT hours FROM public.account_hours_now h WHERE h.account_id = of_account;
    free_at := of_moment;
    because := '';

    SELECT s.at + make_interval(secs => limits.gap_seconds + s.spread * limits.jitter_seconds) INTO again
        FROM public.account_starts s WHERE s.account_id = of_account AND s.counts ORDER BY s.at DESC LIMIT 1;
    IF again > free_at THEN
        free_at := again;
        because := 'minimum_gap';
    END IF;

    SELECT s.at + interval '1 hour' INTO again FROM public.account_starts s
        WHERE s.account_id = of_account AND s.counts AND s.at > of_moment - interval '1 hour' ORDER BY s.at DESC OFFSET limits.per_hour - 1 LIMIT 1;
    IF again > free_at THEN
        free_at := again;
        because := 'hour_limit';
    END IF;

    day := (of_moment AT TIME ZONE hours.zone)::date;
    day_most := limits.per_day;
    IF limits.warm_up_days > 0 THEN
        SELECT (s.at AT TIME ZONE hours.zone)::date INTO first_day FROM public.account_starts s
            WHERE s.account_id = of_account AND s.counts ORDER BY s.at LIMIT 1;
        day_most := limits.warm_up_from + (limits.per_day - limits.warm_up_from)
            * least(greatest(day - coalesce(first_day, day), 0), limits.warm_up_days) / limits.warm_up_days;
    END IF;
    SELECT count(*) INTO day_begun FROM public.account_starts s
        WHERE s.account_id = of_account AND s.counts AND s.at >= public.first_shown(hours.zone, day);
    IF day_begun >= day_most THEN
        again := public.first_shown(hours.zone, day + 1);
        IF again > free_at THEN
            free_at := again;
            because := 'day_limit';
        END IF;
    END IF;

    SELECT w.opens_at, w.closes_at INTO again, open_until FROM public.working_window(hours, free_at) w;
    IF again > free_at THEN
        free_at := again;
        because := 'outside_hours';
    END IF;
END $$;
-- +goose StatementEnd

-- Runs after a start, and after an end that changes what counts. A start has its account's slot before it counts, so that of all that ask at
-- one moment for the last place one gets it. The facts of the start were read a moment before: hours that ended since are passed over.
-- +goose StatementBegin
CREATE FUNCTION sends_pace() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    moment_before CONSTANT interval := '1 second';
    pace record;
BEGIN
    IF OLD.started_at IS NOT NULL THEN
        UPDATE public.account_starts SET counts = NEW.code IS DISTINCT FROM 'not_attempted'
            WHERE account_id = NEW.account_id AND at = NEW.started_at AND send_id = NEW.id;
        RETURN NULL;
    END IF;
    IF NEW.started_at IS NOT NULL THEN
        IF current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE EXCEPTION 'a start is decided under read committed, and this is %', current_setting('transaction_isolation')
                USING ERRCODE = 'SO017', HINT = 'An older snapshot does not see what the account has begun. Begin the transaction as read committed.';
        END IF;
        PERFORM FROM public.account_slots WHERE account_id = NEW.account_id FOR NO KEY UPDATE;
        SELECT * INTO pace FROM public.account_pace(NEW.account_id, NEW.started_at);
        IF pace.because = 'outside_hours' THEN
            SELECT * INTO pace FROM public.account_pace(NEW.account_id, NEW.started_at - moment_before);
        END IF;
        IF pace.because <> '' THEN
            RAISE EXCEPTION 'account % begins nothing more before %: %', NEW.account_id, pace.free_at, pace.because USING ERRCODE = 'SO017',
                HINT = 'Wait until then, or set other hours or limits for the account.';
        END IF;
    END IF;
    -- Without a start it is evidence of a delivery whose start this database does not know.
    INSERT INTO public.account_starts (account_id, at, send_id, spread)
        VALUES (NEW.account_id, coalesce(NEW.started_at, NEW.confirmed_at), NEW.id, public.spread_of(NEW.id));
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Runs before limits are set: more than the defaults is somebody's decision, who says why.
-- +goose StatementBegin
CREATE FUNCTION account_limits_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    usual public.pace_defaults;
BEGIN
    SELECT d.* INTO STRICT usual FROM public.pace_defaults d JOIN public.accounts a ON a.channel = d.channel WHERE a.id = NEW.account_id;
    IF NEW.why = '' AND (NEW.per_day > usual.per_day OR NEW.per_hour > usual.per_hour OR NEW.gap_seconds < usual.gap_seconds
        OR NEW.jitter_seconds < usual.jitter_seconds OR NEW.warm_up_from > usual.warm_up_from OR NEW.warm_up_days < usual.warm_up_days) THEN
        RAISE EXCEPTION 'limits above the defaults need a reason' USING ERRCODE = 'SO017',
            HINT = 'Say why in why; the defaults stand in pace_defaults.';
    END IF;
    NEW.set_at := public.sendonce_now();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- Runs before hours are set. An abbreviation, or an offset, is no zone: it knows no summer.
-- +goose StatementBegin
CREATE FUNCTION account_hours_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT public.zone_is_known(NEW.zone) THEN
        RAISE EXCEPTION 'there is no time zone %', NEW.zone USING ERRCODE = 'SO017',
            HINT = 'Name it as the IANA does, such as Europe/Berlin, or UTC.';
    END IF;
    NEW.set_at := public.sendonce_now();
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION zone_is_known(zone text) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN zone = 'UTC' OR zone LIKE '%/%' AND zone !~ '^(posix|right)/' AND EXISTS (SELECT FROM pg_timezone_names z WHERE z.name = zone);
END $$;
-- +goose StatementEnd

-- As before, and a message that was scheduled for a time lapses when that is too long ago. Approving it late is no reason that it has.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION messages_lapse() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    scheduled public.message_versions;
BEGIN
    IF TG_TABLE_NAME = 'message_versions' THEN
        UPDATE public.messages SET lapses_at = NEW.send_before WHERE id = NEW.message_id;
        RETURN NULL;
    END IF;
    SELECT v.* INTO STRICT scheduled FROM public.message_versions v WHERE v.message_id = NEW.message_id AND v.version = NEW.version;
    UPDATE public.messages SET lapses_at = least(NEW.expires_at, scheduled.send_before, CASE
        WHEN scheduled.send_before IS NULL AND scheduled.send_after IS NOT NULL
        THEN public.schedule_ends(account_id, greatest(scheduled.send_after, NEW.approved_at)) END)
        WHERE id = NEW.message_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
