package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"sendonce/server/config"
	"sendonce/server/receipt"
)

// preview is what a merge of gone into kept would do.
func (s *server) preview(kept, gone string) answer {
	s.t.Helper()
	a := s.ask("GET", "/v1/people/"+kept+"/merge?other="+gone, "")
	if a.Status != 200 {
		s.t.Fatalf("preview: %d %s", a.Status, a.Body)
	}
	return a
}

// merge merges exactly what was shown.
func (s *server) merge(shown answer) answer {
	s.t.Helper()
	kept, gone := shown.text("kept.id"), shown.text("gone.id")
	return s.ask("POST", "/v1/people/"+kept+"/merge", fmt.Sprintf(`{"other":%q,"seen":%q}`, gone, shown.text("seen")))
}

// Goal: whatever is known of two, one of them has no more fields than a person may have, keeps their own, and can be changed afterwards.
func TestAMergeOfManyFields(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	kept, gone := s.to("ada-example", "first contact", "Hello Ada").personOf(), s.to("ada-other", "follow-up", "Good day").personOf()
	quotes := strings.Repeat(`\"`, config.PersonFieldRunesMax) // each of which the database writes as two characters
	many := func(name string) string {
		var fields []string
		for i := range config.PersonFieldsMax - 5 {
			fields = append(fields, fmt.Sprintf(`"%s_%d":"%s"`, name, i, quotes))
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	s.know(kept, many("kept"))
	s.know(gone, many("gone"))
	a := s.merge(s.preview(kept, gone))
	if a.Status != 200 || strings.Count(a.Body, `"kept_`) != config.PersonFieldsMax-5 || strings.Count(a.Body, `"gone_`) != 5 {
		t.Errorf("merged: %d, of one %d, of the other %d", a.Status, strings.Count(a.Body, `"kept_`), strings.Count(a.Body, `"gone_`))
	}
	if a := s.ask("PATCH", "/v1/people/"+kept, `{"name":"Ada Example"}`); a.Status != 200 {
		t.Errorf("named: %d %s", a.Status, a.text("detail"))
	}
}

// Goal: a merge is shown first and does exactly what was shown: what waits is taken back and asks anew, what began stays, every message,
// receipt and address stays where it was, and whoever names either of the two names one person from then on.
func TestMerge(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	queued := s.approve(s.to("ada-example", "first contact", "Hello Ada"))
	begun := s.approve(s.to("ada-other", "follow-up", "Good day"))
	s.move(begun.text("sends.0.id"), lease, start)
	kept, gone := queued.personOf(), begun.personOf()
	s.ask("PATCH", "/v1/people/"+gone, `{"name":"Ada Example","company":"Acme"}`)
	before := s.rows()
	shown := s.preview(kept, gone)
	if shown.text("kept.waiting") != "1" || shown.text("gone.started") != "1" || shown.text("refused") != "" || shown.text("done") != "false" ||
		!strings.Contains(shown.Body, "1 approved message that has not begun is taken back") || !strings.Contains(shown.Body, "1 send has begun and ends by itself.") {
		t.Errorf("shown: %s", shown.Body)
	}
	for body, code := range map[string]string{
		fmt.Sprintf(`{"other":%q}`, gone):                         "invalid_field",
		fmt.Sprintf(`{"other":%q,"seen":"0011"}`, gone):           "world_moved",
		fmt.Sprintf(`{"seen":%q}`, shown.text("seen")):            "invalid_field",
		fmt.Sprintf(`{"other":%q,"seen":"x"}`, queued.text("id")): "not_found",
	} {
		if a := s.ask("POST", "/v1/people/"+kept+"/merge", body); a.text("code") != code {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("a preview or a refusal changed the rows from %s to %s", before, after)
	}

	a := s.merge(shown)
	if a.Status != 200 || a.text("id") != kept || a.text("ids.0") != kept || a.text("ids.1") != gone || a.text("name") != "Ada Example" || a.text("company") != "Acme" ||
		!strings.Contains(a.Body, `"https://www.linkedin.com/in/ada-example"`) || !strings.Contains(a.Body, `"https://www.linkedin.com/in/ada-other"`) {
		t.Errorf("merged: %d %s", a.Status, a.Body)
	}
	if again := s.merge(shown); again.Status != 200 || again.text("id") != kept {
		t.Errorf("merged again: %d %s", again.Status, again.Body)
	}
	got := s.ask("GET", "/v1/messages/"+queued.text("id"), "")
	if got.text("authority") != "proposed" || got.text("status") != "canceled" || got.text("sends.0.code") != "approval_missing" || got.text("approval") != "" ||
		!strings.Contains(got.Body, `"what":"approval_voided","by":"recruiter","version":1,"send_id":null,"from":null,"to":null,"code":null,"reason":"merged"`) {
		t.Errorf("what waited: %s", got.Body)
	}
	if got := s.ask("GET", "/v1/messages/"+begun.text("id"), ""); got.text("status") != "started" || got.text("person.id") != gone {
		t.Errorf("what had begun: %s", got.Body)
	}
	if got := s.person(gone); got.text("id") != kept || got.text("history.0.what") != "merged" || got.text("history.0.other") != kept || got.text("history.0.by") != "recruiter" {
		t.Errorf("the other's id: %s", got.Body)
	}
	for query, want := range map[string]int{"/v1/people?": 1, "/v1/people?linkedin=/in/ada-other": 1, "/v1/messages?person=" + kept: 2, "/v1/messages?person=" + gone: 2} {
		if got := s.ask("GET", query, ""); got.text(fmt.Sprintf("items.%d.id", want-1)) == "" || got.text(fmt.Sprintf("items.%d.id", want)) != "" {
			t.Errorf("%s: %s, want %d", query, got.Body, want)
		}
	}
	s.requireReceipt(queued.text("id"))
	s.requireReceipt(begun.text("id"))

	if a := s.approve(got); a.Status != 200 || a.text("status") != "queued" {
		t.Errorf("approved after it: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/messages", strings.Replace(s.proposalTo("ada-other", "Hello"), "first contact", "follow-up", 1)); a.Status != 409 || a.text("code") != "not_ended" {
		t.Errorf("for the intent that has begun, to the other row: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/messages", s.proposalTo("ada-other", "Hello")); a.Status != 409 || a.text("code") != "not_ended" {
		t.Errorf("for the intent of the kept row, to the other row: %d %s", a.Status, a.Body)
	}
	if a := s.asked(s.to("ada-example", "thanks", "good DAY")); a.text("code") != "repeat_needs_yes" || a.text("earlier.0.message_id") != begun.text("id") {
		t.Errorf("the same text to the other row: %d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", "/v1/people/"+kept+"/merge?other="+gone, "", s.as("stranger")); a.Status != 404 {
		t.Errorf("a stranger looks: %d %s", a.Status, a.Body)
	}
}

// requireReceipt reads the receipt of a message, which must hold.
func (s *server) requireReceipt(id string) answer {
	s.t.Helper()
	a := s.ask("GET", "/v1/messages/"+id+"/receipt", "")
	keys, err := receipt.ParseKeys(s.ask("GET", "/v1/receipt-keys", "", "Authorization: ").Body)
	if err == nil {
		_, err = receipt.Verify([]byte(a.Body), keys)
	}
	if err != nil {
		s.t.Errorf("the receipt of %s: %v\n%s", id, err, a.Body)
	}
	return a
}

// Goal: two messages for one intent that may both still go out keep their people apart until a person has ended one; whichever way they
// wait, and however the purpose is written.
func TestAMergeIsRefusedWhereIntentsMeet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for name, moves := range map[string][]string{"proposed": nil, "queued": {}, "leased": {lease}, "started": {lease, start}, "unconfirmed": {lease, start, unconfirm}} {
		slug := "ada-" + name
		one, other := s.to(slug, "first contact", "Hello Ada"), s.to(slug+"-too", "First  contact", "Good day")
		if moves != nil {
			one = s.approve(one)
			s.move(one.text("sends.0.id"), moves...)
		}
		for _, way := range [][2]string{{one.personOf(), other.personOf()}, {other.personOf(), one.personOf()}} {
			shown := s.preview(way[0], way[1])
			if shown.text("refused.code") != "intents_meet" || shown.text("meetings.0.purpose") != "first contact" {
				t.Errorf("%s: shown %s", name, shown.Body)
			}
			before := s.rows()
			if a := s.merge(shown); a.Status != 409 || a.text("code") != "intents_meet" || !strings.Contains(a.Body, one.text("id")) || !strings.Contains(a.Body, other.text("id")) {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
			if after := s.rows(); after != before {
				t.Errorf("%s: the refusal changed the rows from %s to %s", name, before, after)
			}
		}
		s.ask("POST", "/v1/messages/"+other.text("id")+"/withdrawal", "{}")
		if a := s.merge(s.preview(one.personOf(), other.personOf())); a.Status != 200 {
			t.Errorf("%s, with one taken back: %d %s", name, a.Status, a.Body)
		}
		got := s.ask("GET", "/v1/messages/"+one.text("id"), "")
		if want := map[string]string{"proposed": "", "queued": "canceled", "leased": "canceled"}[name]; len(moves) < 2 && got.text("status") != want || len(moves) >= 2 && got.text("status") != name {
			t.Errorf("%s: it is %s", name, got.Body)
		}
	}
}

// Goal: of two that are merged the stricter holds, whoever stays: a mark of either, a reply to either, the owner of either.
func TestAMergeKeepsTheStricter(t *testing.T) {
	t.Parallel()
	for _, keptFirst := range []bool{true, false} {
		s := newServer(t)
		s.addInstall()
		marked, free := s.propose("Hello Ada"), s.to("ada-other", "first contact", "Good day")
		s.suppress(thePerson(marked.personOf()))
		s.move(marked.text("id"), "UPDATE people SET replied_at = sendonce_now() WHERE id = (SELECT person_id FROM messages WHERE id = $1)")
		if a := s.ask("PATCH", "/v1/people/"+marked.personOf(), fmt.Sprintf(`{"owner_id":%q}`, s.me("recruiter"))); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		kept, gone := marked.personOf(), free.personOf()
		if !keptFirst {
			kept, gone = gone, kept
		}
		shown := s.preview(kept, gone)
		if !strings.Contains(shown.Body, "the stricter of the two holds") {
			t.Errorf("shown: %s", shown.Body)
		}
		a := s.merge(shown)
		if a.text("do_not_contact") != "true" || a.text("owner") != "recruiter" || a.text("replied_at") == "" {
			t.Errorf("merged: %d %s", a.Status, a.Body)
		}
		for _, slug := range []string{"ada-example", "ada-other"} {
			if a := s.ask("POST", "/v1/messages", strings.Replace(s.proposalTo(slug, "Hello"), "first contact", "thanks", 1)); a.text("code") != "suppressed" {
				t.Errorf("to %s: %d %s", slug, a.Status, a.Body)
			}
		}
		if a := s.person(kept); a.text("suppressions.0.id") == "" || a.text("suppressions.1.id") != "" {
			t.Errorf("the person: %s", a.Body)
		}
	}
}

// Goal: what is refused as a conflict of two people is taken once they are one, and a chain of merges ends at one person.
func TestConflictsEndWithAMerge(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ids := map[string]string{}
	for _, slug := range []string{"ada-a", "ada-b", "ada-c"} {
		a := s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/%s","email":"%[2]s@example.com"},"body":"Hello","purpose":"to %[2]s"}`, s.account, slug))
		ids[slug] = a.personOf()
	}
	mixed := fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/ada-a","email":"ada-c@example.com"},"body":"Hello","purpose":"both"}`, s.account)
	if a := s.ask("POST", "/v1/messages", mixed); a.text("code") != "person_conflict" {
		t.Errorf("before: %d %s", a.Status, a.Body)
	}
	if a := s.merge(s.preview(ids["ada-b"], ids["ada-a"])); a.Status != 200 {
		t.Errorf("a into b: %d %s", a.Status, a.Body)
	}
	if a := s.merge(s.preview(ids["ada-c"], ids["ada-a"])); a.Status != 200 || a.text("id") != ids["ada-c"] || a.text("ids.2") == "" {
		t.Errorf("a, who is b, into c: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/messages", mixed); a.Status != 201 || a.personOf() != ids["ada-a"] {
		t.Errorf("after: %d %s", a.Status, a.Body)
	}
	if n := s.count("SELECT count(*) FROM people WHERE merged_into = $1", ids["ada-c"]); n != 2 {
		t.Errorf("%d rows point to the one, want 2", n)
	}
	if a := s.preview(ids["ada-a"], ids["ada-b"]); a.text("done") != "true" || a.text("effects.0") != "" {
		t.Errorf("two that are one: %s", a.Body)
	}
}

// Goal: merges of the same people at one moment, in both directions and round in a circle, come to one person, and none waits for ever.
func TestMergesAtOneMoment(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for round := range 15 {
		var people []string
		for i := range 3 {
			people = append(people, s.to(fmt.Sprintf("ada-%d-%d", round, i), fmt.Sprintf("reason %d", i), "Hello").personOf())
		}
		var all sync.WaitGroup
		for i := range 6 {
			kept, gone := people[i%3], people[(i+1+i/3)%3]
			all.Go(func() {
				for {
					shown, err := s.try(t.Context(), "GET", "/v1/people/"+kept+"/merge?other="+gone, "")
					if err != nil || shown.Status != 200 {
						t.Errorf("%v %d %s", err, shown.Status, shown.Body)
						return
					}
					a, err := s.try(t.Context(), "POST", "/v1/people/"+kept+"/merge", fmt.Sprintf(`{"other":%q,"seen":%q}`, gone, shown.text("seen")))
					if err == nil && (a.text("code") == "world_moved" || a.text("code") == "busy") {
						continue
					}
					if err != nil || a.Status != 200 {
						t.Errorf("%v %d %s", err, a.Status, a.Body)
					}
					return
				}
			})
		}
		all.Wait()
		if n := s.count("SELECT count(DISTINCT one_id) FROM same_people WHERE person_id = ANY ($1::uuid[])", people); n != 1 {
			t.Errorf("round %d: they are %d people, want 1", round, n)
		}
		if n := s.count("SELECT count(*) FROM people p JOIN people o ON o.id = p.merged_into WHERE o.merged_into IS NOT NULL"); n != 0 {
			t.Errorf("round %d: %d pointers lead to another", round, n)
		}
	}
	if deadlocks := s.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}
