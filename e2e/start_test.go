package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// Goal: while the acknowledgement of the start is under way, nothing of LinkedIn is contacted, however long it takes.
func TestNothingIsTouchedBeforeStarted(t *testing.T) {
	r := newRig(t, 1, nil)
	in := r.install()
	release := in.proxy.Hold(harness.Upstream, "started")
	m := r.approved(ada, "Hello Ada")
	r.awaitRow(m, "started")
	// It asks a second time, so it was alive and waiting all along.
	r.must(in.proxy.Wait(r.ctx, harness.Install, "start", 2))
	r.wantsUntouched()
	release()
	r.wantsSent(m)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}

// Goal: an acknowledgement and a confirmation that are lost once are asked for again, and nothing is done twice.
func TestLostAnswersAreAskedForAgain(t *testing.T) {
	r := newRig(t, 1, nil)
	in := r.install()
	in.proxy.Lose(harness.Upstream, "started", 1)
	in.proxy.Lose(harness.Upstream, "recorded", 1)
	m := r.approved(ada, "Hello Ada")
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "recorded", 2))
	r.wantsSent(m)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
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

// Goal: a message that was edited after it was leased is not started; its new text goes out once it is approved.
func TestEditBetweenLeaseAndStart(t *testing.T) {
	r := newRig(t, 1, nil)
	in := r.install()
	release := in.proxy.Hold(harness.Install, "start")
	m := r.approved(ada, "Hello Ada")
	r.must(in.proxy.Wait(r.ctx, harness.Install, "start", 1))
	edited, err := r.api.Edit(r.ctx, m.ID, "Hello Ada!")
	r.must(err)
	release()
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "refused", 1))
	if row := r.awaitRow(m, "canceled"); row.IsStarted {
		t.Errorf("the row of the old text is %+v", row)
	}
	r.wantsUntouched()
	r.wants(ada)

	_, err = r.api.Approve(r.ctx, edited)
	r.must(err)
	r.wantsSent(m)
	r.wants(ada, "Hello Ada!")
	r.wantsClicks(1)
}

// Goal: an approval that runs out between lease and start allows nothing.
func TestApprovalExpiresBetweenLeaseAndStart(t *testing.T) {
	const approvalLasts, spare = 7 * 24 * time.Hour, 20 * time.Second
	r := newRig(t, 1, nil)
	in := r.install()
	m, err := r.api.Propose(r.ctx, r.account, ada.Slug, "Hello Ada")
	r.must(err)
	release := in.proxy.Hold(harness.Install, "start")
	in.proxy.Shut()
	_, err = r.api.Approve(r.ctx, m)
	r.must(err)
	r.must(r.database.Advance(r.ctx, approvalLasts-spare))
	in.proxy.Open()
	r.must(in.proxy.Wait(r.ctx, harness.Install, "start", 1))
	r.must(r.database.Advance(r.ctx, spare))
	release()
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "refused", 1))
	if row := r.awaitRow(m, "canceled"); row.IsStarted || row.Code != "approval_expired" {
		t.Errorf("the row is %+v", row)
	}
	r.wantsUntouched()
	r.wants(ada)
}

// Goal: a start that cannot be recorded, because the database is down, comes to nothing until it can be.
func TestDatabaseDownAtTheStart(t *testing.T) {
	r, cluster := newStoppableRig(t)
	in := r.install()
	release := in.proxy.Hold(harness.Install, "start")
	m := r.approved(ada, "Hello Ada")
	r.must(in.proxy.Wait(r.ctx, harness.Install, "start", 1))
	r.must(cluster.Stop(r.ctx))
	release()
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "error", 1))
	r.must(in.proxy.Wait(r.ctx, harness.Install, "start", 2))
	r.wantsUntouched()
	r.wants(ada)

	r.must(cluster.Start(r.ctx))
	r.await(m, "sent")
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}
