package gateway

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/send"
)

// A check is given when there is nothing to send, and what was found arrives as it was said.
func TestACheckFollowsTheLeases(t *testing.T) {
	t.Parallel()
	s := newScript()
	lease := s.lease("Hello Ada")
	s.offer(lease)
	s.checks = []*send.Check{{
		Token: "check-token", Send: uuid.New(), Account: s.account, MemberURN: "urn:li:fsd_profile:ACoAAR1",
		Person: send.Recipient{ID: uuid.New(), Name: "Ada Example", URN: "urn:li:fsd_profile:ACoAAA1"},
		Wanted: []send.Wanted{{Version: 2, Body: "Hello <Ada>", ApprovedAt: time.UnixMilli(1_795_982_300_000)}},
	}}
	g, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	p.say("ready", "accounts", []any{s.account})
	p.hears("lease")
	g.Wake(s.account)
	f := p.hears("check")
	wanted := []any{map[string]any{"version": 2., "body": "Hello <Ada>", "approved_at_ms": 1795982300000.}}
	if f["check_token"] != "check-token" || f["conversation"] != nil || !cmp.Equal(f["wanted"], wanted) {
		t.Errorf("%v", f)
	}
	evidence := json.RawMessage(`{"reason":null,"copies":[{"version":2,"provider_id":"urn:1","sent_at_ms":1795982300500}],` +
		`"conversation":"2-abc","messages":3,"oldest_at_ms":1795900000000,"looked_at_ms":1795990000000}`)
	p.say("checked", "check_token", "check-token", "result", "found", "evidence", evidence)
	p.hears("noted")
	p.say("checked", "check_token", "forged", "result", "found", "evidence", evidence)
	p.hearsError(codeBadLease)
	got := s.checked[0]
	got.Session = send.Session{}
	want := send.Checked{
		Token: "check-token", Result: send.CheckFound, Conversation: "2-abc", Raw: evidence,
		Seen: []send.Seen{{Copy: send.Copy{ProviderID: "urn:1", SentAt: time.UnixMilli(1_795_982_300_500)}, Version: 2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func (s *script) check(body string) *send.Check {
	return &send.Check{
		Token: "t", Send: uuid.New(), Account: s.account, MemberURN: "urn:li:fsd_profile:ACoAAR1",
		Person: send.Recipient{ID: uuid.New()}, Wanted: []send.Wanted{{Version: 1, Body: body, ApprovedAt: time.UnixMilli(1)}},
	}
}

// asked is a session that was given a check, and has not answered it when there is something to send.
func asked(t *testing.T) (*script, *Gateway, *peer) {
	t.Helper()
	s := newScript()
	s.checks = []*send.Check{s.check("Hello Ada")}
	g, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	p.say("ready", "accounts", []any{s.account})
	p.hears("check")
	s.offer(s.lease("Hello Ada"))
	return s, g, p
}

// A session that was given a check is given no lease beside it, until it says what it is ready for or what it found.
func TestNoLeaseBesideACheck(t *testing.T) {
	t.Parallel()
	evidence := json.RawMessage(`{"reason":"busy","copies":[],"conversation":null,"messages":0,"oldest_at_ms":null,"looked_at_ms":1}`)
	for name, goOn := range map[string]func(*peer, uuid.UUID){
		"ready": func(p *peer, account uuid.UUID) { p.say("ready", "accounts", []any{account}) },
		"checked": func(p *peer, _ uuid.UUID) {
			p.say("checked", "check_token", "t", "result", "could_not_check", "evidence", evidence)
			p.hears("noted")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, g, p := asked(t)
			g.Wake(s.account)
			p.say("ping")
			p.hears("pong") // and no lease before it
			goOn(p, s.account)
			p.hears("lease")
		})
	}
}

// A browser that never answers its check is given leases again once every check would have ended, and not before.
func TestACheckWithoutAnAnswerHoldsLeasesUpForATime(t *testing.T) {
	t.Parallel()
	_, g, p := asked(t)
	for _, c := range []struct {
		now   time.Duration
		wakes bool
	}{{config.CheckRestMax - time.Second, false}, {g.age() + config.CheckRestMax, true}} {
		if err := g.pollOnce(t.Context(), c.now); err != nil {
			t.Fatal(err)
		}
		p.say("ping")
		if c.wakes {
			p.hearsBoth("lease", "pong")
		} else {
			p.hears("pong") // and no lease before it
		}
	}
}

// A check that is too much for a frame holds nothing up.
func TestACheckThatCannotBeSaidHoldsNothingUp(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.checks = []*send.Check{s.check(strings.Repeat("a", config.BodyRunesMax+1))}
	settings := unhurried
	settings.PollEvery = 20 * time.Millisecond
	_, url, _ := serve(t, s, settings)
	p := dial(t, url)
	p.hello(uuid.New())
	p.say("ready", "accounts", []any{s.account})
	s.until(t, "the check is taken", func() bool { return len(s.checks) == 0 })
	s.offer(s.lease("Hello Ada"))
	p.hears("lease")
}
