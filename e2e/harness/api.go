package harness

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// API is a program that uses the server over REST.
type API struct {
	// URL is the server's address; Token is a bearer token.
	URL, Token string
}

// Problem is an answer of the server that is no success.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// Send is one row of delivery as the API shows it.
type Send struct {
	ID          string     `json:"id"`
	Ordinal     int        `json:"ordinal"`
	Status      string     `json:"status"`
	Code        string     `json:"code"`
	Reason      string     `json:"reason"`
	WaitingFor  string     `json:"waiting_for"`
	Instruction string     `json:"instruction"`
	StartedAt   *time.Time `json:"started_at"`
}

// Message is a message as the API shows it, with its sends oldest first.
type Message struct {
	ID        string  `json:"id"`
	Version   int     `json:"version"`
	Digest    string  `json:"digest"`
	Authority string  `json:"authority"`
	Status    string  `json:"status"`
	Body      string  `json:"body"`
	Sends     []Send  `json:"sends"`
	History   []Event `json:"history"`
	Delivery  struct {
		State    string     `json:"state"`
		ByHandAt *time.Time `json:"by_hand_at"`
	} `json:"delivery"`
}

// Event is one line of a message's history. From and To are statuses of a send, or empty.
type Event struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
	From string    `json:"from"`
	To   string    `json:"to"`
	Code string    `json:"code"`
}

// Incident is something that a person must know.
type Incident struct {
	Kind      string `json:"kind"`
	MessageID string `json:"message_id"`
	Count     int    `json:"count"`
}

// Last is the newest send, or the zero Send.
func (m Message) Last() Send {
	if len(m.Sends) == 0 {
		return Send{}
	}
	return m.Sends[len(m.Sends)-1]
}

// Account makes a LinkedIn account for a member's slug and returns its id. It has the highest limits that there are: tests and measurements
// begin more in a minute than an account may in a week.
func (a *API) Account(ctx context.Context, slug string) (string, error) {
	var made struct{ ID string }
	body := map[string]any{"channel": "linkedin", "handle": profile(slug)}
	if err := a.call(ctx, http.MethodPost, "/v1/accounts", body, &made); err != nil {
		return "", err
	}
	return made.ID, a.Limit(ctx, made.ID, highestLimit)
}

// highestLimit is the most that the API takes.
const highestLimit = 10_000

// Limit lets an account begin so many messages a day, and an hour, with nothing between them.
func (a *API) Limit(ctx context.Context, account string, most int) error {
	return a.call(ctx, http.MethodPut, "/v1/accounts/"+account+"/limits", map[string]any{
		"per_day": most, "per_hour": most, "gap_seconds": 0, "jitter_seconds": 0, "warm_up_from": 1, "warm_up_days": 0,
		"why": "a stand-in is sent to, and no person",
	}, nil)
}

// PairingCode makes a one-time code.
func (a *API) PairingCode(ctx context.Context) (string, error) {
	var made struct{ Code string }
	return made.Code, a.call(ctx, http.MethodPost, "/v1/pairing-codes", map[string]any{}, &made)
}

// Propose makes a message to a person's slug that no one has approved, for a purpose of its own.
func (a *API) Propose(ctx context.Context, account, slug, body string) (Message, error) {
	var made Message
	err := a.call(ctx, http.MethodPost, "/v1/messages", map[string]any{
		"account_id": account, "person": map[string]any{"linkedin": profile(slug)}, "body": body,
		"purpose": "reason " + rand.Text(), "send_after": nil, "send_before": nil,
	}, &made)
	return made, err
}

// Approve approves the version that the message has here. earlier are the messages to its person that it may follow.
func (a *API) Approve(ctx context.Context, m Message, earlier ...string) (Message, error) {
	var approved Message
	body := map[string]any{"version": m.Version, "digest": m.Digest, "yes_to": append([]string{}, earlier...)}
	return approved, a.call(ctx, http.MethodPost, "/v1/messages/"+m.ID+"/approval", body, &approved)
}

// Edit gives the message a new text, which voids its approval.
func (a *API) Edit(ctx context.Context, id, body string) (Message, error) {
	var edited Message
	return edited, a.call(ctx, http.MethodPatch, "/v1/messages/"+id, map[string]any{"body": body}, &edited)
}

// Message reads a message with its sends and its history.
func (a *API) Message(ctx context.Context, id string) (Message, error) {
	var read Message
	return read, a.call(ctx, http.MethodGet, "/v1/messages/"+id, nil, &read)
}

// Clear lets a stopped account work again.
func (a *API) Clear(ctx context.Context, account string) error {
	return a.call(ctx, http.MethodPost, "/v1/accounts/"+account+"/clear", map[string]any{}, nil)
}

// Sends are up to 200 sends of that status, the newest first.
func (a *API) Sends(ctx context.Context, status string) ([]Send, error) {
	var list struct{ Items []Send }
	return list.Items, a.call(ctx, http.MethodGet, "/v1/sends?limit=200&status="+url.QueryEscape(status), nil, &list)
}

// Resolve says what a person saw of an unconfirmed send: "delivered" or "not_delivered".
func (a *API) Resolve(ctx context.Context, send, outcome, note string) error {
	return a.call(ctx, http.MethodPost, "/v1/sends/"+send+"/resolution", map[string]any{"outcome": outcome, "note": note}, nil)
}

// Incidents are the open incidents about a message.
func (a *API) Incidents(ctx context.Context, message string) ([]Incident, error) {
	var list struct{ Items []Incident }
	if err := a.call(ctx, http.MethodGet, "/v1/incidents?limit=200", nil, &list); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(i Incident) bool { return i.MessageID != message }), nil
}

// Await reads the message until the condition holds. Failed reads are tried again, because tests stop servers.
func (a *API) Await(ctx context.Context, id string, condition func(Message) bool) (Message, error) {
	var last Message
	var trouble error
	err := poll(ctx, "message "+id, func() (bool, error) {
		var m Message
		if m, trouble = a.Message(ctx, id); trouble != nil {
			return false, nil
		}
		last = m
		return condition(m), nil
	})
	if err != nil {
		err = errors.Join(fmt.Errorf("%w; the message is %+v", err, last), trouble)
	}
	return last, err
}

func profile(slug string) string { return LinkedIn + "/in/" + url.PathEscape(slug) }

// call makes one request and reads its answer into answer, unless that is nil.
func (a *API) call(ctx context.Context, method, path string, body, answer any) error {
	if body == nil {
		return a.request(ctx, method, path, "", nil, answer)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return a.request(ctx, method, path, "application/json", raw, answer)
}

// request is call with a body of any kind; "" is none.
func (a *API) request(ctx context.Context, method, path, kind string, body []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, requestWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, a.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+a.Token)
	if kind != "" {
		request.Header.Set("Content-Type", kind)
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return understand(method+" "+path, response.StatusCode, raw, answer)
}

func understand(what string, status int, raw []byte, answer any) error {
	if status >= http.StatusMultipleChoices {
		problem := &Problem{}
		if err := json.Unmarshal(raw, problem); err != nil {
			problem.Detail = string(raw)
		}
		problem.Status = status
		return fmt.Errorf("%s: %w", what, problem)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("%s: the answer is no JSON of the expected shape: %w", what, err)
	}
	return nil
}
