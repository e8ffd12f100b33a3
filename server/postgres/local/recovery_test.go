package local

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// Goal: where no parent death signal exists, a Postgres that outlived its server is taken over. Method: give the
// folder's lock back, as a crash does, and leave Postgres running.
func TestOrphanIsTakenOver(t *testing.T) {
	t.Parallel()
	opts := Options{DataDir: MadeFolder(t), AllowEphemeral: true, NoFsync: true}
	crashed, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := crashed.lock.release(); err != nil {
		t.Fatal(err)
	}
	next, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if !crashed.process.ended() {
		t.Error("the orphan still runs beside the new cluster")
	}
	if err := next.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// Goal: a process file whose number belongs to a stranger now does not block the start, and the stranger lives on.
// Method: the stranger is this test.
func TestReusedProcessNumber(t *testing.T) {
	t.Parallel()
	opts := Options{DataDir: MadeFolder(t), AllowEphemeral: true, NoFsync: true}
	cluster, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(opts.DataDir, "postgres", "data", "postmaster.pid")
	// Not our own number: Postgres excuses its parent's.
	stranger := exec.Command("sleep", "60")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	if err := os.WriteFile(pidFile, []byte(strconv.Itoa(stranger.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cluster, err = Start(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if stranger.ProcessState != nil {
		t.Error("the stranger was ended")
	}
}

// Goal: an initdb that was cut short is not taken for a cluster.
func TestUnfinishedInitIsDoneAgain(t *testing.T) {
	t.Parallel()
	opts := Options{DataDir: EmptyFolder(t), AllowEphemeral: true, NoFsync: true}
	half := filepath.Join(opts.DataDir, "postgres", "data.new")
	if err := os.MkdirAll(half, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cluster, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// Goal: a cluster made by a version that is not here is refused by name, never replaced by an empty one.
func TestOtherVersionRefused(t *testing.T) {
	t.Parallel()
	opts := Options{DataDir: EmptyFolder(t), AllowEphemeral: true}
	data := filepath.Join(opts.DataDir, "postgres", "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), "Postgres 99") {
		t.Errorf("got %v, want a refusal that names Postgres 99", err)
	}
}

// Goal: the log is set aside when full, and its tail is the newest part only.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postgres.log")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), logBytesMax), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := len(logTail(path, 0)); got != logTailBytesMax {
		t.Errorf("tail of %d bytes, want %d", got, logTailBytesMax)
	}
	if err := rotateLog(path); err != nil {
		t.Fatal(err)
	}
	if got := logEnd(path); got != 0 {
		t.Errorf("log of %d bytes after rotation, want none", got)
	}
	if got := logEnd(path + ".1"); got != logBytesMax {
		t.Errorf("%d bytes were set aside, want %d", got, logBytesMax)
	}
}

// Goal: where no Postgres is installed it is fetched, unpacked and found again; one that does not run is an error.
// Method: an archive of two scripts behind a local server, in the shape that the library expects.
func TestFetch(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("needs xz to build an archive")
	}
	for _, c := range []struct {
		name, says, want string
	}{
		{"whole", "postgres (PostgreSQL) 15.13", ""},
		{"another version", "postgres (PostgreSQL) 14.1", "fetch Postgres 15"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			archive := fetchableArchive(t, c.says)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, ".sha256") {
					sum := sha256.Sum256(archive)
					_, _ = w.Write([]byte(hex.EncodeToString(sum[:])))
					return
				}
				_, _ = w.Write(archive)
			}))
			defer server.Close()
			binaries := t.TempDir()
			config := embedded.DefaultConfig().BinaryRepositoryURL(server.URL)
			dir, err := fetchFrom(t.Context(), config, binaries, 0, slog.New(slog.DiscardHandler))
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want an error with %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			found := installations(t.Context(), binaries)
			if last := found[len(found)-1]; last != (installation{dir: dir, major: 15}) {
				t.Errorf("found again: %+v, want %s", last, dir)
			}
		})
	}
}

func fetchableArchive(t *testing.T, says string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + says + "' || exit 1\n"
	for _, program := range []string{"postgres", "initdb", "pg_ctl"} {
		if err := os.WriteFile(filepath.Join(dir, "bin", program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := exec.Command("tar", "-C", dir, "-cJf", "-", "bin").Output()
	if err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	writer := zip.NewWriter(&jar)
	entry, err := writer.Create("postgres.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(packed); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return jar.Bytes()
}
