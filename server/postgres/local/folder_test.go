package local

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// EmptyFolder is a data folder for one test.
func EmptyFolder(t *testing.T) string {
	t.Helper()
	folder, err := openFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// openFolder is not t.TempDir: its parent may be closed to the user that Postgres runs as.
func openFolder() (string, error) {
	folder, err := os.MkdirTemp("", "sendonce-local-")
	if err != nil {
		return "", err
	}
	return folder, os.Chmod(folder, 0o755)
}

// MadeFolder is a data folder for one test, with a cluster in it that was made once: making one takes longer than most tests.
func MadeFolder(t *testing.T) string {
	t.Helper()
	made, err := madeOnce()
	if err != nil {
		t.Fatal(err)
	}
	folder := EmptyFolder(t)
	if output, err := exec.Command("cp", "-a", made+"/.", folder).CombinedOutput(); err != nil {
		t.Fatalf("copy the cluster: %v\n%s", err, output)
	}
	return folder
}

var (
	templateFolder string
	madeOnce       = sync.OnceValues(func() (string, error) {
		var err error
		if templateFolder, err = openFolder(); err != nil {
			return "", err
		}
		cluster, err := Start(context.Background(), Options{DataDir: templateFolder, AllowEphemeral: true, NoFsync: true})
		if err != nil {
			return "", err
		}
		return templateFolder, cluster.Stop(context.Background())
	})
)

// RemoveMade removes what the folders were copied from, after all tests.
func RemoveMade() { os.RemoveAll(templateFolder) }
