-- name: PolicyNow :one
SELECT n.number::integer AS number, n.approvers::text AS approvers, n.approval_lasts::interval AS approval_lasts,
    n.cool_off_days::integer AS cool_off_days, n.auto_approve::jsonb AS auto_approve, n.colleague_days::integer AS colleague_days,
    n.person_most::integer AS person_most, n.person_days::integer AS person_days, n.content_days::integer AS content_days, l.set_by, l.set_at, p.name AS set_by_name
FROM policies_now n LEFT JOIN policies l ON l.workspace_id = n.workspace_id AND l.number = n.number
    LEFT JOIN principals p ON p.id = l.set_by
WHERE n.workspace_id = @workspace_id;

-- Two who set a policy at one moment come one after the other.
-- name: PolicyLock :exec
SELECT id FROM workspaces WHERE id = @workspace_id FOR NO KEY UPDATE;

-- name: PolicyInsert :exec
INSERT INTO policies (workspace_id, number, approvers, approval_lasts, cool_off_days, auto_approve, colleague_days, person_most, person_days,
    content_days, set_by)
VALUES (@workspace_id, @number, @approvers, @approval_lasts, @cool_off_days, @auto_approve, @colleague_days, @person_most, @person_days,
    @content_days, @set_by);

-- name: AccountIsGranted :one
SELECT EXISTS (SELECT FROM account_grants WHERE account_id = @account_id AND principal_id = @principal_id)::boolean;
