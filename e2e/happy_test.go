package e2e_test

import (
	"testing"

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
		{ben, "Hallo Jürgen,\n\n  zwei  Zeilen, <b>&amp; 👩‍💻 🇩🇪 e\u0301\nund noch eine"},
		{chloe, "שלום כלואה,\nمرحبا — mixed with English 123"},
	} {
		sent := r.await(r.approved(c.person, c.body), "sent")
		if sent.Last().Code != "confirmed" || sent.Body != sent.Body {
			t.Errorf("to %s: %+v", c.person.Slug, sent)
		}
	}
	ledger := r.site.Ledger()
	if len(ledger) != 3 || len(r.site.Clicks()) != 3 {
		t.Errorf("the ledger holds %+v", ledger)
	}
}
