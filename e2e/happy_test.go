package e2e_test

import (
	"testing"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// Goal: what was approved goes out once, byte for byte, to whom it was meant for: into an existing conversation, and as
// a first message.
func TestApprovedMessagesGoOutOnce(t *testing.T) {
	r := newRig(t, 1, nil)
	_, err := r.site.AddThread(rita.Slug, ada.Slug, standin.Message{From: ada.Slug, Text: "Hi Rita"})
	r.must(err)
	r.install()
	for _, c := range []struct {
		person standin.Person
		body   string
	}{
		{ada, "Hello Ada"},
		{ben, "Hallo Jürgen,\n\n  zwei  Zeilen, <b>&amp; 👩‍💻 🇩🇪 é\nund noch eine"},
		{chloe, "שלום כלואה,\nمرحبا — mixed with English 123"},
	} {
		m := r.approved(c.person, c.body)
		r.wantsSent(m)
		r.wants(c.person, c.body)
	}
	r.wantsClicks(3)
}

// Goal: two installs of one account work on one message at a time.
func TestTwoInstallsOfOneAccountTakeTurns(t *testing.T) {
	r := newRig(t, 2, nil)
	first, second := r.install(), r.install()
	var messages []harness.Message
	for _, person := range []standin.Person{ada, ben, chloe} {
		messages = append(messages, r.approved(person, "Hello "+person.Name))
	}
	for _, m := range messages {
		r.wantsSent(m)
	}
	for _, person := range []standin.Person{ada, ben, chloe} {
		r.wants(person, "Hello "+person.Name)
	}
	r.wantsClicks(3)
	leases := first.proxy.Count(harness.Upstream, "lease") + second.proxy.Count(harness.Upstream, "lease")
	if leases != 3 {
		t.Errorf("%d leases were handed out, want 3", leases)
	}
}
