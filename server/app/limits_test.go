package app

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"sendonce/server/config"
)

// Goal: a client that sends half a body, or reads no answer, holds a connection for a bounded time and no longer.
func TestSlowClientsAreCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		listener := &oneConnection{conn: there, done: make(chan struct{})}
		server := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				http.Error(w, "cut", http.StatusRequestTimeout)
			}
		}), slog.New(slog.DiscardHandler))
		go func() { _ = server.Serve(listener) }()
		begun := time.Now()
		if _, err := io.WriteString(here, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"); err != nil {
			t.Fatal(err)
		}
		_ = here.SetReadDeadline(begun.Add(10 * config.RequestWithin))
		answer, err := http.ReadResponse(bufio.NewReader(here), nil)
		if took := time.Since(begun); err != nil || answer.StatusCode != http.StatusRequestTimeout || took > 2*config.RequestWithin {
			t.Errorf("after %s: %v, %v; want an end within %s", took, answer, err, 2*config.RequestWithin)
		}
		_ = here.Close()
		_ = server.Close()
	})
}

// oneConnection is a listener that has one connection to give.
type oneConnection struct {
	conn net.Conn
	done chan struct{}
}

func (l *oneConnection) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *oneConnection) Close() error   { close(l.done); return nil }
func (l *oneConnection) Addr() net.Addr { return &net.TCPAddr{} }
