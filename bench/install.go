package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/server/rule"
)

// extensionOrigin is any origin that the server takes for an extension's.
const extensionOrigin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// install speaks the protocol as the extension does, without a browser: what is measured is the server.
type install struct {
	conn    *websocket.Conn
	account string
}

// connect pairs and greets. slug is the member that is signed in; the account of that name is served.
func connect(ctx context.Context, w *world, slug string) (*install, error) {
	code, err := w.api.PairingCode(ctx)
	if err != nil {
		return nil, err
	}
	var paired struct {
		Install string `json:"install_id"`
		Secret  string `json:"refresh_secret"`
	}
	if err := post(ctx, w.server.URL()+"/v1/installs", map[string]any{"code": code, "extension_version": "0.0.1"}, &paired); err != nil {
		return nil, err
	}
	var access struct {
		Token string `json:"token"`
	}
	asked := map[string]any{"install_id": paired.Install, "refresh_secret": paired.Secret}
	if err := post(ctx, w.server.URL()+"/v1/installs/token", asked, &access); err != nil {
		return nil, err
	}
	address := "ws" + strings.TrimPrefix(w.server.URL(), "http") + "/v1/installs/socket"
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, address, http.Header{"Origin": {extensionOrigin}})
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	i := &install{conn: conn}
	return i, i.hello(access.Token, paired.Install, slug)
}

func (i *install) hello(token, id, slug string) error {
	err := i.say("hello", map[string]any{
		"access_token": token, "install": id, "extension_version": "0.0.1", "rules_digest": rule.Digest(),
		"accounts": []any{map[string]any{"member_urn": "urn:li:fsd_profile:ACo" + slug, "slug": slug, "name": "Rita Recruiter"}},
		"open":     []any{}, "mark": map[string]any{"epoch": 0, "event": 0},
	})
	if err != nil {
		return err
	}
	welcome, err := i.hear("welcome")
	if err != nil {
		return err
	}
	for _, a := range welcome.Accounts {
		if a.Handle == slug {
			i.account = a.Account
		}
	}
	return nil
}

// frame holds the fields of every frame that the bench looks at.
type frame struct {
	Type       string `json:"type"`
	Code       string `json:"code"`
	Send       string `json:"send"`
	LeaseToken string `json:"lease_token"`
	Digest     string `json:"digest"`
	Accounts   []struct {
		Account string `json:"account"`
		Handle  string `json:"handle"`
	} `json:"accounts"`
}

func (i *install) say(kind string, fields map[string]any) error {
	fields["v"], fields["type"], fields["id"] = 1, kind, uuid.NewString()
	return i.conn.WriteJSON(fields)
}

// hear waits for a frame of that type and passes over pongs.
func (i *install) hear(kind string) (frame, error) {
	if err := i.conn.SetReadDeadline(time.Now().Add(answerWithin)); err != nil {
		return frame{}, err
	}
	for {
		var f frame
		if err := i.conn.ReadJSON(&f); err != nil {
			return frame{}, fmt.Errorf("wait for %s: %w", kind, err)
		}
		if f.Type == kind {
			return f, nil
		}
		if f.Type != "pong" {
			return frame{}, fmt.Errorf("wait for %s: got %s %s", kind, f.Type, f.Code)
		}
	}
}

// ready says that the account may be given leases, from now on.
func (i *install) ready() error {
	return i.say("ready", map[string]any{"accounts": []string{i.account}})
}

// live takes one lease to recorded and returns how long its start took.
func (i *install) live() (time.Duration, error) {
	lease, err := i.hear("lease")
	if err != nil {
		return 0, err
	}
	attempt := uuid.NewString()
	asked := time.Now()
	err = i.say("start", map[string]any{"lease_token": lease.LeaseToken, "attempt": attempt, "digest": lease.Digest})
	if err != nil {
		return 0, err
	}
	if _, err := i.hear("started"); err != nil {
		return 0, err
	}
	took := time.Since(asked)
	err = i.say("report", map[string]any{
		"lease_token": lease.LeaseToken, "attempt": attempt, "end": "acted",
		"evidence": map[string]any{
			"answer": map[string]any{"kind": "status", "status": 200}, "double": false, "foreign": false, "look": "found",
			"copies":       []any{map[string]any{"provider_id": "urn:li:msg_message:" + lease.Send, "sent_at_ms": time.Now().UnixMilli()}},
			"conversation": nil, "origin_token": nil, "retry_after_ms": nil, "acted_at_ms": nil,
		},
		"outcome": map[string]any{"status": rule.Sent, "code": "confirmed", "reason": nil},
	})
	if err != nil {
		return 0, err
	}
	_, err = i.hear("recorded")
	return took, err
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
