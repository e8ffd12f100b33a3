package api_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/access"
	"sendonce/server/postgres"
)

// Goal: a create answers what GET says of its message and what its repetition is answered with, byte for byte, however the person
// is known and whatever is asked. The answer is made of what was written, not read.
func TestACreateAnswersAsItsGet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.setPolicy(`{"auto_approve":[{"purpose":"thanks"}]}`)
	failed := s.approve(s.to("eve-sample", "first contact", "Hello Eve")).text("sends.0.id")
	s.move(failed, lease, start, prove, fail)
	for _, c := range []struct{ what, asked, name, address string }{
		{"a stranger", `"person":{"linkedin":"/in/ada-example"},"purpose":"first contact"`, "", ""},
		{"known, and named now", `"person":{"linkedin":"/in/ada-example","name":"Ada Example"},"purpose":"a reminder"`, "Ada Example", ""},
		{"named otherwise", `"person":{"linkedin":"/in/ada-example","name":"Ada Other"},"purpose":"a birthday"`, "Ada Example", ""},
		{"known, with an address now", `"person":{"linkedin":"/in/ada-example","email":"ada@example.com"},"purpose":"an invitation"`, "Ada Example", "ada@example.com"},
		{"by both again", `"person":{"linkedin":"/in/ada-example","email":"ada@example.com"},"purpose":"a second invitation"`, "Ada Example", "ada@example.com"},
		{"a stranger with an address", `"person":{"linkedin":"/in/bea-sample","email":"bea@example.com","name":"Bea Sample"},"purpose":"first contact"`, "Bea Sample", "bea@example.com"},
		{"all there is", `"person":{"linkedin":"/in/cid-sample","name":"Cid Sample"},"purpose":"first contact","task":"place 7","subject":"A place",
			"send_after":"2031-01-02T03:04:05.123456789+05:30","send_before":"2031-02-01T00:00:00Z","client_release":"agent 1.0"`, "Cid Sample", ""},
		{"a follower", `"person":{"linkedin":"/in/eve-sample"},"purpose":"first contact","follows":` + following(failed, "they asked for the details"), "", ""},
		{"what the policy approves", `"person":{"linkedin":"/in/dan-sample"},"purpose":"thanks"`, "", ""},
	} {
		body := `{"account_id":"` + s.account + `","body":"Hello\r\nthere ",` + c.asked + `}`
		key := "Idempotency-Key: " + uuid.NewString()
		made := s.ask("POST", "/v1/messages", body, key)
		if made.Status != 201 || made.text("person.name") != c.name || made.text("person.email.0") != c.address {
			t.Errorf("%s: %d %s", c.what, made.Status, made.Body)
			continue
		}
		if got := s.ask("GET", "/v1/messages/"+made.text("id"), ""); got.Status != 200 || got.Body != made.Body {
			t.Errorf("%s: made\n%s\nread %d\n%s", c.what, made.Body, got.Status, got.Body)
		}
		if again := s.ask("POST", "/v1/messages", body, key); again.Status != 201 || again.Body != made.Body {
			t.Errorf("%s: made\n%s\nagain %d\n%s", c.what, made.Body, again.Status, again.Body)
		}
	}
}

// A profile of one person and an address of another name nobody, and leave nothing.
func TestTwoPeopleAreNotOne(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	to := func(person string) answer {
		return s.ask("POST", "/v1/messages", strings.Replace(s.proposal("Hello"), `{"linkedin":"https://www.linkedin.com/in/ada-example"}`, person, 1))
	}
	for _, person := range []string{`{"linkedin":"/in/ada-example","email":"ada@example.com"}`, `{"linkedin":"/in/bea-sample","email":"bea@example.com"}`} {
		if a := to(person); a.Status != 201 {
			t.Fatalf("%s: %d %s", person, a.Status, a.Body)
		}
	}
	before := s.rows()
	if a := to(`{"linkedin":"/in/ada-example","email":"bea@example.com"}`); a.Status != 409 || a.text("code") != "person_conflict" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if after := s.rows(); after != before {
		t.Errorf("a refusal changed the rows from %s to %s", before, after)
	}
}

// countedConn counts what is written to it: pgx writes a batch, or a statement that it has prepared, at once.
type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countedConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// Goal: a create takes four round trips: its token, its key, what it rests on, and the writing of everything with the commit. For
// somebody who is known it takes two more: who that is, and what else is meant for them. Method: the fewest of some tries, because a connection may be new or be asked whether it lives.
func TestTripsOfACreate(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var writes atomic.Int64
	config, err := pgxpool.ParseConfig(s.database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return countedConn{conn, &writes}, err
	}
	store, err := postgres.OpenConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s.access = access.NewService(store)
	counted := &server{t: t, url: s.serve(store), tokens: s.tokens, account: s.account, receiptKeys: s.receiptKeys}
	counted.to("ada-example", "first contact", "Hello")
	for _, c := range []struct {
		what string
		want int64
		ask  func(slug string) answer
	}{
		{"a create for a stranger", 4, func(slug string) answer { return counted.to(slug, "first contact", "Hello") }},
		{"a create for somebody known", 6, func(slug string) answer { return counted.to("ada-example", "for "+slug, "Hello") }},
	} {
		fewest := int64(1 << 20)
		for range 5 {
			before := writes.Load()
			if a := c.ask("p-" + uuid.NewString()); a.Status != 201 {
				t.Fatalf("%s: %d %s", c.what, a.Status, a.Body)
			}
			fewest = min(fewest, writes.Load()-before)
		}
		if fewest != c.want {
			t.Errorf("%s takes %d round trips, want %d", c.what, fewest, c.want)
		}
	}
}
