package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"sendonce/client"
	"sendonce/server/app/apptest"
	"sendonce/server/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// line is a way to a server on which answers are lost.
type line struct {
	to string

	mu    sync.Mutex
	loses int     // answers, from now on
	asked []asked // what went through
}

type asked struct{ key, body string }

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	request, _ := http.NewRequestWithContext(r.Context(), r.Method, l.to+r.URL.RequestURI(), strings.NewReader(string(raw)))
	request.Header = r.Header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	l.mu.Lock()
	l.asked = append(l.asked, asked{r.Header.Get("Idempotency-Key"), string(raw)})
	lost := l.loses > 0
	l.loses--
	l.mu.Unlock()
	if lost {
		panic(http.ErrAbortHandler) // the connection breaks: the server did it, and nobody hears
	}
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}

func (l *line) lose(answers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loses, l.asked = answers, nil
}

func (l *line) heard() []asked {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.asked)
}

// Goal: a proposal whose answers are lost is asked again, byte for byte and with the same key, and is one message; what has no key
// is never asked again; and when all answers are lost, nobody claims to know.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s := apptest.Sandbox(t)
	way := &line{to: s.URL()}
	proxy := httptest.NewServer(way)
	t.Cleanup(proxy.Close)
	c, err := client.New(proxy.URL, s.AgentToken)
	if err != nil {
		t.Fatal(err)
	}
	c.Hurry()
	proposal := client.Proposal{
		AccountID: s.Account(), Person: client.Recipient{LinkedIn: "https://www.linkedin.com/in/sandbox-anything"}, Body: "Hello", Purpose: "first contact",
	}

	way.lose(2)
	m, isReplay, err := c.Propose(t.Context(), "one", proposal)
	if heard := way.heard(); err != nil || !isReplay || len(heard) != 3 || heard[0].key != "one" || heard[0] != heard[2] {
		t.Fatalf("two answers were lost: replay %t, %v, asked %q", isReplay, err, heard)
	}

	way.lose(100)
	var unknown *client.UnknownError
	proposal.Person.LinkedIn += "-2" // a second message to one person would need a reason
	_, _, err = c.Propose(t.Context(), "two", proposal)
	// Go's own transport asks once more under the same key where an old connection turns out to be broken.
	if asked := len(way.heard()); !errors.As(err, &unknown) || unknown.Key != "two" || asked < client.TriesMax || asked > 2*client.TriesMax {
		t.Errorf("every answer was lost: %v, asked %d times", err, asked)
	}
	way.lose(1)
	if _, err := c.Message(t.Context(), m.ID); err != nil || len(way.heard()) != 2 {
		t.Errorf("the answer to a read was lost: %v, asked %d times", err, len(way.heard()))
	}
	way.lose(1)
	_, err = c.Do(t.Context(), client.Request{Method: http.MethodPatch, Path: "/v1/messages/" + m.ID, Body: map[string]string{"body": "Hello!"}}, nil)
	if !errors.As(err, &unknown) || len(way.heard()) != 1 {
		t.Errorf("the answer to a request without a key was lost: %v, asked %d times", err, len(way.heard()))
	}
	way.lose(0)
	var page client.Page[client.Message]
	if _, err := c.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/v1/messages"}, &page); err != nil || len(page.Items) != 2 {
		t.Errorf("there are %d messages, want one of each key: %v", len(page.Items), err)
	}
}

// Goal: every call of the package against a real server, and its refusals with their code and field.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := apptest.Sandbox(t)
	ctx := t.Context()
	m := s.Propose("sandbox-lost", "Hello")
	if m.Authority != "proposed" || m.Version != 1 || m.Status != "" || len(m.Person.LinkedIn) != 1 {
		t.Errorf("proposed: %+v", m)
	}
	m, _, err := s.Agent.Revise(ctx, "revise-1", m.ID, client.Revision{Version: 1, Body: "Hello!"})
	if err != nil || m.Version != 2 || m.Body != "Hello!" {
		t.Errorf("revised: %+v %v", m, err)
	}
	s.Approve(m)
	m = s.Await(m.ID, func(m client.Message) bool { return m.Instruction != "" })
	membersAreTheServers(t, s, m.ID)
	receiptHolds(t, s, m.ID)
	if page, err := s.Agent.Unconfirmed(ctx, ""); err != nil || len(page.Items) != 1 || page.Items[0].ID != m.ID || page.Items[0].Instruction == "" {
		t.Errorf("unconfirmed: %+v %v", page, err)
	}
	if page, err := s.Agent.People(ctx, "/in/Sandbox-Lost?x=1", "", ""); err != nil || len(page.Items) != 1 || page.Items[0].ID != m.Person.ID {
		t.Errorf("people: %+v %v", page, err)
	}
	for name, c := range map[string]struct {
		do     func() error
		status int
		code   string
		field  string
	}{
		"too late": {func() error {
			_, _, err := s.Agent.Revise(ctx, "revise-2", m.ID, client.Revision{Version: 1, Body: "Hi"})
			return err
		}, 409, "too_late_to_change", ""},
		"no such message": {func() error { _, err := s.Agent.Message(ctx, s.Account()); return err }, 404, "not_found", ""},
		"another request under the key": {func() error {
			_, _, err := s.Agent.Revise(ctx, "revise-1", m.ID, client.Revision{Version: 1, Body: "Hi"})
			return err
		}, 422, "idempotency_key_reused", ""},
		"a bad address": {func() error {
			_, _, err := s.Agent.Propose(ctx, "bad", client.Proposal{AccountID: s.Account(), Person: client.Recipient{LinkedIn: "ada"}, Body: "x", Purpose: "x"})
			return err
		}, 422, "invalid_field", "person.linkedin"},
		"an approval by an agent": {func() error {
			_, err := s.Agent.Do(ctx, client.Request{Method: http.MethodPost, Path: "/v1/messages/" + m.ID + "/approval", Body: struct{}{}}, nil)
			return err
		}, 403, "forbidden", ""},
		"a resolution by an agent": {func() error {
			_, err := s.Agent.Do(ctx, client.Request{Method: http.MethodPost, Path: "/v1/sends/" + m.Sends[0].ID + "/resolution", Body: struct{}{}}, nil)
			return err
		}, 403, "forbidden", ""},
		"a retry by an agent": {func() error {
			_, err := s.Agent.Do(ctx, client.Request{Method: http.MethodPost, Path: "/v1/sends/" + m.Sends[0].ID + "/retry", Body: struct{}{}}, nil)
			return err
		}, 403, "forbidden", ""},
	} {
		var p *client.Problem
		if err := c.do(); !errors.As(err, &p) || p.Status != c.status || p.Code != c.code || p.Field != c.field || p.Title == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Goal: a token goes to the server that was named and nowhere else, and an answer that is none of the API is a typed error.
func TestStrangeServers(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"http://127.0.0.1:8080": true, "http://localhost:1/": true, "http://[::1]:8080": true, "https://sendonce.example": true, "https://sendonce.example/base/": true,
		"http://sendonce.example": false, "ftp://sendonce.example": false, "sendonce.example": false, "": false, "https://": false,
		"https://ada:secret@sendonce.example": false, "https://sendonce.example?x=1": false, "http://192.0.2.1": false, "http://127.0.0.1.example": false,
	} {
		if _, err := client.New(address, "token"); (err == nil) != ok {
			t.Errorf("%q: %v, want ok %t", address, err, ok)
		}
	}
	if _, err := client.New("https://sendonce.example", ""); err == nil {
		t.Error("an empty token was taken")
	}
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/messages/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/v1/messages/page":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<html>\xff"+strings.Repeat("x", 10_000))
		case "/v1/messages/late":
			w.WriteHeader(http.StatusRequestTimeout)
		case "/v1/messages/large":
			_, _ = io.WriteString(w, `{"id":"`+strings.Repeat("x", client.AnswerMax)+`"}`)
		case "/v1/messages/text":
			_, _ = io.WriteString(w, "ok")
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"id": r.URL.EscapedPath()})
		}
	}))
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	c.Hurry()
	var p *client.Problem
	if _, err := c.Message(t.Context(), "away"); !errors.As(err, &p) || p.Status != http.StatusTemporaryRedirect || elsewhere != 0 {
		t.Errorf("a redirect: %v, followed %d times", err, elsewhere)
	}
	if _, err := c.Message(t.Context(), "page"); !errors.As(err, &p) || p.Code != "no_problem_details" || len(p.Detail) > 1000 {
		t.Errorf("a proxy's page: %v", err)
	}
	if _, err := c.Message(t.Context(), "large"); err == nil || !strings.Contains(err.Error(), "ask for less") {
		t.Errorf("an answer without end: %v", err)
	}
	var unknown *client.UnknownError
	if _, err := c.Message(t.Context(), "text"); !errors.As(err, &unknown) {
		t.Errorf("an answer that is no JSON: %v", err)
	}
	if _, err := c.Message(t.Context(), "late"); !errors.As(err, &unknown) {
		t.Errorf("a proxy that waited in vain: %v", err)
	}
	if m, err := c.Message(t.Context(), "../accounts"); err != nil || m.ID != "/v1/messages/..%2Faccounts" {
		t.Errorf("an id that climbs: %q %v", m.ID, err)
	}
	if _, _, err := c.Propose(t.Context(), "k", client.Proposal{Body: strings.Repeat("x", 256<<10)}); err == nil || errors.As(err, &unknown) {
		t.Errorf("a body that no server takes: %v", err)
	}
}
