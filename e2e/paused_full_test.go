//go:build full

package e2e_test

import (
	"errors"
	"net/http"
	"testing"

	"sendonce/e2e/harness"
)

// Goal: what a person holds back between lease and start is taken back and nothing of LinkedIn is contacted for it; once
// it may go on it goes out once. What has begun is not taken back, and the person is told so. All in one browser.
func TestHeldBackBetweenLeaseAndStart(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	installs, err := r.api.Installs(r.ctx)
	r.must(err)
	for _, c := range []struct{ name, scope, waits string }{
		{"the account is paused", "accounts/" + r.account, "account_paused"},
		{"the browser is paused", "installs/" + installs[0], "install_paused"},
		{"the workspace is paused", "workspace", "workspace_paused"},
	} {
		t.Run(c.name, func(t *testing.T) { r.attempt(t, in, c.waits).isPausedBeforeTheStart(c.scope, c.waits) })
	}
	t.Run("the message is withdrawn", func(t *testing.T) { r.attempt(t, in, "withdrawn").isWithdrawnBeforeTheStart() })
	t.Run("the message is withdrawn too late", func(t *testing.T) { r.attempt(t, in, "too-late").isWithdrawnAfterTheStart() })
	t.Run("the account is paused too late", func(t *testing.T) { r.attempt(t, in, "begun").isPausedAfterTheStart() })
}

func (s *struck) isPausedBeforeTheStart(scope, waits string) {
	release := s.stopAt(atStart)
	settled, err := s.api.Pause(s.ctx, scope)
	s.must(err)
	if want := (harness.Settled{TakenBack: 1}); settled != want {
		s.Errorf("the pause met %+v, want %+v", settled, want)
	}
	s.isRefused(release)
	read := s.await(s.m, "queued")
	if last := read.Last(); last.WaitingFor != waits || last.StartedAt != nil {
		s.Errorf("the send is %+v, want it to wait for %s", last, waits)
	}
	s.wantsUntouched()
	s.wants(s.person)

	s.must(s.api.Resume(s.ctx, scope))
	s.wantsSent(s.m, "queued", "leased", "queued", "leased", "started", "sent")
	s.wants(s.person, s.body())
	s.wantsClicks(s.since.clicks + 1)
}

func (s *struck) isWithdrawnBeforeTheStart() {
	release := s.stopAt(atStart)
	s.must(s.api.Withdraw(s.ctx, s.m.ID))
	s.isRefused(release)
	if row := s.awaitRow(s.m, "canceled"); row.IsStarted {
		s.Errorf("the row is %+v", row)
	}
	s.wantsUntouched()
	s.wants(s.person)
}

func (s *struck) isWithdrawnAfterTheStart() {
	release := s.stopAt(atStarted)
	var problem *harness.Problem
	err := s.api.Withdraw(s.ctx, s.m.ID)
	if !errors.As(err, &problem) || problem.Status != http.StatusConflict || problem.Code != "too_late_to_change" {
		s.Errorf("the withdrawal came to %v, want too_late_to_change", err)
	}
	s.wantsUntouched()
	release()
	s.wantsSentOnce(s.body())
}

func (s *struck) isPausedAfterTheStart() {
	release := s.stopAt(atStarted)
	scope := "accounts/" + s.account
	settled, err := s.api.Pause(s.ctx, scope)
	s.must(err)
	if want := (harness.Settled{Begun: 1}); settled != want {
		s.Errorf("the pause met %+v, want %+v", settled, want)
	}
	release()
	s.wantsSentOnce(s.body())
	s.must(s.api.Resume(s.ctx, scope))
}
