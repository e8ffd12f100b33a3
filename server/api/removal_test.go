package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sendonce/server/postgres"
)

func (s *server) previewRemoval(id string) answer {
	s.t.Helper()
	a := s.ask("GET", "/v1/people/"+id+"/removal", "", s.as("admin"))
	if a.Status != 200 {
		s.t.Fatalf("preview: %d %s", a.Status, a.Body)
	}
	return a
}

// remove removes exactly whom a preview showed.
func (s *server) remove(shown answer) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/people/"+shown.text("person.id")+"/removal", fmt.Sprintf(`{"seen":%q}`, shown.text("seen")), s.as("admin"))
}

// holding lists the tables that hold a word anywhere.
func (s *server) holding(word string) []string {
	s.t.Helper()
	rows, err := s.admin.Query(s.t.Context(), "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname")
	if err != nil {
		s.t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			s.t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	var found []string
	for _, table := range tables {
		// A column of bytes is read as what it says.
		if s.count("SELECT count(*) FROM "+table+" r WHERE r::text ILIKE '%' || $1::text || '%' OR r::text LIKE '%' || encode(convert_to($1::text, 'UTF8'), 'hex') || '%'", word) > 0 {
			found = append(found, table)
		}
	}
	return found
}

// unforgettable gives one person everything that may name them, in every place where a person may write.
func (s *server) unforgettable() (person string, messages []string) {
	s.t.Helper()
	s.addInstall()
	const word = "unforgettable"
	to := func(purpose, body, follows string) answer {
		a := s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/%s","email":"Ada@%[2]s.example","name":"Ada %[2]s"},
			"subject":"So %[2]s","body":%[3]q,"purpose":%[4]q,"follows":%[5]s}`, s.account, word, body+" "+word, purpose, follows), "Idempotency-Key: "+purpose)
		if a.Status != 201 {
			s.t.Fatalf("propose: %d %s", a.Status, a.Body)
		}
		messages = append(messages, a.text("id"))
		return a
	}
	first := s.approve(to("first contact", "Hello", "null"))
	person = first.personOf()
	s.ask("PATCH", "/v1/people/"+person, `{"company":"Unforgettable Ltd","fields":{"motto":"unforgettable"}}`)
	s.move(first.text("sends.0.id"), lease, start, unconfirm, gone)
	s.advance(grace + time.Hour)
	s.move(first.text("sends.0.id"), `INSERT INTO evidence (workspace_id, send_id, kind, install_id, outcome, asked_at, body) SELECT workspace_id, id, 'check',
		lease_holder, 'absent', sendonce_now(), '{"reason":null,"copies":[],"conversation":"2-unforgettable","messages":1}' FROM sends WHERE id = $1`)
	s.resolve(first.text("sends.0.id"), "not_delivered", "Not found at unforgettable's")
	s.move(first.text("id"), `INSERT INTO conversations (account_id, person_id, thread) SELECT account_id, person_id, '2-unforgettable' FROM messages WHERE id = $1`)

	second := s.approve(to("first  contact", "Hello again", following(first.text("sends.0.id"), "they were unforgettable")))
	s.move(second.text("sends.0.id"), lease, start, confirm, sent)
	s.move(s.addIncident("delivered_twice", second.text("id")), "UPDATE incidents SET closed_at = sendonce_now(), closed_by = (SELECT id FROM principals LIMIT 1), note = 'unforgettable' WHERE id = $1")
	rejected := to("offer", "An offer", "null")
	s.ask("POST", "/v1/messages/"+rejected.text("id")+"/rejection", no(rejected, "Too unforgettable"))
	closed := to("reminder", "Remember", "null")
	s.ask("POST", "/v1/messages/"+closed.text("id")+"/closing", `{"why":"They are unforgettable"}`)

	if a := s.ask("PATCH", "/v1/people/"+person, fmt.Sprintf(`{"owner_id":%q}`, s.me("admin")), s.as("admin")); a.Status != 200 {
		s.t.Fatalf("own: %d %s", a.Status, a.Body)
	}
	waits := to("thanks", "Thank you", "null")
	if a := s.ask("POST", "/v1/messages/"+waits.text("id")+"/approval", overriding(waits, s.me("admin"), "An unforgettable talk")); a.Status != 200 {
		s.t.Fatalf("override: %d %s", a.Status, a.Body)
	}
	s.ask("PATCH", "/v1/messages/"+to("survey", "A survey", "null").text("id"), `{"body":"Another unforgettable survey"}`, "Idempotency-Key: edit")
	a := s.suppress(`"email":"ada@unforgettable.example"`)
	s.ask("POST", "/v1/suppressions/"+a.text("id")+"/lifting", `{"why":"unforgettable"}`, s.as("admin"))

	// A second profile of theirs, which has become the same person.
	other := s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/unforgettable-too"},"body":"Hello too, unforgettable","purpose":"second profile"}`, s.account))
	messages = append(messages, other.text("id"))
	if a := s.merge(s.preview(person, other.personOf())); a.Status != 200 {
		s.t.Fatalf("merge: %d %s", a.Status, a.Body)
	}
	return person, messages
}

// Goal: of a person who is removed no table holds anything that names them, in letters or in bytes, and everything that counts stays:
// their receipts verify and say that the text is gone. Whoever names an address of theirs again, in any spelling, is refused.
func TestARemovedPersonLeavesNothingReadable(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	person, messages := s.unforgettable()
	if before := s.holding("unforgettable"); len(before) < 10 {
		t.Fatalf("only %v hold the word; the test would see little", before)
	}
	digests := s.count("SELECT count(DISTINCT digest) FROM message_versions")
	events, sends := s.count("SELECT count(*) FROM send_events"), s.count("SELECT count(*) FROM sends")
	shown := s.previewRemoval(person)
	for _, said := range []string{"is emptied for good", "leaves a mark that nobody can read", "are withdrawn."} {
		if !strings.Contains(shown.Body, said) {
			t.Errorf("it does not say %q: %s", said, shown.Body)
		}
	}
	a := s.remove(shown)
	if a.Status != 200 || a.text("removed_at") == "" || a.text("name") != "" || a.text("linkedin.0") != "" || a.text("contact.because") != "removed" || a.text("do_not_contact") != "true" {
		t.Errorf("removed: %d %s", a.Status, a.Body)
	}
	if left := s.holding("unforgettable"); len(left) > 0 {
		t.Errorf("%v still hold the word", left)
	}
	if again := s.remove(shown); again.Status != 200 || again.text("removed_at") != a.text("removed_at") {
		t.Errorf("removed again: %d %s", again.Status, again.Body)
	}
	if n := s.count("SELECT count(*) FROM removed_marks WHERE length(mark) = 32"); n != 3 {
		t.Errorf("%d marks, want one for each of three addresses", n)
	}
	for _, id := range messages {
		got := s.ask("GET", "/v1/messages/"+id, "")
		if got.text("body") != "" || got.text("subject") != "" || got.text("content_expired_at") == "" || got.text("digest") == "" || got.text("person.name") != "" {
			t.Errorf("a message: %s", got.Body)
		}
		if status := got.text("status"); status != "sent" && got.text("authority") != "withdrawn" && got.text("authority") != "rejected" && got.text("closure.by") == "" {
			t.Errorf("it may still go out: %s", got.Body)
		}
		receipt := s.requireReceipt(id)
		if receipt.text("versions.0.body") != "" || receipt.text("versions.0.expired_at") == "" || receipt.text("versions.0.digest") == "" || strings.Contains(strings.ToLower(receipt.Body), "forgettable") {
			t.Errorf("a receipt: %s", receipt.Body)
		}
	}
	if s.count("SELECT count(DISTINCT digest) FROM message_versions") != digests || s.count("SELECT count(*) FROM sends") != sends || s.count("SELECT count(*) FROM send_events") < events {
		t.Error("a digest, a send or a move is gone")
	}

	rows := s.rows()
	for name, c := range map[string]struct{ method, path, body, code string }{
		"the profile":         {"POST", "/v1/messages", s.proposalTo("unforgettable", "Hello"), "suppressed"},
		"another spelling":    {"POST", "/v1/messages", s.proposalTo("UNFORGETTABLE/?x=1", "Hello"), "suppressed"},
		"the second profile":  {"POST", "/v1/messages", s.proposalTo("unforgettable-too", "Hello"), "suppressed"},
		"the mail address":    {"POST", "/v1/messages", strings.Replace(s.proposalTo("somebody", "Hello"), `"},"body"`, `","email":"ADA@unforgettable.example "},"body"`, 1), "suppressed"},
		"a mark for them":     {"POST", "/v1/suppressions", `{"email":"ada@unforgettable.example"}`, "person_removed"},
		"a mark for their id": {"POST", "/v1/suppressions", "{" + thePerson(person) + "}", "person_removed"},
		"a name for them":     {"PATCH", "/v1/people/" + person, `{"name":"Ada"}`, "person_removed"},
		"a text for theirs":   {"PATCH", "/v1/messages/" + messages[2], `{"body":"Hello"}`, "suppressed"},
	} {
		if a := s.ask(c.method, c.path, c.body, s.as("admin")); a.Status != 409 || a.text("code") != c.code {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if after := s.rows(); after != rows {
		t.Errorf("a refusal changed the rows from %s to %s", rows, after)
	}
	if a := s.ask("POST", "/v1/messages", s.proposalTo("unforgettable-2", "Hello")); a.Status != 201 {
		t.Errorf("somebody else: %d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", "/v1/people", ""); strings.Contains(a.Body, person) {
		t.Errorf("they are still listed: %s", a.Body)
	}
	if a := s.person(person); a.text("history.0.what") != "removed" || a.text("history.0.by") != "admin" {
		t.Errorf("what was done: %s", a.Body)
	}
	// A server without the keys does not guess: it names nobody.
	store, err := postgres.Open(t.Context(), s.database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s.requireKeysAreNeeded(store)
}

// Goal: nobody is removed while it is not known what reached them, nor by whoever may not, nor when something moved since the preview;
// and a merge with who was removed is refused.
func TestARemovalIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for status, c := range map[string]struct {
		moves []string
		code  string
	}{"started": {[]string{lease, start}, "not_ended"}, "unconfirmed": {[]string{lease, start, unconfirm}, "needs_a_look"}} {
		m := s.approve(s.to("ada-"+status, "first contact", "Hello"))
		s.move(m.text("sends.0.id"), c.moves...)
		shown := s.previewRemoval(m.personOf())
		if a := s.remove(shown); shown.text("refused.code") != c.code || a.Status != 409 || a.text("code") != c.code {
			t.Errorf("%s: shown %s, %d %s", status, shown.Body, a.Status, a.Body)
		}
	}
	m := s.approve(s.to("ada-moved", "first contact", "Hello"))
	shown := s.previewRemoval(m.personOf())
	path := "/v1/people/" + m.personOf() + "/removal"
	for _, role := range []string{"recruiter", "agent", "viewer"} {
		for _, method := range []string{"GET", "POST"} {
			if a := s.ask(method, path, map[string]string{"POST": `{"seen":"x"}`}[method], s.as(role)); a.Status != 403 {
				t.Errorf("%s by a %s: %d %s", method, role, a.Status, a.Body)
			}
		}
	}
	if a := s.ask("POST", path, `{}`, s.as("admin")); a.Status != 422 || a.text("field") != "seen" {
		t.Errorf("without a look: %d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", path, "", s.as("stranger")); a.Status != 404 {
		t.Errorf("a stranger: %d %s", a.Status, a.Body)
	}
	s.to("ada-moved", "follow-up", "Good day")
	if a := s.remove(shown); a.Status != 409 || a.text("code") != "world_moved" {
		t.Errorf("after something moved: %d %s", a.Status, a.Body)
	}
	if a := s.remove(s.previewRemoval(m.personOf())); a.Status != 200 {
		t.Errorf("looked again: %d %s", a.Status, a.Body)
	}
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("status") != "canceled" || got.text("sends.0.code") != "suppressed" || got.text("authority") != "withdrawn" {
		t.Errorf("what waited: %s", got.Body)
	}
	other := s.to("ada-other", "first contact", "Hello").personOf()
	for _, way := range [][2]string{{m.personOf(), other}, {other, m.personOf()}} {
		if a := s.merge(s.preview(way[0], way[1])); a.Status != 409 || a.text("code") != "person_removed" {
			t.Errorf("merged with somebody: %d %s", a.Status, a.Body)
		}
	}
}
