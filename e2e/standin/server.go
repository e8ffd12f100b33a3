package standin

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// Protocol chooses what the server speaks.
type Protocol int

// Both lets TLS negotiate; the others offer one protocol only.
const (
	Both Protocol = iota
	HTTP1
	HTTP2
)

// Options say who is there when the server starts.
type Options struct {
	// Members can sign in; People only have profiles.
	Members, People []Person
	// Seed makes ids repeatable.
	Seed     uint64
	Protocol Protocol
}

// Server is a running stand-in. Its methods may be called at any time from
// any goroutine.
type Server struct {
	seed     uint64
	listener net.Listener
	http     *http.Server
	handlers sync.WaitGroup
	// done is closed when the server closes: it ends every hang and hold.
	done chan struct{}

	mu           sync.Mutex
	closed       bool
	ahead        time.Duration // of the real clock
	changed      chan struct{}
	rand         *rand.Rand
	people       []Person
	members      map[string]bool
	threads      []*Thread
	messageCount int
	accessCount  int
	faults       []*faultRule
	variants     map[string]Variant
	detours      []detour
	pageHolds    []pageHold
	records      State
}

// Start serves on a free loopback port until Close.
func Start(options Options) (*Server, error) {
	s := &Server{
		seed: options.Seed, done: make(chan struct{}), changed: make(chan struct{}),
		rand: rand.New(rand.NewPCG(options.Seed, 0)), members: map[string]bool{}, variants: map[string]Variant{},
	}
	for _, m := range options.Members {
		member, err := s.addPerson(m)
		if err != nil {
			return nil, fmt.Errorf("add member: %w", err)
		}
		s.members[member.ID] = true
	}
	for _, p := range options.People {
		if _, err := s.addPerson(p); err != nil {
			return nil, fmt.Errorf("add person: %w", err)
		}
	}
	if err := s.listen(options.Protocol); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) listen(protocol Protocol) error {
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for the stand-in: %w", err)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(protocol != HTTP2)
	protocols.SetHTTP2(protocol != HTTP1)
	s.http = &http.Server{
		Handler:           s.tracked(s.logged(s.heldBack(s.detoured(s.routes())))),
		Protocols:         protocols,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{certificate}},
		ReadHeaderTimeout: readHeaderTimeout,
		ConnContext:       withConnection,
		// Browsers break connections all day; faults do so on purpose.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s.handlers.Go(func() {
		if err := s.http.ServeTLS(s.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			s.listener.Close() // later requests are refused, which a test sees at once
		}
	})
	return nil
}

// Addr is "127.0.0.1:<port>".
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Port is the TCP port on loopback.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// ResolverRules is the value of Chromium's --host-resolver-rules that leads
// the real host name here and every other name nowhere.
func (s *Server) ResolverRules() string {
	return fmt.Sprintf("MAP %s:443 %s, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", hostName, s.Addr())
}

// Close ends every connection, hang and hold, and waits for the handlers.
func (s *Server) Close() error {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	if already {
		return nil
	}
	close(s.done)
	err := s.http.Close()
	s.handlers.Wait()
	return err
}

// tracked lets Close wait for the requests that have begun.
func (s *Server) tracked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		s.handlers.Add(1)
		s.mu.Unlock()
		defer s.handlers.Done()
		next.ServeHTTP(w, r)
	})
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", redirectTo("/feed/"))
	mux.HandleFunc("GET /feed/{$}", s.signedIn(s.feedPage))
	mux.HandleFunc("GET /in/me/{$}", s.signedIn(s.ownProfile))
	mux.HandleFunc("GET /in/{slug}/{$}", s.signedIn(s.profilePage))
	mux.HandleFunc("GET /in/{slug}", s.signedIn(s.profilePage))
	mux.HandleFunc("GET /messaging/{$}", s.signedIn(s.inboxPage))
	mux.HandleFunc("GET /messaging/compose/{$}", s.signedIn(s.composePage))
	mux.HandleFunc("GET /messaging/thread/{thread}/{$}", s.signedIn(s.threadPage))
	mux.HandleFunc("GET /preload/{$}", s.signedIn(s.preloadPage))
	mux.HandleFunc("GET /login", s.loginPage)
	mux.HandleFunc("GET /checkpoint/", s.checkpointPage)

	mux.HandleFunc("GET /voyager/api/me", s.api(s.me))
	mux.HandleFunc("POST /voyager/api/voyagerMessagingDashMessengerMessages", s.api(s.createMessage))
	mux.HandleFunc("POST /voyager/api/voyagerMessagingDashMessengerConversations", s.api(s.typing))
	mux.HandleFunc("GET /voyager/api/voyagerMessagingGraphQL/graphql", s.api(s.history))

	mux.HandleFunc("GET /standin/sign-in", s.signIn)
	mux.HandleFunc("GET /standin/hold/{person}/{step}", s.signedIn(s.holdPage))
	mux.HandleFunc("GET /standin/pane/{thread}", s.signedIn(s.panePart))
	mux.HandleFunc("GET /standin/ledger", s.ledgerView)
	mux.HandleFunc("POST /standin/click", s.click)
	mux.HandleFunc("POST /standin/box", s.box)
	mux.HandleFunc("GET /standin/page/{file}", servePageFile)
	return mux
}

func redirectTo(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, path, http.StatusFound) }
}
