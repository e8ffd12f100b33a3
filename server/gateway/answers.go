package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"sendonce/server/install"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// takeWelcomed answers a frame of an install that said hello.
func (s *session) takeWelcomed(ctx context.Context, f frame) {
	switch f.Type {
	case "ping":
		s.say(&plainFrame{answerTo(f, "pong")})
	case "renew":
		s.renew(ctx, f)
	case "ready":
		s.isReady(f)
	case "release":
		s.release(ctx, f)
	case "start":
		s.start(ctx, f)
	case "resolved":
		s.resolved(ctx, f)
	case "report":
		s.report(ctx, f)
	case "gone":
		s.gone(ctx, f)
	case "checked":
		s.checked(ctx, f)
	case "observed":
		s.observed(ctx, f)
	default: // pair, token, hello
		s.sayFault(f, &fault{"type", "this connection has said hello: open another one"})
	}
}

func (s *session) renew(ctx context.Context, f frame) {
	token, expiresIn, err := s.gateway.directory.Renew(ctx, s.info)
	switch {
	case errors.Is(err, install.ErrRevoked):
		s.refuseRevoked(f)
	case err != nil:
		s.unavailable(ctx, f, err)
	default:
		s.say(&renewedFrame{answer: answerTo(f, "renewed"), AccessToken: token, ExpiresInMS: expiresIn.Milliseconds()})
	}
}

// isReady takes the list of accounts that may be given a lease. Accounts that this session may not serve are left out.
func (s *session) isReady(f frame) {
	var fields struct {
		Accounts []uuid.UUID `json:"accounts"`
	}
	if err := f.into(&fields); err != nil {
		s.sayFault(f, &fault{"accounts", "must be ids of accounts, as welcome named them"})
		return
	}
	var accounts []uuid.UUID
	for _, account := range fields.Accounts {
		if s.serves[account] && s.rules != install.RulesOutdated {
			accounts = append(accounts, account)
		}
	}
	s.gateway.setReady(s, accounts)
}

func (s *session) release(ctx context.Context, f frame) {
	var fields struct {
		LeaseToken string `json:"lease_token"`
		Code       string `json:"code"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	s.gateway.answered(s)
	if err := s.gateway.installs.Release(ctx, s.info, fields.LeaseToken, fields.Code); err != nil {
		s.failed(ctx, f, err)
		return
	}
	s.say(&plainFrame{answerTo(f, "released")})
}

// start hands out the one acknowledgement after which anything may be touched. After an error of the database nobody
// knows whether the start is recorded, so neither is claimed: the install asks again with the same attempt.
func (s *session) start(ctx context.Context, f frame) {
	var fields struct {
		LeaseToken string `json:"lease_token"`
		Attempt    string `json:"attempt"`
		Digest     string `json:"digest"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	s.gateway.answered(s)
	started, err := s.gateway.installs.Start(ctx, send.StartAsk{
		Session: s.info, LeaseToken: fields.LeaseToken, Attempt: fields.Attempt, Digest: fields.Digest,
	})
	var refused *send.Refused
	switch {
	case errors.As(err, &refused):
		s.say(&refusedFrame{answer: answerTo(f, "refused"), Code: string(refused.Code), Text: refused.Code.Text()})
	case err != nil:
		s.failed(ctx, f, err)
	default:
		s.say(&startedFrame{
			answer: answerTo(f, "started"), Attempt: started.Attempt, TouchWithinMS: started.Touch.Milliseconds(),
			DeadlineMS: started.Deadline.Milliseconds(), Epoch: started.Mark.Epoch, Event: started.Mark.Event,
		})
	}
}

func (s *session) resolved(ctx context.Context, f frame) {
	var fields struct {
		LeaseToken   string `json:"lease_token"`
		Attempt      string `json:"attempt"`
		PersonURN    string `json:"person_urn"`
		Slug         string `json:"slug"`
		Name         string `json:"name"`
		Connected    bool   `json:"connected"`
		Participants int    `json:"participants"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	halt, err := s.gateway.installs.Resolve(ctx, send.Resolved{
		Session: s.info, LeaseToken: fields.LeaseToken, Attempt: fields.Attempt, PersonURN: fields.PersonURN,
		Slug: fields.Slug, Name: fields.Name, Connected: fields.Connected, Participants: fields.Participants,
	})
	switch {
	case err != nil:
		s.failed(ctx, f, err)
	case halt != "":
		s.say(&haltFrame{answer: answerTo(f, "halt"), Code: halt})
	default:
		s.say(&plainFrame{answerTo(f, "proceed")})
	}
}

func (s *session) gone(ctx context.Context, f frame) {
	var fields struct {
		LeaseToken string `json:"lease_token"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	if err := s.gateway.installs.Gone(ctx, s.info, fields.LeaseToken); err != nil {
		s.failed(ctx, f, err)
		return
	}
	s.say(&plainFrame{answerTo(f, "noted")})
}

type reportFields struct {
	LeaseToken string          `json:"lease_token"`
	Attempt    string          `json:"attempt"`
	End        string          `json:"end"`
	Evidence   json.RawMessage `json:"evidence"`
	Outcome    struct {
		Status rule.Status `json:"status"`
		Code   string      `json:"code"`
		Reason string      `json:"reason"`
	} `json:"outcome"`
}

// evidenceFields are those of both ends of a report; those of the other end stay zero.
type evidenceFields struct {
	Answer       rule.Answer `json:"answer"`
	Double       bool        `json:"double"`
	Foreign      bool        `json:"foreign"`
	Look         rule.Look   `json:"look"`
	OriginToken  string      `json:"origin_token"`
	RetryAfterMS int64       `json:"retry_after_ms"`

	Reason   string    `json:"reason"`
	Find     rule.Find `json:"find"`
	Box      rule.Box  `json:"box"`
	Request  bool      `json:"request"`
	Unbroken bool      `json:"unbroken"`

	Copies []struct {
		ProviderID string `json:"provider_id"`
		SentAtMS   int64  `json:"sent_at_ms"`
	} `json:"copies"`
	Conversation string `json:"conversation"`
}

func (s *session) report(ctx context.Context, f frame) {
	var fields reportFields
	var evidence evidenceFields
	if !s.readFields(f, &fields) || !s.readFields(frame{Type: f.Type, ID: f.ID, raw: fields.Evidence}, &evidence) {
		return
	}
	recorded, err := s.gateway.installs.Report(ctx, s.reportOf(fields, evidence))
	if err != nil {
		s.failed(ctx, f, err)
		return
	}
	code := recorded.Code
	if code == "" { // a report on a row that has not ended is kept and moves nothing
		code = string(recorded.Status)
	}
	s.say(&recordedFrame{
		answer: answerTo(f, "recorded"), Send: recorded.Send.String(), Status: string(recorded.Status), Code: code,
		Epoch: recorded.Mark.Epoch, Event: recorded.Mark.Event,
	})
}

func (s *session) reportOf(fields reportFields, evidence evidenceFields) send.Report {
	report := send.Report{
		Session: s.info, LeaseToken: fields.LeaseToken, Attempt: fields.Attempt,
		Conversation: evidence.Conversation, OriginToken: evidence.OriginToken,
		RetryAfter: time.Duration(evidence.RetryAfterMS) * time.Millisecond,
		Claimed:    rule.Outcome{Status: fields.Outcome.Status, Code: fields.Outcome.Code, Reason: fields.Outcome.Reason},
		Raw:        fields.Evidence,
	}
	for _, c := range evidence.Copies {
		one := send.Copy{ProviderID: c.ProviderID}
		if c.SentAtMS > 0 {
			one.SentAt = time.UnixMilli(c.SentAtMS)
		}
		report.Copies = append(report.Copies, one)
	}
	if fields.End == endActed {
		report.Acted = &rule.Acted{
			Answer: evidence.Answer, Double: evidence.Double, Foreign: evidence.Foreign, Look: evidence.Look,
			Copies: len(evidence.Copies),
		}
	} else {
		report.Unacted = &rule.Unacted{
			Reason: evidence.Reason, Find: evidence.Find, Box: evidence.Box, Request: evidence.Request,
			Unbroken: evidence.Unbroken,
		}
	}
	return report
}

// failed answers an operation that did not happen, or of which nobody knows whether it did.
func (s *session) failed(ctx context.Context, f frame, err error) {
	if errors.Is(err, send.ErrBadLease) || errors.Is(err, send.ErrForeignLease) {
		s.say(errorTo(f, codeBadLease, err.Error()))
		return
	}
	s.unavailable(ctx, f, err)
}
