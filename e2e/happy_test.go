package e2e_test

import (
	"testing"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// Goal: what was approved goes out once, byte for byte, to whom it was meant for: into an existing conversation, and as
// a first message. Two installs of one account work on one message at a time.
func TestApprovedMessagesGoOutOnce(t *testing.T) {
	r := newRig(t, 2, nil)
	_, err := r.site.AddThread(rita.Slug, ada.Slug, standin.Message{From: ada.Slug, Text: "Hi Rita"})
	r.must(err)
	first, second := r.install(), r.install()
	approved := []struct {
		person standin.Person
		body   string
	}{
		{ada, "Hello Ada"},
		{ben, "Hallo Jürgen,\n\n  zwei  Zeilen, <b>&amp; 👩‍💻 🇩🇪 é\nund noch eine"},
		{chloe, "שלום כלואה,\nمرحبا — mixed with English 123"},
	}
	var messages []harness.Message
	for _, a := range approved {
		messages = append(messages, r.approved(a.person, a.body))
	}
	for _, m := range messages {
		r.wantsSent(m)
	}
	for _, a := range approved {
		r.wants(a.person, a.body)
	}
	r.wantsClicks(len(approved))
	leases := first.proxy.Count(harness.Upstream, "lease") + second.proxy.Count(harness.Upstream, "lease")
	if leases != len(approved) {
		t.Errorf("%d leases were handed out, want %d", leases, len(approved))
	}
}
