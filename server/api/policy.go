package api

import (
	"net/http"
	"time"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// policyView is what a workspace has decided about approvals, and about people. SetBy and SetAt are null until somebody has set one.
type policyView struct {
	Number               int               `json:"number"`
	Approvers            message.Approvers `json:"approvers"`
	ApprovalLastsSeconds int64             `json:"approval_lasts_seconds"`
	CoolOffDays          int               `json:"cool_off_days"`
	AutoApprove          []autoRuleView    `json:"auto_approve"`
	ColleagueDays        int               `json:"colleague_days"`
	PersonMost           int               `json:"person_most"`
	PersonDays           int               `json:"person_days"`
	ContentDays          int               `json:"content_days"`
	SetBy                *string           `json:"set_by"`
	SetAt                *time.Time        `json:"set_at"`
}

type autoRuleView struct {
	Role    *access.Role `json:"role"`
	Purpose *string      `json:"purpose"`
}

func showPolicy(p message.Policy) policyView {
	v := policyView{
		Number: p.Number, Approvers: p.Approvers, ApprovalLastsSeconds: int64(p.ApprovalLasts / time.Second),
		CoolOffDays: p.CoolOffDays, AutoApprove: []autoRuleView{}, ColleagueDays: p.ColleagueDays, PersonMost: p.PersonMost, PersonDays: p.PersonDays,
		ContentDays: p.ContentDays, SetBy: orNull(p.SetByName), SetAt: orNull(p.SetAt),
	}
	for _, r := range p.AutoApprove {
		v.AutoApprove = append(v.AutoApprove, autoRuleView{orNull(r.Role), orNull(r.Purpose)})
	}
	return v
}

type policyRequest struct {
	Approvers            optional[message.Approvers]  `json:"approvers"`
	ApprovalLastsSeconds optional[int64]              `json:"approval_lasts_seconds"`
	CoolOffDays          optional[int]                `json:"cool_off_days"`
	AutoApprove          optional[[]message.AutoRule] `json:"auto_approve"`
	ColleagueDays        optional[int]                `json:"colleague_days"`
	PersonMost           optional[int]                `json:"person_most"`
	PersonDays           optional[int]                `json:"person_days"`
	ContentDays          optional[int]                `json:"content_days"`
}

// secondsMax keeps a number of seconds from wrapping around when it becomes a duration; the policy's own limit is far below.
const secondsMax = int64(1<<63-1) / int64(time.Second)

func (in policyRequest) change() (message.Change, error) {
	for field, isNull := range map[string]bool{
		"approvers":              in.Approvers.Given && in.Approvers.Value == nil,
		"approval_lasts_seconds": in.ApprovalLastsSeconds.Given && in.ApprovalLastsSeconds.Value == nil,
		"cool_off_days":          in.CoolOffDays.Given && in.CoolOffDays.Value == nil,
		"auto_approve":           in.AutoApprove.Given && in.AutoApprove.Value == nil,
		"colleague_days":         in.ColleagueDays.Given && in.ColleagueDays.Value == nil,
		"person_most":            in.PersonMost.Given && in.PersonMost.Value == nil,
		"person_days":            in.PersonDays.Given && in.PersonDays.Value == nil,
		"content_days":           in.ContentDays.Given && in.ContentDays.Value == nil,
	} {
		if isNull {
			return message.Change{}, problem.Field(field, "it cannot be null; leave it out to keep it")
		}
	}
	c := message.Change{
		Approvers: in.Approvers.Value, CoolOffDays: in.CoolOffDays.Value, AutoApprove: in.AutoApprove.Value, ColleagueDays: in.ColleagueDays.Value,
		PersonMost: in.PersonMost.Value, PersonDays: in.PersonDays.Value, ContentDays: in.ContentDays.Value,
	}
	if seconds := in.ApprovalLastsSeconds.Value; seconds != nil {
		lasts := time.Duration(max(-1, min(*seconds, secondsMax))) * time.Second
		c.ApprovalLasts = &lasts
	}
	return c, nil
}

func (a *API) setPolicy(c call) error {
	var in policyRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	change, err := in.change()
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		p, err := message.SetPolicy(c.ctx(), tx, c.who, change)
		return result{object: c.who.Workspace, view: showPolicy(p)}, err
	})
}

func (a *API) getPolicy(c call) error {
	policy, err := a.reads.PolicyGet(c.ctx(), c.who.Workspace)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showPolicy(policy))
}
