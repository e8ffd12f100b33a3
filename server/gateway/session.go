package gateway

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/send"
)

// session is one connection of one install. Its only goroutine reads, and answers what it read.
type session struct {
	socket
	gateway *Gateway
	remote  string
	limiter *rate.Limiter
	said    atomic.Int64 // frames that the server said, for their ids
	heard   atomic.Int64 // when the install last said something, in nanoseconds since Gateway.began

	// Set by a good hello, before the hub knows the session, and never changed.
	info   send.Session
	turn   int64 // of arming and disarming
	rules  install.Rules
	serves map[uuid.UUID]bool // accounts that this install is signed in to and was granted

	// The hub's, under its lock.
	wants      []uuid.UUID   // accounts that it said it is ready for
	ready      []uuid.UUID   // those of them for which it is asked now
	rests      bool          // it was given a check and has not answered
	restsSince time.Duration // of the gateway's age
	paused     bool          // by a person, on the server
	unanswered int           // leases in a row that were neither started nor released
	ended      bool          // superseded or left: no lease is asked for it
	replaced   bool          // superseded: its leases, if any, are the newer session's business
}

func newSession(g *Gateway, conn *websocket.Conn, remote string) *session {
	conn.SetReadLimit(config.FrameBytesMax)
	s := &session{
		socket: socket{conn: conn, spawn: g.spawn}, gateway: g, remote: remote,
		limiter: rate.NewLimiter(config.FramesPerSecond, config.FramesBurst),
	}
	s.noteHeard()
	return s
}

func (s *session) noteHeard() { s.heard.Store(int64(s.gateway.age())) }

func (s *session) silentFor() time.Duration {
	return s.gateway.age() - time.Duration(s.heard.Load())
}

// askBack closes the connection and asks the install to come back, each at another time.
func (s *session) askBack() { s.close(closeStopping, comeBack()) }

func comeBack() string {
	return "come back in " + strconv.FormatInt(rand.Int64N(config.RestartSpreadMax.Milliseconds()), 10) + " ms"
}

// turnAway is askBack for a connection that was made while the gateway stops: it has no reader and no writer, and nobody waits
// for it. What the install has said already is read, because closing over it would throw away the close that it has not read yet.
func (s *session) turnAway() {
	defer s.conn.Close()
	if s.writeClose(closeStopping, comeBack()) != nil {
		return
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(config.SocketCloseWithin)) // the read reports what is wrong
	for {
		if _, _, err := s.conn.ReadMessage(); err != nil {
			return
		}
	}
}

func (s *session) isWelcomed() bool { return s.info.ID != uuid.Nil }

// say queues a frame. false: it will not arrive, because the connection is closing or the frame is too much for the
// protocol, which is a defect.
func (s *session) say(f outgoing) bool {
	f.named("s-" + strconv.FormatInt(s.said.Add(1), 10))
	raw, err := encode(f)
	if err != nil {
		s.gateway.log.Error("a frame was not sent", "install", s.info.Install, "session", s.info.ID, "error", err)
		return false
	}
	return s.put(raw)
}

// read is the life of the connection.
func (s *session) read() {
	defer s.gateway.leave(s)
	frames := 0
	for {
		if !s.isWelcomed() && !s.isClosing() {
			if frames++; frames > config.FramesBeforeHelloMax {
				s.close(closeProtocol, "no hello")
			} else {
				_ = s.conn.SetReadDeadline(time.Now().Add(config.HelloWithin)) // the read reports what is wrong
			}
		}
		kind, raw, err := s.conn.ReadMessage()
		if err != nil {
			s.noteReadError(err)
			return
		}
		if s.isClosing() {
			continue // until the peer answers the close, or the deadline of that
		}
		if kind != websocket.TextMessage {
			s.close(closeProtocol, "frames are text")
			continue
		}
		s.noteHeard()
		s.take(raw)
		// An answer of a slow database is no silence of the install.
		s.noteHeard()
	}
}

func (s *session) noteReadError(err error) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() && !s.isWelcomed() && !s.isClosing() {
		_ = s.writeClose(closeNoHello, "no hello")
	}
}

// take checks a frame and has it answered.
func (s *session) take(raw []byte) {
	f, bad := decode(raw)
	switch {
	case !s.limiter.Allow():
		s.say(errorTo(f, codeTooMany, "more frames than "+strconv.Itoa(config.FramesPerSecond)+" a second: say it again later"))
		return
	case bad != nil:
		s.sayFault(f, bad)
		if !s.isWelcomed() {
			s.close(closeProtocol, "malformed frame")
		}
		return
	}
	// Not a context of the request: the socket outlives it, and what is under way when the socket closes is finished.
	within := config.RequestWithin
	if !s.isWelcomed() {
		within = config.HandshakeStepWithin
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if s.isWelcomed() {
		s.takeWelcomed(ctx, f)
	} else {
		s.takeBeforeHello(ctx, f)
	}
}

func (s *session) sayFault(f frame, bad *fault) {
	code := codeMalformed
	if bad.Field == "type" {
		code = codeUnknownType
	}
	e := errorTo(f, code, bad.Text)
	e.Field = orNil(bad.Field)
	s.say(e)
}
