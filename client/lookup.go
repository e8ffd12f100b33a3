package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Person is a recipient as the server knows them.
type Person struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	LinkedIn     []string   `json:"linkedin"` // addresses of profiles
	Email        []string   `json:"email"`
	DoNotContact bool       `json:"do_not_contact"` // only where people are looked up
	RepliedAt    *time.Time `json:"replied_at"`     // only where people are looked up
}

// Account is a sender identity.
type Account struct {
	ID          string     `json:"id"`
	Channel     string     `json:"channel"`
	Handle      string     `json:"handle"`
	MemberName  string     `json:"member_name"`
	StoppedAt   *time.Time `json:"stopped_at"` // a person must clear it first
	StoppedCode string     `json:"stopped_code"`
	CoolUntil   *time.Time `json:"cool_until"`
	PausedAt    *time.Time `json:"paused_at"`
}

// Workspace is the team, and who asks.
type Workspace struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Sandbox   bool   `json:"sandbox"` // nothing reaches anybody
	Principal struct {
		ID   string `json:"id"`
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"principal"`
}

// Workspace says whose token it is.
func (c *Client) Workspace(ctx context.Context) (w Workspace, err error) {
	_, err = c.Do(ctx, Request{Method: http.MethodGet, Path: "/v1/workspace"}, &w)
	return w, err
}

// Accounts lists the accounts that messages may be sent from.
func (c *Client) Accounts(ctx context.Context, cursor string) (Page[Account], error) {
	return list[Account](ctx, c, "/v1/accounts", url.Values{"cursor": {cursor}})
}

// People lists people, or who has exactly that LinkedIn address or mail address, in whatever spelling; "" is anybody.
func (c *Client) People(ctx context.Context, linkedIn, email, cursor string) (Page[Person], error) {
	return list[Person](ctx, c, "/v1/people", url.Values{"linkedin": {linkedIn}, "email": {email}, "cursor": {cursor}})
}
