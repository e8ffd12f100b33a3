package console_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/imports"
)

// upload posts a file as the page's form does.
func (s *site) upload(key, name, file string) page {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	err := w.WriteField("key", key)
	if err == nil && name != "" {
		var part io.Writer
		if part, err = w.CreateFormFile("file", name); err == nil {
			_, err = part.Write([]byte(file))
		}
	}
	if err != nil || w.Close() != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+"/imports", &body)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", w.FormDataContentType())
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := s.browser.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return page{response.StatusCode, response.Request.URL.Path, string(raw), response.Header}
}

// work does what imports have to do, as the server's worker does.
func (s *site) work() {
	s.t.Helper()
	open, err := s.store.ImportsOpen(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, one := range open {
		for twins, more := imports.NewTwins(), true; more; {
			if more, err = s.command.ImportStep(s.t.Context(), one, twins); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// Goal: a list is uploaded, told what its columns are, shown row by row, taken in by one tap, and saved with what became of each row; a
// second tap is not a second one; what stands in a cell is text; who may not import sees none of it.
func TestImportPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	if p := s.get("/imports"); p.Status != 200 || !strings.Contains(p.Body, "No file was uploaded yet.") || !strings.Contains(s.get("/people").Body, `href="/imports"`) {
		t.Errorf("empty: %d %s", p.Status, p.Body)
	}
	s.propose("Hello Ada")
	key := s.get("/imports").form(t, "/imports").Get("key")
	const file = "Kontakt,Vorname,Notiz\nann@example.com,<b>Ann</b>,=1+1\nbob@example.com,Bob,\nANN@example.com,Ann,\nno address,x,\n"
	var path string
	for range 2 {
		p := s.upload(key, "my <list>.csv", file)
		if path = p.Path; p.Status != 200 || !strings.HasPrefix(path, "/imports/") || !strings.Contains(p.Body, "my &lt;list&gt;.csv") || !strings.Contains(p.Body, "Say below which column is a LinkedIn profile") {
			t.Fatalf("uploaded: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM imports"); n != 1 {
		t.Errorf("%d imports, want 1", n)
	}
	form := s.get(path).form(t, path+"/columns")
	form["as"] = []string{"email", "first_name", ""}
	if p := s.post(path+"/columns", form); p.Status != 200 || p.Path != path || !strings.Contains(p.Body, "Rows looked at so far: 0 of 4.") || !strings.Contains(p.Body, `hx-get="`+path+`"`) ||
		strings.Contains(p.Body, path+"/start") {
		t.Errorf("mapped: %d %s", p.Status, p.Body)
	}
	s.work()
	shown := s.get(path)
	for _, want := range []string{"New: 2", "Twice in the file: 1", "Cannot be taken: 1", "row 2 names the same person", "&lt;b&gt;Ann&lt;/b&gt;", "<strong>2</strong> people are made.", "Take in 2 rows"} {
		if !strings.Contains(shown.Body, want) {
			t.Errorf("the preview lacks %q: %s", want, shown.Body)
		}
	}
	if p := s.get(path + "?verdict=invalid"); !strings.Contains(p.Body, "no address") || strings.Contains(p.Body, ">bob@example.com</td>") {
		t.Errorf("the invalid ones: %s", p.Body)
	}
	if n := s.count("SELECT count(*) FROM people"); n != 1 {
		t.Errorf("%d people, want the one there was: a look changes nothing", n)
	}
	form = shown.form(t, path+"/start")
	for range 2 {
		if p := s.post(path+"/start", form); p.Status != 200 || p.Path != path || !strings.Contains(p.Body, "Rows taken in so far: 0 of 4.") || strings.Contains(p.Body, path+"/columns") {
			t.Errorf("started: %d %s", p.Status, p.Body)
		}
	}
	s.work()
	if p := s.get(path); !strings.Contains(p.Body, "Done: all 4 rows.") || !strings.Contains(p.Body, "Made: 2") || !strings.Contains(p.Body, "Left out: 2") || strings.Contains(p.Body, "hx-get") {
		t.Errorf("done: %s", p.Body)
	}
	saved := s.get(path + "/results.csv")
	if saved.Status != 200 || !strings.Contains(saved.Body, "'=1+1") || !strings.Contains(saved.Body, ",made,") || !strings.HasPrefix(saved.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("saved: %d %v %q", saved.Status, saved.Header, saved.Body)
	}
	if p := s.get("/people?q=bob@example.com"); !strings.Contains(p.Body, "bob@example.com") {
		t.Errorf("Bob: %s", p.Body)
	}
	if p := s.get("/imports"); !strings.Contains(p.Body, `<span class="label">done</span>`) {
		t.Errorf("the list: %s", p.Body)
	}
	for what, p := range map[string]page{
		"no file": s.upload(uuid.NewString(), "", ""), "an empty one": s.upload(uuid.NewString(), "x.csv", ""), "no such verdict": s.get(path + "?verdict=x"), "mapped too late": s.post(path+"/columns", url.Values{"as": {"email", "", ""}}),
		"too large": s.upload(uuid.NewString(), "x.csv", strings.Repeat("x", config.ImportBytesMax)),
	} {
		if p.Status < 400 || p.Status > 499 {
			t.Errorf("%s: %d %.2000s", what, p.Status, p.Body)
		}
	}
	viewer := s.as(access.Viewer)
	for _, at := range []string{"/imports", path, path + "/results.csv"} {
		if p := viewer("GET", at, nil); p.Status != 403 {
			t.Errorf("a viewer at %s: %d", at, p.Status)
		}
	}
	if p := viewer("GET", "/people", nil); strings.Contains(p.Body, `href="/imports"`) {
		t.Errorf("a viewer is led to it: %s", p.Body)
	}
}
