// Package console is the pages for people, at /. They are plain HTML that works without JavaScript; htmx keeps the parts
// that hold no buttons fresh. A page shows and asks, and decides nothing.
package console

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/auth"
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
	"sendonce/server/sequence"
	"sendonce/server/template"
	"sendonce/server/web"
)

// Reads is what the pages show. *postgres.Store implements it.
type Reads interface {
	message.Reader
	person.Reader
	AccountGet(ctx context.Context, workspace, id uuid.UUID) (account.Account, error)
	PaceGet(ctx context.Context, workspace, account uuid.UUID) (pace.Pace, error)
	template.Reader
	imports.Reader
	sequence.Reader
	AccountList(ctx context.Context, workspace, after uuid.UUID, most int) ([]account.Account, error)
	IncidentList(ctx context.Context, workspace uuid.UUID, page incident.Page) ([]incident.Incident, error)
	IncidentStory(ctx context.Context, workspace, id uuid.UUID) (incident.Story, error)
	IncidentsOpen(ctx context.Context, workspace uuid.UUID) (int, error)
	InstanceGet(ctx context.Context, workspace uuid.UUID) (instance.Report, error)
	BulkRun(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, id uuid.UUID) (bulk.Run, error)
	BulkShown(ctx context.Context, workspace, id uuid.UUID, allowed bool, after uuid.UUID, most int) ([]bulk.Shown, error)
	PausesOver(ctx context.Context, workspace uuid.UUID) (own, everything *pause.Pause, err error)
}

// Bulk is told that there is work on many rows. *bulk.Worker, *imports.Worker and *sequence.Worker implement it.
type Bulk interface{ Wake() }

// Installs is the enrolment of browsers. *install.Service implements it.
type Installs interface {
	MayPair() error
	NewPairingCode(ctx context.Context, workspace, principal uuid.UUID) (install.PairingCode, error)
	List(ctx context.Context, workspace, after uuid.UUID, limit int) ([]install.Info, error)
}

// Console is the handlers.
type Console struct {
	access    *access.Service
	commands  *command.Runner
	reads     Reads
	receipts  *receipt.Service
	installs  Installs
	bulk      Bulk
	imports   Bulk
	enrolling Bulk
	log       *slog.Logger
	tries     *auth.Attempts
	origins   *http.CrossOriginProtection
	secure    bool
	sandbox   bool
}

// SaySandbox has every page say that this is the sandbox. Call it before the first request.
func (s *Console) SaySandbox() { s.sandbox = true }

// New panics on a missing part. publicURL is the address that people use when a proxy stands before the server, or "".
func New(who *access.Service, commands *command.Runner, reads Reads, receipts *receipt.Service, installs Installs, runs, importing, enrolling Bulk, publicURL string, log *slog.Logger) (*Console, error) {
	if who == nil || commands == nil || reads == nil || receipts == nil || installs == nil || runs == nil || importing == nil || enrolling == nil || log == nil {
		panic("console.New: a part is missing")
	}
	c := &Console{
		access: who, commands: commands, reads: reads, receipts: receipts, installs: installs, bulk: runs, imports: importing, enrolling: enrolling, log: log,
		tries: auth.NewAttempts(config.SignInAttemptsPerMin), origins: http.NewCrossOriginProtection(),
	}
	if publicURL == "" {
		return c, nil
	}
	public, err := url.Parse(publicURL)
	if err != nil {
		return nil, err
	}
	c.secure = public.Scheme == "https"
	return c, c.origins.AddTrustedOrigin(public.Scheme + "://" + public.Host)
}

// SignInPath is the path and query of the page that uses a one-time link.
func SignInPath(link string) string { return "/sign-in?" + url.Values{"link": {link}}.Encode() }

// Routes adds every page, each with the right that it takes.
func (s *Console) Routes(e *echo.Echo) {
	e.GET("/static/:file", s.static)
	e.GET("/sign-in", s.open(s.showSignIn))
	e.POST("/sign-in", s.open(s.signIn))
	e.POST("/sign-out", s.open(s.signOut))

	e.GET("/", s.signedIn(access.Read, s.showOverview))
	e.GET("/messages", s.signedIn(access.Read, s.showSection))
	e.GET("/messages/:id", s.signedIn(access.Read, s.showMessage))
	e.GET("/messages/:id/receipt", s.signedIn(access.Read, s.showReceipt))
	e.GET("/messages/:id/receipt.json", s.signedIn(access.Read, s.saveReceipt))
	e.POST("/messages/:id/approval", s.signedIn(access.Decide, s.approve))
	e.POST("/messages/:id/rejection", s.signedIn(access.Decide, s.reject))
	e.POST("/messages/:id/revocation", s.signedIn(access.Decide, s.revokeApproval))
	e.POST("/messages/:id/withdrawal", s.signedIn(access.Decide, s.withdraw))
	e.POST("/sends/:id/retry", s.signedIn(access.Decide, s.retry))
	e.POST("/sends/:id/resolution", s.signedIn(access.Decide, s.settle))
	e.POST("/sends/:id/check", s.signedIn(access.Decide, s.checkAgain))
	e.POST("/retries", s.signedIn(access.Decide, s.previewRun(bulk.Retry)))
	e.GET("/retries/:id", s.signedIn(access.Read, s.showRetries))
	e.POST("/retries/:id/start", s.signedIn(access.Decide, s.beginRun(bulk.Retry)))
	e.POST("/approvals", s.signedIn(access.Decide, s.previewRun(bulk.Approval)))
	e.GET("/approvals/:id", s.signedIn(access.Read, s.showApprovals))
	e.POST("/approvals/:id/start", s.signedIn(access.Decide, s.beginRun(bulk.Approval)))

	e.GET("/people", s.signedIn(access.Read, s.showPeople))
	e.GET("/people/:id", s.signedIn(access.Read, s.showPerson))
	e.POST("/people/:id/suppression", s.signedIn(access.Suppress, s.suppressPerson))
	e.POST("/people/:id/owner", s.signedIn(access.Decide, s.ownPerson))
	e.POST("/people/:id/change", s.signedIn(access.Decide, s.amendPerson))
	e.GET("/people/:id/merge", s.signedIn(access.Decide, s.showMerge))
	e.POST("/people/:id/merge", s.signedIn(access.Decide, s.merge))
	e.GET("/people/:id/removal", s.signedIn(access.Forget, s.showRemoval))
	e.POST("/people/:id/removal", s.signedIn(access.Forget, s.removePerson))
	e.GET("/suppressions", s.signedIn(access.Read, s.showSuppressions))
	e.POST("/suppressions", s.signedIn(access.Suppress, s.suppressMany))
	e.POST("/suppressions/:id/lifting", s.signedIn(access.Forget, s.lift))

	s.listRoutes(e)

	e.GET("/incidents", s.signedIn(access.Read, s.showIncidents))
	e.GET("/incidents/:id", s.signedIn(access.Read, s.showIncident))
	e.POST("/incidents/:id/closing", s.signedIn(access.Decide, s.closeIncident))

	e.GET("/accounts", s.signedIn(access.Read, s.showAccounts))
	e.POST("/accounts", s.signedIn(access.Manage, s.addAccount))
	e.GET("/accounts/:id", s.signedIn(access.Read, s.showAccount))
	e.POST("/accounts/:id/hours", s.signedIn(access.Manage, s.setHours))
	e.POST("/accounts/:id/limits", s.signedIn(access.Manage, s.setLimits))
	e.POST("/accounts/:id/clear", s.signedIn(access.Manage, s.clearAccount))
	e.POST("/accounts/:id/pause", s.signedIn(access.Manage, s.pauseIt(pause.Account, "/accounts")))
	e.POST("/accounts/:id/resume", s.signedIn(access.Manage, s.resumeIt(pause.Account, "/accounts")))
	e.POST("/workspace/pause", s.signedIn(access.Manage, s.pauseIt(pause.Workspace, "/")))
	e.POST("/workspace/resume", s.signedIn(access.Manage, s.resumeIt(pause.Workspace, "/")))

	e.GET("/instance", s.signedIn(access.Read, s.showInstance))
	e.POST("/instance/arming", s.signedIn(access.Arm, s.arm))

	e.GET("/installs", s.signedIn(access.Read, s.showInstalls))
	e.POST("/installs/code", s.signedIn(access.Manage, s.pair))
	e.POST("/installs/:id/revocation", s.signedIn(access.Manage, s.revoke))
	e.POST("/installs/:id/pause", s.signedIn(access.Manage, s.pauseIt(pause.Install, "/installs")))
	e.POST("/installs/:id/resume", s.signedIn(access.Manage, s.resumeIt(pause.Install, "/installs")))
}

// listRoutes are the pages of what many messages are made of: files with people, templates and sequences.
func (s *Console) listRoutes(e *echo.Echo) {
	e.GET("/imports", s.signedIn(access.Import, s.showImports))
	e.POST("/imports", s.signedInFor(config.ImportBytesMax, access.Import, s.uploadImport))
	e.GET("/imports/:id", s.signedIn(access.Import, s.showImport))
	e.POST("/imports/:id/columns", s.signedIn(access.Import, s.mapImport))
	e.POST("/imports/:id/start", s.signedIn(access.Import, s.beginImport))
	e.GET("/imports/:id/results.csv", s.signedIn(access.Import, s.saveImportResults))

	e.GET("/templates", s.signedIn(access.Read, s.showTemplates))
	e.POST("/templates", s.signedIn(access.Compose, s.addTemplate))
	e.GET("/templates/:id", s.signedIn(access.Read, s.showTemplate))
	e.POST("/templates/:id/change", s.signedIn(access.Compose, s.changeTemplate))

	s.sequenceRoutes(e)
}

// contentPolicy lets the browser run and show what this server serves, and nothing that stands in a page.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// open is for pages that need nobody signed in. A post from another site's page is refused on every page.
func (s *Console) open(next echo.HandlerFunc) echo.HandlerFunc {
	return s.openFor(config.RequestBodyBytesMax, next)
}

// openFor is open for bodies of up to so many bytes.
func (s *Console) openFor(bytesMax int64, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Content-Security-Policy", contentPolicy)
		if err := s.origins.Check(c.Request()); err != nil {
			return problem.New(problem.CrossOrigin, "open the console itself and do it there")
		}
		c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, bytesMax)
		return web.Bounded(next)(c)
	}
}

// visit is one request of a person who is signed in and has the page's right.
type visit struct {
	echo.Context
	who access.Principal
}

func (v visit) ctx() context.Context { return v.Request().Context() }

func (s *Console) signedIn(right access.Right, handle func(visit) error) echo.HandlerFunc {
	return s.signedInFor(config.RequestBodyBytesMax, right, handle)
}

// signedInFor is signedIn for bodies of up to so many bytes.
func (s *Console) signedInFor(bytesMax int64, right access.Right, handle func(visit) error) echo.HandlerFunc {
	return s.openFor(bytesMax, func(c echo.Context) error {
		who, err := s.whoIs(c)
		if problem.Is(err, problem.Unauthenticated) && c.Request().Method == http.MethodGet {
			return c.Redirect(http.StatusSeeOther, "/sign-in")
		}
		if err != nil {
			return err
		}
		if err := who.Require(right); err != nil {
			return err
		}
		return handle(visit{c, who})
	})
}

// pathID is the id in the path. What is no id names nothing.
func pathID(c echo.Context) (uuid.UUID, error) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return uuid.Nil, problem.New(problem.NotFound, "the address holds no id")
	}
	return id, nil
}

func shownTime(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }
