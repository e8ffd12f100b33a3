package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sendonce/server/config"
)

// Goal: whoever is removed vanishes from every file, whatever its columns were and however far it was; a file that names them again is
// told so, and keeps nothing of that row; what was uploaded is forgotten in time.
func TestARemovedPersonVanishesFromFiles(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const file = "email,name,note\nAda@Unforgettable.example,Ada Unforgettable,unforgettable\nbea@example.com,Bea,wrote to ada@unforgettable.example\n"
	const link = "Who,What\nhttps://de.linkedin.com/in/Unforgettable/?x=1,unforgettable\nann@example.com,Ann\n"
	done := s.imported(file).text("id")
	waits := s.previewed(file).text("id")
	unmapped := s.upload(link).text("id")
	ada := s.byEmail("ada@unforgettable.example").text("items.0.id")
	s.imported("email,linkedin\nada@unforgettable.example,/in/unforgettable\n")
	if before := s.holding("unforgettable"); !slices.Contains(before, "import_rows") {
		t.Fatalf("only %v hold the word", before)
	}
	shown := s.previewRemoval(ada)
	if !strings.Contains(shown.Body, "4 uploaded files name them: their rows in them are emptied.") {
		t.Errorf("shown: %s", shown.Body)
	}
	if a := s.remove(shown); a.Status != 200 {
		t.Fatalf("remove: %d %s", a.Status, a.Body)
	}
	// In a sentence of somebody else's row no address is found: the whole file is forgotten in time.
	if left := s.holding("unforgettable"); len(left) > 1 || len(left) == 1 && left[0] != "import_rows" {
		t.Errorf("%v still hold the word", left)
	}
	if n := s.count("SELECT count(*) FROM import_rows WHERE cells::text ILIKE '%unforgettable%' AND cells::text NOT LIKE '%wrote to%'"); n != 0 {
		t.Errorf("%d rows still name them", n)
	}
	s.ask("POST", "/v1/imports/"+waits+"/start", "")
	if a := s.inState(waits, "done"); a.text("outcomes.left_out") != "1" || a.text("verdicts.do_not_contact") != "1" || a.text("outcomes.unchanged") != "1" {
		t.Errorf("what waited: %s", a.Body)
	}
	again := s.imported("email,name\nADA@unforgettable.example,Ada\ncarl@example.com,Carl\n")
	if again.text("verdicts.do_not_contact") != "1" || again.text("outcomes.made") != "1" {
		t.Errorf("named again: %s", again.Body)
	}
	row := s.ask("GET", "/v1/imports/"+again.text("id")+"/rows", "")
	if row.text("items.0.cells.0") != "" || !strings.Contains(row.text("items.0.why"), "asked to be forgotten") || row.text("items.0.person_id") != "" || row.text("items.1.cells.1") != "Carl" {
		t.Errorf("its row: %s", row.Body)
	}
	s.advance(config.ImportsKept + time.Hour)
	for forgot := 1; forgot > 0; {
		var err error
		if forgot, err = s.store.ImportsForget(t.Context(), config.ImportsKept, 3); err != nil {
			t.Fatal(err)
		}
	}
	if left := s.holding("unforgettable"); len(left) != 0 {
		t.Errorf("%v still hold the word after the files were forgotten", left)
	}
	if a := s.ask("GET", "/v1/imports/"+done, ""); a.text("state") != "done" || a.text("forgotten_at") == "" || a.text("outcomes.made") != "2" {
		t.Errorf("what was done stays: %s", a.Body)
	}
	for _, a := range []answer{s.ask("POST", "/v1/imports/"+unmapped+"/start", ""), s.ask("PATCH", "/v1/imports/"+unmapped, `{"mapping":["linkedin",null]}`)} {
		if a.Status != 410 || a.text("code") != "import_forgotten" {
			t.Errorf("a file that is forgotten: %d %s", a.Status, a.Body)
		}
	}
}

// Goal: a file that names somebody who was removed keeps nothing of any row that names them: not of the second one, not of one that is
// wrong, and not of one whose column for them is nothing.
func TestARemovedPersonIsInNoRowOfALaterFile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.imported("email,name\nada@unforgettable.example,Ada\n")
	ada := s.byEmail("ada@unforgettable.example").text("items.0.id")
	if a := s.remove(s.previewRemoval(ada)); a.Status != 200 {
		t.Fatalf("remove: %d %s", a.Status, a.Body)
	}
	again := s.imported("email,name,other\nada@unforgettable.example,A. Unforgettable,\nAda@Unforgettable.example,Ada Unforgettable,\n" +
		"no address,Unforgettable,ada@unforgettable.example\n,Unforgettable,ADA@unforgettable.example\nbea@example.com,Bea,\n")
	if again.text("verdicts.do_not_contact") != "4" || again.text("outcomes.left_out") != "4" || again.text("outcomes.made") != "1" {
		t.Errorf("what it came to: %s", again.Body)
	}
	if left := s.holding("unforgettable"); len(left) > 0 {
		t.Errorf("%v hold the word", left)
	}
}

// Goal: a person whose address cannot be read stands in no names of columns, which are kept for good: their row is shown, and wrong.
func TestNobodyIsTheNameOfAColumn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, first := range []string{"Ada <ada@unforgettable.example>,Ada", "https://www.linkedin.com/sales/lead/unforgettable,Ada"} {
		a := s.upload(first + "\nbea@example.com,Bea\n")
		if a.Status != 201 || a.text("has_header") == "true" || a.text("rows") != "2" {
			t.Errorf("%s: %d %s", first, a.Status, a.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM imports WHERE header::text ILIKE '%unforgettable%'"); n != 0 {
		t.Errorf("%d imports have a person as the name of a column", n)
	}
}
