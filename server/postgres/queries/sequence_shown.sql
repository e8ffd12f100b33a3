-- How many messages of each step wait for approval, those of steps that were taken out too.
-- name: StepsWaiting :many
SELECT t.step_id, count(*) AS number FROM sequence_steps p JOIN step_messages t ON t.step_id = p.id AND t.vacated_at IS NULL
    JOIN messages m ON m.id = t.message_id
WHERE p.workspace_id = @workspace_id AND p.sequence_id = @sequence_id AND m.authority IN ('proposed', 'expired') AND m.closed_at IS NULL
GROUP BY t.step_id;

-- What a person calls each of these: a name, else an address, else nothing.
-- name: PeopleCalled :many
SELECT p.id, coalesce(nullif(p.name, ''), nullif(one.name, ''), (SELECT min(i.value) FROM person_identities i WHERE i.person_id = ANY (w.ids)), '')::text AS called
FROM people p JOIN same_people w ON w.person_id = p.id JOIN people one ON one.id = w.one_id
WHERE p.workspace_id = @workspace_id AND p.id = ANY (@people::uuid[]);
