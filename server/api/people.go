package api

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/people"
	"sendonce/server/problem"
)

// foundPersonView is a person who was looked up.
type foundPersonView struct {
	personView
	DoNotContact bool       `json:"do_not_contact"`
	RepliedAt    *time.Time `json:"replied_at"`
	CreatedAt    time.Time  `json:"created_at"`
}

func showFoundPerson(p people.Person) foundPersonView {
	return foundPersonView{
		personView: showIdentities(p.ID, p.Name, p.Identities), DoNotContact: p.DoNotContact, RepliedAt: p.RepliedAt, CreatedAt: p.CreatedAt,
	}
}

// listPeople takes ?linkedin= or ?email=, in any spelling of exactly that address.
func (a *API) listPeople(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	who, err := readWho(c)
	if err != nil {
		return err
	}
	found, err := a.reads.PeopleList(c.ctx(), c.who.Workspace, people.Page{Who: who, After: p.after, Most: p.most + 1})
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
