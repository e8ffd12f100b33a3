package api_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOneKeyIsOneMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := s.ask("POST", "/v1/messages", s.proposal("Hello Ada"), "Idempotency-Key: one")
	// Quoted, and with its members in another order: the same request.
	again := s.ask("POST", "/v1/messages", strings.Replace(s.proposal("Hello Ada"), `{"account_id":"`+s.account+`",`,
		`{ "account_id" : "`+s.account+`" ,`, 1), `Idempotency-Key: "one"`)
	if first.Status != 201 || again.Status != 201 || again.Body != first.Body || again.Header.Get("Idempotency-Replayed") != "true" ||
		first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Location") != "/v1/messages/"+first.text("id") {
		t.Errorf("first %d %s, again %d %v %s", first.Status, first.Body, again.Status, again.Header, again.Body)
	}
	other := s.ask("POST", "/v1/messages", s.proposal("Hello Bea"), "Idempotency-Key: one")
	if other.Status != 422 || other.text("code") != "idempotency_key_reused" || other.text("object_id") != first.text("id") {
		t.Errorf("another payload: %d %s", other.Status, other.Body)
	}
	// The scope is the principal: another one's key is another key.
	another := strings.Replace(s.proposal("Hello Bea"), "first contact", "another purpose", 1)
	if a := s.ask("POST", "/v1/messages", another, "Idempotency-Key: one", s.as("agent")); a.Status != 201 {
		t.Errorf("another principal: %d %s", a.Status, a.Body)
	}
	if n := s.count("SELECT count(*) FROM messages"); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

// A refusal keeps nothing: the corrected request may use the same key.
func TestRefusalsAreNotKept(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if a := s.ask("POST", "/v1/messages", s.proposal(" "), "Idempotency-Key: k"); a.Status != 422 {
		t.Fatalf("an empty body: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/messages", s.proposal("Hello Ada"), "Idempotency-Key: k"); a.Status != 201 {
		t.Errorf("the corrected request: %d %s", a.Status, a.Body)
	}
}

func TestTwentyEqualRequestsAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const requests = 20
	answers := make([]answer, requests)
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() {
			a, err := s.try(t.Context(), "POST", "/v1/messages", s.proposal("Hello Ada"), "Idempotency-Key: twenty")
			if err != nil {
				t.Error(err)
			}
			answers[i] = a
		})
	}
	all.Wait()
	made := 0
	for _, a := range answers {
		switch {
		case a.Status == 201 && a.Header.Get("Idempotency-Replayed") == "":
			made++
		case a.Status == 201 && a.Body != answers[0].Body, a.Status != 201 && (a.Status != 409 || a.text("code") != "still_running"):
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM messages"); made != 1 || n != 1 {
		t.Errorf("%d answers say made and %d messages are there, want 1 of each", made, n)
	}
	if n := s.count("SELECT count(*) FROM people"); n != 1 {
		t.Errorf("%d people, want 1", n)
	}
}

// Two programs propose to one new person at once: the second waits for the first, then finds its person.
func TestOneNewPerson(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	tx, err := s.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	var person string
	err = tx.QueryRow(t.Context(), `WITH p AS (INSERT INTO people (workspace_id) SELECT workspace_id FROM accounts RETURNING id, workspace_id)
		INSERT INTO person_identities (workspace_id, kind, value, person_id)
		SELECT workspace_id, 'linkedin_slug', 'ada-example', id FROM p RETURNING person_id`).Scan(&person)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan answer, 1)
	go func() {
		a, err := s.try(t.Context(), "POST", "/v1/messages", s.proposal("Hello Ada"))
		if err != nil {
			t.Error(err)
		}
		said <- a
	}()
	for s.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 0 {
		if len(said) > 0 {
			t.Fatal("the second did not wait for the first")
		}
		time.Sleep(time.Millisecond)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-said; a.Status != 201 || a.text("person.id") != person {
		t.Errorf("%d %s, want the person %s", a.Status, a.Body, person)
	}
	if n := s.count("SELECT count(*) FROM people"); n != 1 {
		t.Errorf("%d people, want 1", n)
	}
}

// A second request with a key waits for the first, but not for ever: also where the command is no plain one.
func TestStillRunning(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	paths := map[string]string{
		"POST /v1/messages": s.proposal("Hello Ada"), "POST /v1/pairing-codes": "{}", "POST /v1/workspace/pause": "{}",
		"DELETE /v1/installs/" + s.addInstall(): "{}",
	}
	tx, err := s.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `INSERT INTO idempotency_keys (workspace_id, principal_id, route, key, payload_hash)
		SELECT workspace_id, id, unnest($1::text[]), 'slow', '' FROM principals WHERE name = 'recruiter'`, slices.Collect(maps.Keys(paths)))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for route, body := range paths {
		method, path, _ := strings.Cut(route, " ")
		all.Go(func() {
			a, err := s.try(t.Context(), method, path, body, "Idempotency-Key: slow")
			if err != nil || a.Status != 409 || a.text("code") != "still_running" {
				t.Errorf("%s: %d %s, %v", route, a.Status, a.Body, err)
			}
		})
	}
	all.Wait()
}

func TestKeysOnOtherCommands(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	account := `{"channel":"linkedin","handle":"/in/olga-other"}`
	first := s.ask("POST", "/v1/accounts", account, "Idempotency-Key: a")
	again := s.ask("POST", "/v1/accounts", account, "Idempotency-Key: a")
	if first.Status != 201 || again.Status != 201 || first.Body != again.Body {
		t.Errorf("account: %d, then %d %s", first.Status, again.Status, again.Body)
	}
	m := s.propose("Hello Ada")
	path := "/v1/messages/" + m.text("id")
	approved := s.ask("POST", path+"/approval", yes(m), "Idempotency-Key: a")
	withdrawn := s.ask("POST", path+"/withdrawal", "", "Idempotency-Key: a")
	// The first answer is replayed even though the message is withdrawn by now.
	replayed := s.ask("POST", path+"/approval", yes(m), "Idempotency-Key: a")
	if approved.Status != 200 || withdrawn.Status != 200 || replayed.Body != approved.Body || replayed.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("approved %d, withdrawn %d, replayed %d %s", approved.Status, withdrawn.Status, replayed.Status, replayed.Body)
	}
	if s.woken.count() != 2 { // by the approval and by the withdrawal
		t.Errorf("a replay woke the account: %d", s.woken.count())
	}
}
