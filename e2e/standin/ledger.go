package standin

import (
	"net/http"
	"slices"
	"time"
)

// Copy is one message that was really accepted: the truth that tests hold
// everything else against.
type Copy struct {
	OwnerID     string    `json:"owner_id"`
	RecipientID string    `json:"recipient_id"`
	Text        string    `json:"text"`
	OriginToken string    `json:"origin_token"`
	MessageID   string    `json:"message_id"`
	ThreadID    string    `json:"thread_id"`
	AcceptedAt  time.Time `json:"accepted_at"`
	// Repeat is how many copies of the same text from the same owner to the
	// same recipient were accepted before this one.
	Repeat int `json:"repeat"`
	// Click is the id of the click that the page posted for; "" when it posted
	// without one.
	Click string `json:"click"`
	// InMail says that it was paid for.
	InMail bool `json:"in_mail"`
}

// ProviderID is the id under which the sender's own pages know the copy.
func (c Copy) ProviderID() string { return messageURN(c.OwnerID, c.MessageID) }

// Request is one well-formed delivery request that arrived, accepted or not.
type Request struct {
	At          time.Time `json:"at"`
	OwnerID     string    `json:"owner_id"`
	RecipientID string    `json:"recipient_id"`
	Text        string    `json:"text"`
	OriginToken string    `json:"origin_token"`
	Click       string    `json:"click"`
}

// Ledger returns what was accepted, oldest first.
func (s *Server) Ledger() []Copy { return s.State().Copies }

// CreateRequests counts the well-formed delivery requests that arrived.
func (s *Server) CreateRequests() int { return len(s.State().Requests) }

// Duplicates counts the copies that a second click made. It must stay 0.
func (s *Server) Duplicates() int { return s.State().Duplicates() }

// BrowserCopies counts the copies that the browser's repeat of one request made.
func (s *Server) BrowserCopies() int { return s.State().BrowserCopies() }

// PageCopies counts the copies that the page's second post for one click made.
func (s *Server) PageCopies() int { return s.State().PageCopies() }

// Duplicates counts copies after the first of the same owner, recipient and
// text whose origin token and click are both new.
func (s State) Duplicates() int { return s.countRepeats(secondClick) }

// BrowserCopies counts copies whose origin token had been accepted before.
func (s State) BrowserCopies() int { return s.countRepeats(sameToken) }

// PageCopies counts copies with a new origin token for a click that had made
// one before.
func (s State) PageCopies() int { return s.countRepeats(sameClick) }

// To is the part of the state that is about one text to one recipient (profile
// id): its requests and its copies.
func (s State) To(recipientID, text string) State {
	return State{
		Requests: slices.DeleteFunc(slices.Clone(s.Requests), func(r Request) bool {
			return r.RecipientID != recipientID || r.Text != text
		}),
		Copies: slices.DeleteFunc(slices.Clone(s.Copies), func(c Copy) bool {
			return c.RecipientID != recipientID || c.Text != text
		}),
	}
}

type repeatKind int

const (
	noRepeat repeatKind = iota
	sameToken
	sameClick
	secondClick
)

func (s State) countRepeats(kind repeatKind) int {
	count := 0
	for i := range s.Copies {
		if repeatOf(s.Copies[:i], s.Copies[i]) == kind {
			count++
		}
	}
	return count
}

// repeatOf says how a copy repeats one of those before it.
func repeatOf(before []Copy, c Copy) repeatKind {
	kind := noRepeat
	for _, b := range before {
		if b.OwnerID != c.OwnerID || b.RecipientID != c.RecipientID || b.Text != c.Text {
			continue
		}
		switch {
		case b.OriginToken == c.OriginToken:
			return sameToken
		case c.Click != "" && b.Click == c.Click:
			kind = sameClick
		case kind == noRepeat:
			kind = secondClick
		}
	}
	return kind
}

// ledgerView answers GET /standin/ledger for the demo.
func (s *Server) ledgerView(w http.ResponseWriter, _ *http.Request) {
	state := s.State()
	writeJSON(w, http.StatusOK, map[string]any{
		"copies":         state.Copies,
		"clicks":         state.Clicks,
		"requests":       state.Requests,
		"duplicates":     state.Duplicates(),
		"browser_copies": state.BrowserCopies(),
		"page_copies":    state.PageCopies(),
	})
}
