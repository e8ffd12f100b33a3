package gateway

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"sendonce/server/auth"
	"sendonce/server/install"
	"sendonce/server/send"
)

const textUnavailable = "the database did not answer: say it again later"

// takeBeforeHello answers the three frames with which an install proves itself.
func (s *session) takeBeforeHello(ctx context.Context, f frame) {
	switch f.Type {
	case "pair":
		s.pair(ctx, f)
	case "token":
		s.token(ctx, f)
	case "hello":
		s.hello(ctx, f)
	default:
		s.say(errorTo(f, codeHelloFirst, "the first frame is pair, token or hello"))
		s.close(closeProtocol, "hello first")
	}
}

func (s *session) pair(ctx context.Context, f frame) {
	var fields struct {
		Code             string `json:"code"`
		ExtensionVersion string `json:"extension_version"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	paired, err := s.gateway.directory.Pair(ctx, s.remote, fields.Code, fields.ExtensionVersion)
	switch {
	case errors.Is(err, install.ErrBadCode):
		s.say(errorTo(f, codeBadCode, err.Error()))
	case errors.Is(err, install.ErrTooManyTries):
		s.say(errorTo(f, codeTooMany, err.Error()))
	case err != nil:
		s.unavailable(ctx, f, err)
	default:
		s.say(&pairedFrame{answer: answerTo(f, "paired"), Install: paired.Install.String(), RefreshSecret: paired.RefreshSecret})
	}
}

func (s *session) token(ctx context.Context, f frame) {
	var fields struct {
		Install       string `json:"install"`
		RefreshSecret string `json:"refresh_secret"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	// What is no uuid is uuid.Nil, which is no install.
	id, _ := uuid.Parse(fields.Install)
	token, err := s.gateway.directory.Token(ctx, id, fields.RefreshSecret)
	switch {
	case errors.Is(err, install.ErrBadSecret):
		s.say(errorTo(f, codeBadSecret, err.Error()))
	case errors.Is(err, install.ErrRevoked):
		s.refuseRevoked(f)
	case err != nil:
		s.unavailable(ctx, f, err)
	default:
		s.say(&tokenFrame{
			answer: answerTo(f, "token"), AccessToken: token.Access, ExpiresInMS: token.ExpiresIn.Milliseconds(),
			RefreshSecret: token.RefreshSecret,
		})
	}
}

type helloFields struct {
	AccessToken      string `json:"access_token"`
	Install          string `json:"install"`
	ExtensionVersion string `json:"extension_version"`
	RulesDigest      string `json:"rules_digest"`
	Accounts         []struct {
		MemberURN string `json:"member_urn"`
		Slug      string `json:"slug"`
		Name      string `json:"name"`
	} `json:"accounts"`
	Open []struct {
		LeaseToken string `json:"lease_token"`
	} `json:"open"`
	Mark struct {
		Epoch int64 `json:"epoch"`
		Event int64 `json:"event"`
	} `json:"mark"`
}

// hello begins the session. Any failure ends the connection.
func (s *session) hello(ctx context.Context, f frame) {
	var fields helloFields
	if !s.readFields(f, &fields) {
		return
	}
	id, _ := uuid.Parse(fields.Install) // as in token
	ask := install.HelloAsk{
		AccessToken: fields.AccessToken, Install: id, ExtensionVersion: fields.ExtensionVersion,
		RulesDigest: fields.RulesDigest, Mark: send.Mark{Epoch: fields.Mark.Epoch, Event: fields.Mark.Event},
	}
	for _, account := range fields.Accounts {
		ask.Members = append(ask.Members, install.Member{URN: account.MemberURN, Slug: account.Slug, Name: account.Name})
	}
	welcome, err := s.gateway.directory.Hello(ctx, ask)
	switch {
	case errors.Is(err, auth.ErrBadToken):
		s.say(errorTo(f, codeBadToken, err.Error()))
		s.close(closeBadToken, "token refused")
		return
	case errors.Is(err, install.ErrRevoked):
		s.refuseRevoked(f)
		return
	case err != nil:
		s.unavailable(ctx, f, err)
		s.close(closeTryAgain, "unavailable")
		return
	}
	open, err := s.openLeases(ctx, fields)
	if err != nil {
		s.unavailable(ctx, f, err)
		s.close(closeTryAgain, "unavailable")
		return
	}
	s.begin(welcome)
	s.say(s.welcomeOf(f, welcome, open))
}

// openLeases says what became of each entry of the install's journal.
func (s *session) openLeases(ctx context.Context, fields helloFields) ([]welcomeOpen, error) {
	open := make([]welcomeOpen, len(fields.Open))
	for i, entry := range fields.Open {
		open[i].LeaseToken = entry.LeaseToken
		found, err := s.gateway.installs.OpenLease(ctx, entry.LeaseToken)
		if errors.Is(err, send.ErrBadLease) || errors.Is(err, send.ErrNoSend) {
			continue // not known here: no status
		}
		if err != nil {
			return nil, err
		}
		open[i].Status, open[i].Held = orNil(string(found.Status)), found.Held
	}
	return open, nil
}

func (s *session) begin(welcome install.Welcome) {
	s.rules = welcome.Rules
	s.serves = map[uuid.UUID]bool{}
	for _, account := range welcome.Accounts {
		if account.State == install.AccountReady {
			s.serves[account.ID] = true
		}
	}
	s.info, s.turn = welcome.Session, welcome.Turn
	_ = s.conn.SetReadDeadline(noDeadline) // from here on the gateway looks for silent sessions
	s.gateway.welcome(s)
}

func (s *session) welcomeOf(f frame, welcome install.Welcome, open []welcomeOpen) *welcomeFrame {
	settings := s.gateway.settings
	w := &welcomeFrame{
		answer: answerTo(f, "welcome"), Session: welcome.Session.ID.String(), Epoch: welcome.Epoch, Rules: string(welcome.Rules),
		Settings: welcomeSettings{
			PingEveryMS: settings.PingEvery.Milliseconds(), PongWithinMS: settings.SessionSilenceMax.Milliseconds(),
			TouchWithinMS:  settings.TouchWithin.Milliseconds(),
			AnswerWithinMS: settings.AnswerWithin.Milliseconds(), LookWithinMS: settings.LookWithin.Milliseconds(),
		},
		Accounts: make([]welcomeAccount, len(welcome.Accounts)), Open: open,
	}
	for i, account := range welcome.Accounts {
		w.Accounts[i] = welcomeAccount{
			Account: account.ID.String(), Handle: account.Handle, MemberURN: orNil(account.MemberURN), State: string(account.State),
		}
	}
	return w
}

func (s *session) refuseRevoked(f frame) {
	s.say(errorTo(f, codeRevoked, install.ErrRevoked.Error()))
	s.close(closeRevoked, "revoked")
}

// unavailable never claims an outcome: what the database made of the frame is not known.
func (s *session) unavailable(ctx context.Context, f frame, err error) {
	s.gateway.log.ErrorContext(ctx, "a frame could not be answered", "frame", f.Type, "install", s.info.Install,
		"session", s.info.ID, "error", err)
	s.say(errorTo(f, codeUnavailable, textUnavailable))
}

// readFields answers a frame whose fields this server cannot hold: a shape and a struct that differ, which is a defect.
func (s *session) readFields(f frame, fields any) bool {
	if err := f.into(fields); err != nil {
		s.gateway.log.Error("a frame has its shape and cannot be read", "frame", f.Type, "error", err)
		s.sayFault(f, &fault{"", "this server cannot read the frame"})
		return false
	}
	return true
}
