package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Message is a message with everything that is known of it. What is null in the API is the zero value here.
type Message struct {
	ID        string `json:"id"`
	Version   int    `json:"version"`
	Digest    string `json:"digest"`
	Authority string `json:"authority"` // whether it may go out
	// Status is what became of it: sent if any send is, else the latest send's; "" before the first.
	Status      string `json:"status"`
	Instruction string `json:"instruction"` // what a person must do, or ""
	WaitingFor  string `json:"waiting_for"`
	// WaitingUntil is the earliest end of that, or nil when it is not known.
	WaitingUntil *time.Time `json:"waiting_until"`
	AccountID    string     `json:"account_id"`
	Channel      string     `json:"channel"`
	Person       Person     `json:"person"`
	Purpose      string     `json:"purpose"`
	Task         string     `json:"task"`
	Follows      *Followed  `json:"follows"` // nil unless it is a further message
	Subject      string     `json:"subject"`
	Body         string     `json:"body"`
	SendAfter    *time.Time `json:"send_after"`
	SendBefore   *time.Time `json:"send_before"`
	CreatedBy    string     `json:"created_by"`
	CreatedAt    time.Time  `json:"created_at"`
	Approval     *Approval  `json:"approval"`
	Rejection    *Rejection `json:"rejection"` // of the current version
	Closure      *Closure   `json:"closure"`
	Delivery     *Reached   `json:"delivery"`
	Sends        []Send     `json:"sends"`
	History      []Event    `json:"history"` // empty in lists
	// HistoryLeftOut counts the older lines that are not in History.
	HistoryLeftOut int `json:"history_left_out"`
}

// Approval is a person's yes to the digest of one version.
type Approval struct {
	Version    int       `json:"version"`
	Digest     string    `json:"digest"`
	Approver   string    `json:"approver"`
	ApprovedAt time.Time `json:"approved_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	// YesTo are the earlier messages to this person that the approver was shown and said yes to.
	YesTo []string `json:"yes_to"`
	// Policy is the number of the policy that approved in the approver's name, 0 when a person did.
	Policy int `json:"policy"`
}

// Rejection is a person's no to one version. A revision makes another.
type Rejection struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// Closure says that nothing more begins, and why.
type Closure struct {
	ClosedAt time.Time `json:"closed_at"`
	ClosedBy string    `json:"closed_by"`
	Why      string    `json:"why"`
}

// Reached is how far a message came after it had left.
type Reached struct {
	State       string     `json:"state"` // accepted, sent, delivered, read, replied, or ""
	At          *time.Time `json:"at"`
	Undelivered *Trouble   `json:"undelivered"`
	Bounced     *Trouble   `json:"bounced"`
	// ByHandAt is when the account's member first wrote to the person by hand after it, or nil.
	ByHandAt *time.Time `json:"by_hand_at"`
}

// Trouble is what a provider said went wrong with a copy.
type Trouble struct {
	At     time.Time `json:"at"`
	Detail string    `json:"detail"`
}

// Followed is the send that a further message follows, as it is now.
type Followed struct {
	Send      string `json:"send"`
	MessageID string `json:"message_id"`
	Status    string `json:"status"`
	Why       string `json:"why"`
}

// Send is one row of delivery of a message.
type Send struct {
	ID               string     `json:"id"`
	Ordinal          int        `json:"ordinal"`
	Version          int        `json:"version"`
	Status           string     `json:"status"`
	Code             string     `json:"code"`
	Reason           string     `json:"reason"`
	Text             string     `json:"text"` // what became of it, for people
	Instruction      string     `json:"instruction"`
	WaitingFor       string     `json:"waiting_for"`
	Parked           bool       `json:"parked"` // it waits for a person to act
	StartedAt        *time.Time `json:"started_at"`
	EndedAt          *time.Time `json:"ended_at"`
	RequeueAt        *time.Time `json:"requeue_at"`
	NotDeliveredFrom *time.Time `json:"not_delivered_from"`
	TabGone          bool       `json:"tab_gone"`
	NextCheckAt      *time.Time `json:"next_check_at"`
}

// Event is one line of a message's history. From and To are statuses of a send, or "".
type Event struct {
	At      time.Time `json:"at"`
	What    string    `json:"what"`
	By      string    `json:"by"`
	Version int       `json:"version"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Code    string    `json:"code"`
	Reason  string    `json:"reason"`
}

// Latest is the newest send, or nil.
func (m Message) Latest() *Send {
	if len(m.Sends) == 0 {
		return nil
	}
	return &m.Sends[len(m.Sends)-1]
}

// Proposal is a message that a person is to approve.
type Proposal struct {
	AccountID  string     `json:"account_id"`
	Person     Recipient  `json:"person"`
	Purpose    string     `json:"purpose"`
	Task       string     `json:"task,omitempty"`
	Body       string     `json:"body"`
	SendAfter  *time.Time `json:"send_after"`
	SendBefore *time.Time `json:"send_before"`
	// Follows is for a further message of the same intent; docs/api.md says when it is needed.
	Follows *Follows `json:"follows,omitempty"`
}

// Follows names the send that a further message follows, and says why.
type Follows struct {
	Send string `json:"send"`
	Why  string `json:"why"`
}

// Recipient names a person by one address or both.
type Recipient struct {
	LinkedIn string `json:"linkedin,omitempty"`
	Email    string `json:"email,omitempty"`
	Name     string `json:"name,omitempty"`
}

// Propose makes a message, or returns the one that was made under the key. One key is one message: make it of what the message
// is about, so that a program that was started again makes the same one.
func (c *Client) Propose(ctx context.Context, key string, p Proposal) (m Message, isReplay bool, err error) {
	isReplay, err = c.Do(ctx, Request{Method: http.MethodPost, Path: "/v1/messages", Key: key, Body: p}, &m)
	return m, isReplay, err
}

// Revision is a new text for a message. Version is the one that was read, and another one is refused; 0 is whichever stands.
type Revision struct {
	Version int    `json:"version,omitempty"`
	Body    string `json:"body"`
}

// Revise makes the next version. An approval is void with it, and a send that has not begun is called off.
func (c *Client) Revise(ctx context.Context, key, id string, r Revision) (m Message, isReplay bool, err error) {
	isReplay, err = c.Do(ctx, Request{Method: http.MethodPatch, Path: messagePath(id), Key: key, Body: r}, &m)
	return m, isReplay, err
}

// Message reads a message with its sends and its history.
func (c *Client) Message(ctx context.Context, id string) (m Message, err error) {
	_, err = c.Do(ctx, Request{Method: http.MethodGet, Path: messagePath(id)}, &m)
	return m, err
}

// Receipt is the whole story of a message, signed by the server: docs/receipt.md says how to verify it. It is to be kept and handed
// on as it is.
func (c *Client) Receipt(ctx context.Context, id string) (r json.RawMessage, err error) {
	_, err = c.Do(ctx, Request{Method: http.MethodGet, Path: messagePath(id) + "/receipt"}, &r)
	return r, err
}

func messagePath(id string) string { return "/v1/messages/" + url.PathEscape(id) }

// Page is a part of a list. Next is the cursor of the one after it, "" on the last.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_cursor"`
}

// Unconfirmed lists the messages that may or may not have arrived, the newest first, each with its instruction.
func (c *Client) Unconfirmed(ctx context.Context, cursor string) (Page[Message], error) {
	return list[Message](ctx, c, "/v1/messages", url.Values{"status": {"unconfirmed"}, "cursor": {cursor}})
}

// list leaves out what is asked for with "".
func list[T any](ctx context.Context, c *Client, path string, query url.Values) (page Page[T], err error) {
	for name, values := range query {
		if values[0] == "" {
			query.Del(name)
		}
	}
	_, err = c.Do(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, &page)
	return page, err
}
