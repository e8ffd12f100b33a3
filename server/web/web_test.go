package web

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"sendonce/server/problem"
)

// Goal: the server answers for its own names, however they are written, and for nobody else's.
func TestHosts(t *testing.T) {
	t.Parallel()
	e := New(Options{
		Log: slog.New(slog.DiscardHandler), Hosts: []string{"Sendonce.Example"},
		Page: func(c echo.Context, p *problem.Problem) error { return WriteProblem(c, p) },
	})
	e.GET("/", func(c echo.Context) error { return c.String(200, "here") })
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1:1": 200, "[::1]:8080": 200, "[::1]": 200,
		"sendonce.example": 200, "SENDONCE.example:443": 200,
		"evil.example": 421, "localhost.evil.example": 421, "evil.example:localhost": 421, "sendonce.example.": 421,
		"0.0.0.0": 421, "127.0.0.1.nip.io": 421,
	} {
		r := httptest.NewRequest("GET", "http://placeholder/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if body, _ := io.ReadAll(w.Body); w.Code != want {
			t.Errorf("Host %q: %d %s, want %d", host, w.Code, body, want)
		}
	}
}
