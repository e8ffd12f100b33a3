package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// folders are the places of one cluster. Only data and socket belong to Postgres' user; the rest is the server's.
type folders struct {
	root     string // <data folder>/postgres
	data     string
	socket   string
	log      string
	binaries string
}

// prepareFolders makes what is missing and sees to owners and modes; data itself is made by initCluster.
func prepareFolders(dataDir string, acc account) (folders, error) {
	root := filepath.Join(dataDir, "postgres")
	f := folders{
		root:     root,
		data:     filepath.Join(root, "data"),
		socket:   socketDir(dataDir),
		log:      filepath.Join(root, "postgres.log"),
		binaries: filepath.Join(root, "binaries"),
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return f, fmt.Errorf("make folder: %w", err)
	}
	if acc.drops {
		// Postgres' user must be able to walk through our two folders, not to list them.
		for _, dir := range []string{dataDir, root} {
			if err := allowWalk(dir); err != nil {
				return f, err
			}
		}
		if err := checkWalk(root, acc); err != nil {
			return f, err
		}
	}
	if err := ownTree(f.data, acc); err != nil {
		return f, err
	}
	return f, prepareSocketDir(f.socket, acc)
}

// socketDir is short enough for a socket's path: below the data folder if it can be, else in the temp folder.
func socketDir(dataDir string) string {
	dir := filepath.Join(dataDir, "postgres", "run")
	// unix_socket_directories is a list: a comma in the path would split it.
	if len(socketFile(dir)) <= socketPathBytesMax && !strings.ContainsAny(dir, `,"`) {
		return dir
	}
	sum := sha256.Sum256([]byte(dataDir))
	return filepath.Join(os.TempDir(), "sendonce-"+hex.EncodeToString(sum[:6]))
}

func socketFile(dir string) string { return filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(port)) }

// prepareSocketDir makes the folder of mode 0700 that stands in for a password. In a shared temp folder somebody else
// may have made it first: then it is refused.
func prepareSocketDir(dir string, acc account) error {
	if err := os.Mkdir(dir, 0o700); err == nil {
		return acc.own(dir)
	} else if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the socket folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the socket folder: %w", err)
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	ours := int(owner) == acc.uid || int(owner) == os.Geteuid()
	if !info.IsDir() || !ours {
		return fmt.Errorf("the socket folder %s is not a folder of user %s; remove it", dir, acc.name)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close the socket folder: %w", err)
	}
	return acc.own(dir)
}

func allowWalk(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at folder: %w", err)
	}
	if info.Mode().Perm()&0o011 == 0o011 {
		return nil
	}
	if err := os.Chmod(dir, info.Mode().Perm()|0o011); err != nil {
		return fmt.Errorf("let user walk through folder: %w", err)
	}
	return nil
}

// checkWalk finds the parent folder that the account cannot pass, which Postgres would report only as a bare
// "permission denied". The folders above the data folder are not ours to change.
func checkWalk(dir string, acc account) error {
	for parent := dir; ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return fmt.Errorf("look at folder: %w", err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		need := fs.FileMode(0o001)
		if int(stat.Uid) == acc.uid {
			need = 0o100
		} else if int(stat.Gid) == acc.gid {
			need = 0o010
		}
		if info.Mode().Perm()&need == 0 {
			return fmt.Errorf("the server runs as root and Postgres as %s, who cannot pass %s (mode %o); choose another "+
				"SENDONCE_DATA (such as /var/lib/sendonce), or run: chmod o+x %s",
				acc.name, parent, info.Mode().Perm(), parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

// ownTree gives an existing cluster to the account, for one that was copied or restored by root.
func ownTree(dir string, acc account) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) || !acc.drops {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the cluster's folder: %w", err)
	}
	if int(info.Sys().(*syscall.Stat_t).Uid) == acc.uid {
		return nil
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return acc.own(path)
	})
	if err != nil {
		return fmt.Errorf("give the cluster's folder to user %s: %w", acc.name, err)
	}
	return nil
}
