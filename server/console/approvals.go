package console

import (
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/bulk"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// approvalsPage is an "approve all" with the texts that it is about.
type approvalsPage struct {
	runPage
	// NeedYes are those of Refused that a person may approve one by one, having seen the earlier message.
	NeedYes []reason
	Lists   []approvalList
}

// approvalList is a part of the texts: those that would be approved, or those that are left out.
type approvalList struct {
	Name, Title, Empty string
	Allowed            bool
	Items              []approvalItem
	More               string // the address of the next part, or ""
}

// approvalItem is a message with all that a yes to it binds, as its card shows it.
type approvalItem struct {
	message.Message
	Label string
}

// To is the recipient as a person calls them.
func (a approvalItem) To() string { return calledAs(a.Person) }

// approvalLists are the lists that a page may hold.
var approvalLists = []approvalList{
	{Name: "allowed", Title: "What is approved", Empty: "Nothing.", Allowed: true},
	{Name: "left", Title: "What is left out", Empty: "Nothing."},
}

// showApprovals shows both lists from their beginning, or, on the way through a long one, that one alone.
func (s *Console) showApprovals(v visit) error {
	run, err := s.runPage(v, bulk.Approval)
	if err != nil {
		return err
	}
	page := approvalsPage{runPage: run}
	page.NeedYes, page.Refused = splitByYes(run.Run.Refused)
	after := uuid.Nil
	only := v.QueryParam("list")
	if only != "" {
		if after, err = uuid.Parse(v.QueryParam("after")); err != nil {
			return problem.New(problem.InvalidCursor, "begin again at the first page")
		}
	}
	for _, list := range approvalLists {
		if only != "" && only != list.Name {
			continue
		}
		if err := s.fill(v, &list, run, after); err != nil {
			return err
		}
		page.Lists = append(page.Lists, list)
	}
	return s.show(v, "approvals", "Approve all", page)
}

func (s *Console) fill(v visit, list *approvalList, run runPage, after uuid.UUID) error {
	most := config.PageSizeDefault
	shown, err := s.reads.BulkShown(v.ctx(), v.who.Workspace, run.ID, list.Allowed, after, most+1)
	if err != nil {
		return err
	}
	if len(shown) > most {
		shown = shown[:most]
		list.More = fmt.Sprintf("%s%s?list=%s&after=%s", runsAt[bulk.Approval], run.ID, list.Name, shown[most-1].Item.ID)
	}
	for _, one := range shown {
		list.Items = append(list.Items, approvalItem{one.Message, labelOf(one.Item, run.State())})
	}
	return nil
}

// labelOf is the short name of what a run has made, or would make, of a message.
func labelOf(one bulk.Item, state bulk.State) string {
	switch {
	case one.Verdict != "":
		return one.Verdict.Meaning()
	case one.Outcome != nil && *one.Outcome != "":
		return one.Outcome.Meaning()
	case one.Outcome != nil:
		return "Approved, and queued"
	case state == bulk.Previewed:
		return "Would be approved"
	}
	return "Is approved in its turn"
}

// splitByYes parts what needs a yes of its own from what cannot be approved.
func splitByYes(refused map[problem.Code]int) (needYes, others []reason) {
	yes, no := map[problem.Code]int{}, map[problem.Code]int{}
	for code, count := range refused {
		if code == problem.RepeatNeedsYes || code == problem.CoolingOffNeedsYes {
			yes[code] = count
			continue
		}
		no[code] = count
	}
	return reasons(yes), reasons(no)
}

// CanApproveAll reports whether the section is the one of waiting messages and the person may decide.
func (s section) CanApproveAll() bool {
	return s.Section == message.Waiting && len(s.Cards) > 0 && s.Cards[0].MayDecide
}
