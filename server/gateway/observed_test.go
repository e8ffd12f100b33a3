package gateway

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/callback"
	"sendonce/server/config"
	"sendonce/server/delivery"
	"sendonce/server/send"
)

func (s *script) Observe(_ context.Context, observed callback.Observed) error {
	return s.do(func() error {
		s.observed = append(s.observed, observed)
		return map[string]error{"forged": send.ErrBadLease, "of another user": send.ErrForeignLease, "of a stranger": callback.ErrNotTheirs}[observed.Token]
	})
}

// What an install saw arrives as it was said, and is answered by what became of it; what a frame may not hold never arrives.
func TestWhatAnInstallSaw(t *testing.T) {
	t.Parallel()
	const rita, ada, about = "urn:li:fsd_profile:ACoAAR1", "urn:li:fsd_profile:ACoAAA1", "urn:li:msg_message:1"
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	id := uuid.New()
	p.hello(id)
	later := func(kind string, digested ...string) map[string]any {
		m := map[string]any{"kind": kind, "provider_id": "urn:" + kind, "at_ms": 1_795_982_300_500}
		for _, field := range digested {
			m[field] = someDigest
		}
		return m
	}
	say := func(token string, messages ...any) {
		p.say("observed", "token", token, "member_urn", rita, "person_urn", ada, "about", about, "read", true,
			"messages", append([]any{}, messages...), "looked_at_ms", 1_795_990_000_000)
	}
	say("lease-token", later("replied"), later("manual", "text_digest"))
	p.hears("noted")
	got := s.observed[0]
	if got.Session.Install != id {
		t.Errorf("said by %s, want %s", got.Session.Install, id)
	}
	got.Session = send.Session{}
	at := time.UnixMilli(1_795_982_300_500)
	want := callback.Observed{
		Token: "lease-token", MemberURN: rita, PersonURN: ada, About: about, Read: true, LookedAt: time.UnixMilli(1_795_990_000_000),
		Later: []callback.Later{{Kind: delivery.Replied, ProviderID: "urn:replied", At: at}, {Kind: delivery.Manual, ProviderID: "urn:manual", At: at, TextDigest: someDigest}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, token := range []string{"forged", "of another user", "of a stranger"} {
		say(token)
		p.hearsError(codeBadLease)
	}
	s.setDown(true)
	say("lease-token")
	p.hearsError(codeUnavailable)
	s.setDown(false)
	many := make([]any, config.ObservedPerFrameMax+1)
	for i := range many {
		many[i] = later("replied")
	}
	for field, messages := range map[string][]any{
		"messages":                many,
		"messages[0].kind":        {later("delivered")},
		"messages[1].text":        {later("replied"), later("manual", "text_digest", "text")},
		"messages[0].text_digest": {later("manual")},
		"messages[1].text_digest": {later("replied"), later("replied", "text_digest")},
	} {
		say("lease-token", messages...)
		if f := p.hearsError(codeMalformed); f["field"] != field {
			t.Errorf("%v names %v, want %s", messages, f["field"], field)
		}
	}
	if len(s.observed) != 4 {
		t.Errorf("%d arrived, want the 4 that are whole", len(s.observed))
	}
}
