package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
)

// unhurried are settings under which nothing happens by itself in a test's time.
var unhurried = Settings{
	TouchWithin: 90 * time.Second, AnswerWithin: time.Minute, LookWithin: time.Minute, PollEvery: time.Hour,
	PingEvery: 20 * time.Second, SessionSilenceMax: time.Hour,
}

// serve runs a gateway on a free port until the test ends.
func serve(t testing.TB, s *script, settings Settings) (g *Gateway, url string, stop func()) {
	t.Helper()
	g = New(s, s, s, s, settings, slog.New(slog.NewTextHandler(io.Discard, nil)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.Serve(w, r, "192.0.2.7") }))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-ended; server.Close() })
	t.Cleanup(stop)
	return g, "ws" + strings.TrimPrefix(server.URL, "http"), stop
}

// peer is an install's end of a connection.
type peer struct {
	t    testing.TB
	conn *websocket.Conn
	said int
}

func dial(t testing.TB, url string) *peer {
	t.Helper()
	p := dialUnkept(t, url)
	conn := p.conn
	t.Cleanup(func() { conn.Close() })
	return p
}

// dialUnkept is dial for a caller that closes the connection itself.
func dialUnkept(t testing.TB, url string) *peer {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.Dial(url, http.Header{"Origin": {origin}})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return &peer{t: t, conn: conn}
}

// say sends a frame: pairs of a field's name and its value.
func (p *peer) say(name string, pairs ...any) string {
	p.t.Helper()
	p.said++
	id := fmt.Sprintf("i-%d", p.said)
	f := map[string]any{"v": 1, "type": name, "id": id}
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i].(string)] = pairs[i+1]
	}
	if err := p.conn.WriteJSON(f); err != nil {
		p.t.Fatal(err)
	}
	return id
}

func (p *peer) sayRaw(raw string) {
	p.t.Helper()
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(raw)); err != nil {
		p.t.Fatal(err)
	}
}

// hears reads the next frame, which must be of that type.
func (p *peer) hears(name string) map[string]any {
	p.t.Helper()
	f := p.hearsAny()
	if f["type"] != name {
		p.t.Fatalf("heard %v, want %s", f, name)
	}
	return f
}

func (p *peer) hearsAny() map[string]any {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(soon))
	_, raw, err := p.conn.ReadMessage()
	if err != nil {
		p.t.Fatal(err)
	}
	var f map[string]any
	if err := json.Unmarshal(raw, &f); err != nil {
		p.t.Fatal(err)
	}
	return f
}

// hearsBoth reads two frames, in whichever order they come.
func (p *peer) hearsBoth(one, other string) {
	p.t.Helper()
	heard := []any{p.hearsAny()["type"], p.hearsAny()["type"]}
	if !slices.Equal(heard, []any{one, other}) && !slices.Equal(heard, []any{other, one}) {
		p.t.Fatalf("heard %v, want %s and %s", heard, one, other)
	}
}

func (p *peer) hearsError(code string) map[string]any {
	p.t.Helper()
	f := p.hears("error")
	if f["code"] != code {
		p.t.Fatalf("heard the error %v, want %s", f, code)
	}
	return f
}

// hearsClose reads until the connection is closed with the code.
func (p *peer) hearsClose(code int) string {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(soon))
	_, raw, err := p.conn.ReadMessage()
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != code {
		p.t.Fatalf("heard %s, %v; want the close %d", raw, err, code)
	}
	return closed.Text
}

func (p *peer) hello(id uuid.UUID, pairs ...any) map[string]any {
	p.t.Helper()
	p.sayHello(id, "good", pairs...)
	return p.hears("welcome")
}

func (p *peer) sayHello(id uuid.UUID, token string, pairs ...any) {
	p.t.Helper()
	p.say("hello", append([]any{
		"access_token", token, "install", id, "extension_version", "1.0.0", "rules_digest", someDigest,
		"accounts",
		[]any{},
		"open",
		[]any{},
		"mark",
		map[string]any{"epoch": 0, "event": 0},
	}, pairs...)...)
}
