package api_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/command"
	"sendonce/server/install"
	"sendonce/server/problem"
	"sendonce/server/receipt"
	"sendonce/server/web"
)

// fuzzedRoutes take every kind of body there is; an id stands in the path where one is needed.
var fuzzedRoutes = []struct{ method, path, body string }{
	{"POST", "/v1/messages", `{"account_id":"11111111-1111-4111-8111-111111111111","person":{"linkedin":"https://www.linkedin.com/in/ada-example"},"purpose":"first contact","body":"Hello Ada","send_after":null,"send_before":"2026-11-30T09:00:00Z"}`},
	{"PATCH", "/v1/messages/22222222-2222-4222-8222-222222222222", `{"version":1,"body":"Hello Ada!","subject":null,"send_after":"2026-11-30T09:00:00+01:00"}`},
	{"POST", "/v1/messages/22222222-2222-4222-8222-222222222222/approval", `{"version":1,"digest":"sha256:00","repeat_approved":true,"yes_to":["33333333-3333-4333-8333-333333333333"]}`},
	{"POST", "/v1/messages/22222222-2222-4222-8222-222222222222/rejection", `{"version":1,"digest":"sha256:00","why":"no"}`},
	{"PATCH", "/v1/workspace/policy", `{"approvers":"own","cool_off_days":30,"auto_approve":[{"role":"agent","purpose":null}]}`},
	{"POST", "/v1/sends/22222222-2222-4222-8222-222222222222/retry", `{}`},
	{"POST", "/v1/sends/22222222-2222-4222-8222-222222222222/resolution", `{"outcome":"not_delivered","note":"I looked","accept_unseen":false}`},
	{"PATCH", "/v1/imports/22222222-2222-4222-8222-222222222222", `{"mapping":["linkedin",null,"first_name"]}`},
	{"POST", "/v1/templates", `{"name":"First contact","subject":null,"body":"Hi {{first_name}}","variables":[{"name":"first_name","required":false,"default":"there"}]}`},
	{"PATCH", "/v1/templates/22222222-2222-4222-8222-222222222222", `{"version":1,"body":"Hi","variables":null}`},
	{"POST", "/v1/messages", `{"account_id":"11111111-1111-4111-8111-111111111111","person":{"linkedin":"/in/ada-example"},"purpose":"first contact","template":{"id":"22222222-2222-4222-8222-222222222222","variables":{"first_name":"Ada"}}}`},
	{"POST", "/v1/sequences", `{"name":"Engineers"}`},
	{"PUT", "/v1/sequences/22222222-2222-4222-8222-222222222222/steps", `{"version":1,"steps":[{"id":null,"purpose":"first contact","channel":"linkedin","template_id":"22222222-2222-4222-8222-222222222222","delay":{"count":3,"unit":"business_days"}}]}`},
	{"POST", "/v1/sequences/22222222-2222-4222-8222-222222222222/enrolments", `{"account_id":"11111111-1111-4111-8111-111111111111","people":["33333333-3333-4333-8333-333333333333"]}`},
	{"POST", "/v1/enrolments", `{"sequence_id":"22222222-2222-4222-8222-222222222222","person_id":"33333333-3333-4333-8333-333333333333","account_id":"11111111-1111-4111-8111-111111111111"}`},
	{"PATCH", "/v1/people/22222222-2222-4222-8222-222222222222", `{"fields":{"first_name":"Ada","city":null}}`},
	{"POST", "/v1/accounts", `{"channel":"linkedin","handle":"https://www.linkedin.com/in/rita-recruiter"}`},
	{"POST", "/v1/accounts/22222222-2222-4222-8222-222222222222/pause", `{"note":"holiday"}`},
	{"PUT", "/v1/accounts/22222222-2222-4222-8222-222222222222/hours", hoursBody},
	{"PUT", "/v1/accounts/22222222-2222-4222-8222-222222222222/limits", limitsBody},
	{"POST", "/v1/retries", `{"account_id":null,"code":"rate_limited"}`},
	{"POST", "/v1/approvals", `{"account_id":null,"purpose":"first contact","sequence_id":null,"step_id":null,"enrolment_ids":["33333333-3333-4333-8333-333333333333"]}`},
	{"POST", "/v1/installs", `{"code":"ABCDE-FGHIJ","extension_version":"1.0.0"}`},
	{"POST", "/v1/installs/token", `{"install_id":"22222222-2222-4222-8222-222222222222","refresh_secret":"s"}`},
	{"POST", "/v1/instance/arming", `{"epoch":1,"accept_unseen":true}`},
	{"POST", "/v1/incidents/22222222-2222-4222-8222-222222222222/closing", `{"note":"seen"}`},
	{"POST", "/v1/messages/22222222-2222-4222-8222-222222222222/closing", `{"why":"the place is taken"}`},
	{"POST", "/v1/messages", `{"account_id":"11111111-1111-4111-8111-111111111111","person":{"linkedin":"/in/ada-example"},"purpose":"first contact","body":"Hello Ada","follows":{"send":"22222222-2222-4222-8222-222222222222","why":"they asked"}}`},
}

// Goal: whatever body a stranger posts, it is either taken or refused as theirs, by a problem that names the field where
// one is wrong; and the same body in another writing is the same request under its key.
func FuzzBody(f *testing.F) {
	for i, route := range fuzzedRoutes {
		f.Add(uint8(i), []byte(route.body), `"key-1"`)
	}
	for _, body := range []string{
		"", "null", "[]", `{"a":1,"a":2}`, `{"body":"\ud800"}`, "{\"body\":\"\xff\"}", `{"version":1e400}`, `{"version":1.0}`, `{"version":99999999999999999999}`,
		`{"person":{"name":{}}}`, `{"send_after":"0000-01-01T00:00:00Z"}`, strings.Repeat(`{"person":`, 2000), `{} {}`, `{"Body":"x"}`, `{"code":"a\u0000"}`,
	} {
		f.Add(uint8(len(body)), []byte(body), "key 1")
	}
	witness := &witness{}
	e := witness.serve()
	f.Fuzz(func(t *testing.T, route uint8, body []byte, key string) {
		to := fuzzedRoutes[int(route)%len(fuzzedRoutes)]
		answer, first := witness.ask(e, to.method, to.path, body, key)
		if !first.reached {
			checkProblem(t, answer)
			return
		}
		if len(body) == 0 {
			return // counts as {}
		}
		if !utf8.Valid(body) || !json.Valid(body) {
			t.Fatalf("%q was taken", body)
		}
		_, again := witness.ask(e, to.method, to.path, rewritten(t, body), key)
		if !again.reached || !bytes.Equal(again.payload, first.payload) {
			t.Errorf("%s is another payload than %s", rewritten(t, body), body)
		}
	})
}

func checkProblem(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	var said struct {
		Code   problem.Code
		Title  string
		Status int
		Field  string
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil {
		t.Fatalf("%d %q: %v", answer.Code, answer.Body, err)
	}
	if answer.Code < 400 || answer.Code > 499 || said.Status != answer.Code || said.Title == "" {
		t.Errorf("%d %s: it must be the stranger's fault", answer.Code, answer.Body)
	}
	if (said.Code == problem.InvalidField || said.Code == problem.UnknownField) && said.Field == "" {
		t.Errorf("%s names no field", answer.Body)
	}
}

// rewritten is the same JSON value with its members in another order and other white space.
func rewritten(t *testing.T, body []byte) []byte {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	other, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// errReached ends a request that the handler was ready to have done.
var errReached = errors.New("the request was read")

// witness stands where the database would be asked, and notes that a request came so far.
type witness struct {
	reached bool
	payload []byte
}

type (
	witnessAccess struct {
		access.Store
	}
	witnessReads     struct{ api.Reads }
	witnessCallbacks struct{ api.Callbacks }
	witnessInstalls  struct {
		api.Installs
		w *witness
	}
	witnessCommands struct {
		command.Store
		w *witness
	}
)

func (witnessAccess) TokenPrincipal(context.Context, []byte) (access.Principal, bool, error) {
	return access.Principal{ID: uuid.UUID{1}, Workspace: uuid.UUID{2}, Role: access.Admin}, true, nil
}

func (c witnessCommands) Command(_ context.Context, _ access.Principal, once *command.Once, _ func(command.Tx) (command.Answer, error)) (command.Answer, bool, error) {
	c.w.reached = true
	if once != nil {
		c.w.payload = once.Payload
	}
	return command.Answer{}, false, errReached
}

func (i witnessInstalls) Pair(context.Context, string, string, string) (install.Paired, error) {
	i.w.reached = true
	return install.Paired{}, errReached
}

func (i witnessInstalls) Token(context.Context, uuid.UUID, string) (install.Token, error) {
	i.w.reached = true
	return install.Token{}, errReached
}

func (w *witness) serve() http.Handler {
	log := slog.New(slog.DiscardHandler)
	e := web.New(web.Options{Log: log, Page: func(c echo.Context, p *problem.Problem) error { return web.WriteProblem(c, p) }})
	ready := func(context.Context) error { return nil }
	runner := command.NewRunner(witnessCommands{w: w}, &woken{})
	api.New(access.NewService(witnessAccess{}), runner, witnessReads{}, witnessReceipts(), witnessInstalls{w: w}, witnessCallbacks{}, noRetries{}, noRetries{}, noRetries{}, struct{ api.Events }{}, ready, log).Routes(e)
	return e
}

func witnessReceipts() *receipt.Service {
	return receipt.NewService(struct{ receipt.Store }{}, receipt.NewSigner([]ed25519.PrivateKey{receiptKey(1)}, time.Now))
}

type noRetries struct{}

func (noRetries) Wake() {}

// ask gives the answer, and what was noted of this request.
func (w *witness) ask(server http.Handler, method, path string, body []byte, key string) (*httptest.ResponseRecorder, witness) {
	*w = witness{}
	request := httptest.NewRequest(method, path, bytes.NewReader(body))
	request.Host = "localhost"
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer t")
	if key != "" {
		request.Header["Idempotency-Key"] = []string{key}
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, request)
	return answer, *w
}
