package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/callback"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/problem"
	"sendonce/server/web"
)

// provoked is a request that must be refused with a code, and what the database says to it.
type provoked struct {
	asked   *http.Request
	body    string
	role    access.Role
	whoErr  error // to the question whose token it is
	doneErr error // to all others
	pairErr error // to the question whether a browser may be paired
}

// provocations say how each refusal that many operations share is brought about. The others need a world of their own, and
// have tests of their own.
var provocations = map[problem.Code]func(o operation, p *provoked){
	problem.Unauthenticated: func(_ operation, p *provoked) { p.asked.Header.Del("Authorization") },
	problem.Forbidden:       func(o operation, p *provoked) { p.role = access.Viewer },
	problem.NotFound:        func(o operation, p *provoked) { p.asked.URL.Path = strings.ReplaceAll(o.path, "{id}", "7") },
	problem.WrongHost:       func(_ operation, p *provoked) { p.asked.Host = "evil.example" },
	problem.InvalidJSON:     func(_ operation, p *provoked) { p.body = "{" },
	problem.UnknownField:    func(_ operation, p *provoked) { p.body = `{"no_such_field":1}` },
	problem.BodyTooLarge: func(o operation, p *provoked) {
		p.body = strings.Repeat(" ", config.RequestBodyBytesMax+1)
		if takesFile(o) {
			p.body = strings.Repeat(" ", config.ImportBytesMax+1)
		}
	},
	problem.UnsupportedMedia: func(_ operation, p *provoked) { p.asked.Header.Set("Content-Type", "text/plain") },
	problem.KeyMissing:       func(_ operation, p *provoked) { p.asked.Header.Del("Idempotency-Key") },
	problem.KeyInvalid:       func(_ operation, p *provoked) { p.asked.Header.Set("Idempotency-Key", `""`) },
	problem.InvalidCursor:    func(_ operation, p *provoked) { p.asked.URL.RawQuery = "cursor=x&after=x" },
	problem.InvalidField: func(o operation, p *provoked) {
		if takesFile(o) {
			p.asked.URL.RawQuery = "name=%00"
			p.doneErr = problem.Field("name", "it is what a command says of it")
			return
		}
		if o.method == http.MethodGet {
			p.asked.URL.RawQuery = "limit=0"
			return
		}
		_, at := theContract.place(join(o.at, "requestBody"))
		_, at = theContract.place(join(at, "content", plainJSON, "schema"))
		p.body = fmt.Sprintf(`{%q:[[]]}`, theContract.names(join(at, "properties"))[0])
	},
	problem.MadeUpOnly: func(_ operation, p *provoked) {
		p.pairErr = problem.New(problem.MadeUpOnly, "it brings a browser of its own")
	},
	// These four are the database's word, and what is held is that each operation passes it on.
	problem.KeyReused: func(_ operation, p *provoked) {
		p.doneErr = problem.New(problem.KeyReused, "use a new key").With("object_id", uuid.UUID{1})
	},
	problem.StillRunning: func(_ operation, p *provoked) { p.doneErr = problem.New(problem.StillRunning, "try again") },
	problem.Busy:         func(_ operation, p *provoked) { p.doneErr = problem.New(problem.Busy, "try again") },
	problem.DatabaseNotReady: func(_ operation, p *provoked) {
		p.whoErr, p.doneErr = context.DeadlineExceeded, context.DeadlineExceeded
	},
	problem.InternalDefect: func(_ operation, p *provoked) { p.doneErr = io.ErrUnexpectedEOF },
}

// Goal: every refusal that is documented for an operation and that has the same cause everywhere is what the operation really
// answers, and the example of its request is one that it takes.
func TestDocumentedRefusals(t *testing.T) {
	t.Parallel()
	for _, o := range theContract.operations {
		for _, status := range theContract.names(join(o.at, "responses")) {
			_, at := theContract.place(join(o.at, "responses", status))
			for _, code := range theContract.codes(at) {
				provoke := provocations[problem.Code(code)]
				if provoke == nil || code == string(problem.NotFound) && !strings.Contains(o.path, "{id}") {
					continue
				}
				p := usual(o)
				provoke(o, &p)
				answer := p.ask(t)
				if said := fmt.Sprint(answer.Code, " ", codeOf(answer)); said != status+" "+code {
					t.Errorf("%s is documented to refuse with %s %s, and answers %s: %s", o, status, code, said, answer.Body)
				}
			}
		}
	}
}

// usual is a request that nothing is wrong with.
func usual(o operation) provoked {
	p := provoked{role: access.Admin, doneErr: errReached, body: exampleOf(o)}
	p.asked = httptest.NewRequest(o.method, strings.ReplaceAll(o.path, "{id}", uuid.NewString()), nil)
	p.asked.URL.RawQuery = queryOf(o).Encode()
	p.asked.Host = "localhost"
	p.asked.Header.Set("Authorization", "Bearer t")
	p.asked.Header.Set("Content-Type", "application/json")
	p.asked.Header.Set("Idempotency-Key", "k")
	if takesFile(o) {
		p.asked.Header.Set("Content-Type", "text/csv")
	}
	return p
}

// takesFile: its body is a file.
func takesFile(o operation) bool { return slices.Contains(filesTaken, o.String()) }

// queryOf are the parameters that the operation needs, as their examples have them.
func queryOf(o operation) url.Values {
	query := url.Values{}
	list, _ := theContract.place(join(o.at, "parameters"))
	all, _ := list.([]any)
	for i := range all {
		one, _ := theContract.place(join(o.at, "parameters", strconv.Itoa(i)))
		if p, _ := one.(map[string]any); p["in"] == "query" && p["required"] == true {
			query.Set(fmt.Sprint(p["name"]), fmt.Sprint(p["example"]))
		}
	}
	return query
}

func exampleOf(o operation) string {
	body, at := theContract.place(join(o.at, "requestBody"))
	if body == nil {
		return ""
	}
	example, _ := theContract.place(join(at, "content", plainJSON, "example"))
	if example == nil {
		return "{}"
	}
	raw, err := json.Marshal(example)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func codeOf(answer *httptest.ResponseRecorder) string {
	var said struct{ Code string }
	_ = json.Unmarshal(answer.Body.Bytes(), &said)
	return said.Code
}

func (p *provoked) ask(t *testing.T) *httptest.ResponseRecorder {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	e := web.New(web.Options{Log: log, Page: func(c echo.Context, p *problem.Problem) error { return c.HTML(p.Code.HTTPStatus(), p.Detail) }})
	runner := command.NewRunner(wordOfCommands{p: p}, &woken{})
	ready := func(context.Context) error { return p.doneErr }
	// Of reads there are none: whoever reads meets a defect.
	api.New(access.NewService(wordOfAccess{p: p}), runner, witnessReads{}, witnessReceipts(), wordOfInstalls{p: p}, wordOfCallbacks{p}, noRetries{}, noRetries{}, noRetries{}, struct{ api.Events }{}, ready, log).Routes(e)
	p.asked.Body = io.NopCloser(strings.NewReader(p.body))
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, p.asked)
	err := theContract.hold(exchange{
		method: p.asked.Method, path: p.asked.URL.Path, request: []byte(p.body), status: answer.Code, header: answer.Header(), answer: answer.Body.Bytes(),
	})
	if err != nil {
		t.Errorf("%s %s: %v", p.asked.Method, p.asked.URL, err)
	}
	return answer
}

type (
	wordOfAccess struct {
		access.Store
		p *provoked
	}
	wordOfCommands struct {
		command.Store
		p *provoked
	}
	wordOfInstalls struct {
		api.Installs
		p *provoked
	}
	wordOfCallbacks struct{ p *provoked }
)

func (a wordOfAccess) TokenPrincipal(context.Context, []byte) (access.Principal, bool, error) {
	return access.Principal{ID: uuid.UUID{1}, Workspace: uuid.UUID{2}, Role: a.p.role}, true, a.p.whoErr
}

func (c wordOfCommands) Command(context.Context, access.Principal, *command.Once, func(command.Tx) (command.Answer, error)) (command.Answer, bool, error) {
	return command.Answer{}, false, c.p.doneErr
}

func (wordOfCallbacks) Verify(context.Context, uuid.UUID, http.Header, []byte) (callback.Source, error) {
	return callback.Source{}, nil
}

func (c wordOfCallbacks) Take(context.Context, callback.Source, []callback.Event) (callback.Taken, error) {
	return callback.Taken{}, c.p.doneErr
}

func (i wordOfInstalls) MayPair() error { return i.p.pairErr }

func (i wordOfInstalls) NewPairingCode(context.Context, uuid.UUID, uuid.UUID) (install.PairingCode, error) {
	return install.PairingCode{}, i.p.doneErr
}

func (i wordOfInstalls) CodeUnder(access.Principal, string) string { return "ABCDE-FGHJK" }

func (i wordOfInstalls) Pair(context.Context, string, string, string) (install.Paired, error) {
	return install.Paired{}, i.p.doneErr
}

func (i wordOfInstalls) Token(context.Context, uuid.UUID, string) (install.Token, error) {
	return install.Token{}, i.p.doneErr
}
