package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/e2e/standin"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// extensionOrigin is any origin that the server takes for an extension's.
const extensionOrigin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// scripted is an install that speaks the protocol without a browser, for what a browser cannot be made to do at will.
type scripted struct {
	*rig
	id, secret, access string
	// member is who is signed in there, open the journal entries that the next hello names.
	member  standin.Person
	account string
	open    []any
	// via is the address that it uses instead of the server's own, such as http://127.0.0.1:41234.
	via        string
	connection *websocket.Conn
}

// said is a frame of the server: the fields that these tests look at.
type said struct {
	Type       string `json:"type"`
	Code       string `json:"code"`
	Status     string `json:"status"`
	Send       string `json:"send"`
	LeaseToken string `json:"lease_token"`
	CheckToken string `json:"check_token"`
	Attempt    string `json:"attempt"`
	Digest     string `json:"digest"`
	Body       string `json:"body"`
	Person     struct {
		Slug string `json:"slug"`
	} `json:"person"`
	Wanted []struct {
		Version int    `json:"version"`
		Body    string `json:"body"`
	} `json:"wanted"`
}

// script pairs an install.
func (r *rig) script() *scripted {
	r.Helper()
	code, err := r.api.PairingCode(r.ctx)
	r.must(err)
	var paired struct {
		Install string `json:"install_id"`
		Secret  string `json:"refresh_secret"`
	}
	r.must(r.post("/v1/installs", map[string]any{"code": code, "extension_version": "0.0.1"}, &paired))
	s := &scripted{rig: r, id: paired.Install, secret: paired.Secret, member: rita, account: r.account, open: []any{}}
	r.must(s.refresh())
	return s
}

func (s *scripted) refresh() error {
	var answer struct {
		Token  string `json:"token"`
		Secret string `json:"refresh_secret"`
	}
	if err := s.post("/v1/installs/token", map[string]any{"install_id": s.id, "refresh_secret": s.secret}, &answer); err != nil {
		return err // with what it has it asks again: the server may be down
	}
	s.access, s.secret = answer.Token, answer.Secret
	return nil
}

func (r *rig) post(path string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(r.ctx, http.MethodPost, r.server.URL()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("POST %s: %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// connect opens a connection and says hello. An earlier connection of the install is left as it is.
func (s *scripted) connect() error {
	server := s.via
	if server == "" {
		server = s.server.URL()
	}
	address := "ws" + strings.TrimPrefix(server, "http") + "/v1/installs/socket"
	connection, _, err := websocket.DefaultDialer.DialContext(s.ctx, address, http.Header{"Origin": {extensionOrigin}})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	s.connection = connection
	member := map[string]any{"member_urn": "urn:li:fsd_profile:" + s.profileID(s.member), "slug": s.member.Slug, "name": s.member.Name}
	if err := s.say("hello", map[string]any{
		"access_token": s.access, "install": s.id, "extension_version": "0.0.1", "rules_digest": rule.Digest(),
		"accounts": []any{member}, "open": s.open, "mark": map[string]any{"epoch": 0, "event": 0},
	}); err != nil {
		return err
	}
	_, err = s.hear("welcome")
	return err
}

func (s *scripted) say(kind string, fields map[string]any) error {
	fields["v"], fields["type"], fields["id"] = 1, kind, uuid.NewString()
	return s.connection.WriteJSON(fields)
}

// hear waits for a frame of a type, and fails on any other but pong.
func (s *scripted) hear(kind string) (said, error) {
	return hearOn(s.ctx, s.connection, kind)
}

func hearOn(ctx context.Context, connection *websocket.Conn, kind string) (said, error) {
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	for {
		var f said
		if err := connection.ReadJSON(&f); err != nil {
			return f, fmt.Errorf("wait for %s: %w", kind, err)
		}
		if f.Type == kind {
			return f, nil
		}
		if f.Type != "pong" {
			return f, fmt.Errorf("wait for %s: got %s %s", kind, f.Type, f.Code)
		}
	}
}

func (s *scripted) ready() {
	s.Helper()
	s.must(s.say("ready", map[string]any{"accounts": []string{s.account}}))
}

// lease says that the account is ready, and waits for a lease.
func (s *scripted) lease() said {
	s.Helper()
	s.ready()
	lease, err := s.hear("lease")
	s.must(err)
	return lease
}

// looksInVain says that the account is ready, waits for a check, and says that the message was not there.
func (s *scripted) looksInVain() said {
	s.Helper()
	s.ready()
	check, err := s.hear("check")
	s.must(err)
	s.must(s.sayChecked(check, send.CheckAbsent))
	_, err = s.hear("noted")
	s.must(err)
	return check
}

// sayChecked answers a check with the copies that were found.
func (s *scripted) sayChecked(check said, result send.CheckResult, copies ...any) error {
	return s.say("checked", map[string]any{
		"check_token": check.CheckToken, "result": result,
		"evidence": map[string]any{
			"reason": nil, "copies": append([]any{}, copies...), "conversation": nil, "messages": len(copies), "oldest_at_ms": nil,
			"looked_at_ms": time.Now().UnixMilli(),
		},
	})
}

// start asks to start a lease, and returns the answer, whichever it is.
func (s *scripted) start(lease said, attempt string) said {
	s.Helper()
	s.must(s.say("start", map[string]any{"lease_token": lease.LeaseToken, "attempt": attempt, "digest": lease.Digest}))
	var answer said
	s.must(s.connection.ReadJSON(&answer))
	return answer
}

// report says that the message was found, once.
func (s *scripted) report(lease said, attempt string) {
	s.Helper()
	s.must(s.sayReport(lease, attempt, "urn:li:msg_message:"+lease.Send))
	recorded, err := s.hear("recorded")
	s.must(err)
	if recorded.Status != string(rule.Sent) {
		s.Errorf("the report was recorded as %s", recorded.Status)
	}
}

// sayReport reports one copy that was found, without waiting for the answer.
func (s *scripted) sayReport(lease said, attempt, providerID string) error {
	return s.say("report", map[string]any{
		"lease_token": lease.LeaseToken, "attempt": attempt, "end": "acted",
		"evidence": map[string]any{
			"answer": map[string]any{"kind": "status", "status": 200}, "double": false, "foreign": false, "look": "found",
			"copies":       []any{map[string]any{"provider_id": providerID, "sent_at_ms": time.Now().UnixMilli()}},
			"conversation": nil, "origin_token": nil, "retry_after_ms": nil, "acted_at_ms": nil,
		},
		"outcome": map[string]any{"status": rule.Sent, "code": "confirmed", "reason": nil},
	})
}

// wantsClosed waits until the server has closed a connection, and checks with which code.
func (r *rig) wantsClosed(connection *websocket.Conn, code int) *websocket.CloseError {
	r.Helper()
	defer context.AfterFunc(r.ctx, func() { connection.Close() })()
	for {
		_, _, err := connection.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case err == nil: // what was still said
		case errors.As(err, &closed) && closed.Code == code:
			return closed
		default:
			r.Fatalf("the connection ended with %v, want close code %d", err, code)
		}
	}
}

// Goal: a second connection of one install takes over, and nothing that becomes of the first takes its lease away.
func TestTwoSessionsOfOneInstall(t *testing.T) {
	r := newRig(t, 0, nil)
	s := r.script()
	r.must(s.connect())
	former := s.connection
	r.must(s.connect())
	if _, err := hearOn(r.ctx, former, "superseded"); err != nil {
		t.Error(err)
	}
	m := r.approved(ada, "Hello Ada")
	lease := s.lease()
	r.wantsClosed(former, websocketSuperseded)
	former.Close()
	// Whatever the end of the former does is done before the next look, because the row is read after an answer.
	r.must(s.say("ping", map[string]any{}))
	_, err := s.hear("pong")
	r.must(err)
	if row := r.awaitRow(m, string(rule.Leased)); row.Holder != s.id {
		t.Errorf("the row is %+v, want it held by the install", row)
	}
	attempt := uuid.NewString()
	if answer := s.start(lease, attempt); answer.Type != "started" {
		t.Errorf("the start was answered by %s %s", answer.Type, answer.Code)
	}
	s.report(lease, attempt)
	r.wantsSent(m)
}

// Goal: a lease frame that arrives again after the work is done begins nothing: who asks to start it anew is told that it
// has been started, and who asks again for the same attempt hears the same answer.
func TestLeaseAgainAfterTheWork(t *testing.T) {
	r := newRig(t, 0, nil)
	s := r.script()
	r.must(s.connect())
	m := r.approved(ada, "Hello Ada")
	lease := s.lease()
	attempt := uuid.NewString()
	if answer := s.start(lease, attempt); answer.Type != "started" {
		t.Fatalf("the start was answered by %s %s", answer.Type, answer.Code)
	}
	if answer := s.start(lease, attempt); answer.Type != "started" || answer.Attempt != attempt {
		t.Errorf("the same attempt was answered by %s %s", answer.Type, answer.Code)
	}
	for _, when := range []string{"while it is under way", "after it was recorded"} {
		if answer := s.start(lease, uuid.NewString()); answer.Type != "refused" || answer.Code != "already_started" {
			t.Errorf("%s, another attempt was answered by %s %s", when, answer.Type, answer.Code)
		}
		if when == "while it is under way" {
			s.report(lease, attempt)
		}
	}
	r.wantsSent(m)
}

// websocketSuperseded is the close code of a session that a newer one replaced.
const websocketSuperseded = 4001
