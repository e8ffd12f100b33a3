-- +goose Up
-- What a person answered to a sequence, and which of its messages nobody approves or tries again.

-- Of an enrolment: when its person was first in the sequence, by whichever of their rows, and when they last replied or were written to by hand.
CREATE VIEW enrolment_answers AS
SELECT e.id AS enrolment_id,
    (SELECT min(y.created_at) FROM enrolments y WHERE y.sequence_id = e.sequence_id AND y.person_id = ANY (w.ids)) AS began_at,
    (SELECT max(r.replied_at) FROM people r WHERE r.id = ANY (w.ids)) AS replied_at,
    (SELECT max(d.at) FROM delivery_observations d JOIN messages m ON m.id = d.message_id
        WHERE m.person_id = ANY (w.ids) AND d.kind = 'manual' AND NOT EXISTS (SELECT FROM deliveries o
            WHERE o.account_id = d.account_id AND o.provider_id = d.seen_id)) AS by_hand_at
FROM enrolments e JOIN same_people w ON w.person_id = e.person_id;

-- The messages that nobody approves or tries again: their person has had that step by another message, under whatever name, or has answered, or
-- what they are a step of is paused or over. Whether a server has looked since does not matter.
CREATE OR REPLACE VIEW held_steps AS
SELECT t.message_id, CASE WHEN had.had THEN 'step_had' WHEN e.state = 'stopped' OR answered.answered THEN 'enrolment_over' ELSE 'sequence_paused' END AS because
FROM step_messages t JOIN enrolments e ON e.id = t.enrolment_id JOIN sequences q ON q.id = t.sequence_id
    CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM same_people w JOIN steps_had h ON h.person_id = ANY (w.ids)
        WHERE w.person_id = t.person_id AND h.step_id = t.step_id AND h.message_id <> t.message_id AND h.is_sent) AS had) had
    CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM enrolment_answers a
        WHERE a.enrolment_id = e.id AND greatest(a.replied_at, a.by_hand_at) > a.began_at) AS answered) answered
WHERE t.vacated_at IS NULL AND (had.had OR answered.answered OR e.state IN ('paused', 'stopped') OR q.state IN ('paused', 'stopped'));
