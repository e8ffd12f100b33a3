package gateway

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func (p *peer) sayReport() {
	p.t.Helper()
	p.say("report", "lease_token", "token", "attempt", nil, "end", "acted",
		"evidence", json.RawMessage(`{"answer":{"kind":"status","status":429},"double":true,"foreign":false,"look":"found",
			"copies":[{"provider_id":"urn:li:msg_message:1","sent_at_ms":1795982300000},{"provider_id":"urn:li:msg_message:2","sent_at_ms":0}],
			"conversation":"2-abc","origin_token":null,"retry_after_ms":5000,"acted_at_ms":null}`),
		"outcome", map[string]any{"status": "sent", "code": "confirmed", "reason": nil})
}

// attempts that were made and answered: the life of one lease, frame by frame.
func TestTheLifeOfALease(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	p.say("ready", "accounts", []any{s.account})
	s.until(t, "asked because it is ready", func() bool { return len(s.asked) == 1 })
	lease := s.lease("Hello <Ada>")
	s.offer(lease)
	g.Wake(s.account)
	f := p.hears("lease")
	if f["lease_token"] != lease.Token || f["body"] != "Hello <Ada>" || f["conversation"] != nil || len(f["held_ids"].([]any)) != 0 {
		t.Errorf("%v", f)
	}

	s.start = func(ask send.StartAsk) (send.Started, error) {
		if ask.LeaseToken != lease.Token || ask.Attempt != attemptOne || ask.Digest != someDigest {
			t.Errorf("%+v", ask)
		}
		return send.Started{Attempt: ask.Attempt, Touch: time.Minute, Deadline: 6 * time.Minute, Mark: send.Mark{Epoch: 1, Event: 7}}, nil
	}
	id := p.say("start", "lease_token", lease.Token, "attempt", attemptOne, "digest", someDigest)
	if f := p.hears("started"); f["re"] != id || f["touch_within_ms"] != 60000. || f["deadline_ms"] != 360000. || f["event"] != 7. {
		t.Errorf("%v", f)
	}
	resolved := []any{
		"lease_token", lease.Token, "attempt", attemptOne, "person_urn", "urn:li:fsd_profile:ACoAAA1",
		"slug", nil, "name", "Ada Example", "connected", true, "participants", 1,
	}
	p.say("resolved", resolved...)
	p.hears("proceed")
	_ = s.do(func() error { s.resolve = "replied"; return nil })
	p.say("resolved", resolved...)
	if f := p.hears("halt"); f["code"] != "replied" {
		t.Errorf("%v", f)
	}
	p.sayReport()
	if f := p.hears("recorded"); f["status"] != "sent" || f["event"] != 9. {
		t.Errorf("%v", f)
	}
	p.say("gone", "lease_token", lease.Token)
	p.hears("noted")
	p.say("gone", "lease_token", "forged")
	p.hearsError(codeBadLease)
	p.say("release", "lease_token", lease.Token, "code", "busy")
	p.hears("released")

	want := send.Report{
		LeaseToken: "token", Conversation: "2-abc", RetryAfter: 5 * time.Second,
		Acted: &rule.Acted{
			Answer: rule.Answer{Kind: rule.AnswerStatus, Status: 429}, Double: true, Look: rule.LookFound, Copies: 2,
		},
		Copies:  []send.Copy{{ProviderID: "urn:li:msg_message:1", SentAt: time.UnixMilli(1_795_982_300_000)}, {ProviderID: "urn:li:msg_message:2"}},
		Claimed: rule.Outcome{Status: rule.Sent, Code: "confirmed"},
	}
	got := s.reports[0]
	if !strings.Contains(string(got.Raw), `"retry_after_ms":5000`) {
		t.Errorf("the evidence is not kept as it came: %s", got.Raw)
	}
	got.Raw, got.Session = nil, send.Session{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestARefusedStart(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.start = func(send.StartAsk) (send.Started, error) {
		return send.Started{}, &send.Refused{Code: rule.LeaseExpired}
	}
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	p.say("start", "lease_token", "token", "attempt", attemptOne, "digest", someDigest)
	if f := p.hears("refused"); f["code"] != "lease_expired" || f["text"] != rule.LeaseExpired.Text() {
		t.Errorf("%v", f)
	}
	p.say("start", "lease_token", "token", "attempt", "short", "digest", someDigest)
	if f := p.hearsError(codeMalformed); f["field"] != "attempt" {
		t.Errorf("%v", f)
	}
}

func TestThePollFindsWhatNothingWoke(t *testing.T) {
	t.Parallel()
	s := newScript()
	settings := unhurried
	settings.PollEvery = 20 * time.Millisecond
	_, url, _ := serve(t, s, settings)
	p := dial(t, url)
	p.hello(uuid.New())
	p.say("ready", "accounts", []any{s.account})
	s.until(t, "asked because it is ready", func() bool { return len(s.asked) == 1 })
	s.offer(s.lease("Hello Ada"))
	p.hears("lease")
}

func TestNothingIsLeasedToWhoMayNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules install.Rules
		ready func(s *script) []any
	}{
		"not said to be ready": {install.RulesCurrent, func(*script) []any { return []any{} }},
		"not its account":      {install.RulesCurrent, func(*script) []any { return []any{uuid.New()} }},
		"outdated rules":       {install.RulesOutdated, func(s *script) []any { return []any{s.account} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript()
			s.rules = c.rules
			g, url, _ := serve(t, s, unhurried)
			p := dial(t, url)
			p.hello(uuid.New())
			s.offer(s.lease("Hello Ada"))
			p.say("ready", "accounts", c.ready(s))
			p.say("ping")
			p.hears("pong") // the frames are taken in order
			if g.hub.wake(s.account) || len(g.hub.readyAccounts()) != 0 {
				t.Error("a lease would be asked")
			}
		})
	}
}

// Worker heart-beats but no longer listens: it is given three leases, and then another install of the account has them.
func TestAnInstallThatAnswersNoLeaseGetsNoMore(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	deaf, well := dial(t, url), dial(t, url)
	deaf.hello(uuid.New())
	deaf.say("ready", "accounts", []any{s.account})
	for range config.LeasesUnansweredMax {
		s.offer(s.lease("Hello Ada"))
		g.Wake(s.account)
		deaf.hears("lease")
	}
	if got := len(g.hub.readyAccounts()); got != 0 {
		t.Errorf("still ready for %d accounts", got)
	}
	deaf.say("ready", "accounts", []any{s.account})
	deaf.say("ping")
	deaf.hears("pong")
	if got := len(g.hub.readyAccounts()); got != 0 {
		t.Fatalf("ready for %d accounts after %d leases without an answer", got, config.LeasesUnansweredMax)
	}
	well.hello(uuid.New())
	s.offer(s.lease("Hello Ada"))
	well.say("ready", "accounts", []any{s.account})
	well.hears("lease")

	deaf.say("release", "lease_token", "token", "code", "expired")
	deaf.hears("released")
	s.offer(s.lease("Hello Ada"))
	well.say("ready", "accounts", []any{})
	well.say("ping")
	well.hears("pong")
	deaf.say("ready", "accounts", []any{s.account})
	deaf.hears("lease")
}

func TestALeaseThatDoesNotFitAFrameIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	large := s.lease(strings.Repeat("🙂", config.BodyRunesMax))
	for range config.HeldIDsPerFrameMax {
		large.HeldIDs = append(large.HeldIDs, strings.Repeat("u", config.URNRunesMax))
	}
	s.offer(large)
	p.say("ready", "accounts", []any{s.account})
	s.until(t, "the lease is given back", func() bool { return len(s.released) == 1 && s.released[0] == large.Token+" refused" })
}

// A browser that a person pauses is told, and another one of the account takes what comes without waiting for a poll.
func TestAPausedInstallIsToldAndAnotherTakesItsPlace(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	held, other := dial(t, url), dial(t, url)
	paused := uuid.New()
	held.hello(paused)
	held.say("ready", "accounts", []any{s.account})
	other.hello(uuid.New())
	other.say("ready", "accounts", []any{s.account})
	s.until(t, "both are ready", func() bool { return len(s.asked) >= 2 })
	pause := func(on bool) {
		_ = s.do(func() error { s.paused[paused] = on; return nil })
		g.InstallChanged(paused)
		if f := held.hears("pause"); f["on"] != on {
			t.Fatalf("%v", f)
		}
	}
	pause(true)
	for range config.LeasesUnansweredMax - 1 {
		s.offer(s.lease("Hello Ada"))
		g.Wake(s.account)
		other.hears("lease")
	}
	other.say("ready", "accounts", []any{})
	other.say("ping")
	other.hears("pong")
	s.offer(s.lease("Hello Ada"))
	pause(false)
	held.hears("lease")
}
