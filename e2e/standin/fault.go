package standin

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// When says on which side of acceptance a fault strikes.
type When int

// The two sides of acceptance.
const (
	BeforeAccept When = iota
	AfterAccept
)

// Answer is what a fault does with a delivery request: a status number, or one
// of the named ways to give none.
type Answer int

// The named answers. Status gives the numbered ones.
const (
	// AsUsual answers as if there were no fault (after its Delay and Hold).
	AsUsual Answer = 0
	// Hang gives no answer until the page gives up or the server closes.
	Hang Answer = -1
	// Close ends the connection in an orderly way, unanswered.
	Close Answer = -2
	// ResetConnection ends the TCP connection with a reset, unanswered.
	ResetConnection Answer = -3
	// BreakStream ends the one HTTP/2 stream with INTERNAL_ERROR; over
	// HTTP/1.1 it is Close.
	BreakStream Answer = -4
	// RedirectToHTML sends the page's fetch to a checkpoint, which it follows:
	// it sees 200 and text/html.
	RedirectToHTML Answer = -5
	// RedirectToFeed sends it to the feed instead, which is no sign-in.
	RedirectToFeed Answer = -6
	// GoAway says over HTTP/2 that the connection took up none of its
	// requests; over HTTP/1.1 it is Close.
	GoAway Answer = -7
)

// Where the redirects lead.
const (
	checkpointPath = "/checkpoint/challenge/AgStandIn"
	feedPath       = "/feed/"
)

// Status answers with a status number, 200 to 999. A 2xx of this kind names no
// message.
func Status(number int) Answer { return Answer(number) }

// FaultMatch says which delivery requests a fault is for.
type FaultMatch struct {
	// RecipientID is a profile id; empty is anyone.
	RecipientID string
	// Nth is which of the matching requests since the fault was set, from 1;
	// 0 is every one.
	Nth int
}

// Fault is what happens to a delivery request. The zero Fault is none.
//
// "Accept, drop, accept the repeat" is {AfterAccept, Close} on Nth 1: the
// browser repeats the request by itself and the repeat meets no fault.
type Fault struct {
	When When
	Do   Answer
	// RetryAfter is sent in seconds, with any numbered answer.
	RetryAfter time.Duration
	// Delay comes before the answer, on the side that When says.
	Delay time.Duration
	// HoldAnswer keeps the request, on the side that When says, until released.
	HoldAnswer *Gate
	// HideFromThread accepts the message but keeps it out of pages and history
	// until released: the thread lags behind.
	HideFromThread *Gate
}

type faultRule struct {
	match FaultMatch
	fault Fault
	seen  int
}

// Fault sets a fault. Of several that match a request the first set one wins.
func (s *Server) Fault(match FaultMatch, fault Fault) error {
	numbered := fault.Do >= minStatus && fault.Do <= maxStatus
	named := fault.Do <= AsUsual && fault.Do >= GoAway
	if !numbered && !named {
		return fmt.Errorf("fault answer %d: use a named answer or Status(%d..%d)", fault.Do, minStatus, maxStatus)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &faultRule{match: match, fault: fault})
	return nil
}

// ClearFaults drops every fault; requests that are being held stay held.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// faultFor counts a request against each rule and returns its fault. The
// caller holds s.mu.
func (s *Server) faultFor(recipientID string) Fault {
	var chosen *faultRule
	for _, rule := range s.faults {
		if rule.match.RecipientID != "" && rule.match.RecipientID != recipientID {
			continue
		}
		rule.seen++
		if chosen == nil && (rule.match.Nth == 0 || rule.match.Nth == rule.seen) {
			chosen = rule
		}
	}
	if chosen == nil {
		return Fault{}
	}
	return chosen.fault
}

// linger waits out a fault's delay and hold. It goes on when the page has gone
// away, since a provider that holds a request does not notice. It is false
// when the server closes first.
func (s *Server) linger(fault Fault) bool {
	if fault.Delay > 0 {
		select {
		case <-time.After(min(fault.Delay, maxHold)):
		case <-s.done:
			return false
		}
	}
	if fault.HoldAnswer != nil {
		select {
		case <-fault.HoldAnswer.open:
		case <-time.After(maxHold):
		case <-s.done:
			return false
		}
	}
	return true
}

// misanswer gives a fault's answer. It may end by http.ErrAbortHandler.
func (s *Server) misanswer(w http.ResponseWriter, r *http.Request, fault Fault) {
	switch fault.Do {
	case Hang:
		select {
		case <-r.Context().Done():
		case <-time.After(maxHold):
		case <-s.done:
		}
		panic(http.ErrAbortHandler)
	case Close:
		closeConnection(r)
		panic(http.ErrAbortHandler)
	case ResetConnection:
		resetConnection(r)
		panic(http.ErrAbortHandler)
	case GoAway:
		goAway(r)
		panic(http.ErrAbortHandler)
	case BreakStream:
		panic(http.ErrAbortHandler)
	case RedirectToHTML:
		http.Redirect(w, r, checkpointPath, http.StatusFound)
	case RedirectToFeed:
		http.Redirect(w, r, feedPath, http.StatusFound)
	default:
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(fault.RetryAfter.Seconds())))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(fault.Do))
		if bodyAllowed(int(fault.Do)) {
			// The bodies of refusals are not known from any capture.
			io.WriteString(w, fmt.Sprintf(`{"status":%d}`, int(fault.Do)))
		}
	}
}

func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}
