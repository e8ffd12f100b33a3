package standin

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// order is what one delivery request asks for.
type order struct {
	ownerID, recipientID, threadID string
	text, originToken, click       string
	inMail                         bool
}

// refusal is a delivery request that the real endpoint would not take.
type refusal struct {
	status int
	reason string
}

func refuse(status int, reason string) *refusal { return &refusal{status, reason} }

// createBody is the delivery request's JSON.
type createBody struct {
	Message struct {
		Body struct {
			Attributes []json.RawMessage `json:"attributes"`
			Text       string            `json:"text"`
		} `json:"body"`
		RenderContentUnions []json.RawMessage `json:"renderContentUnions"`
		ConversationURN     string            `json:"conversationUrn"`
		OriginToken         string            `json:"originToken"`
		Subject             string            `json:"subject"`
	} `json:"message"`
	MailboxURN               string          `json:"mailboxUrn"`
	TrackingID               string          `json:"trackingId"`
	Dedupe                   *bool           `json:"dedupeByClientGeneratedToken"`
	HostRecipientURNs        []string        `json:"hostRecipientUrns"`
	ConversationTitle        string          `json:"conversationTitle"`
	HostMessageCreateContent json.RawMessage `json:"hostMessageCreateContent"`
}

// readOrder checks a delivery request's shape and whom it is for.
func (s *Server) readOrder(w http.ResponseWriter, r *http.Request, member Person) (order, *refusal) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "text/plain" || !strings.EqualFold(parameters["charset"], "utf-8") {
		return order{}, refuse(http.StatusBadRequest, "content-type is not text/plain;charset=UTF-8")
	}
	var body createBody
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return order{}, refuse(http.StatusRequestEntityTooLarge, "body is too large")
		}
		return order{}, refuse(http.StatusBadRequest, "body is not the expected JSON")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return order{}, refuse(http.StatusBadRequest, "body goes on after the JSON")
	}
	if wrong := body.check(member); wrong != nil {
		return order{}, wrong
	}
	o := order{
		ownerID: member.ID, text: body.Message.Body.Text, originToken: body.Message.OriginToken,
		click: r.Header.Get(clickHeader), inMail: strings.Contains(string(body.HostMessageCreateContent), "premiumInMail"),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address(o, body)
}

// check refuses what the endpoint is known to refuse, and what no captured
// client sends.
func (b *createBody) check(member Person) *refusal {
	m := b.Message
	switch {
	case utf8.RuneCountInString(b.TrackingID) != trackingIDLength ||
		strings.ContainsFunc(b.TrackingID, func(c rune) bool { return c > 0xff }):
		return refuse(http.StatusBadRequest, "trackingId is not 16 Latin-1 characters")
	case b.MailboxURN != profileURN(member.ID):
		return refuse(http.StatusForbidden, "mailboxUrn is another member's")
	case len(m.OriginToken) != originTokenLength:
		return refuse(http.StatusBadRequest, "originToken is not a uuid")
	case strings.TrimSpace(m.Body.Text) == "" || utf8.RuneCountInString(m.Body.Text) > maxMessageRunes:
		return refuse(http.StatusBadRequest, "text is empty or too long")
	case m.Body.Attributes == nil || m.RenderContentUnions == nil:
		return refuse(http.StatusBadRequest, "attributes or renderContentUnions is missing")
	case b.Dedupe == nil || *b.Dedupe:
		// What true does is not known; no captured client sends it.
		return refuse(http.StatusBadRequest, "dedupeByClientGeneratedToken is not false")
	case (m.ConversationURN == "") == (len(b.HostRecipientURNs) == 0):
		return refuse(http.StatusBadRequest, "one of conversationUrn and hostRecipientUrns is needed")
	}
	return nil
}

// address finds the thread or the person that an order is for. The caller
// holds s.mu.
func (s *Server) address(o order, body createBody) (order, *refusal) {
	if urn := body.Message.ConversationURN; urn != "" {
		owner, id, ok := idsInConversationURN(urn)
		t := s.thread(id)
		if !ok || owner != o.ownerID || t == nil || !slices.Contains(t.Participants, o.ownerID) {
			return order{}, refuse(http.StatusNotFound, "no such conversation in this mailbox")
		}
		o.threadID, o.recipientID = t.ID, t.recipient(o.ownerID)
		return o, nil
	}
	if len(body.HostRecipientURNs) != 1 {
		return order{}, refuse(http.StatusBadRequest, "the stand-in makes new threads with one recipient only")
	}
	id, ok := idInProfileURN(body.HostRecipientURNs[0])
	recipient, err := s.person(id)
	if !ok || err != nil || recipient.ID == o.ownerID {
		return order{}, refuse(http.StatusNotFound, "no such recipient")
	}
	if s.threadWith(o.ownerID, recipient.ID) == nil && !recipient.Connected && !o.inMail {
		return order{}, refuse(http.StatusForbidden, "recipient is not connected")
	}
	o.recipientID = recipient.ID
	return o, nil
}
