// Package scripted is a running server, and installs that speak the protocol as the extension does, without a browser: what
// is measured is the server.
package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/server/rule"
)

// answerWithin bounds a wait for a frame.
const answerWithin = 30 * time.Second

// extensionOrigin is any origin that the server takes for an extension's.
const extensionOrigin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// Install is one enrolled browser.
type Install struct {
	// Conn is its newest connection; Account is what it serves.
	Conn    *websocket.Conn
	Account string

	saying     sync.Mutex
	world      *World
	slug       string
	id, secret string
}

// Connect pairs and greets. slug is the member that is signed in; the account of that name is served.
func Connect(ctx context.Context, w *World, slug string) (*Install, error) {
	code, err := w.API.PairingCode(ctx)
	if err != nil {
		return nil, err
	}
	var paired struct {
		Install string `json:"install_id"`
		Secret  string `json:"refresh_secret"`
	}
	if err := post(ctx, w.Server.URL()+"/v1/installs", map[string]any{"code": code, "extension_version": "0.0.1"}, &paired); err != nil {
		return nil, err
	}
	i := &Install{world: w, slug: slug, id: paired.Install, secret: paired.Secret}
	return i, i.Again(ctx)
}

// Again opens a new connection and greets.
func (i *Install) Again(ctx context.Context) error {
	var access struct {
		Token  string `json:"token"`
		Secret string `json:"refresh_secret"`
	}
	asked := map[string]any{"install_id": i.id, "refresh_secret": i.secret}
	if err := post(ctx, i.world.Server.URL()+"/v1/installs/token", asked, &access); err != nil {
		return err
	}
	i.secret = access.Secret
	address := "ws" + strings.TrimPrefix(i.world.Server.URL(), "http") + "/v1/installs/socket"
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, address, http.Header{"Origin": {extensionOrigin}})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	i.Conn = conn
	return i.hello(access.Token)
}

func (i *Install) hello(token string) error {
	err := i.Say("hello", map[string]any{
		"access_token": token, "install": i.id, "extension_version": "0.0.1", "rules_digest": rule.Digest(),
		"accounts": []any{map[string]any{"member_urn": "urn:li:fsd_profile:ACo" + i.slug, "slug": i.slug, "name": "Rita Recruiter"}},
		"open":     []any{}, "mark": map[string]any{"epoch": 0, "event": 0},
	})
	if err != nil {
		return err
	}
	welcome, err := i.Hear("welcome")
	if err != nil {
		return err
	}
	for _, a := range welcome.Accounts {
		if a.Handle == i.slug {
			i.Account = a.Account
		}
	}
	return nil
}

// Frame holds the fields of every frame that is looked at.
type Frame struct {
	Type       string `json:"type"`
	Code       string `json:"code"`
	Send       string `json:"send"`
	LeaseToken string `json:"lease_token"`
	CheckToken string `json:"check_token"`
	Digest     string `json:"digest"`
	Accounts   []struct {
		Account string `json:"account"`
		Handle  string `json:"handle"`
	} `json:"accounts"`
}

// Say says a frame. Several may say at once.
func (i *Install) Say(kind string, fields map[string]any) error {
	fields["v"], fields["type"], fields["id"] = 1, kind, uuid.NewString()
	i.saying.Lock()
	defer i.saying.Unlock()
	return i.Conn.WriteJSON(fields)
}

// Hear waits for a frame of that type and passes over pongs.
func (i *Install) Hear(kind string) (Frame, error) {
	for {
		f, err := i.Next(answerWithin)
		if err != nil {
			return Frame{}, fmt.Errorf("wait for %s: %w", kind, err)
		}
		if f.Type == kind {
			return f, nil
		}
		if f.Type != "pong" {
			return Frame{}, fmt.Errorf("wait for %s: got %s %s", kind, f.Type, f.Code)
		}
	}
}

// Next waits for the next frame. A connection on which none came in time can be used no more.
func (i *Install) Next(within time.Duration) (Frame, error) {
	if err := i.Conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return Frame{}, err
	}
	var f Frame
	err := i.Conn.ReadJSON(&f)
	return f, err
}

// Ready says that the account may be given leases, from now on.
func (i *Install) Ready() error {
	return i.Say("ready", map[string]any{"accounts": []string{i.Account}})
}

// Live takes one lease to recorded and returns how long its start took.
func (i *Install) Live() (time.Duration, error) {
	lease, err := i.Hear("lease")
	if err != nil {
		return 0, err
	}
	attempt := uuid.NewString()
	asked := time.Now()
	if err := i.Start(lease, attempt); err != nil {
		return 0, err
	}
	if _, err := i.Hear("started"); err != nil {
		return 0, err
	}
	took := time.Since(asked)
	if err := i.Found(lease, attempt); err != nil {
		return 0, err
	}
	_, err = i.Hear("recorded")
	return took, err
}

// Start asks for the start of a lease.
func (i *Install) Start(lease Frame, attempt string) error {
	return i.Say("start", map[string]any{"lease_token": lease.LeaseToken, "attempt": attempt, "digest": lease.Digest})
}

// Found reports that the message stands in the conversation.
func (i *Install) Found(lease Frame, attempt string) error {
	copies := []any{map[string]any{"provider_id": "urn:li:msg_message:" + lease.Send, "sent_at_ms": time.Now().UnixMilli()}}
	return i.report(lease, attempt, "found", copies, map[string]any{"status": rule.Sent, "code": "confirmed", "reason": nil})
}

// Unknown reports that Send was pressed and nothing is known of what came of it.
func (i *Install) Unknown(lease Frame, attempt string) error {
	return i.report(lease, attempt, "impossible", []any{}, map[string]any{"status": rule.Unconfirmed, "code": "no_evidence", "reason": nil})
}

func (i *Install) report(lease Frame, attempt, look string, copies []any, outcome map[string]any) error {
	return i.Say("report", map[string]any{
		"lease_token": lease.LeaseToken, "attempt": attempt, "end": "acted",
		"evidence": map[string]any{
			"answer": map[string]any{"kind": "status", "status": 200}, "double": false, "foreign": false, "look": look,
			"copies": copies, "conversation": nil, "origin_token": nil, "retry_after_ms": nil, "acted_at_ms": nil,
		},
		"outcome": outcome,
	})
}

func post(ctx context.Context, url string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated {
		return fmt.Errorf("POST %s: %s", url, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
