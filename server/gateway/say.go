package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sendonce/server/config"
)

// head begins every frame of the server.
type head struct {
	V    int    `json:"v"`
	Type string `json:"type"`
	ID   string `json:"id"`
}

func (h *head) named(id string) { h.ID = id }

// outgoing is a frame of the server. Each session numbers its own.
type outgoing interface{ named(id string) }

// unasked is the head of a frame that answers nothing.
func unasked(name string) head { return head{V: protocolVersion, Type: name} }

// answer is the head of a frame that answers one of the install's.
type answer struct {
	head
	Re *string `json:"re"`
}

func answerTo(f frame, name string) answer { return answer{head: unasked(name), Re: &f.ID} }

type errorFrame struct {
	answer
	Code  string  `json:"code"`
	Text  string  `json:"text"`
	Field *string `json:"field"`
}

// errorTo answers a frame, or nothing when its id is "".
func errorTo(f frame, code, text string) *errorFrame {
	e := &errorFrame{answer: answerTo(f, "error"), Code: code, Text: text}
	if f.ID == "" {
		e.Re = nil
	}
	return e
}

type pairedFrame struct {
	answer
	Install       string `json:"install"`
	RefreshSecret string `json:"refresh_secret"`
}

type tokenFrame struct {
	answer
	AccessToken   string `json:"access_token"`
	ExpiresInMS   int64  `json:"expires_in_ms"`
	RefreshSecret string `json:"refresh_secret"`
}

type renewedFrame struct {
	answer
	AccessToken string `json:"access_token"`
	ExpiresInMS int64  `json:"expires_in_ms"`
}

type welcomeFrame struct {
	answer
	Session  string           `json:"session"`
	Epoch    int64            `json:"epoch"`
	Rules    string           `json:"rules"`
	Settings welcomeSettings  `json:"settings"`
	Accounts []welcomeAccount `json:"accounts"`
	Open     []welcomeOpen    `json:"open"`
}

type welcomeSettings struct {
	PingEveryMS    int64 `json:"ping_every_ms"`
	PongWithinMS   int64 `json:"pong_within_ms"`
	TouchWithinMS  int64 `json:"touch_within_ms"`
	AnswerWithinMS int64 `json:"answer_within_ms"`
	LookWithinMS   int64 `json:"look_within_ms"`
}

type welcomeAccount struct {
	Account   string  `json:"account"`
	Handle    string  `json:"handle"`
	MemberURN *string `json:"member_urn"`
	State     string  `json:"state"`
}

type welcomeOpen struct {
	LeaseToken string  `json:"lease_token"`
	Status     *string `json:"status"`
	Held       bool    `json:"held"`
}

type leaseFrame struct {
	head
	Send           string      `json:"send"`
	LeaseToken     string      `json:"lease_token"`
	ExpiresInMS    int64       `json:"expires_in_ms"`
	Account        string      `json:"account"`
	MemberURN      string      `json:"member_urn"`
	Person         leasePerson `json:"person"`
	Conversation   *string     `json:"conversation"`
	Body           string      `json:"body"`
	Digest         string      `json:"digest"`
	ApprovedAtMS   int64       `json:"approved_at_ms"`
	RepeatApproved bool        `json:"repeat_approved"`
	HeldIDs        []string    `json:"held_ids"`
}

type leasePerson struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Slug *string `json:"slug"`
	URN  *string `json:"urn"`
}

type startedFrame struct {
	answer
	Attempt       string `json:"attempt"`
	TouchWithinMS int64  `json:"touch_within_ms"`
	DeadlineMS    int64  `json:"deadline_ms"`
	Epoch         int64  `json:"epoch"`
	Event         int64  `json:"event"`
}

type refusedFrame struct {
	answer
	Code string `json:"code"`
	Text string `json:"text"`
}

type haltFrame struct {
	answer
	Code string `json:"code"`
}

type recordedFrame struct {
	answer
	Send   string `json:"send"`
	Status string `json:"status"`
	Code   string `json:"code"`
	Epoch  int64  `json:"epoch"`
	Event  int64  `json:"event"`
}

// plainFrame is an answer without fields: released, noted, pong, proceed.
type plainFrame struct{ answer }

// pauseFrame says that a person has paused this install, or resumed it.
type pauseFrame struct {
	head
	On bool `json:"on"`
}

// noticeFrame is a word of the server without fields: superseded.
type noticeFrame struct{ head }

// encode makes the bytes of a frame, and refuses one that the install would refuse.
func encode(f outgoing) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // a body of "<" would otherwise be six times as long
	if err := encoder.Encode(f); err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	raw := bytes.TrimRight(b.Bytes(), "\n")
	if len(raw) > config.FrameBytesMax {
		return nil, fmt.Errorf("the frame has %d bytes; at most %d may be sent", len(raw), config.FrameBytesMax)
	}
	if bad := checkOutgoing(raw); bad != nil {
		return nil, fmt.Errorf("the frame is malformed: %s %s", bad.Field, bad.Text)
	}
	return raw, nil
}

// orNil is how a text that is not known is written: null.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
