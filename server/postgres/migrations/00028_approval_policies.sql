-- +goose Up

-- What a workspace decided about approvals: one row each time an admin set it, never changed. auto_approve is a list of
-- {"role", "purpose"}; '' stands for any.
CREATE TABLE policies (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    number integer NOT NULL CHECK (number > 0),
    approvers text NOT NULL CHECK (approvers IN ('any', 'own')),
    approval_lasts interval NOT NULL CHECK (approval_lasts BETWEEN '1 minute' AND '90 days'),
    cool_off_days integer NOT NULL CHECK (cool_off_days BETWEEN 0 AND 365),
    auto_approve jsonb NOT NULL CHECK (jsonb_typeof(auto_approve) = 'array'),
    set_by uuid NOT NULL REFERENCES principals,
    set_at timestamptz NOT NULL DEFAULT sendonce_now(),
    PRIMARY KEY (workspace_id, number)
);

-- The policy that holds. Number 0 is what holds before anybody has set one.
CREATE VIEW policies_now AS
SELECT w.id AS workspace_id, coalesce(p.number, 0) AS number, coalesce(p.approvers, 'any') AS approvers,
    coalesce(p.approval_lasts, w.approval_lasts) AS approval_lasts, coalesce(p.cool_off_days, 30) AS cool_off_days,
    coalesce(p.auto_approve, '[]') AS auto_approve
FROM workspaces w
LEFT JOIN LATERAL (SELECT * FROM policies l WHERE l.workspace_id = w.id ORDER BY l.number DESC LIMIT 1) p ON true;

-- yes_to are the earlier messages to this person that the approval was shown and said yes to. policy_number names the policy
-- that approved by itself, in the name of the approver, who set it.
ALTER TABLE approvals
    ADD COLUMN yes_to uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(yes_to) <= 2),
    ADD COLUMN policy_number integer CHECK (policy_number > 0);
