package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/imports"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/sequence"
)

// enrollingPage asks who is to be enrolled: the people of a file, or some whom ?q= finds.
type enrollingPage struct {
	sequenceCard
	Accounts []account.Account
	Import   *imports.Import
	Asked    string
	Found    []personCard
	More     string // the address of the next part, or ""
	Key      string
}

// AtOnce is how many rows of a file are gone through at one time.
func (enrollingPage) AtOnce() int { return config.EnrolAtOnceMax }

func (s *Console) showEnrolling(v visit) error {
	into, err := formID(v, "sequence")
	if err != nil {
		return err
	}
	page := enrollingPage{Asked: v.QueryParam("q"), Key: uuid.NewString()}
	if page.Sequence, err = s.reads.SequenceRead(v.ctx(), v.who.Workspace, into); err != nil {
		return err
	}
	if page.Accounts, err = s.reads.AccountList(v.ctx(), v.who.Workspace, uuid.Nil, config.PageSizeMax); err != nil {
		return err
	}
	if v.QueryParam("import") == "" {
		err = s.findPeople(v, &page)
	} else {
		page.Import, err = s.importOf(v)
	}
	if err != nil {
		return err
	}
	return s.show(v, "enrolling", "Enrol people into "+page.Name, page)
}

// importOf is the import that a form is about.
func (s *Console) importOf(v visit) (*imports.Import, error) {
	if err := v.who.Require(access.Import); err != nil {
		return nil, err
	}
	id, err := formID(v, "import")
	if err != nil {
		return nil, err
	}
	found, err := s.reads.ImportRead(v.ctx(), v.who.Workspace, id)
	return &found, err
}

// findPeople lists everybody, or whom ?q= finds.
func (s *Console) findPeople(v visit, page *enrollingPage) error {
	asked := people.Page{Most: config.PageSizeDefault + 1}
	var err error
	if asked.Who, asked.Name, err = lookedFor(page.Asked); err != nil {
		return err
	}
	if asked.After, err = readAfter(v); err != nil {
		return err
	}
	found, err := s.reads.PeopleList(v.ctx(), v.who.Workspace, asked)
	if err != nil {
		return err
	}
	if len(found) > config.PageSizeDefault {
		found = found[:config.PageSizeDefault]
		page.More = "/enrolling?" + url.Values{"sequence": {page.ID.String()}, "q": {page.Asked}, "after": {found[len(found)-1].ID.String()}}.Encode()
	}
	for _, one := range found {
		page.Found = append(page.Found, personCard{Person: one})
	}
	return nil
}

// enrolAsked is who is to be enrolled from which account: some people, or those of an import after a row.
type enrolAsked struct {
	Account uuid.UUID
	People  []uuid.UUID
	Import  uuid.UUID
	After   int
}

func readEnrolling(v visit) (asked enrolAsked, err error) {
	if asked.Account, err = formID(v, "account"); err != nil {
		return asked, err
	}
	if v.FormValue("import") != "" {
		asked.After = countOf(v, "after")
		asked.Import, err = formID(v, "import")
		return asked, err
	}
	for _, text := range v.Request().Form["people"] {
		person, err := uuid.Parse(text)
		if err != nil {
			return asked, problem.Field("people", "reload the page and choose from those that it shows")
		}
		asked.People = append(asked.People, person)
	}
	if len(asked.People) == 0 {
		return asked, problem.Field("people", "choose somebody first")
	}
	return asked, nil
}

// countOf is a number that a page counts up; what is no number is 0.
func countOf(v visit, field string) int {
	n, err := strconv.Atoi(v.FormValue(field))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (a enrolAsked) enrol(ctx context.Context, tx command.Tx, who access.Principal, into uuid.UUID) ([]sequence.Enrolling, int, error) {
	if a.Import != uuid.Nil {
		return sequence.EnrolImport(ctx, tx, who, into, a.Account, a.Import, a.After)
	}
	all, err := sequence.EnrolMany(ctx, tx, who, into, a.Account, a.People)
	return all, 0, err
}

// enrolledPart is what came of some of them. It is kept, so that a second tap shows what the first one did.
type enrolledPart struct {
	Enrolled int
	Refused  []refusedPerson
	Next     int // the row to go on after; 0 when there is none
}

// refusedPerson is one who was not enrolled, and why.
type refusedPerson struct {
	Person    uuid.UUID
	Row       int // of the import; 0 where they were named
	Why       string
	Enrolment uuid.UUID // which they are in already; uuid.Nil where it is another reason
	Called    string
}

// IsThere reports whether they are in the sequence already.
func (p refusedPerson) IsThere() bool { return p.Enrolment != uuid.Nil }

func partOf(all []sequence.Enrolling, next int) enrolledPart {
	part := enrolledPart{Next: next}
	for _, one := range all {
		if one.Refused == nil {
			part.Enrolled++
			continue
		}
		refused := refusedPerson{Person: one.Person, Row: one.Row, Why: one.Refused.Detail}
		if one.Refused.Code == problem.AlreadyEnrolled {
			refused.Why = one.Refused.Code.Meaning()
			refused.Enrolment, _ = one.Refused.More["enrolment_id"].(uuid.UUID)
		}
		part.Refused = append(part.Refused, refused)
	}
	return part
}

// enrolledPage is what came of enrolling many, part after part.
type enrolledPage struct {
	sequenceCard
	enrolledPart
	Import              *imports.Import
	Account             uuid.UUID
	After               int // the row that this part began after
	AllEnrolled, AllNot int // with the parts before
	Key                 string
}

// At is the row that was come to.
func (p enrolledPage) At() int {
	if p.Next > 0 {
		return p.Next
	}
	return p.Import.LastRow
}

// enrolMany enrols some people, or the next ones of an import, and shows what came of each. The page goes on by itself as long as rows follow.
func (s *Console) enrolMany(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	asked, err := readEnrolling(v)
	if err != nil {
		return err
	}
	page := enrolledPage{Account: asked.Account, After: asked.After}
	if asked.Import != uuid.Nil {
		if page.Import, err = s.importOf(v); err != nil {
			return err
		}
	}
	defer s.enrolling.Wake()
	answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, fmt.Sprint(asked)), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		all, next, err := asked.enrol(v.ctx(), tx, v.who, id)
		if err != nil {
			return command.Answer{}, uuid.Nil, err
		}
		body, err := json.Marshal(partOf(all, next))
		return command.Answer{Status: http.StatusOK, Object: id, Body: body}, uuid.Nil, err
	})
	if err != nil {
		return err
	}
	if answer.IsForgotten {
		return v.Redirect(http.StatusSeeOther, "/sequences/"+id.String())
	}
	if err := json.Unmarshal(answer.Body, &page.enrolledPart); err != nil {
		return fmt.Errorf("read what came of an enrolling: %w", err)
	}
	page.AllEnrolled, page.AllNot = countOf(v, "enrolled")+page.Enrolled, countOf(v, "refused")+len(page.Refused)
	return s.showEnrolled(v, id, page)
}

func (s *Console) showEnrolled(v visit, id uuid.UUID, page enrolledPage) (err error) {
	if page.Sequence, err = s.reads.SequenceRead(v.ctx(), v.who.Workspace, id); err != nil {
		return err
	}
	ids := make([]uuid.UUID, len(page.Refused))
	for i, one := range page.Refused {
		ids[i] = one.Person
	}
	called, err := s.called(v, ids)
	if err != nil {
		return err
	}
	for i := range page.Refused {
		page.Refused[i].Called = called[page.Refused[i].Person]
	}
	// A part that is asked for twice is one part.
	before, _ := uuid.Parse(v.FormValue("key"))
	page.Key = uuid.NewSHA1(before, fmt.Append(nil, page.Next)).String()
	return s.show(v, "enrolled", "Enrolled into "+page.Name, page)
}
