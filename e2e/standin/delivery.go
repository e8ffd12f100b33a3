package standin

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"
)

// clickHeader names the click that the page posts for. It is the stand-in's
// own and stands apart from the body, whose shape is the real one.
const clickHeader = "x-standin-click"

// createMessage answers the delivery request: the fault that was set for it,
// or acceptance.
func (s *Server) createMessage(w http.ResponseWriter, r *http.Request, member Person) {
	if r.URL.Query().Get("action") != "createMessage" {
		writeRefusal(w, refuse(http.StatusBadRequest, "unknown action"))
		return
	}
	o, wrong := s.readOrder(w, r, member)
	if wrong != nil {
		writeRefusal(w, wrong)
		return
	}
	fault, room := s.arrive(o)
	if !room {
		writeRefusal(w, refuse(http.StatusInsufficientStorage, "the stand-in's ledger is full"))
		return
	}
	if fault.When == BeforeAccept {
		if !s.linger(fault) {
			panic(http.ErrAbortHandler)
		}
		if fault.Do != AsUsual {
			s.misanswer(w, r, fault)
			return
		}
	}
	accepted := s.accept(o, fault.HideFromThread)
	if fault.When == AfterAccept {
		if !s.linger(fault) {
			panic(http.ErrAbortHandler)
		}
		if fault.Do != AsUsual {
			s.misanswer(w, r, fault)
			return
		}
	}
	writeJSON(w, http.StatusOK, createdAnswer(accepted))
}

// arrive records a request and picks its fault; false when the records are full.
func (s *Server) arrive(o order) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records.Requests) >= maxRecords {
		return Fault{}, false
	}
	s.records.Requests = append(s.records.Requests, Request{
		At: time.Now(), OwnerID: o.ownerID, RecipientID: o.recipientID,
		Text: o.text, OriginToken: o.originToken, Click: o.click,
	})
	if o.click != "" {
		s.noteClick(Click{ID: o.click, Member: o.ownerID})
	}
	s.signal()
	return s.faultFor(o.recipientID), true
}

// accept puts the message in its thread and the copy in the ledger. A repeat
// is accepted like any other: the endpoint does not de-duplicate.
func (s *Server) accept(o order, hide *Gate) Copy {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.thread(o.threadID)
	if o.threadID == "" {
		t = s.threadWith(o.ownerID, o.recipientID)
	}
	if t == nil {
		t = &Thread{ID: s.newThreadID(), Participants: []string{o.ownerID, o.recipientID}}
		s.threads = append(s.threads, t)
	}
	now := s.now()
	m := Message{
		ID: s.newMessageID(t.ID, now), From: o.ownerID, Text: o.text, At: now,
		OriginToken: o.originToken, hide: hide, accepted: true,
	}
	t.messages = append(t.messages, m)
	c := Copy{
		OwnerID: o.ownerID, RecipientID: o.recipientID, Text: o.text, OriginToken: o.originToken,
		MessageID: m.ID, ThreadID: t.ID, AcceptedAt: now, Click: o.click, InMail: o.inMail,
	}
	for _, b := range s.records.Copies {
		if b.OwnerID == c.OwnerID && b.RecipientID == c.RecipientID && b.Text == c.Text {
			c.Repeat++
		}
	}
	s.records.Copies = append(s.records.Copies, c)
	s.signal()
	return c
}

// Deliver accepts a message as if a page had posted it for one click of a member's. It is for programs that play
// a page.
func (s *Server) Deliver(member, recipient Person, text string) Copy {
	click := Click{ID: rand.Text(), Member: member.ID}
	s.mu.Lock()
	s.noteClick(click)
	s.mu.Unlock()
	return s.accept(order{ownerID: member.ID, recipientID: recipient.ID, text: text, originToken: rand.Text(), click: click.ID}, nil)
}

// createdAnswer is the captured shape of a successful answer.
func createdAnswer(c Copy) map[string]any {
	return map[string]any{"value": map[string]any{
		"entityUrn":              messageURN(c.OwnerID, c.MessageID),
		"backendUrn":             oldMessagePrefix + c.MessageID,
		"conversationUrn":        conversationURN(c.OwnerID, c.ThreadID),
		"backendConversationUrn": threadPrefix + c.ThreadID,
		"senderUrn":              participantURN(c.OwnerID),
		"originToken":            c.OriginToken,
		"body":                   textBody(c.Text),
		"deliveredAt":            c.AcceptedAt.UnixMilli(),
		"renderContentUnions":    []any{},
	}}
}

func textBody(text string) map[string]any {
	return map[string]any{"attributes": []any{}, "text": text}
}

// typing takes the beacon that the page sends while someone types.
func (s *Server) typing(w http.ResponseWriter, r *http.Request, _ Person) {
	if r.URL.Query().Get("action") != "typing" {
		writeRefusal(w, refuse(http.StatusBadRequest, "unknown action"))
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func writeRefusal(w http.ResponseWriter, wrong *refusal) {
	writeJSON(w, wrong.status, map[string]any{"status": wrong.status, "message": wrong.reason})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // a page that has gone away needs no answer
}
