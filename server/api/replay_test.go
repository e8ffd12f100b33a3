package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sendonce/server/access"
	"sendonce/server/postgres"
)

// asked is a request under its key, and what came of it first.
type asked struct {
	request
	route, method, key string
	first              answer
}

func (a asked) again(s *server, body string, headers ...string) answer {
	s.t.Helper()
	return s.ask(a.method, a.path, body, append([]string{s.as("admin"), "Idempotency-Key: " + a.key}, headers...)...)
}

// Goal: on every route that writes, a key is one command: asked again in another writing and with another token, it is
// answered with the first bytes; asked for something else, it is refused and names what it made; a refusal keeps nothing.
// Once its answer is forgotten, the same key is answered with what the object is by then.
func TestEveryWritingRouteIsAskedOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.requireEveryWritingRoute()
	rotated, err := s.access.CreateToken(t.Context(), access.Admin, "")
	if err != nil {
		t.Fatal(err)
	}
	var all []asked
	for i, route := range slices.Sorted(maps.Keys(writingRoutes)) {
		method, _, _ := strings.Cut(route, " ")
		a := asked{request: writingRoutes[route](s, fmt.Sprintf("ada-%d", i)), route: route, method: method, key: fmt.Sprintf("key-%d", i)}
		if bad := a.again(s, `{"no_such_field":1}`); bad.Status != 422 || bad.text("field") != "no_such_field" {
			t.Errorf("%s: an unknown field: %d %s", route, bad.Status, bad.Body)
		}
		a.first = a.again(s, a.body)
		if a.first.Status >= 300 || a.first.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: %d %s", route, a.first.Status, a.first.Body)
			continue
		}
		s.requireReplayed(a, a.again(s, a.body), a.first.Status, a.first.Body)
		other := strings.ReplaceAll(string(rewritten(t, []byte(a.body))), "Hello", `\u0048ello`)
		s.requireReplayed(a, a.again(s, other, "Authorization: Bearer "+rotated), a.first.Status, a.first.Body)
		s.requireReused(a)
		if foreign := a.again(s, a.body, s.as("recruiter")); foreign.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: another principal's key was replayed: %d %s", route, foreign.Status, foreign.Body)
		}
		all = append(all, a)
	}
	s.forgetAnswers()
	for _, a := range all {
		s.requireAsItIsNow(a)
		s.requireReused(a)
	}
}

// requireEveryWritingRoute holds the table against the routes that are served.
func (s *server) requireEveryWritingRoute() {
	s.t.Helper()
	for _, route := range s.routes {
		name := route.Method + " " + route.Path
		if route.Method == http.MethodGet || !strings.HasPrefix(route.Path, "/v1/") || slices.Contains(ownProof, name) || slices.Contains(filesTaken, name) {
			continue
		}
		if writingRoutes[name] == nil {
			s.t.Errorf("%s writes; say in writingRoutes what is asked of it, so that its repetition is tried", name)
		}
	}
}

func (s *server) requireReplayed(a asked, got answer, status int, body string) {
	s.t.Helper()
	if got.Status != status || got.Body != body || got.Header.Get("Idempotency-Replayed") != "true" ||
		got.Header.Get("Location") != a.first.Header.Get("Location") && status == a.first.Status {
		s.t.Errorf("%s again: %d %v %s\nwant %d %s", a.route, got.Status, got.Header, got.Body, status, body)
	}
}

// requireReused asks for something else under the key. What the first made is named, where it has an id.
func (s *server) requireReused(a asked) {
	s.t.Helper()
	if a.other == "" {
		return
	}
	got := a.again(s, a.other)
	if got.Status != 422 || got.text("code") != "idempotency_key_reused" || got.text("object_id") == "" ||
		a.first.text("id") != "" && got.text("object_id") != a.first.text("id") {
		s.t.Errorf("%s with another body: %d %s", a.route, got.Status, got.Body)
	}
}

// forgetAnswers lets the time pass for which answers are kept. They go in bounded bites, none too early, and no text stays.
func (s *server) forgetAnswers() {
	s.t.Helper()
	store, err := postgres.Open(s.t.Context(), s.database.ServerURL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	const kept, bite = 30 * 24 * time.Hour, 7
	left := s.count("SELECT count(*) FROM idempotency_keys WHERE answer_body <> ''")
	forget := func(want int) {
		s.t.Helper()
		if got, err := store.AnswersForget(s.t.Context(), kept, bite); err != nil || got != want {
			s.t.Fatalf("forgot %d, %v, want %d", got, err, want)
		}
	}
	s.advance(kept - time.Minute)
	forget(0)
	s.advance(2 * time.Minute)
	for ; left > 0; left -= bite {
		forget(min(left, bite))
	}
	forget(0)
	if n := s.count("SELECT count(*) FROM idempotency_keys WHERE answer_body <> ''"); n != 0 {
		s.t.Errorf("%d answers are kept for longer", n)
	}
}

// requireAsItIsNow: what has no text to forget is answered as before.
func (s *server) requireAsItIsNow(a asked) {
	s.t.Helper()
	got := a.again(s, a.body)
	switch {
	case a.first.Body == "":
		s.requireReplayed(a, got, a.first.Status, "")
	case a.now == "":
		s.requireReplayed(a, got, http.StatusOK, `{"code":null,"expires_at":null}`)
	default:
		now, member, isMember := strings.Cut(strings.ReplaceAll(a.now, "%s", a.first.text("id")), "#")
		want := s.ask("GET", now, "", s.as("admin")).Body
		if isMember {
			var members map[string]json.RawMessage
			if err := json.Unmarshal([]byte(want), &members); err != nil {
				s.t.Fatal(err)
			}
			want = string(members[member])
		}
		s.requireReplayed(a, got, http.StatusOK, want)
	}
}

// The scope of a key is the full path: the same key on another message is another command.
func TestAKeyIsOfItsPath(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for i := range 2 {
		path := "/v1/messages/" + s.proposeTo(fmt.Sprintf("ada-%d", i)).text("id")
		a := s.ask("PATCH", path, `{"body":"Hello again"}`, "Idempotency-Key: one")
		if a.Status != 200 || a.text("version") != "2" || a.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		id := path[len("/v1/messages/"):]
		again := s.ask("PATCH", "/v1/messages/"+strings.ToUpper(id), `{"body":"Hello again"}`, "Idempotency-Key: one")
		if again.Body != a.Body || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("its id in capitals: %d %s", again.Status, again.Body)
		}
	}
}

// A connection that dies in mid-command takes its key along: asked again, it is done.
func TestADeadConnectionFreesItsKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	tx, err := s.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `WITH p AS (INSERT INTO people (workspace_id) SELECT workspace_id FROM accounts RETURNING id, workspace_id)
		INSERT INTO person_identities (workspace_id, kind, value, person_id) SELECT workspace_id, 'linkedin_slug', 'ada-example', id FROM p`)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan answer, 1)
	go func() {
		a, err := s.try(t.Context(), "POST", "/v1/messages", s.proposal("Hello Ada"), "Idempotency-Key: one")
		if err != nil {
			t.Error(err)
		}
		said <- a
	}()
	// It has claimed its key by now, and waits for the person that the other transaction makes.
	const waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
	for s.count("SELECT count(pg_terminate_backend(pid)) "+waiting) == 0 {
		if len(said) > 0 {
			t.Fatal("it did not wait")
		}
		time.Sleep(time.Millisecond)
	}
	if a := <-said; a.Status < 500 {
		t.Errorf("the one whose connection died: %d %s", a.Status, a.Body)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.count("SELECT count(*) FROM idempotency_keys WHERE key = 'one'"); n != 0 {
		t.Errorf("%d keys are left behind", n)
	}
	if a := s.ask("POST", "/v1/messages", s.proposal("Hello Ada"), "Idempotency-Key: one"); a.Status != 201 || a.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("asked again: %d %s", a.Status, a.Body)
	}
}

// A pairing code under a key is the same when it is asked for again, and good for one browser; another key is another code.
func TestPairingCodeUnderAKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	codes := map[string]bool{}
	for _, key := range []string{"one", "two", "one"} {
		codes[s.ask("POST", "/v1/pairing-codes", "{}", "Idempotency-Key: "+key).text("code")] = true
	}
	if len(codes) != 2 {
		t.Errorf("%d codes of two keys", len(codes))
	}
	for code := range codes {
		body := fmt.Sprintf(`{"code":%q,"extension_version":"1.0.0"}`, code)
		if a := s.ask("POST", "/v1/installs", body, "Authorization: "); a.Status != 201 {
			t.Errorf("paired by it: %d %s", a.Status, a.Body)
		}
		if a := s.ask("POST", "/v1/installs", body, "Authorization: "); a.Status != 401 {
			t.Errorf("paired once more: %d %s", a.Status, a.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM idempotency_keys WHERE convert_from(answer_body, 'UTF8') ~ '[A-Z0-9]{5}-[A-Z0-9]{5}'"); n != 0 {
		t.Errorf("%d answers hold a code in clear", n)
	}
}
