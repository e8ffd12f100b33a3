package sandbox

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// Copied is one message that the made-up LinkedIn has taken.
type Copied struct {
	PersonURN  string
	ProviderID string
	Text       string
	At         time.Time
	// ShownFrom is when the conversation begins to show it.
	ShownFrom time.Time
}

// Site is the made-up LinkedIn: it lives in memory and is empty again after a restart. Its ledger is the truth about what was
// delivered. Its methods may be called from any goroutine.
type Site struct {
	mu     sync.Mutex
	ledger []Copied
	tries  map[string]int // attempts, by the person's URN
}

// NewSite is a LinkedIn in which nobody has written to anybody.
func NewSite() *Site { return &Site{tries: map[string]int{}} }

// try counts an attempt and returns how many the person has met before.
func (s *Site) try(person string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.tries[person]
	if before > 0 || len(s.tries) < config.SandboxCopiesMax {
		s.tries[person]++
	}
	return before
}

// take keeps one more copy.
func (s *Site) take(c Copied) Copied {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ProviderID = "urn:li:msg_message:sandbox-" + uuid.NewString()
	if len(s.ledger) == config.SandboxCopiesMax {
		s.ledger = s.ledger[1:]
	}
	s.ledger = append(s.ledger, c)
	return c
}

// Ledger is everything that was taken, the oldest first.
func (s *Site) Ledger() []Copied {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ledger)
}

// copies are those of one text that the conversation with the person shows.
func (s *Site) copies(person, text string, now time.Time) []Copied {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Copied
	for _, c := range s.ledger {
		if c.PersonURN == person && c.Text == text && !c.ShownFrom.After(now) {
			found = append(found, c)
		}
	}
	return found
}

// shownFrom is when the conversation with the person shows everything that it holds.
func (s *Site) shownFrom(person string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last time.Time
	for _, c := range s.ledger {
		if c.PersonURN == person && c.ShownFrom.After(last) {
			last = c.ShownFrom
		}
	}
	return last
}

// profileIDBytes make the 36 characters that follow "ACo" in a profile's id.
const profileIDBytes = 27

// urnOf is the identity of whoever has that address: always the same one.
func urnOf(slug string) string {
	sum := sha256.Sum256([]byte(slug))
	return "urn:li:fsd_profile:ACo" + base64.RawURLEncoding.EncodeToString(sum[:profileIDBytes])
}

// nameOf makes a name of an address: sandbox-no-answer is Sandbox No Answer.
func nameOf(slug string) string {
	words := strings.FieldsFunc(slug, func(r rune) bool { return r == '-' })
	for i, word := range words {
		runes := []rune(word)
		runes[0] = unicode.ToUpper(runes[0])
		words[i] = string(runes)
	}
	return strings.Join(words, " ")
}
