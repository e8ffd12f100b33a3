package console

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/problem"
	"sendonce/server/sequence"
)

type personPage struct {
	personCard
	Suppressions []suppressionCard
	History      []person.Event
	Messages     []card
	More         bool // there are more messages than these
	Enrolments   []enrolmentCard
	Choices      enrolChoices
	MayEnrol     bool
	// Settled is what a suppression that was just said met, or "".
	Settled                           string
	MaySuppress, MayDecide, MayForget bool
	IsTheirs                          bool // of the one who looks
}

// did are the words for what was done about a person.
var did = map[person.Did]string{
	person.WasSuppressed: "Not to be contacted", person.WasUnsuppressed: "May be contacted again", person.WasOwned: "Owned by", person.WasDisowned: "No longer owned by",
	person.WasMerged: "Merged into", person.WasRemoved: "Removed",
}

// Did is the word for a line of the history.
func (personPage) Did(e person.Event) string { return did[e.What] }

// IsByPerson reports whether it is the person themself who must not be contacted.
func (p personPage) IsByPerson() bool { return p.Contact.Because == "person" }

func (s *Console) showPerson(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	story, err := s.reads.PersonStory(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	found, err := s.reads.MessageList(v.ctx(), v.who.Workspace, message.Page{Person: story.ID, Most: config.PageSizeDefault + 1})
	if err != nil {
		return err
	}
	page := personPage{
		personCard: personCard{story.Person, uuid.NewString()}, Suppressions: suppressionCards(v, story.Suppressions), History: story.History,
		Settled: suppressedText(v), More: len(found) > config.PageSizeDefault, IsTheirs: story.Owner == v.who.ID,
	}
	if story.RemovedAt == nil {
		page.MaySuppress, page.MayDecide, page.MayForget = v.who.May(access.Suppress), v.who.May(access.Decide), v.who.May(access.Forget)
	}
	for _, m := range found[:min(len(found), config.PageSizeDefault)] {
		page.Messages = append(page.Messages, card{Message: m})
	}
	if err := s.addEnrolments(v, &page); err != nil {
		return err
	}
	return s.show(v, "person", page.Called(), page)
}

// addEnrolments reads which sequences the person is in, and which they may be enrolled into.
func (s *Console) addEnrolments(v visit, page *personPage) error {
	found, err := s.reads.EnrolmentList(v.ctx(), v.who.Workspace, sequence.Page{Person: page.ID, Most: config.PageSizeMax})
	if err != nil {
		return err
	}
	if page.Enrolments, err = s.enrolmentCards(v, found); err != nil {
		return err
	}
	for i := range page.Enrolments {
		page.Enrolments[i].OnPerson = true
	}
	page.MayEnrol = page.RemovedAt == nil && v.who.May(access.Propose)
	if !page.MayEnrol {
		return nil
	}
	page.Choices, err = s.enrolChoices(v)
	return err
}

func (s *Console) suppressPerson(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.suppress(v, person.Whom{Person: id}, "/people/"+id.String())
}

// amendPerson is the form of the name, the company and the fields that templates use, with one that is new.
func (s *Console) amendPerson(v visit) error {
	form, err := v.FormParams()
	if err != nil {
		return problem.New(problem.InvalidField, "the form could not be read; reload the page")
	}
	name, company := form.Get("name"), form.Get("company")
	change := person.Change{Name: &name, Company: &company, Fields: map[string]string{}}
	for _, field := range form["field"] {
		change.Fields[field] = form.Get("value-" + field)
	}
	if added := form.Get("new_field"); added != "" || form.Get("new_value") != "" {
		change.Fields[added] = form.Get("new_value")
	}
	return s.changePerson(v, fmt.Sprintf("%q %q %q", name, company, change.Fields), change)
}

// ownPerson has the person be whoever's presses the button, or nobody's.
func (s *Console) ownPerson(v visit) error {
	owner := v.FormValue("owner")
	var is *uuid.UUID
	if owner == "me" {
		is = &v.who.ID
	}
	return s.changePerson(v, owner, person.Change{Owner: &is})
}

func (s *Console) changePerson(v visit, payload string, change person.Change) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, payload, "/people/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		p, err := person.Amend(v.ctx(), tx, v.who, id, change)
		return p.ID, uuid.Nil, err
	})
}

type mergePage struct {
	person.Merging
	Refused *problem.Problem // for the one who looks
	Key     string
}

// otherPerson is who is to be merged: by an id, or by one of their addresses.
func (s *Console) otherPerson(v visit) (uuid.UUID, error) {
	typed := v.QueryParam("other")
	if id, err := uuid.Parse(typed); err == nil {
		return id, nil
	}
	who, _, err := lookedFor(typed)
	if err != nil {
		return uuid.Nil, err
	}
	if who == nil {
		return uuid.Nil, problem.Field("other", "name the other person by their address, or by the id in the address of their page")
	}
	found, err := s.reads.PeopleList(v.ctx(), v.who.Workspace, people.Page{Who: who, Most: 1})
	if err != nil {
		return uuid.Nil, err
	}
	if len(found) == 0 {
		return uuid.Nil, problem.New(problem.NotFound, "nobody here has that address")
	}
	return found[0].ID, nil
}

// showMerge says what would happen, before it is asked for.
func (s *Console) showMerge(v visit) error {
	kept, err := pathID(v)
	if err != nil {
		return err
	}
	gone, err := s.otherPerson(v)
	if err != nil {
		return err
	}
	m, err := s.reads.MergePreview(v.ctx(), v.who.Workspace, kept, gone)
	if err != nil {
		return err
	}
	if m.IsDone() {
		return v.Redirect(http.StatusSeeOther, "/people/"+m.Kept.ID.String())
	}
	return s.show(v, "merge", "Two are one person", mergePage{m, m.Refused(v.who), uuid.NewString()})
}

func (s *Console) merge(v visit) error {
	kept, err := pathID(v)
	if err != nil {
		return err
	}
	gone, err := uuid.Parse(v.FormValue("other"))
	if err != nil {
		return problem.Field("other", "reload the page and decide on what it shows")
	}
	seen := v.FormValue("seen")
	return s.run(v, gone.String()+seen, "/people/"+kept.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		p, err := person.Merge(v.ctx(), tx, v.who, kept, gone, seen)
		return p.ID, uuid.Nil, err
	})
}

type removalPage struct {
	person.Removal
	Key string
}

func (s *Console) showRemoval(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	r, err := s.reads.RemovalPreview(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	if r.IsRemoved {
		return v.Redirect(http.StatusSeeOther, "/people/"+r.ID.String())
	}
	return s.show(v, "removal", "Remove a person", removalPage{r, uuid.NewString()})
}

func (s *Console) removePerson(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	seen := v.FormValue("seen")
	return s.run(v, seen, "/people/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		p, err := person.Remove(v.ctx(), tx, v.who, id, seen)
		return p.ID, uuid.Nil, err
	})
}
