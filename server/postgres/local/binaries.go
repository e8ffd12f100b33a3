package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// usualFolders is where systems put Postgres without putting it on the PATH.
var usualFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/opt/homebrew/bin",
	"/usr/local/pgsql/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// installation is one folder that holds postgres and initdb.
type installation struct {
	dir   string
	major int
}

// findBinaries returns the folder of the Postgres to run: the one that made the cluster if there is one, else the
// first on the PATH, else the newest that is installed, else a fetched one.
func findBinaries(ctx context.Context, f folders, log *slog.Logger) (string, error) {
	wanted, err := clusterMajor(f.data)
	if err != nil {
		return "", err
	}
	installed := installations(ctx, f.binaries)
	for _, candidate := range installed {
		if wanted == 0 || candidate.major == wanted {
			return candidate.dir, nil
		}
	}
	dir, err := fetch(ctx, f.binaries, wanted, log)
	if err == nil {
		return dir, nil
	}
	if wanted == 0 {
		return "", fmt.Errorf("no Postgres %d or newer is installed, and none could be fetched: %w; install one "+
			"(apt-get install postgresql), or set DATABASE_URL", majorMin, err)
	}
	return "", fmt.Errorf("the cluster was made by Postgres %d; found here: %s; and none could be fetched: %w; install "+
		"postgresql-%d, or move the data with pg_upgrade", wanted, describe(installed), err, wanted)
}

// clusterMajor is the version that made the cluster, or 0 if there is none.
func clusterMajor(data string) (int, error) {
	content, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	return major, nil
}

// installations lists what is installed and new enough: PATH first, then newest first, then what was fetched before.
func installations(ctx context.Context, fetched string) []installation {
	var found []installation
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			found = appendInstallation(ctx, found, filepath.Dir(real))
		}
	}
	onPath := len(found)
	for _, pattern := range usualFolders {
		dirs, _ := filepath.Glob(pattern) // the only error is a bad pattern, and the patterns are ours
		for _, dir := range dirs {
			found = appendInstallation(ctx, found, dir)
		}
	}
	slices.SortStableFunc(found[onPath:], func(a, b installation) int { return b.major - a.major })
	dirs, _ := filepath.Glob(filepath.Join(fetched, "[0-9]*", "bin"))
	for _, dir := range dirs {
		found = appendInstallation(ctx, found, dir)
	}
	return found
}

func appendInstallation(ctx context.Context, found []installation, dir string) []installation {
	if slices.ContainsFunc(found, func(i installation) bool { return i.dir == dir }) {
		return found
	}
	if major := majorOf(ctx, dir); major >= majorMin {
		found = append(found, installation{dir: dir, major: major})
	}
	return found
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// majorOf asks the two programs of a folder for their version; 0 means they do not run, or do not match.
func majorOf(ctx context.Context, dir string) int {
	major := 0
	for _, program := range []string{"postgres", "initdb"} {
		path := filepath.Join(dir, program)
		if _, err := os.Stat(path); err != nil {
			return 0
		}
		output, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			return 0
		}
		match := versionPattern.FindSubmatch(output)
		if match == nil {
			return 0
		}
		said, _ := strconv.Atoi(string(match[1])) // the pattern matched digits
		if major != 0 && said != major {
			return 0
		}
		major = said
	}
	return major
}

func describe(installed []installation) string {
	if len(installed) == 0 {
		return "none"
	}
	words := make([]string, len(installed))
	for i, candidate := range installed {
		words[i] = fmt.Sprintf("%d (%s)", candidate.major, candidate.dir)
	}
	return strings.Join(words, ", ")
}
