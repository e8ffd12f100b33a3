package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/auth"
	"sendonce/server/bulk"
	"sendonce/server/callback"
	"sendonce/server/command"
	"sendonce/server/config"
	feed "sendonce/server/event"
	"sendonce/server/gateway"
	"sendonce/server/incident"
	"sendonce/server/install"
	"sendonce/server/postgres"
	"sendonce/server/receipt"
	"sendonce/server/send"
	"sendonce/server/sequence"
	"sendonce/server/web"
)

// server is one process of Sendonce: what app builds of gateway, API, sweep, retries and incidents, on the world's clock.
type server struct {
	w          *World
	name       string
	life       int
	dead       *death
	sends      *send.Service
	callbacks  *callback.Service
	gateway    *gateway.Gateway
	listener   *pipes
	rest       http.Handler
	notices    *notices
	stop       context.CancelFunc
	loops      *sync.WaitGroup
	store      *postgres.Store  // of all its lives
	enrolments *sequence.Worker // it looks when the world says so
	alarm      *alarm
}

// start begins a life of the server.
func (s *server) start() {
	w := s.w
	if s.loops != nil {
		s.loops.Wait() // nothing of the last life speaks on the connections of this one
	}
	s.life++
	s.dead = &death{}
	ctx, stop := context.WithCancel(w.ctx)
	s.stop, s.loops = stop, &sync.WaitGroup{}
	if s.store == nil {
		s.store = openMortal(s)
	}
	keys, err := auth.LoadKeys(w.keys)
	w.must(err)
	w.must(s.store.SealMarks(ctx, auth.NewMarkVault(keys.Refresh)))
	receiptKeys, err := auth.LoadReceiptKeys(w.keys)
	w.must(err)
	s.alarm = &alarm{dead: s.dead}
	log := slog.New(s.alarm)
	s.notices = &notices{from: s}
	s.sends = send.NewService(s.store, auth.NewLeaseTokens(keys.Lease), auth.NewCheckTokens(keys.Lease), s.notices, send.Settings{
		LeaseLasts: settings.LeaseLasts, TouchWithin: settings.TouchWithin, Deadline: settings.Deadline,
		Breaker: send.Breaker{After: settings.BreakerAfter, Within: settings.BreakerWithin},
	}, log)
	installs := install.NewService(s.store, auth.NewAccessTokens(keys.Access, time.Now), auth.NewRefreshSecrets(keys.Refresh),
		s.notices, auth.NewAttempts(config.SignInAttemptsPerMin), time.Now)
	s.callbacks = callback.NewService(callback.NewSources(s.store, auth.NewVault(keys.Refresh), time.Now, log), s.store, s.sends, s.notices)
	s.gateway = gateway.New(s.sends, installs, s.store, s.callbacks, gateway.Settings{
		TouchWithin: settings.TouchWithin, AnswerWithin: settings.AnswerWithin, LookWithin: settings.LookWithin,
		PollEvery: pollEvery, PingEvery: pingEvery, SessionSilenceMax: silenceMax,
	}, log)
	commands := command.NewRunner(s.store, s.notices)
	runs := bulk.NewWorker(s.store, commands.BulkOne, log)
	s.enrolments = sequence.NewWorker(s.store, commands.EnrolmentLook, log)
	receipts := receipt.NewService(s.store, receipt.NewSigner(receiptKeys, time.Now))
	events := feed.NewFeed(s.store, settings.EventsKept, func() {}, log)
	rest := api.New(access.NewService(s.store), commands, s.store, receipts, installs, s.callbacks, runs, runs, s.enrolments, events, s.store.Ping, log)
	routes := web.New(web.Options{Log: log, Page: web.WriteProblem})
	rest.Routes(routes)
	s.rest = routes
	s.listener = newPipes()
	serving := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { s.gateway.Serve(rw, r, "192.0.2.7") })}
	s.loops.Go(func() { _ = serving.Serve(s.listener) })
	s.loops.Go(func() { s.gateway.Run(ctx) })
	s.loops.Go(func() { runs.Work(ctx) })
	s.loops.Go(func() {
		incident.NewWatch(s.store, incidentLimits, incidentsEvery, log).Run(ctx)
	})
	s.gateway.WakeAll()
	s.gateway.InstallsChanged()
	w.tell("%s begins its life %d", s.name, s.life)
	s.sweepAgain()
}

var settings = func() config.Settings {
	loaded, err := config.Load(func(string) (string, bool) { return "", false })
	if err != nil {
		panic(err)
	}
	return loaded
}()

var incidentLimits = incident.Limits{
	DueNotMoving: settings.DueNotMoving, UnconfirmedTooLong: settings.UnconfirmedTooLong, InstallSilent: settings.InstallSilent,
}

func (s *server) sweepAgain() {
	life := s.life
	s.w.later(sweepEvery, s.name, "sweeps", func() {
		if s.life != life || s.isDead() {
			return
		}
		if _, err := s.sends.Sweep(s.w.ctx); err != nil && !s.isDead() {
			s.w.breach("%s could not sweep: %v", s.name, err)
		}
		// What the callbacks left is swept again later, where the server has died meanwhile.
		_, _ = s.callbacks.Sweep(s.w.ctx)
		s.sweepAgain()
	}).quiet = true
}

func (s *server) isDead() bool { return s.stop == nil || s.dead.is.Load() }

// kill ends the process at once.
func (s *server) kill() {
	if !s.isDead() {
		s.dead.is.Store(true)
		s.bury()
	}
}

// bury takes away what is left of a process that has died, and has it started again after a while.
func (s *server) bury() {
	if s.stop == nil || !s.dead.is.Load() {
		return
	}
	s.w.tell("%s dies", s.name)
	s.listener.Close()
	for _, b := range s.w.browsers {
		b.serverDied(s)
	}
	s.stop()
	s.stop = nil
	s.w.later(s.w.between(time.Second, time.Minute), s.name, "is started again", func() { s.start() })
}

// close ends the process in order, where one lives, and closes the database that all its lives had.
func (s *server) close() {
	if s.stop != nil {
		s.listener.Close()
		s.stop()
	}
	s.loops.Wait()
	s.store.Close()
}

// ask makes one request to the API. A success is read into answer.
func (s *server) ask(token, key, method, path string, body, answer any) (got reply) {
	if s.isDead() {
		return reply{}
	}
	var content bytes.Buffer
	if body != nil {
		s.w.must(json.NewEncoder(&content).Encode(body))
	}
	request := httptest.NewRequest(method, "http://127.0.0.1"+path, &content).WithContext(s.w.ctx)
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", key)
	}
	return s.answer(request, answer)
}

// post posts a body as it is, of somebody who brings their own proof.
func (s *server) post(path string, body []byte, header http.Header) reply {
	if s.isDead() {
		return reply{}
	}
	request := httptest.NewRequest("POST", "http://127.0.0.1"+path, bytes.NewReader(body)).WithContext(s.w.ctx)
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	return s.answer(request, nil)
}

func (s *server) answer(request *http.Request, answer any) (got reply) {
	recorder := httptest.NewRecorder()
	s.rest.ServeHTTP(recorder, request)
	if s.isDead() {
		return reply{}
	}
	got.status = recorder.Code
	switch {
	case got.status >= http.StatusMultipleChoices:
		answer = &got.problem
	case answer == nil:
		return got
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), answer); err != nil {
		s.w.t.Fatalf("%s %s answered %d %s: %v", request.Method, request.URL.Path, recorder.Code, recorder.Body, err)
	}
	return got
}

// reply is an answer of the API; status 0: none came, and what became of the request nobody knows.
type reply struct {
	status  int
	problem struct {
		Code, Detail string
		SendID       string `json:"send_id"`
		// Earlier are the messages that an approval must say yes to.
		Earlier []struct {
			MessageID string `json:"message_id"`
		}
	}
}

func (r reply) ok() bool { return r.status >= http.StatusOK && r.status < http.StatusMultipleChoices }

// notices are what servers that share a database tell each other: this one hears at once, the others later or never.
type notices struct{ from *server }

func (n *notices) tell(what func(*gateway.Gateway)) {
	what(n.from.gateway)
	w := n.from.w
	for _, other := range w.servers {
		if other == n.from {
			continue
		}
		// Called from the server's own goroutines, while the world waits for them.
		w.notices.add(func() {
			if !other.isDead() {
				what(other.gateway)
			}
		})
	}
}

func (n *notices) Wake(account uuid.UUID) { n.tell(func(g *gateway.Gateway) { g.Wake(account) }) }

func (n *notices) WakeAll() { n.tell(func(g *gateway.Gateway) { g.WakeAll() }) }

func (n *notices) InstallChanged(id uuid.UUID) {
	n.tell(func(g *gateway.Gateway) { g.InstallChanged(id) })
}
