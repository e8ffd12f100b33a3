package gateway

import (
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"sendonce/server/config"
)

// The close codes of docs/protocol.md.
const (
	closeStopping   = websocket.CloseGoingAway // 1001
	closeInternal   = websocket.CloseInternalServerErr
	closeTryAgain   = websocket.CloseTryAgainLater // after an "unavailable" that ends the handshake
	closeProtocol   = 4000
	closeSuperseded = 4001
	closeRevoked    = 4002
	closeNoHello    = 4003
	closeBadToken   = 4004
	closeSilent     = 4005
	closeTooSlow    = 4006
)

// Only extensions may connect: a page would bring its user's browser along. An origin is no identity; the token is.
var extensionOrigin = regexp.MustCompile(`^(?:chrome-extension://[a-p]{32}|moz-extension://[0-9a-f-]{36})$`)

// One small read buffer per connection and write buffers that all share: an idle install costs little.
var upgrader = websocket.Upgrader{
	ReadBufferSize:   config.SocketReadBuffer,
	WriteBufferSize:  config.SocketWriteBuffer,
	WriteBufferPool:  &sync.Pool{},
	HandshakeTimeout: config.SocketWriteWithin,
	CheckOrigin:      func(r *http.Request) bool { return extensionOrigin.MatchString(r.Header.Get("Origin")) },
}

// Serve turns the request into a connection and returns at once: net/http would keep its own buffers for as long as the
// handler runs. One that comes while the gateway stops is asked back, and its answer is waited for. remote is the address that
// pairing tries are counted by.
func (g *Gateway) Serve(w http.ResponseWriter, r *http.Request, remote string) {
	if !g.mayConnect() {
		w.Header().Set("Retry-After", strconv.Itoa(int(config.HelloWithin.Seconds())))
		http.Error(w, "too many connections are being made: try again soon", http.StatusServiceUnavailable)
		return
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		g.unproven.Add(-1)
		return // Upgrade has answered: 403 for a wrong origin, 400 for what is no websocket
	}
	s := newSession(g, conn, remote)
	if !g.enter(s) {
		s.turnAway()
		g.unproven.Add(-1)
	}
}

// socket is the writing side of one connection. Nobody ever waits for a peer: frames go into a short queue, and while
// there are any, one goroutine writes them. An idle connection has no writer.
type socket struct {
	conn  *websocket.Conn
	spawn func(func())

	mu      sync.Mutex
	queue   [][]byte
	writing bool
	// closing: nothing more is taken. The close goes out after the queue.
	closing bool
	code    int
	reason  string
}

// put queues a frame. false: the connection is closing. A peer that reads too slowly for the queue is cut off.
func (s *socket) put(raw []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	if len(s.queue) >= config.OutgoingFramesMax {
		s.closing = true
		s.queue = nil
		s.spawn(func() { s.cut(closeTooSlow, "too slow to read") })
		return false
	}
	s.queue = append(s.queue, raw)
	s.startWriting()
	return true
}

// close ends the connection after what is queued. The first reason counts.
func (s *socket) close(code int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.closing, s.code, s.reason = true, code, reason
	s.startWriting()
}

func (s *socket) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// startWriting needs the lock.
func (s *socket) startWriting() {
	if !s.writing {
		s.writing = true
		s.spawn(s.write)
	}
}

func (s *socket) write() {
	for {
		raw, bye := s.next()
		switch {
		case bye:
			s.sayClose()
			return
		case raw == nil:
			return
		}
		_ = s.conn.SetWriteDeadline(time.Now().Add(config.SocketWriteWithin)) // the write reports what is wrong
		if err := s.conn.WriteMessage(websocket.TextMessage, raw); err != nil {
			s.fail()
			return
		}
	}
}

// next takes a frame from the queue. When there is none the writing is over: bye says that the close comes now, after
// which nothing is written.
func (s *socket) next() (raw []byte, bye bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) > 0 {
		raw, s.queue = s.queue[0], s.queue[1:]
		return raw, false
	}
	bye = s.closing && s.code != 0
	s.queue, s.writing = nil, bye
	return nil, bye
}

// sayClose gives the peer a moment to answer: closing at once would throw away what it has not read yet.
func (s *socket) sayClose() {
	if s.writeClose(s.code, s.reason) != nil {
		_ = s.conn.Close()
		return
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(config.SocketCloseWithin)) // the reader then ends the connection
}

// cut ends a connection whose peer does not read: it tries to say why and does not wait.
func (s *socket) cut(code int, reason string) {
	_ = s.writeClose(code, reason)
	_ = s.conn.Close()
}

func (s *socket) writeClose(code int, reason string) error {
	return s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(config.SocketCloseWithin))
}

// fail is the end of a connection that cannot be written to.
func (s *socket) fail() {
	s.mu.Lock()
	s.closing, s.queue = true, nil
	s.mu.Unlock()
	_ = s.conn.Close() // the reader then ends the connection
}
