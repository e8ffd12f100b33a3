package app_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"sendonce/server/app"
	"sendonce/server/app/apptest"
)

// Goal: wherever a person is in the sandbox's console, the page says that it is one; and a server for real messages refuses its
// database.
func TestTheSandboxSaysOnEveryPageWhatItIs(t *testing.T) {
	t.Parallel()
	s := apptest.Sandbox(t)
	m := s.Propose("sandbox-anything", "Hello")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	link, err := url.Parse(s.FirstLink())
	if err != nil {
		t.Fatal(err)
	}
	const says = "Sandbox: nothing here reaches LinkedIn."
	visit := func(path string) {
		response, err := browser.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if page, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(page), says) {
			t.Errorf("%s (%s) does not say that it is the sandbox: %v", path, response.Status, err)
		}
	}
	visit(link.RequestURI())
	signedIn, err := browser.PostForm(s.URL()+"/sign-in", link.Query())
	if err != nil || signedIn.StatusCode != http.StatusOK {
		t.Fatalf("sign in: %v %v", signedIn, err)
	}
	signedIn.Body.Close()
	for _, path := range []string{"/", "/messages?section=waiting", "/messages/" + m.ID, "/incidents", "/accounts", "/installs", "/instance", "/no-such-page", "/messages/no-id"} {
		visit(path)
	}

	settings := s.Settings
	settings.Sandbox, settings.Data = false, t.TempDir()
	if _, err := app.Start(t.Context(), settings, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "this database is a sandbox's") {
		t.Errorf("a server for real messages on the sandbox's database: %v", err)
	}
}

// Goal: a sandbox never serves a database that was served for real, and says what to do instead.
func TestASandboxRefusesADatabaseOfRealMessages(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	real := m.serve(nil)
	real.stop()
	sandbox := apptest.Settings(t)
	sandbox.DatabaseURL = m.db.ServerURL
	if _, err := app.Start(t.Context(), sandbox, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "give the sandbox a data folder of its own") {
		t.Errorf("a sandbox on a database of real messages: %v", err)
	}
}
