// Package client is a small client of Sendonce's REST API for programs in Go: it proposes messages, reads what became of them and
// looks up people and accounts. It never decides for a person: approvals, retries and resolutions are requests like any other
// (Do), for programs of people who may.
//
// A request that changes something carries an Idempotency-Key. When its answer is lost it is asked again with the same key and
// the same body, which is the same request; without a key it is never asked again. docs/api.md says what the server promises.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client speaks to one server with one token. Its methods may be called from any goroutine.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
	pause time.Duration // before the second try
}

// New makes a client of the server at address, such as http://127.0.0.1:8080. Plain HTTP is for this machine alone: the token
// would be readable on the way.
func New(address, token string) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("the server's address is %q, want one like https://sendonce.example", address)
	}
	if base.Scheme != "https" && (base.Scheme != "http" || !isLoopback(base.Hostname())) {
		return nil, fmt.Errorf("the server's address is %q: over a network it must begin with https://", address)
	}
	if token == "" {
		return nil, errors.New("the token is empty: make one with sendonce token create")
	}
	// A redirect would carry the token elsewhere. It is answered as what it is: no answer of the API.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, token: token, http: &http.Client{CheckRedirect: stay, Timeout: tryWithin}, pause: againFirst}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Request is one request. Key is needed on whatever changes something, if it is to be asked again when its answer is lost.
type Request struct {
	Method, Path string
	Query        url.Values
	Key          string
	Body         any // nil for none
}

// Do makes a request and reads its answer into answer, unless that is nil. isReplay says that the server had carried it out
// before. The error is a *Problem when the server refused, and an *UnknownError when it is not known what became of the request.
func (c *Client) Do(ctx context.Context, r Request, answer any) (isReplay bool, err error) {
	var body []byte
	if r.Body != nil {
		if body, err = json.Marshal(r.Body); err != nil {
			return false, fmt.Errorf("write the body: %w", err)
		}
		if len(body) > requestMax {
			return false, fmt.Errorf("the body has %d bytes; the server takes at most %d", len(body), requestMax)
		}
	}
	// The same bytes each time: the key stands for them.
	pause := c.pause
	for try := 1; ; try++ {
		isReplay, err = c.try(ctx, r, body, answer)
		if err == nil || !isUnknown(err) {
			return isReplay, err
		}
		mayAsk := r.Method == http.MethodGet || r.Key != ""
		if !mayAsk || try == triesMax || ctx.Err() != nil {
			return false, &UnknownError{Key: r.Key, Err: err}
		}
		select {
		case <-time.After(pause + rand.N(time.Duration(float64(pause)*jitterPart))):
		case <-ctx.Done():
			return false, &UnknownError{Key: r.Key, Err: err}
		}
		pause *= 2
	}
}

// lostError is a try without an answer that can be relied on.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

// leavesOpen reports whether a status leaves open what became of the request: a proxy's word for a server that did not answer it, or
// the server's own that the database did not.
func leavesOpen(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusRequestTimeout
}

// stillRunning is the code of a request whose first try has not ended.
const stillRunning = "still_running"

func isUnknown(err error) bool {
	if lost := (lostError{}); errors.As(err, &lost) {
		return true
	}
	var p *Problem
	return errors.As(err, &p) && (leavesOpen(p.Status) || p.Code == stillRunning)
}

func (c *Client) try(ctx context.Context, r Request, body []byte, answer any) (isReplay bool, err error) {
	address := c.base.JoinPath(r.Path)
	address.RawQuery = r.Query.Encode()
	request, err := http.NewRequestWithContext(ctx, r.Method, address.String(), bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("make the request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" {
		request.Header.Set("Idempotency-Key", r.Key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return false, lostError{err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, answerMax+1))
	switch {
	case err != nil:
		return false, lostError{fmt.Errorf("read the answer: %w", err)}
	case len(raw) > answerMax:
		return false, fmt.Errorf("the answer to %s %s has more than %d bytes: ask for less", r.Method, r.Path, answerMax)
	case response.StatusCode >= http.StatusMultipleChoices:
		return false, problemOf(response.StatusCode, raw)
	case answer == nil:
	default:
		if err := json.Unmarshal(raw, answer); err != nil {
			return false, lostError{fmt.Errorf("the answer to %s %s is not what the API says: %w", r.Method, r.Path, err)}
		}
	}
	return response.Header.Get("Idempotency-Replayed") == "true", nil
}
