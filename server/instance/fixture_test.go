package instance_test

import (
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/instance"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

type nobody struct{}

func (nobody) Wake(uuid.UUID) {}

func (nobody) WakeAll() {}

func (nobody) InstallChanged(uuid.UUID) {}

// leaseKeys are outside of every database: what one server signed, the server of a copy reads.
var leaseKeys = auth.NewKeys().Lease

// server is one that serves a database, with a data folder of its own or one that another left behind.
type server struct {
	t     *testing.T
	store *postgres.Store
	sends *send.Service
	seed  *pgtest.Seed
	guard *instance.Guard

	url, data string
	isPrivate bool
}

// begin starts a server on a database; seed says whose rows are in it.
func begin(t *testing.T, url string, seed *pgtest.Seed, data string, isPrivate bool) *server {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	guard, err := instance.Begin(t.Context(), store, data, isPrivate, quiet)
	if err != nil {
		t.Fatal(err)
	}
	sends := send.NewService(store, auth.NewLeaseTokens(leaseKeys), auth.NewCheckTokens(leaseKeys), nobody{},
		send.Settings{LeaseLasts: time.Minute, TouchWithin: 90 * time.Second, Deadline: 6 * time.Minute}, quiet)
	return &server{t: t, store: store, sends: sends, seed: seed, guard: guard, url: url, data: data, isPrivate: isPrivate}
}

// stop ends the server as a graceful stop does: what it remembers is written down.
func (s *server) stop() {
	s.t.Helper()
	if err := s.guard.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.store.Close()
}

func (s *server) session() send.Session {
	return send.Session{ID: s.seed.Session, Install: s.seed.Install, Workspace: s.seed.Workspace, ExtensionVersion: "1.0.0"}
}

func (s *server) lease() *send.Lease {
	s.t.Helper()
	lease, err := s.sends.Lease(s.t.Context(), s.session(), s.seed.Account)
	if err != nil {
		s.t.Fatal(err)
	}
	return lease
}

func (s *server) start(lease *send.Lease, attempt string) (send.Started, error) {
	return s.sends.Start(s.t.Context(), send.StartAsk{Session: s.session(), LeaseToken: lease.Token, Attempt: attempt, Digest: lease.Digest})
}

// send takes the next send to its end, and returns the mark that the install then remembers.
func (s *server) send() send.Mark {
	s.t.Helper()
	lease := s.lease()
	if lease == nil {
		s.t.Fatal("nothing was leased")
	}
	attempt := "attempt-" + uuid.NewString()
	if _, err := s.start(lease, attempt); err != nil {
		s.t.Fatal(err)
	}
	return s.confirm(lease, attempt)
}

// confirm is the report that the message stands in the conversation.
func (s *server) confirm(lease *send.Lease, attempt string) send.Mark {
	s.t.Helper()
	acted := rule.Acted{Answer: rule.Answer{Kind: rule.AnswerStatus, Status: 200}, Look: rule.LookFound}
	recorded, err := s.sends.Report(s.t.Context(), send.Report{
		Session: s.session(), LeaseToken: lease.Token, Attempt: attempt, Acted: &acted,
		Copies: []send.Copy{{ProviderID: "copy-" + attempt}}, Raw: []byte(`{}`),
	})
	if err != nil || recorded.Status != rule.Sent {
		s.t.Fatalf("report: %v, %v", recorded, err)
	}
	return recorded.Mark
}

// hello is the install's first word on a connection, with what it remembers.
func (s *server) hello(mark send.Mark) int64 {
	s.t.Helper()
	greeting, err := s.store.Arrive(s.t.Context(), install.Arrival{Session: s.seed.Session, Install: s.seed.Install, Mark: mark},
		func([]install.Account) []install.Pin { return nil })
	if err != nil || !greeting.Found {
		s.t.Fatalf("hello: %v, %v", greeting, err)
	}
	return greeting.Epoch
}

// reconnect uses up the connections that were cut, so that the next is a new one.
func (s *server) reconnect() {
	s.t.Helper()
	for range config.DatabaseConnectionsMax {
		if s.store.Ping(s.t.Context()) == nil {
			return
		}
	}
	s.t.Fatal("no new connection works")
}

func (s *server) report() instance.Report {
	s.t.Helper()
	report, err := s.store.InstanceGet(s.t.Context(), s.seed.Workspace)
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

// arm is the yes of the workspace's admin to what they see now.
func (s *server) arm(acceptUnseen bool) error {
	s.t.Helper()
	who := access.Principal{ID: s.seed.Principal, Workspace: s.seed.Workspace, Role: access.Admin, Name: "Rita Recruiter"}
	arming := instance.Arming{Epoch: s.report().Epoch, AcceptUnseen: acceptUnseen}
	_, _, err := command.NewRunner(s.store, nobody{}).Run(s.t.Context(), who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		_, err := instance.Arm(s.t.Context(), tx, who, arming)
		return command.Answer{}, uuid.Nil, err
	})
	return err
}

func (s *server) wantArmed() {
	s.t.Helper()
	if report := s.report(); report.ArmedAt == nil {
		s.t.Errorf("the database holds fire, because of %s", report.Code)
	}
}

// wantHolding: the database holds fire for that reason, and nothing is leased.
func (s *server) wantHolding(code instance.Code) {
	s.t.Helper()
	if report := s.report(); report.ArmedAt != nil || report.Code != code || report.DisarmedAt == nil {
		s.t.Errorf("armed at %v, disarmed at %v because of %q; want it to hold fire because of %q", report.ArmedAt, report.DisarmedAt, report.Code, code)
	}
	if lease := s.lease(); lease != nil {
		s.t.Errorf("send %s was leased", lease.Send)
	}
}

// goesOn: after its install has said what it remembers, a person arms it, and all goes on in a new epoch.
func (s *server) goesOn(mark send.Mark) {
	s.t.Helper()
	s.hello(mark)
	if err := s.arm(false); err != nil {
		s.t.Fatal(err)
	}
	if got := s.send(); got.Epoch <= mark.Epoch {
		s.t.Errorf("the epoch is %d after %d", got.Epoch, mark.Epoch)
	}
	s.stop()
	again := s.again()
	again.wantArmed()
	again.hello(mark) // the old mark does not disarm the new epoch
	again.wantArmed()
}

// again starts the server anew, on the same database and data folder.
func (s *server) again() *server { return begin(s.t, s.url, s.seed, s.data, s.isPrivate) }

// program runs one of Postgres' own, of the newest version that is installed.
func program(t *testing.T, name string, args ...string) {
	t.Helper()
	path := name
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name); len(found) > 0 {
		path = slices.Max(found)
	}
	if output, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}

// tempDir is not t.TempDir: its parent may be closed to the user that Postgres runs as.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sendonce-instance-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}
