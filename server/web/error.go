package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"sendonce/server/problem"
)

// clientGone stands in the log for a request whose client did not wait: 499, as proxies call it. Nobody reads the answer.
const clientGone = 499

// answerError turns whatever a handler returned into an answer. What is no problem is a defect or an outage: its detail
// goes to the log alone.
func answerError(o Options, err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p := asProblem(err)
	if p == nil && errors.Is(c.Request().Context().Err(), context.Canceled) {
		c.Response().Status = clientGone
		return
	}
	if p == nil {
		p = problem.New(problem.InternalDefect, "it was logged; nothing of the request may have been done, so ask what is so before you repeat it")
		logDefect(o.Log, err, c)
	}
	if p.Code == problem.Unauthenticated {
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
	}
	if p.Code == problem.DatabaseNotReady {
		logDefect(o.Log, err, c)
	}
	show := WriteProblem
	if !strings.HasPrefix(c.Request().URL.Path, "/v1/") {
		show = o.Page
	}
	if err := show(c, p); err != nil {
		o.Log.Error("the answer could not be written", "route", c.Path(), "error", err)
	}
}

func asProblem(err error) *problem.Problem {
	if p := problem.As(err); p != nil {
		return p
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem.New(problem.BodyTooLarge, "%d bytes is the most", tooLarge.Limit)
	}
	var he *echo.HTTPError
	if !errors.As(err, &he) {
		return outage(err)
	}
	switch he.Code {
	case http.StatusNotFound:
		return problem.New(problem.NotFound, "no route has this path")
	case http.StatusMethodNotAllowed:
		return problem.New(problem.MethodNotAllowed, "the Allow header lists the methods of this path")
	}
	return nil
}

// outage is what a broken connection or a time that ran out comes to: the database is away or too busy.
func outage(err error) *problem.Problem {
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) {
		return problem.New(problem.DatabaseNotReady, "whether it was done is unknown; try again later with the same Idempotency-Key")
	}
	return nil
}

func logDefect(log *slog.Logger, err error, c echo.Context) {
	attrs := []any{"method", c.Request().Method, "route", c.Path(), "id", c.Param("id"), "error", err}
	var p *panicked
	if errors.As(err, &p) {
		attrs = append(attrs, "panic", p.value, "stack", string(p.stack))
	}
	log.Error("request failed", attrs...)
}

// WriteProblem answers with problem details (RFC 9457). "code" is the stable name to branch on.
func WriteProblem(c echo.Context, p *problem.Problem) error {
	members := maps.Clone(p.More)
	if members == nil {
		members = map[string]any{}
	}
	members["type"] = "about:blank"
	members["title"] = p.Code.Title()
	members["status"] = p.Code.HTTPStatus()
	members["detail"] = p.Detail
	members["code"] = p.Code
	if p.Field != "" {
		members["field"] = p.Field
	}
	body, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return c.Blob(p.Code.HTTPStatus(), "application/problem+json", body)
}
