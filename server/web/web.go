// Package web is the edge that the API and the console share: which hosts are answered for, the headers of every answer,
// one log line per request, and how a refusal or a defect looks from outside. It knows no route.
package web

import (
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"sendonce/server/problem"
)

// Options are what the edge needs to know.
type Options struct {
	Log *slog.Logger
	// Hosts are the names, without a port, that the server is reached under beside the loopback ones.
	Hosts []string
	// Page shows a problem to a person. It is used for every path that does not begin with /v1/.
	Page func(c echo.Context, p *problem.Problem) error
}

// New makes the router. Routes are added to it afterwards.
func New(o Options) *echo.Echo {
	if o.Log == nil || o.Page == nil {
		panic("web.New: a part is missing")
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	// A header that says where a request came from is what the request itself says.
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = func(err error, c echo.Context) { answerError(o, err, c) }
	e.Use(logRequests(o.Log), headers, recoverPanics, allowHosts(o.Hosts))
	return e
}

// loopback names always reach a server that listens there; another site's name that resolves to it does not.
var loopback = []string{"localhost", "127.0.0.1", "::1"}

func allowHosts(hosts []string) echo.MiddlewareFunc {
	allowed := slices.Clone(loopback)
	for _, host := range hosts {
		allowed = append(allowed, strings.ToLower(host))
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			host := c.Request().Host
			if name, _, err := net.SplitHostPort(host); err == nil {
				host = name
			}
			host = strings.Trim(strings.ToLower(host), "[]")
			if !slices.Contains(allowed, host) {
				return problem.New(problem.WrongHost, "set SENDONCE_PUBLIC_URL to the address that people use")
			}
			return next(c)
		}
	}
}

// headers of every answer. The console replaces the content policy by its own.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		return next(c)
	}
}

// panicked carries a recovered panic to the one place that logs defects.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return "panic" }

func recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if value := recover(); value != nil {
				if value == http.ErrAbortHandler {
					panic(value)
				}
				err = &panicked{value, debug.Stack()}
			}
		}()
		return next(c)
	}
}

// logRequests writes one line per request: never a body, a token or a query, which may hold a sign-in link.
func logRequests(log *slog.Logger) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			begun := time.Now()
			if err := next(c); err != nil {
				c.Error(err)
			}
			log.LogAttrs(c.Request().Context(), slog.LevelInfo, "request",
				slog.String("method", c.Request().Method), slog.String("route", c.Path()), slog.String("id", c.Param("id")),
				slog.Int("status", c.Response().Status), slog.Duration("took", time.Since(begun)))
			return nil
		}
	}
}
