package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sendonce/server/access"
	"sendonce/server/app"
	"sendonce/server/auth"
	"sendonce/server/callback"
	"sendonce/server/config"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Goal: a source is made, renewed, listed and ended by the command; a secret is printed when it was made here, and never again.
func TestSourceCommand(t *testing.T) {
	t.Parallel()
	store, err := postgres.Open(t.Context(), pgtest.New(t).ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	admin, err := access.NewService(store).FirstAdmin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	service, err := app.SourcesBeside(config.Settings{Data: t.TempDir()}, store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	say := func(args ...string) []string {
		t.Helper()
		var out strings.Builder
		if err := (sources{service, admin, &out}).do(t.Context(), args[0], args[1:]); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	made := say("create", "--name", "Mailer")
	if len(made) != 2 || !strings.HasPrefix(made[0], callback.PathPrefix) || !strings.HasPrefix(made[1], auth.WebhookSecretPrefix) {
		t.Fatalf("created: %q", made)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(made[1]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if theirs := say("create", "--name", "Theirs", "--secret-file", file); len(theirs) != 1 {
		t.Errorf("a given secret is printed: %q", theirs)
	}
	if renewed := say("renew", made[0]); len(renewed) != 1 || renewed[0] == made[1] || !strings.HasPrefix(renewed[0], auth.WebhookSecretPrefix) {
		t.Errorf("renewed: %q", renewed)
	}
	say("end", strings.TrimPrefix(made[0], callback.PathPrefix))
	if list := say("list"); len(list) != 2 || !strings.HasSuffix(list[0], " - now") || strings.HasSuffix(list[1], " - now") || strings.Contains(list[0]+list[1], "whsec_") {
		t.Errorf("listed: %q", list)
	}
	for _, args := range [][]string{{"make"}, {"create", "Mailer"}, {"renew"}, {"end"}, {"end", made[0], "now"}} {
		if err := (sources{service, admin, &strings.Builder{}}).do(t.Context(), args[0], args[1:]); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v, want the usage", args, err)
		}
	}
}
