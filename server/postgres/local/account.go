package local

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is the system user that Postgres runs as. Postgres refuses to run as root.
type account struct {
	name     string
	uid, gid int
	// drops says that the server is root and gives its rights up for Postgres.
	drops bool
}

// chooseAccount keeps the server's own user, or takes "postgres" and else "nobody" when that is root.
func chooseAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr != nil || gidErr != nil || uid == 0 {
			continue
		}
		return account{name: name, uid: uid, gid: gid, drops: true}, nil
	}
	return account{}, fmt.Errorf("the server runs as root, Postgres must not, and there is neither a user postgres nor " +
		"nobody; run the server as an ordinary user")
}

// own gives a path to the account; nothing to do when the server is that user.
func (a account) own(path string) error {
	if !a.drops {
		return nil
	}
	// Lchown: root must not follow a link that the unprivileged user planted.
	return os.Lchown(path, a.uid, a.gid)
}

// attributes start a child as the account, in its own process group so that a Ctrl-C in the terminal reaches the
// server, which stops Postgres in order, and not Postgres itself.
func (a account) attributes(parentDeath syscall.Signal) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	setParentDeathSignal(attributes, parentDeath)
	if a.drops {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attributes
}
