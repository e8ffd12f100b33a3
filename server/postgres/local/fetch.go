package local

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// fetchable are the versions to fetch, by major. The default is the one that the tests run on.
var fetchable = map[int]embedded.PostgresVersion{
	15: embedded.V15, 16: embedded.V16, 17: embedded.V17, 18: embedded.V18,
}

// fetch downloads and unpacks Postgres below binaries, and returns the folder of its programs.
func fetch(ctx context.Context, binaries string, major int, log *slog.Logger) (string, error) {
	return fetchFrom(ctx, embedded.DefaultConfig(), binaries, major, log)
}

// fetchFrom uses the library for its download alone, which it does not offer alone: a locale that does not exist and
// port 0 make it stop right after unpacking, before it runs a cluster of its own. So its error alone says nothing;
// whether the programs run does.
func fetchFrom(ctx context.Context, config embedded.Config, binaries string, major int, log *slog.Logger) (string, error) {
	if major == 0 {
		major = majorMin
	}
	version, ok := fetchable[major]
	if !ok {
		return "", fmt.Errorf("there is no Postgres %d to fetch", major)
	}
	scratch, err := os.MkdirTemp("", "sendonce-fetch-")
	if err != nil {
		return "", fmt.Errorf("make a scratch folder: %w", err)
	}
	home := filepath.Join(binaries, strconv.Itoa(major))
	// What an earlier fetch left half unpacked would be taken for whole by the library.
	if err := os.RemoveAll(home); err != nil {
		return "", fmt.Errorf("remove an unfinished fetch: %w", err)
	}
	database := embedded.NewDatabase(config.
		Version(version).
		CachePath(scratch).
		RuntimePath(filepath.Join(scratch, "runtime")).
		BinariesPath(home).
		Locale("none-such").
		Port(0).
		Logger(io.Discard))
	log.Info("private postgres: fetching Postgres, as none is installed", "version", string(version), "folder", home)
	outcome := make(chan error, 1)
	go func() {
		defer os.RemoveAll(scratch)
		outcome <- database.Start()
	}()
	select {
	case err = <-outcome:
	case <-ctx.Done():
		return "", fmt.Errorf("fetch Postgres %s: %w", version, ctx.Err())
	case <-time.After(fetchWaitMax): // the library's own download has no bound
		return "", fmt.Errorf("fetch Postgres %s: no answer within %v", version, fetchWaitMax)
	}
	dir := filepath.Join(home, "bin")
	if majorOf(ctx, dir) != major {
		return "", fmt.Errorf("fetch Postgres %s: %w", version, err)
	}
	return dir, nil
}
