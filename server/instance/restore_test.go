package instance_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sendonce/server/instance"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/problem"
	"sendonce/server/send"
)

// original is a database that has sent one message and has three more to send.
func original(t *testing.T) (*pgtest.DB, *server, send.Mark) {
	t.Helper()
	db := pgtest.New(t)
	seed := pgtest.NewSeed(t, db)
	s := begin(t, db.ServerURL, seed, tempDir(t), false)
	for _, body := range []string{"Hello Ada", "Hello Bo", "Hello Cy", "Hello Di"} {
		seed.AddMessage(t, body)
	}
	return db, s, s.send()
}

// admin runs statements as the superuser of a database, each on its own.
func admin(t *testing.T, url string, statements ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // for what is cleaned up in the end
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// copyOf is another database of the same cluster, made by fill. The seed's rows are in it too.
func copyOf(t *testing.T, db *pgtest.DB, seed *pgtest.Seed, fill func(name, url string)) (string, *pgtest.Seed) {
	t.Helper()
	name := db.Name + "_copy"
	fill(name, strings.Replace(db.AdminURL, db.Name, name, 1))
	t.Cleanup(func() { admin(t, db.AdminURL, "DROP DATABASE "+name+" WITH (FORCE)") })
	there := *seed
	return strings.Replace(db.ServerURL, db.Name, name, 1), &there
}

func dump(t *testing.T, db *pgtest.DB) string {
	t.Helper()
	file := filepath.Join(tempDir(t), "dump")
	program(t, "pg_dump", "--format=custom", "--file="+file, "--dbname="+db.AdminURL)
	return file
}

// Goal: a copy in another database leases nothing until a person arms it, wherever its server keeps its data; the database
// that it was made of goes on.
func TestACopyElsewhereHoldsFire(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(t *testing.T, db *pgtest.DB, name, url string){
		"dump and restore": func(t *testing.T, db *pgtest.DB, name, url string) {
			file := dump(t, db)
			admin(t, db.AdminURL, "CREATE DATABASE "+name)
			program(t, "pg_restore", "--dbname="+url, file)
		},
		"template": func(t *testing.T, db *pgtest.DB, name, _ string) {
			// A template may have no sessions.
			admin(t, strings.Replace(db.AdminURL, db.Name, "postgres", 1),
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+db.Name+"'",
				"CREATE DATABASE "+name+" TEMPLATE "+db.Name+" STRATEGY file_copy")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, s, mark := original(t)
			s.stop()
			url, seed := copyOf(t, db, s.seed, func(name, url string) { fill(t, db, name, url) })
			there := begin(t, url, seed, tempDir(t), false)
			there.wantHolding(instance.Moved)
			if err := there.arm(false); !problem.Is(err, problem.InstallsUnreported) {
				t.Errorf("armed before the install reported: %v", err)
			}
			there.goesOn(mark)
			here := s.again()
			here.wantArmed()
			here.send()
		})
	}
}

// putBack restores the dump over the database that it was made of: the same place, an earlier time. Whoever was connected
// is not any more.
func putBack(t *testing.T, db *pgtest.DB, file string) {
	t.Helper()
	program(t, "pg_restore", "--clean", "--single-transaction", "--dbname="+db.AdminURL, file)
	admin(t, db.AdminURL, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
}

// Goal: a database that was put back by a minute is found out, by each of the three that remember more than it does.
func TestADatabaseThatWasPutBackHoldsFire(t *testing.T) {
	t.Parallel()
	t.Run("the note remembers", func(t *testing.T) {
		t.Parallel()
		db, s, _ := original(t)
		file := dump(t, db)
		mark := s.send()
		s.stop()
		putBack(t, db, file)
		back := s.again()
		back.wantHolding(instance.EventMissing)
		back.goesOn(mark)
	})
	t.Run("the running server remembers", func(t *testing.T) {
		t.Parallel()
		db, s, _ := original(t)
		file := dump(t, db)
		begun, err := s.start(s.lease(), "attempt-that-is-forgotten")
		if err != nil {
			t.Fatal(err)
		}
		mark := begun.Mark
		putBack(t, db, file)
		s.reconnect()
		s.wantHolding(instance.EventMissing)
		s.goesOn(mark)
	})
	t.Run("an install remembers", func(t *testing.T) {
		t.Parallel()
		db, s, before := original(t)
		file := dump(t, db)
		mark := s.send()
		s.stop()
		putBack(t, db, file)
		elsewhere := begin(t, s.url, s.seed, tempDir(t), false) // a data folder that remembers nothing
		elsewhere.hello(before)
		elsewhere.wantArmed()
		if epoch := elsewhere.hello(mark); epoch != mark.Epoch {
			t.Errorf("the hello is answered with epoch %d", epoch)
		}
		elsewhere.wantHolding(instance.InstallAhead)
		if report := elsewhere.report(); report.Ahead != 1 || report.History[0].Code != instance.InstallAhead {
			t.Errorf("what a person sees: %+v", report)
		}
		elsewhere.goesOn(mark)
	})
}

// Goal: what was started before a database was put back is still evidence afterwards, and what was leased then starts nothing.
func TestOldLeasesAfterARestore(t *testing.T) {
	t.Parallel()
	db, s, _ := original(t)
	leased := s.lease()
	file := dump(t, db)
	if _, err := s.start(leased, "attempt-before-the-restore"); err != nil {
		t.Fatal(err)
	}
	s.stop()
	putBack(t, db, file)
	s.seed.Pool.Reset() // its connections were cut too, and a pool asks only those that rested for a second whether they live
	back := s.again()
	if _, err := back.start(leased, "attempt-after-the-restore"); err == nil {
		t.Error("a lease of the time before started in a database that holds fire")
	}
	back.confirm(leased, "attempt-before-the-restore")
	if got := s.seed.Status(t, leased.Send); got != "sent" {
		t.Errorf("the send is %s after its confirmation", got)
	}
}

// Goal: servers that share a database and come and go disarm nothing: not the first, not one that remembers nothing yet.
func TestServersThatShareADatabaseStayArmed(t *testing.T) {
	t.Parallel()
	_, one, _ := original(t)
	two := begin(t, one.url, one.seed, tempDir(t), false)
	for _, s := range []*server{one, two, one} {
		s.send()
	}
	one.stop()
	two.stop()
	one.again().wantArmed()
	two.again().wantArmed()
}

// Goal: an empty database that meets what remembers an older one holds fire: a data folder, an install.
func TestAnEmptyDatabaseThatMeetsOldOnesHoldsFire(t *testing.T) {
	t.Parallel()
	t.Run("data folder", func(t *testing.T) {
		t.Parallel()
		_, old, mark := original(t)
		old.stop()
		db := pgtest.New(t)
		seed := pgtest.NewSeed(t, db)
		seed.Exec(t, "UPDATE instance SET id = gen_random_uuid()") // as a migration of its own makes it
		wiped := begin(t, db.ServerURL, seed, old.data, false)
		wiped.wantHolding(instance.OtherHistory)
		wiped.seed.AddMessage(t, "Hello Ada")
		wiped.wantHolding(instance.OtherHistory)
		wiped.goesOn(mark)
	})
	t.Run("install", func(t *testing.T) {
		t.Parallel()
		db := pgtest.New(t)
		wiped := begin(t, db.ServerURL, pgtest.NewSeed(t, db), tempDir(t), false)
		wiped.seed.AddMessage(t, "Hello Ada")
		wiped.wantArmed()
		wiped.hello(send.Mark{Epoch: 3, Event: 1})
		wiped.wantHolding(instance.InstallAhead)
		wiped.goesOn(send.Mark{Epoch: 3, Event: 1})
	})
}

// Goal: a history of which nobody knows where it comes from holds fire: it was dumped before servers noted that.
func TestAHistoryOfUnknownOriginHoldsFire(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	seed := pgtest.NewSeed(t, db)
	seed.AddMessage(t, "Hello Ada")
	s := begin(t, db.ServerURL, seed, tempDir(t), false)
	s.wantHolding(instance.UnknownOrigin)
	s.goesOn(send.Mark{Epoch: 1})
}
