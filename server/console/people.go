package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/problem"
)

// personCard is a person on a page. Key is made for its buttons.
type personCard struct {
	people.Person
	Key string
}

// Called is the person as a person calls them.
func (c personCard) Called() string {
	switch {
	case c.Name != "":
		return c.Name
	case len(c.Identities) > 0:
		return c.Identities[0].Value
	case c.RemovedAt != nil:
		return "Somebody who was removed"
	}
	return c.ID.String()
}

type peoplePage struct {
	Asked     string
	Cards     []personCard
	More      string // the address of the next page, or ""
	MayImport bool
}

// lookedFor reads what a person typed to find somebody: an address of either kind, or else a part of a name.
func lookedFor(typed string) (who *people.Identity, name string, err error) {
	read, field := people.ParseLinkedIn, "q"
	switch typed = strings.TrimSpace(typed); {
	case strings.Contains(typed, "@"):
		read = people.ParseEmail
	case !strings.Contains(typed, "linkedin.") && !strings.Contains(typed, "/in/"):
		name, err = message.CanonicalLine(field, typed, config.PersonNameRunesMax)
		return nil, name, err
	}
	identity, err := read(field, typed)
	return &identity, "", err
}

// showPeople is everybody, or whom ?q= finds.
func (s *Console) showPeople(v visit) error {
	page := peoplePage{Asked: v.QueryParam("q"), MayImport: v.who.May(access.Import)}
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
		page.More = "/people?" + url.Values{"q": {page.Asked}, "after": {found[len(found)-1].ID.String()}}.Encode()
	}
	for _, one := range found {
		page.Cards = append(page.Cards, personCard{Person: one})
	}
	return s.show(v, "people", "People", page)
}

// readAfter is the id that a page's link to the next one names, or uuid.Nil.
func readAfter(v visit) (uuid.UUID, error) {
	text := v.QueryParam("after")
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, problem.New(problem.InvalidCursor, "begin again at the first page")
	}
	return id, nil
}

// suppressionCard is a suppression with the form that lifts it.
type suppressionCard struct {
	person.Suppression
	Key     string
	MayLift bool
}

// Whom is who it is about, in words.
func (c suppressionCard) Whom() string {
	switch {
	case c.Value == "":
		return "Somebody who was removed"
	case c.Scope == person.OfPerson:
		return "This person"
	case c.Scope == person.OfDomain:
		return "Everybody with a mail address at " + c.Value
	case c.Scope == person.OfCompany:
		return "Everybody of the company " + c.Value
	}
	return "The address " + c.Value
}

func suppressionCards(v visit, list []person.Suppression) []suppressionCard {
	cards := make([]suppressionCard, len(list))
	for i, one := range list {
		cards[i] = suppressionCard{one, uuid.NewString(), one.Lifted == nil && v.who.May(access.Forget)}
	}
	return cards
}

type suppressionsPage struct {
	Cards       []suppressionCard
	Lifted      bool
	More        string
	MaySuppress bool
	Key         string
	// Settled is what a suppression that was just said met, or "".
	Settled string
}

// showSuppressions is those that stand, or with ?state=lifted the lifted ones, the newest first.
func (s *Console) showSuppressions(v visit) error {
	page := suppressionsPage{
		Lifted: v.QueryParam("state") == "lifted", MaySuppress: v.who.May(access.Suppress), Key: uuid.NewString(), Settled: suppressedText(v),
	}
	before, err := readAfter(v)
	if err != nil {
		return err
	}
	found, err := s.reads.SuppressionList(v.ctx(), v.who.Workspace, person.SuppressionPage{
		Standing: !page.Lifted, Lifted: page.Lifted, Before: before, Most: config.PageSizeDefault + 1,
	})
	if err != nil {
		return err
	}
	if len(found) > config.PageSizeDefault {
		found = found[:config.PageSizeDefault]
		page.More = "/suppressions?after=" + found[len(found)-1].ID.String()
		if page.Lifted {
			page.More += "&state=lifted"
		}
	}
	page.Cards = suppressionCards(v, found)
	return s.show(v, "suppressions", "Not to be contacted", page)
}

// suppress goes on to a page that says what it met.
func (s *Console) suppress(v visit, whom person.Whom, next string) error {
	why := v.FormValue("why")
	answer, _, err := s.commands.Suppress(v.ctx(), v.who, once(v, fmt.Sprint(whom)+"\n"+why), whom, why, func(_ person.Suppression, settled person.Settled) ([]byte, error) {
		return fmt.Appendf(nil, "called_off=%d&begun=%d", settled.CalledOff, settled.Begun), nil
	})
	if err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, next+"?"+string(answer.Body))
}

// suppressedText reads back what suppress wrote into the address.
func suppressedText(v visit) string {
	calledOff, err := strconv.Atoi(v.QueryParam("called_off"))
	begun, err2 := strconv.Atoi(v.QueryParam("begun"))
	if err != nil || err2 != nil {
		return ""
	}
	return person.Settled{CalledOff: calledOff, Begun: begun}.Text()
}

// suppressMany is the form of an address, a domain or a company.
func (s *Console) suppressMany(v visit) error {
	typed := v.FormValue("whom")
	whom, known := map[string]person.Whom{
		"linkedin": {LinkedIn: typed}, "email": {Email: typed}, "email_domain": {EmailDomain: typed}, "company": {Company: typed},
	}[v.FormValue("of")]
	if !known {
		return problem.Field("of", "reload the page and choose what it is")
	}
	return s.suppress(v, whom, "/suppressions")
}

func (s *Console) lift(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	why := v.FormValue("why")
	return s.run(v, why, "/suppressions", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := person.Lift(v.ctx(), tx, v.who, id, why)
		return id, uuid.Nil, err
	})
}
