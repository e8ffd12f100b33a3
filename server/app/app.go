// Package app builds the whole server from its settings. The command and the tests start it in the same way.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/auth"
	"sendonce/server/bulk"
	"sendonce/server/callback"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/console"
	"sendonce/server/event"
	"sendonce/server/gateway"
	"sendonce/server/imports"
	"sendonce/server/incident"
	"sendonce/server/install"
	"sendonce/server/instance"
	"sendonce/server/metrics"
	"sendonce/server/postgres"
	"sendonce/server/receipt"
	"sendonce/server/sandbox"
	"sendonce/server/send"
	"sendonce/server/sequence"
)

// App is a running server.
type App struct {
	settings  config.Settings
	log       *slog.Logger
	database  *Database
	guard     *instance.Guard
	feed      *event.Feed
	listener  net.Listener
	server    *http.Server
	served    chan error
	firstLink string

	// Of the sandbox alone.
	agentToken string
	site       *sandbox.Site

	stopLoops context.CancelFunc
	loops     sync.WaitGroup
}

// Start builds and starts everything, and returns when the server answers. The caller must Wait.
func Start(ctx context.Context, settings config.Settings, log *slog.Logger) (*App, error) {
	if err := checkAddress(settings); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(settings.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder SENDONCE_DATA: %w", err)
	}
	keys, err := auth.LoadKeys(settings.Data)
	if err != nil {
		return nil, err
	}
	receiptKeys, err := auth.LoadReceiptKeys(settings.Data)
	if err != nil {
		return nil, err
	}
	database, err := OpenDatabase(ctx, settings, log)
	if err != nil {
		return nil, err
	}
	a := &App{settings: settings, log: log, database: database, served: make(chan error, 1)}
	if err := a.start(ctx, keys, receipt.NewSigner(receiptKeys, time.Now)); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *App) start(ctx context.Context, keys auth.Keys, signer *receipt.Signer) error {
	who := access.NewService(a.database.Store)
	secret, err := who.EnsureFirst(ctx)
	if err == nil && secret == "" && a.settings.Sandbox {
		secret, err = who.CreateLink(ctx, access.Admin, "") // whoever tries it comes back in
	}
	if err != nil {
		return err
	}
	a.listener, err = net.Listen("tcp", a.settings.Addr)
	if err != nil {
		return fmt.Errorf("listen on SENDONCE_ADDR: %w", err)
	}
	if secret != "" {
		a.firstLink = SignInURL(a.settings.PublicURL, a.listener.Addr().String(), secret)
	}
	a.guard, err = instance.Begin(ctx, a.database.Store, a.settings.Data, a.database.IsPrivate(), a.log)
	if err != nil {
		return err
	}
	loops, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.stopLoops = stop
	a.loops.Go(func() { a.guard.Run(loops) })
	handler, err := a.build(loops, who, keys, signer)
	if err != nil {
		return err
	}
	a.server = newHTTPServer(handler, a.log)
	a.server.RegisterOnShutdown(a.feed.End)
	go func() { a.served <- a.server.Serve(a.listener) }()
	return nil
}

// newHTTPServer bounds every request from its first byte to the last of its answer. A websocket leaves these bounds when it is
// taken over.
func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadTimeout: config.RequestWithin, WriteTimeout: config.AnswerWrittenWithin,
		IdleTimeout:    config.IdleConnectionLasts,
		MaxHeaderBytes: config.HeaderBytesMax, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// enrolment is how browsers are paired and greeted, at every door.
type enrolment interface {
	api.Installs
	gateway.Directory
}

// build makes the services over the store, starts their loops and returns what answers requests.
func (a *App) build(loops context.Context, who *access.Service, keys auth.Keys, signer *receipt.Signer) (http.Handler, error) {
	store := a.database.Store
	if err := store.SealMarks(loops, auth.NewMarkVault(keys.Refresh)); err != nil {
		return nil, err
	}
	notifier := postgres.NewNotifier(store, a.database.ListenURL, a.log)
	sends := send.NewService(store, auth.NewLeaseTokens(keys.Lease), auth.NewCheckTokens(keys.Lease), notifier, send.Settings{
		LeaseLasts: a.settings.LeaseLasts, TouchWithin: a.settings.TouchWithin, Deadline: a.settings.Deadline,
		Breaker: send.Breaker{After: a.settings.BreakerAfter, Within: a.settings.BreakerWithin},
	}, a.log)
	installs := install.NewService(store, auth.NewAccessTokens(keys.Access, time.Now), auth.NewRefreshSecrets(keys.Refresh),
		notifier, auth.NewAttempts(config.SignInAttemptsPerMin), time.Now)
	counts := metrics.New()
	browsers, madeUp := enrolment(installs), &madeUpOnly{Service: installs}
	if a.settings.Sandbox {
		browsers = madeUp
	}
	called := callback.NewService(sourcesOver(store, keys, a.log), store, sends, notifier)
	sockets := gateway.New(counts.Count(sends), browsers, store, called, gateway.Settings{
		TouchWithin: a.settings.TouchWithin, AnswerWithin: a.settings.AnswerWithin, LookWithin: a.settings.LookWithin,
		PollEvery: a.settings.PollEvery, PingEvery: config.PingEvery,
		SessionSilenceMax: config.SessionSilenceMax,
	}, a.log)
	a.feed = event.NewFeed(store, a.settings.EventsKept, notifier.EventsWritten, a.log)
	commands := command.NewRunner(store, notifier)
	runs := bulk.NewWorker(store, commands.BulkOne, a.log)
	importing := imports.NewWorker(store, commands.ImportStep, a.log)
	enrolments := sequence.NewWorker(store, commands.EnrolmentLook, a.log)
	receipts := receipt.NewService(store, signer)
	pages, err := console.New(who, commands, store, receipts, browsers, runs, importing, enrolments, a.settings.PublicURL, a.log)
	if err != nil {
		return nil, fmt.Errorf("SENDONCE_PUBLIC_URL: %w", err)
	}
	if a.settings.Sandbox {
		pages.SaySandbox()
		if err := a.beginSandbox(loops, who, commands, madeUp); err != nil {
			return nil, fmt.Errorf("begin the sandbox: %w", err)
		}
	}
	a.loops.Go(func() { sockets.Run(loops) })
	a.loops.Go(func() { notifier.Run(loops, hearing{sockets, a.feed}) })
	a.loops.Go(func() { a.feed.Watch(loops) })
	a.loops.Go(func() { a.feed.Keep(loops) })
	a.loops.Go(func() { sweepUntil(loops, sends, a.settings.SweepEvery, counts.Swept, a.log) })
	a.loops.Go(func() { runs.Work(loops) })
	a.loops.Go(func() { importing.Work(loops) })
	a.loops.Go(func() { enrolments.Work(loops) })
	a.loops.Go(func() { commands.Forget(loops, a.settings.AnswersKept, a.log) })
	a.loops.Go(func() { a.incidents().Run(loops) })
	a.loops.Go(func() { joinUntil(loops, called, a.settings.SweepEvery, a.log) })
	rest := api.New(who, commands, store, receipts, browsers, called, runs, importing, enrolments, a.feed, a.ready, a.log)
	counts.Watch(store, sockets.Connected, a.feed.Readers)
	return a.routes(rest, pages, sockets, counts), nil
}

// hearing is who hears what the other servers say.
type hearing struct {
	*gateway.Gateway
	*event.Feed
}

func (a *App) incidents() *incident.Watch {
	return incident.NewWatch(a.database.Store, incident.Limits{
		DueNotMoving: a.settings.DueNotMoving, UnconfirmedTooLong: a.settings.UnconfirmedTooLong, InstallSilent: a.settings.InstallSilent,
	}, a.settings.IncidentsEvery, a.log)
}

// ready says whether a request could be answered: the database is there and is of this version.
func (a *App) ready(ctx context.Context) error {
	return a.database.Store.Check(ctx, postgres.CheckOptions{AllowUndurable: a.settings.AllowUndurable})
}

// URL is where the server listens.
func (a *App) URL() string { return "http://" + a.listener.Addr().String() }

// FirstLink is a one-time link for the admin, or "" once somebody has signed in. The sandbox makes one at each start.
func (a *App) FirstLink() string { return a.firstLink }

// Wait serves until ctx ends or something the server cannot do without is lost, then stops: requests under way are
// finished, sockets are closed with a hint to come back, and the private database is shut down.
func (a *App) Wait(ctx context.Context) error {
	var lost error
	select {
	case <-ctx.Done():
	case err := <-a.served:
		lost = fmt.Errorf("serve: %w", err)
	case <-a.database.Died():
		lost = errors.New("the private Postgres has ended; its log in the data folder says why")
	}
	a.log.Info("stopping")
	return errors.Join(lost, a.close())
}

// close undoes start in the reverse order. It is safe on a server that was only half started.
func (a *App) close() error {
	ctx, stop := context.WithTimeout(context.Background(), config.ShutdownWithin)
	defer stop()
	var failed []error
	if a.server != nil {
		if err := a.server.Shutdown(ctx); err != nil {
			// Who is still at it is cut off: nothing may use the database once it is closed.
			failed = append(failed, fmt.Errorf("finish the requests under way: %w", err), a.server.Close())
		}
	} else if a.listener != nil {
		failed = append(failed, a.listener.Close())
	}
	if a.stopLoops != nil {
		a.stopLoops()
		a.loops.Wait()
	}
	if a.guard != nil {
		failed = append(failed, a.guard.Close())
	}
	return errors.Join(append(failed, a.database.Close(context.Background()))...)
}

// checkAddress refuses to speak plain HTTP to a network: tokens and texts would be readable on the way. A public address on
// loopback is a container whose port is published to its own machine alone.
func checkAddress(settings config.Settings) error {
	host, _, err := net.SplitHostPort(settings.Addr)
	if err != nil {
		return fmt.Errorf("SENDONCE_ADDR is %q, want host:port: %w", settings.Addr, err)
	}
	if isLoopback(host) {
		return nil
	}
	public, err := url.Parse(settings.PublicURL)
	if err == nil && (public.Scheme == "https" && public.Hostname() != "" || public.Scheme == "http" && isLoopback(public.Hostname())) {
		return nil
	}
	return fmt.Errorf("SENDONCE_ADDR %s can be reached from outside: put a proxy with TLS before it and set SENDONCE_PUBLIC_URL to its https address", settings.Addr)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// SignInURL is where a person opens a one-time link.
func SignInURL(publicURL, addr, secret string) string {
	base := publicURL
	if base == "" {
		base = "http://" + addr
	}
	return base + console.SignInPath(secret)
}
