package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/problem"
	"sendonce/server/receipt"
)

//go:embed template/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var functions = template.FuncMap{
	"time":    shownTime,
	"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"when":    func(m receipt.Moment) string { return shownTime(time.Time(m)) },
}

// pages are the frame around each page, parsed once: a broken template stops the start, not a request.
var pages = parsePages("overview", "section", "message", "receipt", "retries", "approvals", "people", "person", "merge", "removal", "suppressions", "templates", "template", "sequences", "sequence", "steps", "sequence_preview", "enrolment", "enrolling", "enrolled", "imports", "import", "incidents", "incident", "accounts", "account", "installs", "instance", "sign_in", "problem")

func parsePages(names ...string) map[string]*template.Template {
	out := map[string]*template.Template{}
	for _, name := range names {
		out[name] = template.Must(template.New("frame.html").Funcs(functions).ParseFS(templateFiles,
			"template/frame.html", "template/parts.html", "template/pause.html", "template/enrol_parts.html", "template/"+name+".html"))
	}
	return out
}

// frame is what stands around a page. Who is nil when nobody is signed in.
type frame struct {
	Title string
	Here  string
	Who   *access.Principal
	// Sandbox: nothing here reaches anybody, and the page says so.
	Sandbox bool
	// OpenIncidents stands beside their page's name, wherever a person is.
	OpenIncidents int
}

func (f frame) MayManage() bool { return f.Who != nil && f.Who.May(access.Manage) }

func (s *Console) render(c echo.Context, status int, name string, f frame, page any) error {
	f.Sandbox = s.sandbox
	var out bytes.Buffer
	if err := pages[name].Execute(&out, struct {
		frame
		Page any
	}{f, page}); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	return c.HTMLBlob(status, out.Bytes())
}

func (s *Console) show(v visit, name, title string, page any) error {
	return s.showAs(v, http.StatusOK, name, title, page)
}

// showAs is show with a status of its own.
func (s *Console) showAs(v visit, status int, name, title string, page any) error {
	open, err := s.reads.IncidentsOpen(v.ctx(), v.who.Workspace)
	if err != nil {
		return err
	}
	return s.render(v, status, name, frame{Title: title, Here: v.Path(), Who: &v.who, OpenIncidents: open}, page)
}

// Problem shows a refusal to a person.
func (s *Console) Problem(c echo.Context, p *problem.Problem) error {
	c.Response().Header().Set("Content-Security-Policy", contentPolicy)
	return s.render(c, p.Code.HTTPStatus(), "problem", frame{Title: p.Code.Title()}, p)
}

// staticKinds are the files that pages load; nothing else is served.
var staticKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}

// staticFresh is how long a browser may keep a file, in seconds: short, because a new version keeps the name.
const staticFresh = "max-age=300"

func (s *Console) static(c echo.Context) error {
	name := path.Base(c.Param("file"))
	content, err := fs.ReadFile(staticFiles, "static/"+name)
	kind := staticKinds[path.Ext(name)]
	if err != nil || kind == "" {
		return problem.New(problem.NotFound, "there is no such file")
	}
	c.Response().Header().Set("Cache-Control", staticFresh)
	return c.Blob(http.StatusOK, kind, content)
}
