package console

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// sectionWords are what a person reads of a section: its name, and what to do when it is empty.
var sectionWords = map[message.Section]struct{ Title, Empty string }{
	message.NeedsALook: {"Needs a look", "Nothing needs a look."},
	message.Waiting:    {"Waiting for approval", "Nothing waits for you. Programs propose messages with POST /v1/messages; they appear here to be approved."},
	message.InQueue:    {"Queued", "Nothing is queued. What you approve goes here until a browser has sent it."},
	message.Done:       {"Sent", "Nothing was sent yet."},
	message.NotSent:    {"Failed", "Nothing failed."},
	message.CalledOff:  {"Canceled", "Nothing was canceled."},
}

// card is one message on a page. Key is made for this one button: two taps on it are one approval.
type card struct {
	message.Message
	MayDecide bool
	Key       string
	Open      bool // the history is unfolded
	// Asks are the earlier messages to this person that an approval must say yes to.
	Asks []message.Asked
	// Contact is how freely the person may be written to from the account; zero unless it can be approved.
	Contact people.Contact
	// Pace is of the account; zero unless it can be approved.
	Pace pace.Pace
}

func (s *Console) cards(v visit, messages []message.Message) ([]card, error) {
	out := make([]card, len(messages))
	var approvable []uuid.UUID
	for i, m := range messages {
		out[i] = card{Message: m, MayDecide: v.who.May(access.Decide), Key: uuid.NewString()}
		if out[i].CanApprove() {
			approvable = append(approvable, m.ID)
		}
	}
	if len(approvable) == 0 {
		return out, nil
	}
	asks, err := s.reads.MessagesAsk(v.ctx(), v.who.Workspace, approvable)
	if err != nil {
		return nil, err
	}
	contacts, err := s.reads.MessagesContact(v.ctx(), v.who.Workspace, approvable)
	for i := range out {
		out[i].Asks, out[i].Contact = asks[out[i].ID], contacts[out[i].ID]
	}
	if err != nil {
		return nil, err
	}
	return out, s.addPaces(v, out)
}

// addPaces asks once for each account whose messages may be approved.
func (s *Console) addPaces(v visit, cards []card) (err error) {
	paces := map[uuid.UUID]pace.Pace{}
	for i, c := range cards {
		if !c.CanApprove() {
			continue
		}
		of, known := paces[c.Target.Account]
		if !known {
			if of, err = s.reads.PaceGet(v.ctx(), v.who.Workspace, c.Target.Account); err != nil {
				return err
			}
			paces[c.Target.Account] = of
		}
		cards[i].Pace = of
	}
	return nil
}

// WaitsUntil is the earliest end of what a queued message waits for, or nil when it is not known.
func (c card) WaitsUntil() *time.Time {
	if latest := c.Latest(); latest != nil {
		return latest.WaitingUntil
	}
	return nil
}

// To is the recipient as a person calls them.
func (c card) To() string { return calledAs(c.Person) }

func calledAs(p message.Person) string {
	if p.Name != "" {
		return p.Name
	}
	for _, identity := range p.Identities {
		return identity.Value
	}
	return p.ID.String()
}

// Label is the short name of where the message stands.
func (c card) Label() string {
	if status := c.Status(); status != nil && (c.Authority == message.Approved || *status == rule.Sent || *status == rule.Unconfirmed) {
		return status.Label()
	}
	if c.Closure != nil {
		return "Closed"
	}
	switch c.Authority {
	case message.Withdrawn:
		return "Withdrawn"
	case message.Rejected:
		return "Rejected"
	case message.Expired:
		return "Expired"
	default:
		return "Waiting for approval"
	}
}

// Waits is what a queued message waits for.
func (c card) Waits() string {
	latest := c.Latest()
	if latest == nil || latest.Status != rule.Queued {
		return ""
	}
	if text := latest.WaitingFor.Text(); text != "" {
		return text
	}
	return "Waiting for a browser that is signed in as this account to take it."
}

// CanRetry reports whether the approval that stands may be used once more.
func (c card) CanRetry() bool {
	return c.MayDecide && c.Content.ExpiredAt == nil && c.Closure == nil && c.Authority == message.Approved && c.Approval != nil && c.Status() != nil && !c.Status().Live()
}

// CanSettle reports whether a person must say what became of the latest send.
func (c card) CanSettle() bool {
	return c.MayDecide && c.Latest() != nil && c.Latest().Status == rule.Unconfirmed
}

// Where is the address at which a person looks: the conversation, else the person's profile, or "".
func (c card) Where() string {
	if c.Conversation != "" {
		return people.LinkedInThread(c.Conversation)
	}
	for _, identity := range c.Person.Identities {
		if identity.Kind != people.Email {
			return identity.ProfileURL()
		}
	}
	return ""
}

// CanWithdraw reports whether it is not too late to take the message back.
func (c card) CanWithdraw() bool {
	if !c.MayDecide || c.Closure != nil || c.Authority == message.Withdrawn {
		return false
	}
	status := c.Status()
	return status == nil || *status == rule.Queued || *status == rule.Leased || !status.Live()
}

type section struct {
	message.Section
	Title, Empty string
	Number       int
	Cards        []card
	More         string // the address of the next page, or ""
}

type overview struct {
	Over      over
	Instance  instancePage
	Incidents []incident.Incident
	Counts    []section
	Still     []section // with buttons: they change only when the person reloads, so no button moves under a finger
	Moving    []section // without buttons: kept fresh
}

// showOverview is every section at a glance, what needs a person first.
func (s *Console) showOverview(v visit) error {
	counts, err := s.reads.MessageCounts(v.ctx(), v.who.Workspace)
	if err != nil {
		return err
	}
	var page overview
	if page.Over, err = s.over(v); err != nil {
		return err
	}
	if page.Instance, err = s.instancePage(v); err != nil {
		return err
	}
	if page.Incidents, err = s.reads.IncidentList(v.ctx(), v.who.Workspace, incident.Page{Open: true, Most: config.OverviewCardsMax}); err != nil {
		return err
	}
	for _, name := range message.Sections() {
		one, err := s.section(v, name, uuid.Nil, config.OverviewCardsMax)
		if err != nil {
			return err
		}
		one.Number = counts[name]
		page.Counts = append(page.Counts, one)
		if name == message.NeedsALook || name == message.Waiting {
			page.Still = append(page.Still, one)
			continue
		}
		for i := range one.Cards {
			one.Cards[i].MayDecide = false
		}
		page.Moving = append(page.Moving, one)
	}
	return s.show(v, "overview", "Messages", page)
}

func (s *Console) section(v visit, name message.Section, before uuid.UUID, most int) (section, error) {
	words, known := sectionWords[name]
	if !known {
		return section{}, problem.New(problem.NotFound, "there is no such section")
	}
	found, err := s.reads.MessageList(v.ctx(), v.who.Workspace, message.Page{Section: name, Before: before, Most: most + 1, History: true})
	if err != nil {
		return section{}, err
	}
	one := section{Section: name, Title: words.Title, Empty: words.Empty}
	if len(found) > most {
		found = found[:most]
		one.More = fmt.Sprintf("/messages?section=%s&before=%s", name, found[most-1].ID)
	}
	one.Cards, err = s.cards(v, found)
	return one, err
}

func (s *Console) showSection(v visit) error {
	before := uuid.Nil
	if text := v.QueryParam("before"); text != "" {
		id, err := uuid.Parse(text)
		if err != nil {
			return problem.New(problem.InvalidCursor, "begin again at the first page")
		}
		before = id
	}
	one, err := s.section(v, message.Section(v.QueryParam("section")), before, config.PageSizeDefault)
	if err != nil {
		return err
	}
	return s.show(v, "section", one.Title, one)
}

func (s *Console) showMessage(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	m, err := s.reads.MessageReceipt(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	cards, err := s.cards(v, []message.Message{m})
	if err != nil {
		return err
	}
	one := cards[0]
	one.Open = true
	return s.show(v, "message", "Message to "+one.To(), one)
}

// once is the key of a form: made when the page was, so that two taps on one button are one command.
func once(v visit, payload string) *command.Once {
	hash := sha256.Sum256([]byte(payload))
	key, err := uuid.Parse(v.FormValue("key"))
	if err != nil {
		return nil // no page of ours
	}
	return &command.Once{Route: v.Request().Method + " " + v.Path() + " " + v.Param("id"), Key: key.String(), Payload: hash[:]}
}

// run runs a form's command and goes on to a page.
func (s *Console) run(v visit, payload, next string, do func(command.Tx) (object, wake uuid.UUID, err error)) error {
	_, _, err := s.commands.Run(v.ctx(), v.who, once(v, payload), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		object, wake, err := do(tx)
		return command.Answer{Status: http.StatusSeeOther, Object: object}, wake, err
	})
	if err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, next)
}

func (s *Console) withdraw(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, "", "/", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		m, err := message.Withdraw(v.ctx(), tx, v.who, id)
		return id, m.Target.Account, err // the place of a withdrawn lease is free
	})
}
