package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/callback"
	"sendonce/server/postgres"
	"sendonce/server/send"
)

// callbacksOver is the service that takes callbacks, over the real sends.
func (s *server) callbacksOver(store *postgres.Store, keys auth.Keys, log *slog.Logger) *callback.Service {
	sends := send.NewService(store, auth.NewLeaseTokens(keys.Lease), auth.NewCheckTokens(keys.Lease), &s.woken, send.Settings{}, log)
	return callback.NewService(callback.NewSources(store, auth.NewVault(keys.Refresh), time.Now, log), store, sends, &s.woken)
}

// provider is a source as its provider knows it.
type provider struct {
	*server
	id, secret string
}

func (s *server) provider(name string, as string) provider {
	s.t.Helper()
	made, secret, err := s.callbacks.Create(s.t.Context(), s.principal(as), name, "")
	if err != nil || secret == "" {
		s.t.Fatalf("make a source: %v", err)
	}
	return provider{s, made.ID.String(), secret}
}

func (s *server) principal(as string) access.Principal {
	s.t.Helper()
	who, err := s.access.Authenticate(s.t.Context(), s.tokens[as])
	if err != nil {
		s.t.Fatal(err)
	}
	return who
}

// sign makes the headers of a callback, as a provider does.
func sign(secret, id string, at time.Time, body string) []string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	return []string{
		"Authorization: ", "webhook-id: " + id, "webhook-timestamp: " + stamp,
		"webhook-signature: v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	}
}

// say posts a signed body.
func (p provider) say(body string) answer {
	p.t.Helper()
	return p.ask("POST", "/v1/callbacks/"+p.id, body, sign(p.secret, "msg_"+uuid.NewString(), time.Now(), body)...)
}

// event is one event as it is posted; message is left out when it is "".
func event(id, kind, providerID string, at time.Time, message string) string {
	if message == "" {
		return fmt.Sprintf(`{"id":%q,"type":%q,"provider_id":%q,"at":%q}`, id, kind, providerID, at.UTC().Format(time.RFC3339Nano))
	}
	return fmt.Sprintf(`{"id":%q,"type":%q,"provider_id":%q,"at":%q,"message_id":%q}`, id, kind, providerID, at.UTC().Format(time.RFC3339Nano), message)
}

func batch(events ...string) string { return `{"events":[` + strings.Join(events, ",") + `]}` }

// want posts events and holds the counts against what is wanted: taken, known, kept for later.
func (p provider) want(t *testing.T, counts string, events ...string) {
	t.Helper()
	a := p.say(batch(events...))
	if got := fmt.Sprintf("%s %s %s", a.text("taken"), a.text("known"), a.text("kept_for_later")); a.Status != 200 || got != counts {
		t.Fatalf("%d %s, want the counts %s", a.Status, a.Body, counts)
	}
}

// approved is an approved message to a person, for a purpose of its own.
func (s *server) approved(person string) (message, send string) {
	s.t.Helper()
	purpose := fmt.Sprintf("purpose %d", s.count(`SELECT count(*) FROM messages`))
	m := s.ask("POST", "/v1/messages", strings.NewReplacer("ada-example", person, "first contact", purpose).Replace(s.proposal("Hello "+purpose)))
	a := s.approve(m)
	if a.Status != 200 {
		s.t.Fatalf("approve: %d %s", a.Status, a.Body)
	}
	return a.text("id"), a.text("sends.0.id")
}

// deliver records a copy of a sent send, as its confirmation would.
const deliver = `WITH made AS (INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id)
	SELECT workspace_id, account_id, 'copy of ' || message_id, message_id, id FROM sends WHERE id = $1 RETURNING id, send_id)
	INSERT INTO delivery_sends (delivery_id, send_id) SELECT id, send_id FROM made`

// copyOf is the provider id under which deliver records it.
func copyOf(message string) string { return "copy of " + message }

func (s *server) wantMessage(t *testing.T, id string, want map[string]string) {
	t.Helper()
	m := s.ask("GET", "/v1/messages/"+id, "")
	for path, value := range want {
		if got := m.text(path); got != value {
			t.Errorf("%s is %q, want %q", path, got, value)
		}
	}
	if t.Failed() {
		t.Log(m.Body)
	}
}

// stored counts what callbacks have left behind.
func (s *server) stored() string {
	s.t.Helper()
	return fmt.Sprintf("%d facts, %d ids", s.count(`SELECT count(*) FROM delivery_observations`), s.count(`SELECT count(*) FROM callback_events`))
}
