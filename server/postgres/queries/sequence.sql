-- name: SequenceInsert :exec
INSERT INTO sequences (id, workspace_id, name, created_by, changed_by) VALUES (@id, @workspace_id, @name, @created_by, @created_by);

-- name: SequenceLock :one
SELECT id FROM sequences WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: SequencePage :many
SELECT q.id, q.name, q.state, q.version, q.created_at, q.changed_at, maker.name AS created_by, changer.name AS changed_by
FROM sequences q JOIN principals maker ON maker.id = q.created_by JOIN principals changer ON changer.id = q.changed_by
WHERE q.workspace_id = @workspace_id AND (sqlc.narg(id)::uuid IS NULL OR q.id = sqlc.narg(id))
    AND (sqlc.narg(after)::uuid IS NULL OR q.id > sqlc.narg(after))
ORDER BY q.id LIMIT @most;

-- name: SequenceSteps :many
SELECT id, sequence_id, purpose, channel, template_id, delay_count, delay_unit FROM sequence_steps
WHERE sequence_id = ANY (@sequences::uuid[]) AND removed_at IS NULL ORDER BY sequence_id, place;

-- All that the sequence has or had, those that it has last.
-- name: StepsEver :many
SELECT id, purpose FROM sequence_steps WHERE sequence_id = @sequence_id ORDER BY removed_at NULLS LAST, id;

-- name: SequenceCounts :many
SELECT sequence_id, state, count(*) AS number FROM enrolments WHERE sequence_id = ANY (@sequences::uuid[]) GROUP BY sequence_id, state;

-- name: SequenceSet :exec
UPDATE sequences SET state = @state, changed_by = @changed_by, changed_at = sendonce_now() WHERE id = @id;

-- name: EnrolmentsLookNow :exec
UPDATE enrolments SET look_at = sendonce_now() WHERE sequence_id = @sequence_id AND state = 'running';

-- What a pause or an end calls back: all that did not go out, so that whoever approves it beside this waits, and reads it then.
-- name: MessagesLockOfSequence :many
SELECT m.id FROM enrolments e JOIN step_messages t ON t.enrolment_id = e.id JOIN messages m ON m.id = t.message_id
WHERE e.sequence_id = @sequence_id AND e.state IN ('running', 'paused', 'held') AND t.vacated_at IS NULL AND m.delivered_at IS NULL
ORDER BY m.id FOR NO KEY UPDATE OF m;

-- Those that wait for a person wait no longer: a look ends them.
-- name: EnrolmentsEnd :exec
UPDATE enrolments SET state = 'running', reason = 'sequence_stopped', detail = '', look_at = sendonce_now(), changed_at = sendonce_now()
WHERE sequence_id = @sequence_id AND state IN ('paused', 'held');

-- name: StepsRemove :exec
UPDATE sequence_steps SET removed_at = sendonce_now() WHERE sequence_id = @sequence_id AND removed_at IS NULL AND id <> ALL (@kept::uuid[]);

-- name: StepSet :exec
INSERT INTO sequence_steps (id, workspace_id, sequence_id, place, purpose, purpose_key, channel, template_id, delay_count, delay_unit)
VALUES (@id, @workspace_id, @sequence_id, @place, @purpose, @purpose_key, @channel, @template_id, @delay_count, @delay_unit)
ON CONFLICT (id) DO UPDATE SET place = excluded.place, purpose = excluded.purpose, purpose_key = excluded.purpose_key, channel = excluded.channel,
    template_id = excluded.template_id, delay_count = excluded.delay_count, delay_unit = excluded.delay_unit, removed_at = NULL;

-- name: SequenceChanged :exec
UPDATE sequences SET version = version + 1, changed_by = @changed_by, changed_at = sendonce_now() WHERE id = @id;

-- name: StepIs :one
SELECT EXISTS (SELECT FROM sequence_steps WHERE workspace_id = @workspace_id AND id = @id)::boolean AS is_there;

-- name: TemplateIs :one
SELECT EXISTS (SELECT FROM templates WHERE workspace_id = @workspace_id AND id = @id)::boolean AS is_there;

-- In the order of their locks: of a person in several rows that of the one that the others point to.
-- name: PeopleToEnrol :exec
SELECT count(person_lock(o.id)) FROM (SELECT DISTINCT coalesce(p.merged_into, p.id) AS id FROM people p
    WHERE p.workspace_id = @workspace_id AND p.id = ANY (@people::uuid[]) ORDER BY 1) o;

-- name: PersonIs :one
SELECT EXISTS (SELECT FROM people WHERE workspace_id = @workspace_id AND id = @id)::boolean AS is_there;

-- name: ImportIsDone :one
SELECT (ended_at IS NOT NULL)::boolean AS is_done FROM imports WHERE workspace_id = @workspace_id AND id = @id;

-- name: PeopleOfImport :many
SELECT r.number, r.person_id::uuid AS person_id FROM import_rows r
WHERE r.import_id = @import_id AND r.number > @after AND r.person_id IS NOT NULL AND r.outcome <> 'left_out' ORDER BY r.number LIMIT @most;

-- The enrolment of a person, whichever of their rows is named, that keeps them from another one: an open one, else the last. Whoever has
-- answered since the first is not written to by another.
-- name: EnrolmentOther :many
SELECT e.id, e.state, coalesce((SELECT greatest(a.replied_at, a.by_hand_at) > a.began_at FROM enrolment_answers a WHERE a.enrolment_id = e.id), false)::boolean AS has_answered
FROM same_people w JOIN enrolments e ON e.person_id = ANY (w.ids)
WHERE w.person_id = @person_id::uuid AND e.sequence_id = @sequence_id
ORDER BY (e.state IN ('running', 'paused', 'held')) DESC, e.id DESC LIMIT 1;

-- name: EnrolmentInsert :execrows
INSERT INTO enrolments (id, workspace_id, sequence_id, person_id, account_id, channel, created_by)
SELECT @id, a.workspace_id, @sequence_id, @person_id, a.id, a.channel, @created_by FROM accounts a
WHERE a.workspace_id = @workspace_id AND a.id = @account_id AND a.channel = @channel;

-- name: EnrolmentLock :one
SELECT id FROM enrolments WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- Of several servers that look at one moment one takes it.
-- name: EnrolmentTake :many
SELECT id FROM enrolments WHERE id = @id AND state = 'running' AND look_at <= sendonce_now() FOR NO KEY UPDATE SKIP LOCKED;

-- name: EnrolmentsToLook :many
SELECT e.id, p.id AS principal_id, p.workspace_id, p.role, p.name FROM enrolments e JOIN principals p ON p.id = e.created_by
WHERE e.state = 'running' AND e.look_at <= sendonce_now() ORDER BY e.look_at, e.id LIMIT @most;

-- name: EnrolmentLater :exec
UPDATE enrolments SET look_at = sendonce_now() + @by::interval WHERE id = @id AND state = 'running';

-- name: EnrolmentSet :exec
UPDATE enrolments SET state = @state, reason = @reason, detail = @detail, message_id = sqlc.narg(message_id), due_at = sqlc.narg(due_at),
    look_at = @look_at, changed_at = CASE WHEN (state, reason) = (@state, @reason) THEN changed_at ELSE sendonce_now() END
WHERE id = @id;

-- name: EnrolmentPage :many
SELECT e.id, e.workspace_id, e.sequence_id, e.person_id, coalesce(nullif(pe.name, ''), one.name)::text AS person_name, e.account_id, e.state, e.reason,
    e.detail, e.message_id, e.due_at, e.created_at, e.changed_at, p.id AS principal_id, p.role, p.name AS principal_name, q.name AS sequence_name,
    a.handle AS account_handle
FROM enrolments e JOIN principals p ON p.id = e.created_by JOIN sequences q ON q.id = e.sequence_id JOIN accounts a ON a.id = e.account_id JOIN people pe ON pe.id = e.person_id
    JOIN people one ON one.id = coalesce(pe.merged_into, pe.id)
WHERE e.workspace_id = @workspace_id AND (sqlc.narg(sequence_id)::uuid IS NULL OR e.sequence_id = sqlc.narg(sequence_id))
    AND (sqlc.narg(id)::uuid IS NULL OR e.id = sqlc.narg(id))
    AND (sqlc.narg(person_id)::uuid IS NULL OR e.person_id = ANY ((SELECT w.ids FROM same_people w WHERE w.person_id = sqlc.narg(person_id))::uuid[]))
    AND (sqlc.narg(state)::text IS NULL OR e.state = sqlc.narg(state)) AND (sqlc.narg(after)::uuid IS NULL OR e.id > sqlc.narg(after))
ORDER BY e.id LIMIT @most;

-- The newest first.
-- name: EnrolmentEvents :many
SELECT v.at, v.state, v.reason, v.message_id, p.name AS by_name FROM enrolment_events v LEFT JOIN principals p ON p.id = v.principal_id
WHERE v.enrolment_id = @enrolment_id ORDER BY v.id DESC LIMIT @most;

-- What a look at an enrolment rests on, over all rows of the person. Read under its lock: so is the time.
-- name: EnrolmentFacts :one
SELECT sendonce_now()::timestamptz AS now_at, e.workspace_id, e.sequence_id, e.person_id, e.account_id, e.state, e.reason, e.message_id, e.due_at, e.created_at,
    q.name AS sequence_name, q.state AS sequence_state, p.id AS principal_id, p.role, p.name AS principal_name,
    c.level::text AS level, coalesce(c.because, '')::text AS because,
    coalesce(c.owner_id, '00000000-0000-0000-0000-000000000000')::uuid AS owner_id, c.free_from::timestamptz AS free_from,
    coalesce(o.name, '')::text AS owner_name,
    r.began_at::timestamptz AS began_at, coalesce(r.replied_at, 'epoch')::timestamptz AS replied_at, coalesce(r.by_hand_at, 'epoch')::timestamptz AS by_hand_at,
    coalesce((SELECT n.begun_send FROM message_intents n WHERE n.person_id = ANY (w.ids) AND n.task = 'sequence ' || e.sequence_id::text
        AND n.begun_send IS NOT NULL ORDER BY n.began_at DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')::uuid AS last_begun,
    EXISTS (SELECT FROM step_messages t JOIN delivery_observations d ON d.message_id = t.message_id
        WHERE t.person_id = ANY (w.ids) AND t.sequence_id = e.sequence_id AND d.kind IN ('bounced', 'undelivered'))::boolean AS bounced,
    EXISTS (SELECT FROM step_messages t WHERE t.message_id = e.message_id AND t.vacated_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM steps_had h WHERE h.message_id = t.message_id))::boolean AS called_off,
    EXISTS (SELECT FROM enrolments y WHERE y.sequence_id = e.sequence_id AND y.person_id = ANY (w.ids) AND y.id < e.id
        AND y.state IN ('running', 'paused', 'held'))::boolean AS older,
    coalesce((SELECT CASE i.kind WHEN 'linkedin_slug' THEN '/in/' || i.value ELSE i.value END FROM person_identities i
        WHERE i.person_id = ANY (w.ids) AND i.kind IN ('linkedin_urn', 'linkedin_slug')
        ORDER BY array_position(w.ids, i.person_id), i.kind DESC, i.value LIMIT 1), '')::text AS profile
FROM enrolments e JOIN sequences q ON q.id = e.sequence_id JOIN principals p ON p.id = e.created_by
    JOIN same_people w ON w.person_id = e.person_id JOIN enrolment_answers r ON r.enrolment_id = e.id
    CROSS JOIN LATERAL person_contact(e.person_id, e.account_id, NULL::uuid) AS c (level, because, owner_id, free_from)
    LEFT JOIN principals o ON o.id = c.owner_id
WHERE e.id = @id;

-- When an account works, for delays.
-- name: HoursNow :one
SELECT h.number::integer AS number, h.zone::text AS zone, array_to_string(h.days, ',')::text AS days, array_to_string(h.holidays, ',')::text AS holidays,
    h.late_days::integer AS late_days
FROM account_hours_now h WHERE h.account_id = @account_id;

-- What a person has had of a sequence, or may have, oldest first.
-- name: StepsOfPerson :many
SELECT h.step_id, h.message_id, h.enrolment_id, m.authority, coalesce(l.id, '00000000-0000-0000-0000-000000000000')::uuid AS send_id, coalesce(l.status, '')::text AS status, (l.requeue_at IS NOT NULL)::boolean AS requeues,
    coalesce(went.id, '00000000-0000-0000-0000-000000000000')::uuid AS sent_id, went.at AS sent_at
FROM same_people w JOIN steps_had h ON h.sequence_id = @sequence_id::uuid AND h.person_id = ANY (w.ids)
    JOIN messages m ON m.id = h.message_id
    LEFT JOIN LATERAL (SELECT s.id, s.status, s.requeue_at FROM sends s WHERE s.message_id = m.id ORDER BY s.ordinal DESC LIMIT 1) l ON true
    LEFT JOIN LATERAL (SELECT s.id, coalesce(s.started_at, s.confirmed_at) AS at FROM sends s
        WHERE s.message_id = m.id AND s.status = 'sent' ORDER BY s.ordinal DESC LIMIT 1) went ON true
WHERE w.person_id = @person_id::uuid ORDER BY h.created_at, h.message_id;

-- name: StepSay :exec
INSERT INTO step_messages (message_id, workspace_id, sequence_id, step_id, enrolment_id, person_id)
SELECT m.id, m.workspace_id, e.sequence_id, @step_id::uuid, e.id, m.person_id FROM enrolments e, messages m
WHERE e.id = @enrolment_id AND m.id = @message_id;
