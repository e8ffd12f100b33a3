package e2e_test

import (
	"slices"
	"testing"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// hasReplied is how a send ends when the browser saw a reply before it typed.
var hasReplied = result{rule.Failed, "not_attempted", "replied"}

// Goal: five people of a list are written to in two steps, each step once and in order. One of them replies to the first while the lease
// for the second is on its way: the browser sees it before it types, they get no second message, and the others do. The list imported
// and everybody enrolled once more sends nothing.
func TestASequenceAndAReply(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	s := newSequenced(r)
	in := s.install()
	s.creates()
	s.approves(question, s.people...)
	s.awaitEnrolled(len(s.people), "running", "not_due")
	for _, person := range s.people {
		s.wants(person, says(question, person))
	}
	s.wantsClicks(len(s.people))

	s.later(untilReminded * aDay)
	leased, release := in.proxy.HoldNew(harness.Upstream, "lease")
	reminders := s.approves(reminder, s.people...)
	s.must(leased(s.ctx))
	replier := s.onTheWay(in)
	s.replies(replier)
	release()
	others := slices.DeleteFunc(slices.Clone(s.people), func(p standin.Person) bool { return p == replier })
	s.awaitEnrolled(1, "stopped", "replied")
	s.awaitEnrolled(len(others), "finished", "all_said")
	s.wantsEnd(reminders[replier.Name], hasReplied)
	s.wantsTold(replier, others)

	again := s.imports(harness.Import{
		Verdicts: map[string]int{"contacted": len(s.people)}, Outcomes: map[string]int{"unchanged": len(s.people)},
	})
	s.enrolsNobody(again)
	s.awaitEnrolled(1, "stopped", "replied")
	s.wantsNothingToSend()
	s.wantsTold(replier, others)
}

// wantsTold holds the whole sequence against the ledger and the clicks: both steps to the others, the first to who replied.
func (s *sequenced) wantsTold(replier standin.Person, others []standin.Person) {
	s.Helper()
	s.wants(replier, says(question, replier))
	for _, person := range others {
		s.wants(person, says(question, person), says(reminder, person))
	}
	s.wantsClicks(1 + 2*len(others))
}

// enrolsNobody enrols the list once more: whoever was in the sequence is refused, also who replied.
func (s *sequenced) enrolsNobody(list string) {
	s.Helper()
	for _, one := range s.enrols(list) {
		if one.Refused == nil || one.Refused.Code != "already_enrolled" {
			s.Errorf("row %d is enrolled once more, or refused otherwise: %v", one.Row, one.Refused)
		}
	}
}

// wantsNothingToSend: nothing of the sequence waits to be approved, sent, or sent again.
func (s *sequenced) wantsNothingToSend() {
	s.Helper()
	batch, err := s.api.PreviewBatch(s.ctx, s.sequence)
	s.must(err)
	retriable, err := s.api.Retriable(s.ctx, s.sequence)
	s.must(err)
	queued, err := s.api.Sends(s.ctx, "queued")
	s.must(err)
	if batch.Total != 0 || retriable != 0 || len(queued) != 0 {
		s.Errorf("%d wait for approval, %d may be sent again, %d are queued; want none", batch.Total, retriable, len(queued))
	}
}
