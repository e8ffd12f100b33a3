package postgres_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	domain "sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/postgres"
)

// peopleCorpora are addresses that fuzzing found worth keeping.
const peopleCorpora = "../people/testdata/fuzz"

// Goal: Postgres keeps every key that an address comes to, as it is and as one person's. Method: every committed address
// that is taken is joined twice.
func TestEveryKeyIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	keys := map[people.Identity]bool{}
	for target, parse := range map[string]func(field, raw string) (people.Identity, error){
		"FuzzParseLinkedIn": people.ParseLinkedIn, "FuzzParseEmail": people.ParseEmail,
	} {
		for _, raw := range corpus(t, target) {
			if key, err := parse("field", raw); err == nil {
				keys[key] = true
			}
		}
	}
	if len(keys) < 10 {
		t.Fatalf("only %d keys: the corpora are gone", len(keys))
	}
	workspace := uuid.MustParse(w.workspace)
	who := access.Principal{ID: uuid.MustParse(w.principal), Workspace: workspace, Role: access.Admin}
	from := domain.Target{Account: uuid.MustParse(w.account)}
	_, _, err = store.Command(t.Context(), who, nil, func(tx command.Tx) (command.Answer, error) {
		for key := range keys {
			made, err := tx.ProposalBasis(t.Context(), workspace, from, "", []people.Identity{key})
			if err != nil {
				t.Errorf("%+v: %v", key, err)
				return command.Answer{}, err
			}
			if met, err := tx.ProposalBasis(t.Context(), workspace, from, "", []people.Identity{key}); err != nil || !cmp.Equal(met.Person, made.Person) {
				t.Errorf("%+v is %+v and then %+v, %v", key, made.Person, met.Person, err)
			}
		}
		return command.Answer{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept := w.one(t, "SELECT count(DISTINCT (kind, value, person_id))::text FROM person_identities"); kept != strconv.Itoa(len(keys)) {
		t.Errorf("%s keys are kept of %d", kept, len(keys))
	}
}

// corpus reads the committed inputs of a target that takes one string.
func corpus(t *testing.T, target string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(peopleCorpora, target, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		quoted, _ := strings.CutPrefix(strings.TrimSpace(string(raw)), "go test fuzz v1\nstring(")
		input, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		inputs = append(inputs, input)
	}
	return inputs
}
