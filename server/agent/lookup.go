package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sendonce/client"
	"sendonce/server/problem"
)

type account struct {
	AccountID string `json:"account_id"`
	Channel   string `json:"channel"`
	Handle    string `json:"handle"`
	Name      string `json:"name,omitempty"`
	// HeldBy is why nothing goes out from it now, or "".
	HeldBy string `json:"held_by,omitempty"`
}

type accounts struct {
	Accounts []account `json:"accounts"`
	Next     string    `json:"next_cursor,omitempty"`
}

func (a accounts) words() string {
	if len(a.Accounts) == 0 {
		return "There is no account to send from. A person must add one in the console."
	}
	var lines []string
	for _, one := range a.Accounts {
		lines = append(lines, join(one.AccountID, one.Channel, one.Handle, one.Name, one.HeldBy))
	}
	return strings.Join(append(lines, andMore(a.Next)...), "\n")
}

func (t *tools) listAccounts(ctx context.Context, in paged) (accounts, error) {
	page, err := t.api.Accounts(ctx, in.Cursor)
	out := accounts{Accounts: []account{}, Next: page.Next}
	for _, one := range page.Items {
		out.Accounts = append(out.Accounts, account{one.ID, one.Channel, one.Handle, one.MemberName, heldBy(one)})
	}
	return out, err
}

func heldBy(a client.Account) string {
	switch {
	case a.StoppedAt != nil:
		return "stopped: a person must clear it in the console"
	case a.PausedAt != nil:
		return "paused by a person"
	case a.CoolUntil != nil && a.CoolUntil.After(time.Now()):
		return "asked to slow down until " + shown(*a.CoolUntil)
	}
	return ""
}

type address struct {
	LinkedIn string `json:"linkedin"`
	Email    string `json:"email"`
}

type person struct {
	PersonID     string   `json:"person_id,omitempty"`
	Name         string   `json:"name,omitempty"`
	LinkedIn     []string `json:"linkedin,omitempty"`
	Email        []string `json:"email,omitempty"`
	IsKnown      bool     `json:"is_known"`
	DoNotContact bool     `json:"do_not_contact"`
	HasReplied   bool     `json:"has_replied"`
}

func (p person) words() string {
	switch {
	case !p.IsKnown:
		return "Nobody with that address is known. Whoever is written to for the first time is not."
	case p.DoNotContact:
		return p.Name + " must not be contacted: nothing to them goes out."
	}
	said := fmt.Sprintf("%s %s (person %s).", p.Name, strings.Join(append(p.LinkedIn, p.Email...), " "), p.PersonID)
	if p.HasReplied {
		said += " They have replied."
	}
	return strings.TrimSpace(said)
}

func (t *tools) findPerson(ctx context.Context, in address) (person, error) {
	if err := oneAddress(in.LinkedIn, in.Email); err != nil {
		return person{}, err
	}
	page, err := t.api.People(ctx, in.LinkedIn, in.Email, "")
	if err != nil || len(page.Items) == 0 {
		return person{}, err
	}
	p := page.Items[0]
	return person{p.ID, p.Name, p.LinkedIn, p.Email, true, p.DoNotContact, p.RepliedAt != nil}, nil
}

// oneAddress refuses a look-up that names nobody or two.
func oneAddress(linkedIn, email string) error {
	if (linkedIn == "") == (email == "") {
		return problem.Field("linkedin", "give one address: linkedin or email")
	}
	return nil
}
