package console_test

import (
	"strings"
	"testing"
)

// Each page says before a pause what it will do, afterwards what it met, and who paused; two taps are one pause.
func TestPauseOnThePages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.approved("Hello Ada")
	s.moveTo(append(begun, `UPDATE account_slots SET send_id = (SELECT id FROM sends)`)...)
	var account, install string
	if err := s.admin.QueryRow(t.Context(), `SELECT a.id, i.id FROM accounts a, installs i`).Scan(&account, &install); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ page, path, before string }{
		{"/accounts", "/accounts/" + account, "Nothing more is sent from this account"},
		{"/installs", "/installs/" + install, "This browser is handed nothing more"},
		{"/", "/workspace", "Nothing more is sent by anyone of the team"},
	} {
		shown := s.get(c.page)
		if !strings.Contains(shown.Body, c.before) {
			t.Errorf("%s does not say what a pause does", c.page)
		}
		form := shown.form(t, c.path+"/pause")
		form.Set("note", "on <holiday>")
		for range 2 {
			p := s.post(c.path+"/pause", form)
			if p.Status != 200 || p.Path != c.page || !strings.Contains(p.Body, "1 send has begun and will end by itself.") ||
				!strings.Contains(p.Body, "on &lt;holiday&gt;") {
				t.Errorf("%s: %d %s %s", c.path, p.Status, p.Path, p.Body)
			}
		}
		p := s.post(c.path+"/resume", s.get(c.page).form(t, c.path+"/resume"))
		if p.Status != 200 || strings.Contains(p.Body, "holiday") {
			t.Errorf("%s after the resume: %d %s", c.path, p.Status, p.Body)
		}
	}
}

// While the team or everything is paused, the pages say so, and a queued message says what it waits for.
func TestPagesSayWhatHoldsEverything(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.approved("Hello Ada")
	s.count(`WITH paused AS (UPDATE pause_of_everything SET paused_at = sendonce_now(), pause_note = 'LinkedIn changed' RETURNING 1) SELECT count(*) FROM paused`)
	for _, path := range []string{"/", "/accounts", "/installs"} {
		if p := s.get(path); !strings.Contains(p.Body, "All sending by this server is paused") || !strings.Contains(p.Body, "LinkedIn changed") {
			t.Errorf("%s does not say that everything is paused", path)
		}
	}
	if p := s.get("/"); !strings.Contains(p.Body, "Waiting: all sending by this server is paused.") {
		t.Errorf("the queued message does not say what it waits for")
	}
}

// A withdrawal from a page that was loaded before the send began says that it has, and how it ends.
func TestWithdrawalThatComesTooLate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	id := s.approved("Hello Ada")
	path := "/messages/" + id.String() + "/withdrawal"
	form := s.get("/messages/"+id.String()).form(t, path)
	s.moveTo(begun...)
	p := s.post(path, form)
	if p.Status != 409 || !strings.Contains(p.Body, "Sending has begun") || !strings.Contains(p.Body, "It ends by itself") {
		t.Errorf("%d %s", p.Status, p.Body)
	}
}
