package api_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/receipt"
)

const (
	proveWrongPerson = `INSERT INTO evidence (workspace_id, send_id, kind, attempt, install_id, outcome, body)
		SELECT workspace_id, id, 'proof', attempt, lease_holder, 'not_attempted',
			'{"reason":"wrong_person","find":"none","box":"untouched","request":false,"unbroken":true,"copies":[],"conversation":null}'
		FROM sends WHERE id = $1`
	arrived = `INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id, delivered_at)
		SELECT workspace_id, account_id, 'urn:li:msg_message:' || ordinal, message_id, id, sendonce_now() FROM sends WHERE id = $1`
	wasRead = `INSERT INTO delivery_observations (workspace_id, install_id, kind, provider_id, at, said_hash, message_id)
		SELECT workspace_id, lease_holder, 'read', 'urn:li:msg_message:' || ordinal, sendonce_now(), 'hash', message_id FROM sends WHERE id = $1`
	arrivedFor = `INSERT INTO delivery_sends (delivery_id, send_id) SELECT id, send_id FROM deliveries WHERE send_id = $1`
)

// liveAndDie gives a message everything that a receipt tells of: an edit, an attempt that failed, one that stayed unconfirmed, was
// looked at and called undelivered, a third that arrived, and then the late confirmation of the second.
func (s *server) liveAndDie() (id string) {
	s.t.Helper()
	s.addInstall()
	id = s.ask("POST", "/v1/messages", s.proposal("Hello Ada")).text("id")
	m := s.approve(s.ask("PATCH", "/v1/messages/"+id, `{"body":"Hello Ada!","client_release":"agent 1.0"}`))
	first := m.text("sends.0.id")
	s.move(first, lease, start, proveWrongPerson, fail)
	second := s.retry(first).text("id")
	s.move(second, lease, start, unconfirm, gone)
	s.advance(grace + time.Minute)
	s.looked(second, "absent", "null", 30*time.Second)
	s.resolve(second, "not_delivered", "Nothing stands there")
	run := s.ask("POST", "/v1/retries", `{}`).text("id")
	s.ask("POST", "/v1/retries/"+run+"/start", `{}`)
	s.done("retries", run)
	third := s.ask("GET", "/v1/messages/"+id, "").text("sends.2.id")
	s.move(third, lease, start, confirm, arrived, arrivedFor, sent, wasRead)
	s.move(second, confirm, arrived, arrivedFor, sent)
	s.move(third, "UPDATE people SET replied_at = sendonce_now() WHERE id = (SELECT person_id FROM sends WHERE id = $1)")
	return id
}

// Goal: a receipt tells the whole life of its message, in one shape and order, and holds.
func TestReceiptOfALife(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := s.liveAndDie()
	got := s.ask("GET", "/v1/messages/"+id+"/receipt", "", s.as("viewer"))
	if got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	keys, err := receipt.ParseKeys(s.ask("GET", "/v1/receipt-keys", "", "Authorization: ").Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := receipt.Verify([]byte(got.Body), keys); err != nil {
		t.Error(err)
	}
	want, err := os.ReadFile("testdata/receipt.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), masked(t, got.Body)); diff != "" {
		t.Errorf("the receipt (-want +got):\n%s", diff)
	}
	again := s.ask("GET", "/v1/messages/"+id+"/receipt", "", s.as("agent"))
	if diff := cmp.Diff(unread(got.Body), unread(again.Body)); diff != "" {
		t.Errorf("read again by an agent, it differs:\n%s", diff)
	}
}

// Goal: an incident that went on to concern another message stays in the receipt of the first; what never concerned it does not
// stand there.
func TestReceiptNamesItsIncidents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first, second, third := s.propose("Hello Ada").text("id"), s.propose("Hello again").text("id"), s.propose("And again").text("id")
	one := s.addIncident("second_message", first)
	s.move(one, "UPDATE incidents SET count = count + 1, message_id = '"+second+"' WHERE id = $1")
	for id, want := range map[string]string{first: one, second: one, third: ""} {
		if a := s.ask("GET", "/v1/messages/"+id+"/receipt", ""); a.Status != 200 || a.text("incidents.0.id") != want || a.text("incidents.1.id") != "" {
			t.Errorf("%s: %d %s", id, a.Status, a.Body)
		}
	}
}

// Goal: the keys of old receipts stay published when another one signs, to anybody.
func TestReceiptKeysArePublished(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	path := "/v1/messages/" + s.propose("Hello Ada").text("id") + "/receipt"
	old := s.ask("GET", path, "")
	s.receiptKeys = append(s.receiptKeys, receiptKey(2))
	next := s.twin()
	published := next.ask("GET", "/v1/receipt-keys", "", "Authorization: ")
	keys, err := receipt.ParseKeys(published.Body)
	if err != nil || len(keys) != 2 || published.text("items.0.signs") != "false" || published.text("items.1.signs") != "true" {
		t.Fatalf("%v: %s", err, published.Body)
	}
	for name, raw := range map[string]string{"old": old.Body, "new": next.ask("GET", path, "").Body} {
		r, err := receipt.Verify([]byte(raw), keys)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		signer := receiptKey(map[string]byte{"old": 1, "new": 2}[name]).Public().(ed25519.PublicKey)
		if r.Signature.KeyID != receipt.KeyID(signer) {
			t.Errorf("%s: signed with %s", name, r.Signature.KeyID)
		}
	}
}

// Goal: a receipt is read by its own workspace's people and programs, and by nobody else.
func TestReceiptIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := s.propose("Hello Ada").text("id")
	for _, c := range []struct {
		name, path, as string
		status         int
		code           string
	}{
		{"a stranger", id, s.as("stranger"), 404, "not_found"},
		{"nobody", id, "Authorization: ", 401, "unauthenticated"},
		{"no message", uuid.NewString(), s.as("viewer"), 404, "not_found"},
		{"no id", "7", s.as("viewer"), 404, "not_found"},
	} {
		if a := s.ask("GET", "/v1/messages/"+c.path+"/receipt", "", c.as); a.Status != c.status || a.text("code") != c.code || strings.Contains(a.Body, "Hello") {
			t.Errorf("%s: %d %s", c.name, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/messages/"+id+"/receipt", "{}"); a.Status != 405 {
		t.Errorf("POST: %d %s", a.Status, a.Body)
	}
}

var (
	maskedID     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|sha256:[0-9a-f]{64}`)
	maskedMoment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)
	maskedValue  = regexp.MustCompile(`"value": "[\w-]{86}"`)
	whenRead     = regexp.MustCompile(`"(read_at|signed_at|value)":"[^"]*"`)
)

// masked is a receipt laid out, with ids and digests in the order of their first appearance and without what each run has anew.
func masked(t *testing.T, body string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(body), "", "  "); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	text := maskedID.ReplaceAllStringFunc(out.String(), func(id string) string {
		if names[id] == "" {
			names[id] = fmt.Sprintf("id %d", len(names)+1)
		}
		return names[id]
	})
	text = maskedMoment.ReplaceAllString(text, "a moment")
	return maskedValue.ReplaceAllString(text, `"value": "a signature"`) + "\n"
}

// unread is a receipt without when it was read and signed.
func unread(body string) string { return whenRead.ReplaceAllString(body, "") }
