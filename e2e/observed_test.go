package e2e_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// Goal: a reply, that a message was read, and one that the recruiter wrote by hand are seen where a browser goes anyway, on its way
// to the next message. Each arrives once, though nobody answers, the frame comes again, and the server is killed meanwhile.
func TestWhatABrowserSeesByTheWay(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	thread, err := r.site.AddThread(rita.Slug, ada.Slug, standin.Message{From: ada.Slug, Text: "Nice to meet you"})
	r.must(err)
	first := r.approved(ada, "Hello Ada")
	r.wantsSent(first)
	r.must(r.site.See(thread.ID, ada.Slug))
	for _, said := range []standin.Message{{From: ada.Slug, Text: "Thank you"}, {From: rita.Slug, Text: "By the way"}} {
		_, err := r.site.Say(thread.ID, said)
		r.must(err)
	}
	in.proxy.Lose(harness.Upstream, "noted", -1)
	second := r.approved(ada, "One more word")
	r.wantsSent(second)
	r.must(in.proxy.Wait(r.ctx, harness.Install, "observed", 2))
	r.server.Kill()
	r.revive(in)
	r.must(in.proxy.Wait(r.ctx, harness.Install, "observed", 3))
	in.proxy.Heal()
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "noted", in.proxy.Count(harness.Upstream, "noted")+1))

	for id, want := range map[string][]string{first.ID: {"manual", "read", "replied"}, second.ID: nil} {
		got, err := r.database.Observed(r.ctx, id)
		r.must(err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			r.Errorf("what is kept of a message (-want +got):\n%s", diff)
		}
	}
	read, err := r.api.Message(r.ctx, first.ID)
	r.must(err)
	if read.Delivery.State != "replied" || read.Delivery.ByHandAt == nil {
		r.Errorf("the first message came to %+v, want a reply, and a message by hand", read.Delivery)
	}
	r.wants(ada, "Hello Ada", "One more word")
	r.wantsClicks(2)
}
