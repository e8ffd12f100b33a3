package sim

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/gorilla/websocket"
)

// pipes is where a server listens: connections in memory, which a bubble's clock knows.
type pipes struct {
	made   chan net.Conn
	ended  chan struct{}
	ending sync.Once
}

func newPipes() *pipes { return &pipes{made: make(chan net.Conn), ended: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.made:
		return conn, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.ending.Do(func() { close(p.ended) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "simulated", Net: "unix"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.made <- theirs:
		return ours, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// link is one websocket of one browser's worker. What goes over it is on its way for a while, in both directions.
type link struct {
	browser    *browser
	server     *server
	worker     *worker
	id         int // in the worker
	conn       *websocket.Conn
	closedHere bool // by the worker
	cut        bool // the connection is lost, and the ends learn it one by one
	mute       bool // half open: nothing arrives, and nobody is told

	mu      sync.Mutex
	arrived [][]byte
	closed  *websocket.CloseError
}

const extensionOrigin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

func (l *link) queueUp() string   { return l.browser.name + " to the server" }
func (l *link) queueDown() string { return "the server to " + l.browser.name }

// open connects. false: the server cannot be reached.
func (l *link) open() bool {
	if l.server.isDead() {
		return false
	}
	dialer := websocket.Dialer{NetDialContext: l.server.listener.dial}
	conn, response, err := dialer.DialContext(l.browser.w.ctx, "ws://127.0.0.1/v1/installs/socket", http.Header{"Origin": {extensionOrigin}})
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	l.conn = conn
	go l.read()
	return true
}

// read runs beside the world, which waits for it.
func (l *link) read() {
	for {
		_, raw, err := l.conn.ReadMessage()
		l.mu.Lock()
		if err != nil {
			l.closed = &websocket.CloseError{Code: websocket.CloseAbnormalClosure}
			errors.As(err, &l.closed)
			l.mu.Unlock()
			_ = l.conn.Close()
			return
		}
		l.arrived = append(l.arrived, raw)
		l.mu.Unlock()
	}
}

// take gives what the server has said since.
func (l *link) take() (frames [][]byte, closed *websocket.CloseError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	frames, l.arrived = l.arrived, nil
	closed, l.closed = l.closed, nil
	return frames, closed
}

// send has a frame of the worker arrive at the server.
func (l *link) send(raw string) {
	if l.cut || l.mute {
		return
	}
	_ = l.conn.WriteMessage(websocket.TextMessage, []byte(raw)) // a server that has gone hears nothing
}

// drop loses the connection: what is on its way is lost, and both ends learn of it.
func (l *link) drop(told bool) {
	if l.cut {
		return
	}
	l.cut = true
	_ = l.conn.Close()
	w := l.browser.w
	w.drop(func(e *event) bool { return e.queue == l.queueUp() || e.queue == l.queueDown() })
	l.browser.links = slices.DeleteFunc(l.browser.links, func(one *link) bool { return one == l })
	if told {
		l.browser.socketClosed(l, websocket.CloseAbnormalClosure, "")
	}
}

// later are things that were asked for by goroutines beside the world.
type later struct {
	mu  sync.Mutex
	all []func()
}

func (l *later) add(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, do)
}

func (l *later) take() []func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}
