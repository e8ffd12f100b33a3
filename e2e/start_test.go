package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// Goal: whatever is lost or changes between lease and start, nothing of LinkedIn is contacted before the start is
// acknowledged, and what is acknowledged goes out once. All in one browser; the last moves the clock by a week.
func TestBetweenLeaseAndStart(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	for _, c := range []struct {
		name, slug string
		run        func(*struck)
	}{
		{"the acknowledgement is long under way", "unacknowledged", (*struck).isUntouchedBeforeStarted},
		{"an acknowledgement and a confirmation are lost", "lost-answers", (*struck).asksAgain},
		{"the message is edited", "edited", (*struck).isEditedBeforeTheStart},
		{"the approval expires", "expired", (*struck).expiresBeforeTheStart},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(r.attempt(t, in, c.slug)) })
	}
}

// wantsSentOnce waits until the message is sent, by one click.
func (s *struck) wantsSentOnce(text string) {
	s.Helper()
	s.wantsSent(s.m)
	s.wants(s.person, text)
	s.wantsClicks(s.since.clicks + 1)
}

func (s *struck) isUntouchedBeforeStarted() {
	asked := s.in.proxy.Count(harness.Install, "start")
	release := s.stopAt(atStarted)
	// It asks a second time, so it was alive and waiting all along.
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "start", asked+2))
	s.wantsUntouched()
	release()
	s.wantsSentOnce(s.body())
}

func (s *struck) asksAgain() {
	recorded := s.in.proxy.Count(harness.Upstream, "recorded")
	s.in.proxy.Lose(harness.Upstream, "started", 1)
	s.in.proxy.Lose(harness.Upstream, "recorded", 1)
	s.m = s.approved(s.person, s.body())
	s.must(s.in.proxy.Wait(s.ctx, harness.Upstream, "recorded", recorded+2))
	s.wantsSentOnce(s.body())
}

// isEditedBeforeTheStart: the old text is not started; the new one goes out once it is approved.
func (s *struck) isEditedBeforeTheStart() {
	const text = "Hello again!"
	release := s.stopAt(atStart)
	edited, err := s.api.Edit(s.ctx, s.m.ID, text)
	s.must(err)
	s.isRefused(release)
	if row := s.awaitRow(s.m, "canceled"); row.IsStarted {
		s.Errorf("the row of the old text is %+v", row)
	}
	s.wantsUntouched()
	s.wants(s.person)

	_, err = s.api.Approve(s.ctx, edited)
	s.must(err)
	s.wantsSentOnce(text)
}

// isRefused lets a start go on that must be refused.
func (s *struck) isRefused(release func()) {
	s.Helper()
	refused := s.in.proxy.Count(harness.Upstream, "refused")
	release()
	s.must(s.in.proxy.Wait(s.ctx, harness.Upstream, "refused", refused+1))
}

func (s *struck) expiresBeforeTheStart() {
	const approvalLasts, spare = 7 * 24 * time.Hour, 20 * time.Second
	var err error
	s.m, err = s.api.Propose(s.ctx, s.account, s.person.Slug, s.body())
	s.must(err)
	arrived, release := atStart.hold(s)
	s.in.proxy.Shut()
	_, err = s.api.Approve(s.ctx, s.m)
	s.must(err)
	s.must(s.database.Advance(s.ctx, approvalLasts-spare))
	s.in.proxy.Open()
	arrived()
	s.must(s.database.Advance(s.ctx, spare))
	s.isRefused(release)
	if row := s.awaitRow(s.m, "canceled"); row.IsStarted || row.Code != "approval_expired" {
		s.Errorf("the row is %+v", row)
	}
	s.wantsUntouched()
	s.wants(s.person)
}

// Goal: a start whose acknowledgement never arrives comes to nothing, and is reported as that.
func TestStartNeverAcknowledged(t *testing.T) {
	r := newRig(t, 1, map[string]string{"SENDONCE_LEASE_LASTS": "6s"})
	in := r.install()
	in.proxy.Lose(harness.Upstream, "started", -1)
	m := r.approved(ada, "Hello Ada")
	failed := r.await(m, "failed").Last()
	if failed.Code != "not_attempted" || failed.Reason != "too_late" {
		t.Errorf("the send is %+v", failed)
	}
	r.wantsUntouched()
	r.wants(ada)
}
