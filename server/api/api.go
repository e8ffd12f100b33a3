// Package api is REST for programs, under /v1. A handler reads a request, runs one command or one read of the domain, and
// shows the result: it decides nothing.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/bulk"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/imports"
	"sendonce/server/incident"
	"sendonce/server/install"
	"sendonce/server/instance"
	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/pause"
	"sendonce/server/person"
	"sendonce/server/problem"
	"sendonce/server/receipt"
	"sendonce/server/rule"
	"sendonce/server/sequence"
	"sendonce/server/template"
	"sendonce/server/web"
)

// Reads is what the API reads outside commands. *postgres.Store implements it.
type Reads interface {
	message.Reader
	person.Reader
	template.Reader
	imports.Reader
	sequence.Reader
	SendReceipt(ctx context.Context, workspace, send uuid.UUID) (message.Message, error)
	SendList(ctx context.Context, workspace uuid.UUID, statuses []rule.Status, before uuid.UUID, most int) ([]message.Send, error)
	AccountGet(ctx context.Context, workspace, id uuid.UUID) (account.Account, error)
	AccountList(ctx context.Context, workspace, after uuid.UUID, most int) ([]account.Account, error)
	PaceGet(ctx context.Context, workspace, account uuid.UUID) (pace.Pace, error)
	IncidentList(ctx context.Context, workspace uuid.UUID, page incident.Page) ([]incident.Incident, error)
	IncidentStory(ctx context.Context, workspace, id uuid.UUID) (incident.Story, error)
	WorkspaceGet(ctx context.Context, id uuid.UUID) (access.Workspace, error)
	InstanceGet(ctx context.Context, workspace uuid.UUID) (instance.Report, error)
	PausesOver(ctx context.Context, workspace uuid.UUID) (own, everything *pause.Pause, err error)
	BulkRun(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, id uuid.UUID) (bulk.Run, error)
	BulkItems(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, run, after uuid.UUID, most int) ([]bulk.Item, error)
}

// Bulk is told that a "retry all" or an "approve all" was begun, or that an import or a sequence has something to do. *bulk.Worker,
// *imports.Worker and *sequence.Worker implement it.
type Bulk interface{ Wake() }

// Installs is the enrolment of browsers. *install.Service implements it.
type Installs interface {
	// MayPair is a problem where no browser may be paired.
	MayPair() error
	NewPairingCode(ctx context.Context, workspace, principal uuid.UUID) (install.PairingCode, error)
	CodeUnder(who access.Principal, key string) string
	Pair(ctx context.Context, remote, code, extensionVersion string) (install.Paired, error)
	Token(ctx context.Context, id uuid.UUID, secret string) (install.Token, error)
	List(ctx context.Context, workspace, after uuid.UUID, limit int) ([]install.Info, error)
	Get(ctx context.Context, workspace, id uuid.UUID) (install.Info, error)
}

// API is the handlers.
type API struct {
	access     *access.Service
	commands   *command.Runner
	reads      Reads
	receipts   *receipt.Service
	installs   Installs
	callbacks  Callbacks
	bulk       Bulk
	imports    Bulk
	enrolments Bulk
	events     Events
	streams    streamTimes
	ready      func(context.Context) error
	log        *slog.Logger
}

// New panics on a missing part. ready says whether the database can be reached and has this version's schema.
func New(who *access.Service, commands *command.Runner, reads Reads, receipts *receipt.Service, installs Installs, callbacks Callbacks, runs, importing, enrolments Bulk, events Events, ready func(context.Context) error, log *slog.Logger) *API {
	if who == nil || commands == nil || reads == nil || receipts == nil || installs == nil || callbacks == nil || runs == nil || importing == nil || enrolments == nil || events == nil || ready == nil || log == nil {
		panic("api.New: a part is missing")
	}
	return &API{
		access: who, commands: commands, reads: reads, receipts: receipts, installs: installs, callbacks: callbacks, bulk: runs, imports: importing,
		enrolments: enrolments, events: events, streams: usualTimes, ready: ready, log: log,
	}
}

// call is one request of a principal who has the route's right.
type call struct {
	echo.Context
	who access.Principal
}

func (c call) ctx() context.Context { return c.Request().Context() }

// authorized runs a handler for the principal of the bearer token, within the time that a request may take.
func (a *API) authorized(right access.Right, handle func(call) error) echo.HandlerFunc {
	return web.Bounded(a.lasting(right, handle))
}

// lasting is authorized without that bound, for a handler that has its own.
func (a *API) lasting(right access.Right, handle func(call) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		who, err := a.principal(c.Request().Context(), c, right)
		if err != nil {
			return err
		}
		return handle(call{c, who})
	}
}

// principal is whose bearer token the request has, if they have the right.
func (a *API) principal(ctx context.Context, c echo.Context, right access.Right) (access.Principal, error) {
	scheme, token, _ := strings.Cut(c.Request().Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return access.Principal{}, problem.New(problem.Unauthenticated, "send Authorization: Bearer and a token made by `sendonce token create`")
	}
	ctx, stop := context.WithTimeout(ctx, config.RequestWithin)
	defer stop()
	who, err := a.access.Authenticate(ctx, strings.TrimSpace(token))
	if err != nil {
		return access.Principal{}, err
	}
	return who, who.Require(right)
}

func (a *API) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
}

func (a *API) readyz(c echo.Context) error {
	ctx, stop := context.WithTimeout(c.Request().Context(), config.ReadyWithin)
	defer stop()
	if err := a.ready(ctx); err != nil {
		a.log.Warn("not ready", "error", err)
		return c.JSON(problem.DatabaseNotReady.HTTPStatus(), map[string]string{"status": string(problem.DatabaseNotReady)})
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}
