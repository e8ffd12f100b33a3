package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"sendonce/server/send"
)

type checkAskFrame struct {
	head
	Send         string        `json:"send"`
	CheckToken   string        `json:"check_token"`
	Account      string        `json:"account"`
	MemberURN    string        `json:"member_urn"`
	Person       leasePerson   `json:"person"`
	Conversation *string       `json:"conversation"`
	Wanted       []checkWanted `json:"wanted"`
	HeldIDs      []string      `json:"held_ids"`
}

type checkWanted struct {
	Version      int    `json:"version"`
	Body         string `json:"body"`
	ApprovedAtMS int64  `json:"approved_at_ms"`
}

// checkOut has the account's next unconfirmed send looked at, if one is due. A check that does not arrive is due again by
// itself.
func (g *Gateway) checkOut(ctx context.Context, s *session, account uuid.UUID) {
	check, err := g.installs.NextCheck(ctx, s.info, account)
	if err != nil {
		g.log.WarnContext(ctx, "no check could be asked; the slow poll asks again", "account", account, "session", s.info.ID, "error", err)
		return
	}
	if check == nil {
		return
	}
	g.hub.rest(s, g.age())
	if !s.say(checkFrameOf(*check)) {
		g.hub.wakeUp(s)
	}
}

func checkFrameOf(check send.Check) *checkAskFrame {
	f := &checkAskFrame{
		head: unasked("check"), Send: check.Send.String(), CheckToken: check.Token, Account: check.Account.String(),
		MemberURN: check.MemberURN, Person: personOf(check.Person), Conversation: orNil(check.Conversation),
		HeldIDs: orEmpty(check.HeldIDs),
	}
	for _, wanted := range check.Wanted {
		f.Wanted = append(f.Wanted, checkWanted{wanted.Version, wanted.Body, wanted.ApprovedAt.UnixMilli()})
	}
	return f
}

func (s *session) checked(ctx context.Context, f frame) {
	var fields struct {
		CheckToken string           `json:"check_token"`
		Result     send.CheckResult `json:"result"`
		Evidence   json.RawMessage  `json:"evidence"`
	}
	var evidence struct {
		Reason string `json:"reason"`
		Copies []struct {
			Version    int    `json:"version"`
			ProviderID string `json:"provider_id"`
			SentAtMS   int64  `json:"sent_at_ms"`
		} `json:"copies"`
		Conversation string `json:"conversation"`
	}
	if !s.readFields(f, &fields) || !s.readFields(frame{Type: f.Type, ID: f.ID, raw: fields.Evidence}, &evidence) {
		return
	}
	checked := send.Checked{
		Session: s.info, Token: fields.CheckToken, Result: fields.Result, Reason: evidence.Reason, Conversation: evidence.Conversation, Raw: fields.Evidence,
	}
	for _, c := range evidence.Copies {
		seen := send.Copy{ProviderID: c.ProviderID, SentAt: time.UnixMilli(c.SentAtMS)}
		checked.Seen = append(checked.Seen, send.Seen{Copy: seen, Version: c.Version})
	}
	ready := s.gateway.hub.wakeUp(s)
	if err := s.gateway.installs.Checked(ctx, checked); err != nil {
		s.failed(ctx, f, err)
	} else {
		s.say(&plainFrame{answerTo(f, "noted")})
	}
	for _, account := range ready {
		s.gateway.Wake(account)
	}
}
