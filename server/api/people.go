package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/problem"
)

// foundPersonView is a person as they are known by now. IDs are those under which messages may name them.
type foundPersonView struct {
	personView
	IDs          []uuid.UUID       `json:"ids"`
	Company      string            `json:"company"`
	Fields       map[string]string `json:"fields"`
	OwnerID      *uuid.UUID        `json:"owner_id"`
	Owner        *string           `json:"owner"`
	DoNotContact bool              `json:"do_not_contact"`
	Contact      contactView       `json:"contact"`
	RepliedAt    *time.Time        `json:"replied_at"`
	CreatedAt    time.Time         `json:"created_at"`
	RemovedAt    *time.Time        `json:"removed_at"`
}

// contactView is how freely they may be written to by whoever has no claim on them. Because and text are null when freely.
type contactView struct {
	Level   people.Level `json:"level"`
	Because *string      `json:"because"`
	Text    *string      `json:"text"`
}

func showFoundPerson(p people.Person) foundPersonView {
	return foundPersonView{
		personView: showIdentities(p.ID, p.Name, p.Identities), IDs: p.Rows, Company: p.Company, Fields: p.Fields, OwnerID: orNull(p.Owner), Owner: orNull(p.OwnerName),
		DoNotContact: p.DoNotContact(), Contact: contactView{p.Contact.Level, orNull(p.Contact.Because), orNull(p.Contact.Text())},
		RepliedAt: p.RepliedAt, CreatedAt: p.CreatedAt, RemovedAt: p.RemovedAt,
	}
}

// personStoryView is a person with what stands against writing to them and what was done about them.
type personStoryView struct {
	foundPersonView
	Suppressions []suppressionView `json:"suppressions"`
	History      []personEventView `json:"history"`
}

type personEventView struct {
	At    time.Time  `json:"at"`
	What  person.Did `json:"what"`
	By    *string    `json:"by"`
	Other *string    `json:"other"`
}

// listPeople takes ?linkedin= or ?email=, in any spelling of exactly that address, and ?name=, a part of it.
func (a *API) listPeople(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	page := people.Page{After: p.after, Most: p.most + 1}
	if page.Who, err = readWho(c); err != nil {
		return err
	}
	if page.Name, err = message.CanonicalLine("name", c.QueryParam("name"), config.PersonNameRunesMax); err != nil {
		return err
	}
	found, err := a.reads.PeopleList(c.ctx(), c.who.Workspace, page)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(one people.Person) uuid.UUID { return one.ID }, showFoundPerson)
}

func readWho(c call) (*people.Identity, error) {
	linkedIn, email := c.QueryParam("linkedin"), c.QueryParam("email")
	if linkedIn == "" && email == "" {
		return nil, nil
	}
	if linkedIn != "" && email != "" {
		return nil, problem.Field("email", "ask for one address at a time")
	}
	read, field, raw := people.ParseLinkedIn, "linkedin", linkedIn
	if email != "" {
		read, field, raw = people.ParseEmail, "email", email
	}
	identity, err := read(field, raw)
	if err != nil {
		return nil, err
	}
	return &identity, nil
}

func (a *API) getPerson(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	story, err := a.reads.PersonStory(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	v := personStoryView{foundPersonView: showFoundPerson(story.Person), Suppressions: []suppressionView{}, History: []personEventView{}}
	for _, s := range story.Suppressions {
		v.Suppressions = append(v.Suppressions, showSuppression(s))
	}
	for _, e := range story.History {
		v.History = append(v.History, personEventView{e.At, e.What, orNull(e.By), orNull(e.Other)})
	}
	return showJSON(c, http.StatusOK, v)
}

type personRequest struct {
	Name    optional[string]    `json:"name"`
	Company optional[string]    `json:"company"`
	Fields  map[string]*string  `json:"fields"`
	OwnerID optional[uuid.UUID] `json:"owner_id"`
}

func (a *API) changePerson(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in personRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	change := person.Change{Name: textOf(in.Name), Company: textOf(in.Company), Fields: map[string]string{}}
	for name, text := range in.Fields {
		change.Fields[name] = orZero(text)
	}
	if in.OwnerID.Given {
		change.Owner = &in.OwnerID.Value
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		p, err := person.Amend(c.ctx(), tx, c.who, id, change)
		return result{object: p.ID, view: showFoundPerson(p)}, err
	})
}

// stakesView is what a merge or a removal would meet of one person.
type stakesView struct {
	ID          uuid.UUID    `json:"id"`
	Name        string       `json:"name"`
	Owner       *string      `json:"owner"`
	Level       people.Level `json:"level"`
	IDs         []uuid.UUID  `json:"ids"`
	Messages    int          `json:"messages"`
	Proposed    int          `json:"proposed"`
	Waiting     int          `json:"waiting"`
	Started     int          `json:"started"`
	Unconfirmed int          `json:"unconfirmed"`
	Sent        int          `json:"sent"`
}

func showStakes(s person.Stakes) stakesView {
	return stakesView{s.ID, s.Name, orNull(s.OwnerName), s.Level, s.Rows, s.Messages, s.Proposed, s.Waiting, s.Started, s.Unconfirmed, s.Sent}
}

// refusedView is why something would be refused as things stand; null when it would not be.
type refusedView struct {
	Code   problem.Code `json:"code"`
	Detail string       `json:"detail"`
}

func showRefused(p *problem.Problem) *refusedView {
	if p == nil {
		return nil
	}
	return &refusedView{p.Code, p.Detail}
}

// mergeView is what a merge would do. Whoever asks for it says seen, so that it does no more than was shown.
type mergeView struct {
	Kept     stakesView    `json:"kept"`
	Gone     stakesView    `json:"gone"`
	Done     bool          `json:"done"`
	Effects  []string      `json:"effects"`
	Refused  *refusedView  `json:"refused"`
	Meetings []meetingView `json:"meetings"`
	Seen     string        `json:"seen"`
}

type meetingView struct {
	KeptMessageID uuid.UUID `json:"kept_message_id"`
	GoneMessageID uuid.UUID `json:"gone_message_id"`
	Purpose       string    `json:"purpose"`
}

// previewMerge takes ?other=, who would be merged into the person of the path.
func (a *API) previewMerge(c call) error {
	kept, err := pathID(c)
	if err != nil {
		return err
	}
	gone, err := uuid.Parse(c.QueryParam("other"))
	if err != nil {
		return problem.Field("other", "name the id of the person who would be merged into this one")
	}
	m, err := a.reads.MergePreview(c.ctx(), c.who.Workspace, kept, gone)
	if err != nil {
		return err
	}
	v := mergeView{
		Kept: showStakes(m.Kept), Gone: showStakes(m.Gone), Done: m.IsDone(), Effects: []string{}, Refused: showRefused(m.Refused(c.who)),
		Meetings: []meetingView{}, Seen: m.Seen(),
	}
	if !v.Done {
		v.Effects = m.Effects()
	}
	for _, one := range m.Meetings {
		v.Meetings = append(v.Meetings, meetingView{one.Kept, one.Gone, one.Purpose})
	}
	return showJSON(c, http.StatusOK, v)
}

type mergeRequest struct {
	Other uuid.UUID `json:"other"`
	Seen  string    `json:"seen"`
}

func (a *API) mergePeople(c call) error {
	kept, err := pathID(c)
	if err != nil {
		return err
	}
	var in mergeRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if in.Other == uuid.Nil {
		return problem.Field("other", "name the id of the person who is merged into this one")
	}
	if err := checkSeen(in.Seen); err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		p, err := person.Merge(c.ctx(), tx, c.who, kept, in.Other, in.Seen)
		return result{object: p.ID, view: showFoundPerson(p)}, err
	})
}

// checkSeen refuses what cannot be undone when it is asked for without a look.
func checkSeen(seen string) error {
	if seen == "" {
		return problem.Field("seen", "GET the same path first: it says what will happen, and seen is in its answer")
	}
	return nil
}

// removalView is what the removal of a person would do.
type removalView struct {
	Person  stakesView   `json:"person"`
	Done    bool         `json:"done"`
	Effects []string     `json:"effects"`
	Refused *refusedView `json:"refused"`
	Seen    string       `json:"seen"`
}

func (a *API) previewRemoval(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	r, err := a.reads.RemovalPreview(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	v := removalView{Person: showStakes(r.Stakes), Done: r.IsRemoved, Effects: []string{}, Refused: showRefused(r.Refused()), Seen: r.Seen()}
	if !v.Done {
		v.Effects = r.Effects()
	}
	return showJSON(c, http.StatusOK, v)
}

func (a *API) removePerson(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in struct {
		Seen string `json:"seen"`
	}
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if err := checkSeen(in.Seen); err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		p, err := person.Remove(c.ctx(), tx, c.who, id, in.Seen)
		return result{object: p.ID, view: showFoundPerson(p)}, err
	})
}
