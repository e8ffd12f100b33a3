package api_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/config"
)

// upload uploads a file as the recruiter.
func (s *server) upload(file string, headers ...string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/imports?name=people.csv", file, append([]string{"Content-Type: text/csv"}, headers...)...)
}

// inState waits until an import is as far as that.
func (s *server) inState(id, state string) answer {
	s.t.Helper()
	const most = 30 * time.Second
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		a := s.ask("GET", "/v1/imports/"+id, "")
		if a.text("state") == state {
			return a
		}
		if a.Status != 200 || time.Since(begun) > most {
			s.t.Fatalf("not %s: %d %s", state, a.Status, a.Body)
		}
	}
}

func (s *server) previewed(file string) answer {
	s.t.Helper()
	a := s.upload(file)
	if a.Status != 201 {
		s.t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	return s.inState(a.text("id"), "previewed")
}

// imported uploads a file and carries it out.
func (s *server) imported(file string) answer {
	s.t.Helper()
	return s.carriedOut(s.previewed(file).text("id"))
}

// carriedOut carries out an import that was looked at.
func (s *server) carriedOut(id string) answer {
	s.t.Helper()
	if a := s.ask("POST", "/v1/imports/"+id+"/start", ""); a.Status != 200 {
		s.t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	return s.inState(id, "done")
}

// results are the rows of the result file, without its header.
func (s *server) results(id string) [][]string {
	s.t.Helper()
	a := s.ask("GET", "/v1/imports/"+id+"/results", "")
	if a.Status != 200 || !strings.HasPrefix(a.Body, "\ufeff") || !strings.Contains(a.Header.Get("Content-Disposition"), "attachment") {
		s.t.Fatalf("results: %d %v %q", a.Status, a.Header, a.Body)
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body, "\ufeff")))
	first, _, _ := strings.Cut(a.Body, "\n")
	if strings.Contains(first, ";") {
		r.Comma = ';'
	}
	rows, err := r.ReadAll()
	if err != nil {
		s.t.Fatalf("results: %v %q", err, a.Body)
	}
	return rows[1:]
}

func (s *server) byEmail(address string) answer {
	s.t.Helper()
	return s.ask("GET", "/v1/people?email="+address, "")
}

// Goal: what each row comes to is shown before anything changes (new, known, contacted, unconfirmed, a colleague's, not to be contacted,
// twice in the file, invalid and why); then exactly that is done, and each row says what became of it. Done again it changes nothing.
func TestAnImportIsShownFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.to("known-sample", "first contact", "Hello")
	s.move(s.approve(s.to("contacted-sample", "first contact", "Hello 2")).text("sends.0.id"), lease, start, confirm, sent)
	s.move(s.approve(s.to("unconfirmed-sample", "first contact", "Hello 3")).text("sends.0.id"), lease, start, unconfirm)
	owned := s.to("owned-sample", "first contact", "Hello 4").personOf()
	s.ask("PATCH", "/v1/people/"+owned, fmt.Sprintf(`{"owner_id":%q}`, s.me("admin")), s.as("admin"))
	mine := s.to("mine-sample", "first contact", "Hello 5").personOf()
	s.ask("PATCH", "/v1/people/"+mine, fmt.Sprintf(`{"owner_id":%q}`, s.me("recruiter")), s.as("admin"))
	s.suppress(`"email_domain":"closed.example"`)
	s.suppress(`"company":"Acme"`)
	s.suppress(`"linkedin":"/in/said-no"`)
	s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/two-a","email":"two@example.com"},"body":"Hi","purpose":"x"}`, s.account))

	file := "LinkedIn URL,E-Mail,First Name,Last Name,Company,Notes\n" +
		"https://de.linkedin.com/in/New-Sample/?utm=x,New@Example.com ,New,Sample,Bees,=1+1\n" + // 2
		"/in/known-sample,,Known,,,\n" + // 3
		"/in/contacted-sample,,,,,\n" + // 4
		"/in/unconfirmed-sample,,,,,\n" + // 5
		"/in/owned-sample,,,,,\n" + // 6
		"/in/mine-sample,,,,,\n" + // 7
		"/in/said-no,,,,,\n" + // 8
		",ada@mail.closed.example,,,,\n" + // 9
		",bea@example.com,,,ACME,\n" + // 10
		",new@example.com,Second,,,\n" + // 11
		"/in/new-sample,other@example.com,,,,\n" + // 12
		"/company/acme,x@example.com,,,,\n" + // 13
		",not an address,,,,\n" + // 14
		",,Nobody,,,\n" + // 15
		"/in/two-b,two@example.com,,,,\n" + // 16
		"/in/known-sample2,y@example.com,a,b,c,d,surplus\n" + // 17
		"\"/in/x\"y,z@example.com,,,,\n" + // 18
		",,,,,\n" + // 19, blank
		",only@example.com,null,,#N/A,\n" // 20
	before := s.rows()
	shown := s.previewed(file)
	wantMembers(t, shown, map[string]string{
		"name": "people.csv", "encoding": "utf-8", "delimiter": ",", "has_header": "true", "rows": "18", "judged": "18", "handled": "0",
		"columns.0.as": "linkedin", "columns.1.as": "email", "columns.2.as": "first_name", "columns.3.as": "last_name", "columns.4.as": "company", "columns.5.as": "", "columns.5.name": "Notes",
		"verdicts.new": "2", "verdicts.known": "2", "verdicts.contacted": "1", "verdicts.unconfirmed": "1", "verdicts.owned": "1", "verdicts.do_not_contact": "3",
		"verdicts.in_file_twice": "2", "verdicts.invalid": "6", "created_by": "recruiter", "begun_at": "", "outcomes.made": "",
	})
	want := map[string][2]string{
		"2": {"new", ""}, "3": {"known", ""}, "4": {"contacted", ""}, "5": {"unconfirmed", "a person must look"}, "6": {"owned", "admin owns them"}, "7": {"known", ""},
		"8": {"do_not_contact", "They must not be contacted."}, "9": {"do_not_contact", "Nobody at their mail domain"}, "10": {"do_not_contact", "Nobody of their company"},
		"11": {"in_file_twice", "row 2 names the same person"}, "12": {"in_file_twice", "row 2"}, "13": {"invalid", "LinkedIn URL: it is not an address on linkedin.com"},
		"14": {"invalid", "E-Mail: it is not one bare mail address"}, "15": {"invalid", "neither a LinkedIn profile nor a mail address"},
		"16": {"invalid", "These identities belong to different people"}, "17": {"invalid", "more cells than there are columns (6)"}, "18": {"invalid", "its quotes do not match"},
		"20": {"new", ""},
	}
	id := shown.text("id")
	rows := s.ask("GET", "/v1/imports/"+id+"/rows", "")
	for at := range len(want) {
		at := fmt.Sprintf("items.%d.", at)
		number := rows.text(at + "row")
		if w := want[number]; rows.text(at+"verdict") != w[0] || !strings.Contains(rows.text(at+"why"), w[1]) || rows.text(at+"outcome") != "" {
			t.Errorf("row %s is %s (%s), want %v", number, rows.text(at+"verdict"), rows.text(at+"why"), w)
		}
	}
	twice := s.ask("GET", "/v1/imports/"+id+"/rows?verdict=in_file_twice&limit=1", "")
	next := s.ask("GET", "/v1/imports/"+id+"/rows?verdict=in_file_twice&limit=1&cursor="+twice.text("next_cursor"), "")
	if twice.text("items.0.same_as") != "2" || twice.text("items.0.row") != "11" || next.text("items.0.row") != "12" || next.text("next_cursor") != "" {
		t.Errorf("those twice in the file: %s %s", twice.Body, next.Body)
	}
	if after := s.rows(); after != before {
		t.Errorf("a preview changed the rows from %s to %s", before, after)
	}

	if a := s.ask("POST", "/v1/imports/"+id+"/start", "{}"); a.Status != 200 {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	done := s.inState(id, "done")
	wantMembers(t, done, map[string]string{
		"handled": "18", "outcomes.made": "2", "outcomes.filled": "1", "outcomes.unchanged": "4", "outcomes.left_out": "11", "ended_at": "*", "begun_at": "*",
	})
	made := s.byEmail("new@example.com")
	wantMembers(t, made, map[string]string{
		"items.0.name": "New Sample", "items.0.company": "Bees", "items.0.fields.first_name": "New", "items.0.linkedin.0": "https://www.linkedin.com/in/new-sample", "items.0.email.1": "", "items.0.owner_id": "",
	})
	if only := s.byEmail("only@example.com"); only.text("items.0.name") != "" || only.text("items.0.company") != "" || only.text("items.0.fields.first_name") != "" {
		t.Errorf("what programs write for nothing was taken: %s", only.Body)
	}
	for _, left := range []string{"bea@example.com", "other@example.com", "ada@mail.closed.example", "x@example.com", "y@example.com"} {
		if a := s.byEmail(left); a.text("items.0.id") != "" {
			t.Errorf("%s was taken: %s", left, a.Body)
		}
	}
	results := s.results(id)
	if len(results) != 18 || !cmp.Equal(results[0][5:10], []string{"'=1+1", "2", "new", "made", made.text("items.0.id")}) || results[1][8] != "filled" || results[2][8] != "unchanged" || results[6][8] != "left_out" {
		t.Errorf("the results: %q", results)
	}
	if n := s.count("SELECT count(*) FROM suppressions WHERE lifted_at IS NULL"); n != 3 {
		t.Errorf("%d suppressions stand, want 3", n)
	}
	if n := s.count("SELECT count(*) FROM messages"); n != 6 {
		t.Errorf("%d messages, want 6: an import writes to nobody", n)
	}

	if again := s.ask("POST", "/v1/imports/"+id+"/start", ""); again.Status != 200 || again.text("ended_at") != done.text("ended_at") {
		t.Errorf("started again: %d %s", again.Status, again.Body)
	}
	people := s.people()
	wantMembers(t, s.imported(file), map[string]string{"outcomes.made": "", "outcomes.filled": "", "outcomes.unchanged": "7", "verdicts.known": "4"})
	if after := s.people(); after != people {
		t.Errorf("imported again, people changed:\n%s\n%s", people, after)
	}
}

// people is everything that is known of everybody.
func (s *server) people() (all string) {
	s.t.Helper()
	err := s.admin.QueryRow(s.t.Context(), `SELECT (SELECT string_agg(p::text, E'\n' ORDER BY p.id) FROM people p)
		|| (SELECT string_agg(i::text, E'\n' ORDER BY i.kind, i.value) FROM person_identities i)`).Scan(&all)
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// Goal: a list comes to the same people however it is written: its encoding, its delimiter, capitals and spaces make nobody a second time.
func TestReimportChangesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	wantMembers(t, s.imported("Email;Vorname;Firma\nann@example.com;Ann;Müller & Söhne\njuergen@example.com;Jürgen;\nbob@example.com;Bob;\n"), map[string]string{"outcomes.made": "3", "delimiter": ";"})
	people := s.people()
	for name, file := range map[string]string{
		"again":        "Email;Vorname;Firma\nann@example.com;Ann;Müller & Söhne\njuergen@example.com;Jürgen;\nbob@example.com;Bob;\n",
		"in capitals":  "\ufeffE-MAIL,VORNAME\r\nANN@EXAMPLE.COM  ,ANN\r\n Juergen@Example.com,JÜRGEN\r\nBOB@example.com,BOB\r\n",
		"in 1252":      "Email\tFirma\nann@example.com\tM\xfcller GmbH\njuergen@example.com\t\nbob@example.com\t\n",
		"empty cells":  "Email,Vorname,Firma\nann@example.com,,\njuergen@example.com,,\nbob@example.com,,\n",
		"no header":    "ann@example.com,x\njuergen@example.com,y\nbob@example.com,z\n",
		"fewer cells":  "Vorname,Email,Firma\nAnn,ann@example.com\nJürgen,juergen@example.com\nBob,bob@example.com\n",
		"twice in one": "Email\nann@example.com\njuergen@example.com\nbob@example.com\n",
	} {
		a := s.imported(file)
		filled := map[string]string{"in 1252": ""}[name]
		if a.text("outcomes.made") != "" || a.text("outcomes.filled") != filled || a.text("outcomes.unchanged") != "3" || s.people() != people {
			t.Errorf("%s: %s\n%s", name, a.Body, s.people())
		}
	}
	a := s.imported("Email,Vorname,City\nann@example.com,Anna,Berlin\nbob@example.com,,\n")
	if bob := s.byEmail("bob@example.com"); a.text("outcomes.filled") != "1" || bob.text("items.0.fields.city") != "" || bob.text("items.0.fields.first_name") != "Bob" {
		t.Errorf("an empty cell borrowed its neighbour's: %s %s", a.Body, bob.Body)
	}
	if ann := s.byEmail("ann@example.com"); ann.text("items.0.fields.first_name") != "Ann" || ann.text("items.0.fields.city") != "Berlin" || ann.text("items.0.company") != "Müller & Söhne" {
		t.Errorf("what was known was overwritten: %s", ann.Body)
	}
}

// Goal: what the columns are is remembered for the next file with the same ones, once it was begun; a file without an address in its
// columns waits to be told; each change has every row be looked at anew.
func TestColumnsAreRemembered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const file = "Kontakt,Wer,Woher\nann@example.com,Ann,/in/ann-sample\nbob@example.com,Bob,/in/bob-sample\n"
	a := s.upload(file)
	if a.Status != 201 || a.text("state") != "needs_mapping" || a.Header.Get("Location") != "/v1/imports/"+a.text("id") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	path := "/v1/imports/" + a.text("id")
	if no := s.ask("POST", path+"/start", ""); no.Status != 409 || no.text("code") != "import_not_ready" {
		t.Errorf("started without an address: %d %s", no.Status, no.Body)
	}
	for _, mapping := range []string{`[]`, `["email"]`, `["email","email",null]`, `[null,"name",null]`, `["email","First",null]`, `["email","linkedin_urn!",null]`, `["","",""]`} {
		if no := s.ask("PATCH", path, `{"mapping":`+mapping+`}`); no.Status != 422 || no.text("field") != "mapping" {
			t.Errorf("%s: %d %s", mapping, no.Status, no.Body)
		}
	}
	if a := s.ask("PATCH", path, `{"mapping":["email","linkedin",null]}`); a.Status != 200 {
		t.Errorf("mapped: %d %s", a.Status, a.Body)
	}
	if a := s.inState(a.text("id"), "previewed"); a.text("verdicts.invalid") != "2" || a.text("verdicts.new") != "" {
		t.Errorf("mapped wrongly: %s", a.Body)
	}
	s.ask("PATCH", path, `{"mapping":["email","first_name","linkedin"]}`)
	if a := s.inState(a.text("id"), "previewed"); a.text("verdicts.new") != "2" || a.text("verdicts.invalid") != "" {
		t.Errorf("mapped rightly: %s", a.Body)
	}
	if a := s.upload(file); a.text("state") != "needs_mapping" {
		t.Errorf("remembered before it was begun: %s", a.Body)
	}
	s.ask("POST", path+"/start", "")
	s.inState(a.text("id"), "done")
	if no := s.ask("PATCH", path, `{"mapping":["email",null,null]}`); no.Status != 409 || no.text("code") != "import_begun" {
		t.Errorf("mapped after it was begun: %d %s", no.Status, no.Body)
	}
	next := s.previewed("kontakt ,WER,Woher\nchloe@example.com,Chloe,/in/chloe-sample\n")
	if next.text("columns.1.as") != "first_name" || next.text("columns.2.as") != "linkedin" || next.text("verdicts.new") != "1" {
		t.Errorf("the next file: %s", next.Body)
	}
	if other := s.upload("Kontakt,Wer\nx@example.com,X\n"); other.text("state") != "needs_mapping" {
		t.Errorf("other columns: %s", other.Body)
	}
	// A file without names is not known by those that were made up: its columns are what stands in them.
	bare := s.previewed("doro@example.com,Doro,Acme\n").text("id")
	s.ask("PATCH", "/v1/imports/"+bare, `{"mapping":["email","name","company"]}`)
	s.inState(bare, "previewed")
	s.ask("POST", "/v1/imports/"+bare+"/start", "")
	s.inState(bare, "done")
	if other := s.previewed("emil@example.com,Acme,Emil\n"); other.text("columns.0.as") != "email" || other.text("columns.1.as") != "" || other.text("columns.2.as") != "" {
		t.Errorf("another file without names: %s", other.Body)
	}
	list := s.ask("GET", "/v1/imports?limit=4", "")
	if list.text("items.3.id") != next.text("id") || list.text("next_cursor") == "" || list.text("items.3.rows") != "1" {
		t.Errorf("the list: %s", list.Body)
	}
	if last := s.ask("GET", "/v1/imports?limit=200&cursor="+list.text("next_cursor"), ""); last.text("items.1.id") != a.text("id") || last.text("next_cursor") != "" {
		t.Errorf("the rest of the list: %s", last.Body)
	}
}

// Goal: a file of which nothing can be trusted is refused as a whole and keeps nothing; a form is taken as the file in it; the same key
// is one import.
func TestFilesAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for file, detail := range map[string]string{
		"":                               "no row",
		"\ufeff":                         "no row",
		"email,name\n":                   "no row below them",
		"email\n\"a@example.com\nb@x.io": "never closed",
		"em\x07ail\nx@y.io\n":            "name of column 1",
		"a\"b,c\n1,2\n":                  "first row cannot be read",
		strings.Repeat("a,", config.ImportColumnsMax) + "b\n1\n": "columns",
	} {
		if a := s.upload(file); a.Status != 422 || a.text("field") != "file" || !strings.Contains(a.text("detail"), detail) {
			t.Errorf("%.20q: %d %s", file, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/imports?name=a%07b", "email\nx@y.io\n", "Content-Type: text/csv"); a.Status != 422 || a.text("field") != "name" {
		t.Errorf("a name that is none: %d %s", a.Status, a.Body)
	}
	form := func(field string) (string, string) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		part, _ := w.CreateFormFile(field, "list.csv")
		part.Write([]byte("email\nann@example.com\n"))
		w.Close()
		return body.String(), "Content-Type: " + w.FormDataContentType()
	}
	body, kind := form("file")
	if a := s.ask("POST", "/v1/imports", body, kind); a.Status != 201 || a.text("name") != "list.csv" || a.text("rows") != "1" {
		t.Errorf("a form: %d %s", a.Status, a.Body)
	}
	wrong, wrongKind := form("upload")
	for name, a := range map[string]answer{
		"another part": s.ask("POST", "/v1/imports", wrong, wrongKind), "half a form": s.ask("POST", "/v1/imports", body[:len(body)-80], kind),
		"no form": s.ask("POST", "/v1/imports", "x", "Content-Type: multipart/form-data"),
	} {
		if a.Status != 422 || a.text("field") != "file" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	key := "Idempotency-Key: one"
	first := s.upload("email\nx@y.io\n", key)
	if again := s.upload("email\nx@y.io\n", key); again.Body != first.Body || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same key: %d %s", again.Status, again.Body)
	}
	if other := s.upload("email\nz@y.io\n", key); other.Status != 422 || other.text("code") != "idempotency_key_reused" || other.text("object_id") != first.text("id") {
		t.Errorf("the same key for another file: %d %s", other.Status, other.Body)
	}
	s.forgetAnswers()
	if again := s.upload("email\nx@y.io\n", key); again.Status != 200 || again.text("id") != first.text("id") {
		t.Errorf("the same key once its answer is forgotten: %d %s", again.Status, again.Body)
	}
	path := "/v1/imports/" + first.text("id")
	for _, a := range []answer{
		s.ask("GET", path, "", s.as("stranger")), s.ask("GET", path+"/rows", "", s.as("stranger")), s.ask("GET", path+"/results", "", s.as("stranger")),
		s.ask("GET", "/v1/imports/"+uuid.NewString(), ""),
	} {
		if a.Status != 404 {
			t.Errorf("a stranger: %d %s", a.Status, a.Body)
		}
	}
	if a := s.ask("GET", "/v1/imports", "", s.as("stranger")); a.text("items.0.id") != "" {
		t.Errorf("a stranger's list: %s", a.Body)
	}
	for _, query := range []string{"?verdict=maybe", "?limit=0", "?cursor=x"} {
		if a := s.ask("GET", path+"/rows"+query, ""); a.Status != 422 && a.Status != 400 {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
}
