package gateway

import (
	"context"
	"errors"
	"time"

	"sendonce/server/callback"
	"sendonce/server/delivery"
)

// Observers take what installs see in conversations. *callback.Service implements it.
type Observers interface {
	// Observe keeps each fact once. send.ErrBadLease, send.ErrForeignLease, or callback.ErrNotTheirs when the install may not say it.
	Observe(ctx context.Context, observed callback.Observed) error
}

func (s *session) observed(ctx context.Context, f frame) {
	var fields struct {
		Token     string `json:"token"`
		MemberURN string `json:"member_urn"`
		PersonURN string `json:"person_urn"`
		About     string `json:"about"`
		Read      bool   `json:"read"`
		Messages  []struct {
			Kind       delivery.Kind `json:"kind"`
			ProviderID string        `json:"provider_id"`
			AtMS       int64         `json:"at_ms"`
			TextDigest string        `json:"text_digest"`
		} `json:"messages"`
		LookedAtMS int64 `json:"looked_at_ms"`
	}
	if !s.readFields(f, &fields) {
		return
	}
	observed := callback.Observed{
		Session: s.info, Token: fields.Token, MemberURN: fields.MemberURN, PersonURN: fields.PersonURN, About: fields.About,
		Read: fields.Read, LookedAt: time.UnixMilli(fields.LookedAtMS),
	}
	for _, m := range fields.Messages {
		observed.Later = append(observed.Later, callback.Later{Kind: m.Kind, ProviderID: m.ProviderID, At: time.UnixMilli(m.AtMS), TextDigest: m.TextDigest})
	}
	err := s.gateway.observers.Observe(ctx, observed)
	switch {
	case errors.Is(err, callback.ErrNotTheirs):
		s.say(errorTo(f, codeBadLease, callback.ErrNotTheirs.Error()))
	case err != nil:
		s.failed(ctx, f, err)
	default:
		s.say(&plainFrame{answerTo(f, "noted")})
	}
}
