package instance_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/instance"
	"sendonce/server/send"
)

// Goal: each thing that speaks against a database is named, and nothing else is held against it.
func TestJudge(t *testing.T) {
	t.Parallel()
	id, here, elsewhere := uuid.New(), instance.Home{System: 7, Database: 5}, instance.Home{System: 7, Database: 6}
	armed := time.Now()
	served := instance.Seen{State: instance.State{ID: id, Epoch: 2, ArmedAt: &armed, Home: here}, Here: here, Newest: 90}
	remembers := instance.Memory{Instance: id, Home: here, Epoch: 2, Events: []int64{88, 90}}
	for name, c := range map[string]struct {
		change func(seen *instance.Seen, memory *instance.Memory)
		want   instance.Code
	}{
		"all is as it was":                   {func(*instance.Seen, *instance.Memory) {}, ""},
		"another cluster":                    {func(s *instance.Seen, _ *instance.Memory) { s.Here.System = 8 }, instance.Moved},
		"another database of the cluster":    {func(s *instance.Seen, _ *instance.Memory) { s.Here = elsewhere }, instance.Moved},
		"a history from nowhere":             {func(s *instance.Seen, _ *instance.Memory) { s.Home = instance.Home{} }, instance.UnknownOrigin},
		"another history":                    {func(_ *instance.Seen, m *instance.Memory) { m.Instance = uuid.New() }, instance.OtherHistory},
		"a copied data folder":               {func(_ *instance.Seen, m *instance.Memory) { m.IsCopied = true }, instance.FolderCopied},
		"an event is missing":                {func(s *instance.Seen, _ *instance.Memory) { s.Missing = true }, instance.EventMissing},
		"a lower epoch":                      {func(s *instance.Seen, _ *instance.Memory) { s.Epoch = 1 }, instance.EventMissing},
		"the note is of elsewhere":           {func(_ *instance.Seen, m *instance.Memory) { m.Home = elsewhere }, instance.Moved},
		"a person has armed it since":        {func(s *instance.Seen, m *instance.Memory) { s.Epoch, s.Missing, m.Home = 3, true, elsewhere }, ""},
		"armed since, but elsewhere now":     {func(s *instance.Seen, _ *instance.Memory) { s.Epoch, s.Here = 3, elsewhere }, instance.Moved},
		"an empty database of the same note": {func(s *instance.Seen, _ *instance.Memory) { s.Home, s.Newest, s.Missing = instance.Home{}, 0, true }, instance.EventMissing},
	} {
		seen, memory := served, remembers
		c.change(&seen, &memory)
		if got := instance.Judge(seen, &memory); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if c.want != "" && c.want.Text() == string(c.want) {
			t.Errorf("%s has no sentence for people", c.want)
		}
	}
	if got := instance.Judge(instance.Seen{State: served.State, Here: here, Missing: true}, nil); got != "" {
		t.Errorf("a server that remembers nothing: %q", got)
	}
}

// Goal: the last acknowledged events are remembered in the order of their acknowledgement, a bounded number of them.
func TestWitnessRemembersTheLast(t *testing.T) {
	t.Parallel()
	w := instance.NewWitness(instance.Memory{Epoch: 1})
	for event := range int64(config.EventsRemembered) {
		w.Acknowledged(send.Mark{Epoch: 1, Event: 1000 - event})
	}
	w.Acknowledged(send.Mark{Epoch: 1, Event: 1000 - config.EventsRemembered + 1}) // said again
	w.Acknowledged(send.Mark{Epoch: 1, Event: 5})
	events := w.Memory().Events
	if len(events) != config.EventsRemembered || events[len(events)-1] != 5 || events[0] != 999 {
		t.Errorf("remembered %v", events)
	}
	w.Acknowledged(send.Mark{Epoch: 2, Event: 9})
	w.Acknowledged(send.Mark{Epoch: 1, Event: 6})
	want := instance.Memory{Epoch: 2, Events: []int64{9}}
	if diff := cmp.Diff(want, w.Memory()); diff != "" {
		t.Errorf("in a new epoch (-want +got):\n%s", diff)
	}
}

// Goal: a note is read as it was written, and a damaged one is no note to begin anew with.
func TestNote(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if memory, err := instance.ReadNote(folder); memory != nil || err != nil {
		t.Fatalf("a folder without a note: %v, %v", memory, err)
	}
	want := instance.Memory{Instance: uuid.New(), Home: instance.Home{System: -7, Database: 1 << 31}, Epoch: 3, Events: []int64{4, 2}, Folder: 1 << 63}
	for range 2 {
		if err := instance.WriteNote(folder, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := instance.ReadNote(folder)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
	if err := os.WriteFile(filepath.Join(folder, instance.NoteFile), []byte(`{"instance":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if memory, err := instance.ReadNote(folder); err == nil {
		t.Errorf("a damaged note is read as %v", memory)
	}
}
