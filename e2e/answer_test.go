package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"sendonce/e2e/standin"
)

// Goal: an answer that proves nothing is settled by the conversation alone: found is sent, anything else needs a look,
// and nothing is sent again by a machine.
func TestAnswersThatProveNothing(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		name string
		do   standin.Answer
		code string
	}{
		{"503", standin.Status(http.StatusServiceUnavailable), "server_error"},
		{"500", standin.Status(http.StatusInternalServerError), "server_error"},
		{"hang", standin.Hang, "no_answer"},
	} {
		t.Run(answer.name, func(t *testing.T) {
			r := newRig(t, 1, map[string]string{"SENDONCE_ANSWER_WITHIN": "5s"})
			r.install()
			for i, c := range []struct {
				person standin.Person
				fault  standin.Fault
				sent   bool
				copies []string
			}{
				{ada, standin.Fault{When: standin.BeforeAccept, Do: answer.do}, false, nil},
				{ben, standin.Fault{When: standin.AfterAccept, Do: answer.do}, true, []string{"Hello"}},
				{chloe, standin.Fault{When: standin.AfterAccept, Do: answer.do, HideFromThread: standin.NewGate()}, false, []string{"Hello"}},
			} {
				r.fault(c.person, c.fault)
				m := r.approved(c.person, "Hello")
				if c.sent {
					r.wantsSent(m)
				} else {
					r.wantsUnconfirmed(m, answer.code)
				}
				r.wants(c.person, c.copies...)
				r.wantsClicks(i + 1)
			}
			if got := r.site.CreateRequests(); got != 3 {
				t.Errorf("%d delivery requests arrived, want 3", got)
			}
		})
	}
}

// Goal: a 2xx is no evidence: without the message in the conversation the send needs a look.
func TestSuccessWithoutEvidence(t *testing.T) {
	r := newRig(t, 1, nil)
	r.fault(ada, standin.Fault{When: standin.BeforeAccept, Do: standin.Status(http.StatusOK)})
	r.install()
	m := r.approved(ada, "Hello Ada")
	r.wantsUnconfirmed(m, "no_evidence")
	r.wants(ada)
	r.wantsClicks(1)
}

// Goal: a rate limit, which comes before the message is taken, ends in a new row after the pause, and in one copy.
func TestRateLimitMakesANewRow(t *testing.T) {
	const pause = time.Hour
	r := newRig(t, 1, nil)
	r.must(r.site.Fault(standin.FaultMatch{Nth: 1}, standin.Fault{
		When: standin.BeforeAccept, Do: standin.Status(http.StatusTooManyRequests), RetryAfter: pause,
	}))
	r.install()
	m := r.approved(ada, "Hello Ada")
	failed := r.await(m, "failed").Last()
	if failed.Code != "rate_limited" {
		t.Errorf("the limited send is %+v", failed)
	}
	r.wantsClicks(1)
	r.must(r.database.Advance(r.ctx, pause))
	r.wantsSent(m)
	rows, err := r.database.Rows(r.ctx, m.ID)
	r.must(err)
	if len(rows) != 2 || rows[0].Status != "failed" || !rows[1].IsRetry || rows[1].Ordinal != 2 {
		t.Errorf("the rows are %s", fmt.Sprintf("%+v", rows))
	}
	r.wants(ada, "Hello Ada")
	r.wantsClicks(2)
}

// Goal: a 403 stops the account until a person clears it, and the next message goes then.
func TestRefusedAccountWaitsForAPerson(t *testing.T) {
	r := newRig(t, 1, nil)
	r.fault(ada, standin.Fault{When: standin.BeforeAccept, Do: standin.Status(http.StatusForbidden)})
	r.install()
	m := r.approved(ada, "Hello Ada")
	if failed := r.await(m, "failed").Last(); failed.Code != "account_stopped" {
		t.Errorf("the refused send is %+v", failed)
	}
	next := r.approved(ben, "Hello Jürgen")
	waiting, err := r.api.Message(r.ctx, next.ID)
	r.must(err)
	if last := waiting.Last(); last.Status != "queued" || last.WaitingFor != "account_stopped" {
		t.Errorf("the next send is %+v", last)
	}
	r.must(r.api.Clear(r.ctx, r.account))
	r.wantsSent(next)
	r.wants(ada)
	r.wants(ben, "Hello Jürgen")
	r.wantsClicks(2)
}
