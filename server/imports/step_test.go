package imports_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/imports"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type nobody struct{}

func (nobody) Wake(uuid.UUID)           {}
func (nobody) WakeAll()                 {}
func (nobody) InstallChanged(uuid.UUID) {}

// world is imports over a database of their own, with no worker.
type world struct {
	t      *testing.T
	store  *postgres.Store
	admin  *pgxpool.Pool
	runner *command.Runner
	who    access.Principal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	database := pgtest.New(t)
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	admin, err := pgxpool.New(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	service := access.NewService(store)
	if _, err := service.EnsureFirst(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := service.CreateToken(t.Context(), access.Admin, "")
	if err != nil {
		t.Fatal(err)
	}
	who, err := service.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, store: store, admin: admin, runner: command.NewRunner(store, nobody{}), who: who}
}

func (w *world) run(do func(tx command.Tx) error) {
	w.t.Helper()
	_, _, err := w.runner.Run(w.t.Context(), w.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		return command.Answer{}, uuid.Nil, do(tx)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) upload(file string) (id uuid.UUID) {
	w.t.Helper()
	w.run(func(tx command.Tx) error {
		i, err := imports.Upload(w.t.Context(), tx, w.who, "", []byte(file))
		id = i.ID
		return err
	})
	return id
}

func (w *world) begin(id uuid.UUID) {
	w.t.Helper()
	w.run(func(tx command.Tx) error {
		_, err := imports.Begin(w.t.Context(), tx, w.who, id)
		return err
	})
}

// step is one step of a server that has those twins.
func (w *world) step(id uuid.UUID, twins *imports.Twins) (more bool) {
	w.t.Helper()
	more, err := w.try(id, twins)
	if err != nil {
		w.t.Fatal(err)
	}
	return more
}

func (w *world) try(id uuid.UUID, twins *imports.Twins) (bool, error) {
	return w.runner.ImportStep(w.t.Context(), imports.Open{ID: id, By: w.who}, twins)
}

func (w *world) read(id uuid.UUID) imports.Import {
	w.t.Helper()
	i, err := w.store.ImportRead(w.t.Context(), w.who.Workspace, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

func (w *world) count(sql string) (n int) {
	w.t.Helper()
	if err := w.admin.QueryRow(w.t.Context(), sql).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// list has that many people, and each fifth of them once more at the end.
func list(people int) string {
	var out strings.Builder
	out.WriteString("email,linkedin,first name\n")
	for i := range people {
		fmt.Fprintf(&out, "p%d@example.com,/in/sample-%d,P%d\n", i, i, i)
	}
	for i := 0; i < people; i += 5 {
		fmt.Fprintf(&out, "P%d@Example.com,,Second\n", i)
	}
	return out.String()
}

// Goal: an import goes on where it was, whatever server dies when: one that has forgotten everything, and two that take turns, come to
// the same as one that does all; nobody is made twice, and no row is carried out twice.
func TestAnImportGoesOnAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const people = 1200
	id := w.upload(list(people))
	for turn, servers := 0, []*imports.Twins{imports.NewTwins(), imports.NewTwins()}; w.read(id).State() == imports.Previewing; turn++ {
		if turn == 2 { // the second server dies, and another comes
			servers[1] = imports.NewTwins()
		}
		w.step(id, servers[turn%2])
	}
	shown := w.read(id)
	if shown.Verdicts[imports.IsNew] != people || shown.Verdicts[imports.InFileTwice] != people/5 {
		t.Errorf("shown: %v", shown.Verdicts)
	}
	w.begin(id)
	w.step(id, imports.NewTwins())
	if part := w.read(id); part.Outcomes[imports.Made] != config.ImportChunkRows || part.Handled != config.ImportChunkRows || part.State() != imports.Running {
		t.Errorf("after one part: %v", part.Outcomes)
	}
	// A server dies between two statements of the next part: nothing of it is kept.
	died := errors.New("it died")
	_, _, err := w.runner.Run(t.Context(), w.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		if _, err := imports.Step(t.Context(), tx, imports.Open{ID: id, By: w.who}, imports.NewTwins()); err != nil {
			return command.Answer{}, uuid.Nil, err
		}
		return command.Answer{}, uuid.Nil, died
	})
	if !errors.Is(err, died) || w.count("SELECT count(*) FROM people") != config.ImportChunkRows {
		t.Errorf("%v, and %d people", err, w.count("SELECT count(*) FROM people"))
	}
	for w.step(id, imports.NewTwins()) {
	}
	done := w.read(id)
	if done.State() != imports.Done || done.Outcomes[imports.Made] != people || done.Outcomes[imports.LeftOut] != people/5 || w.count("SELECT count(*) FROM people") != people {
		t.Errorf("done: %v %v", done.State(), done.Outcomes)
	}
	if w.step(id, imports.NewTwins()) {
		t.Error("it goes on after its end")
	}
}

// Goal: imports of one list by several servers at one moment, beside each other, make each person once, and none is cut off by another.
func TestImportsOfOneList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const people, lists = 700, 3
	var ids []uuid.UUID
	for range lists {
		id := w.upload(list(people))
		for twins := imports.NewTwins(); w.step(id, twins); {
		}
		w.begin(id)
		ids = append(ids, id)
	}
	var servers sync.WaitGroup
	for _, id := range append(ids, ids...) {
		servers.Go(func() {
			for w.read(id).State() == imports.Running {
				if _, err := w.try(id, imports.NewTwins()); err != nil && !errors.Is(err, imports.ErrMoved) && !errors.Is(err, context.Canceled) {
					t.Error(err)
					return
				}
			}
		})
	}
	servers.Wait()
	made := 0
	for _, id := range ids {
		i := w.read(id)
		made += i.Outcomes[imports.Made]
		if i.State() != imports.Done || i.Outcomes[imports.Made]+i.Outcomes[imports.Unchanged] != people {
			t.Errorf("%s: %v", i.State(), i.Outcomes)
		}
	}
	if n := w.count("SELECT count(*) FROM people"); n != people || made != people {
		t.Errorf("%d people and %d made, want %d", n, made, people)
	}
	if n := w.store.DatabaseErrors()["40"]; n != 0 {
		t.Errorf("%d transactions met in a circle", n)
	}
}

// between has somebody do something between what a step reads and what it writes.
type between struct {
	command.Tx
	do func()
}

// RowsJudged implements imports.Store.
func (b between) RowsJudged(ctx context.Context, id uuid.UUID, from, to int, rows []imports.Row) error {
	b.do()
	return b.Tx.RowsJudged(ctx, id, from, to, rows)
}

// Goal: a row whose person is removed while it is looked at is empty afterwards and says so, and nothing is written back into it.
func TestARemovalMeetsAStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.store.SealMarks(t.Context(), auth.NewMarkVault(auth.NewKeys().Refresh)); err != nil {
		t.Fatal(err)
	}
	const file = "email,name\nada@example.com,Ada\n"
	first := w.upload(file)
	for twins := imports.NewTwins(); w.step(first, twins); {
	}
	w.begin(first)
	w.step(first, imports.NewTwins())
	found, err := w.store.PeopleList(t.Context(), w.who.Workspace, people.Page{Most: 1})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	id := w.upload(file)
	remove := func() {
		shown, err := w.store.RemovalPreview(t.Context(), w.who.Workspace, found[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		w.run(func(tx command.Tx) error {
			_, err := person.Remove(t.Context(), tx, w.who, found[0].ID, shown.Seen())
			return err
		})
	}
	w.run(func(tx command.Tx) error {
		_, err := imports.Step(t.Context(), between{tx, remove}, imports.Open{ID: id, By: w.who}, imports.NewTwins())
		return err
	})
	rows, err := w.store.ImportRows(t.Context(), w.who.Workspace, id, imports.Page{Most: 1})
	if err != nil || !rows[0].IsForgotten || len(rows[0].Cells) != 0 || rows[0].Why != "" {
		t.Errorf("%+v, %v", rows, err)
	}
	w.begin(id)
	w.step(id, imports.NewTwins())
	if done := w.read(id); done.Verdicts[imports.DoNotContact] != 1 || w.count("SELECT count(*) FROM people WHERE name <> ''") != 0 {
		t.Errorf("carried out: %v", done.Verdicts)
	}
}

// Goal: a file that names somebody who was removed is kept without their row, also where no column is an address yet, and where the address
// stands in a column that is nothing.
func TestAFileKeepsNobodyWhoWasRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.store.SealMarks(t.Context(), auth.NewMarkVault(auth.NewKeys().Refresh)); err != nil {
		t.Fatal(err)
	}
	first := w.upload("email,name\nada@example.com,Ada\n")
	for twins := imports.NewTwins(); w.step(first, twins); {
	}
	w.begin(first)
	w.step(first, imports.NewTwins())
	found, err := w.store.PeopleList(t.Context(), w.who.Workspace, people.Page{Most: 1})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	shown, err := w.store.RemovalPreview(t.Context(), w.who.Workspace, found[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	w.run(func(tx command.Tx) error {
		_, err := person.Remove(t.Context(), tx, w.who, found[0].ID, shown.Seen())
		return err
	})
	for _, file := range []string{"Kontakt,Wer\nAda@example.com,Ada\nbea@example.com,Bea\n", "linkedin,Kontakt,Wer\n/in/somebody,ada@EXAMPLE.com,Ada\n/in/bea,,Bea\n"} {
		id := w.upload(file)
		rows, err := w.store.ImportRows(t.Context(), w.who.Workspace, id, imports.Page{Most: 2})
		if err != nil || !rows[0].IsForgotten || len(rows[0].Cells) != 0 || rows[1].IsForgotten || len(rows[1].Cells) == 0 {
			t.Errorf("%q: %+v, %v", file, rows, err)
		}
	}
}
