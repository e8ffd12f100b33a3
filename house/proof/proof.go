// Package proof reads and writes the parts of docs/proof.md that commands make.
package proof

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Part is what one command writes. It stands between two marks, each a line of its own that a reader does not see.
type Part struct {
	// Name says what it is about, and Command how it is written anew.
	Name, Command string
}

// writing keeps commands that end at one time from writing over each other.
var writing sync.Mutex

func (p Part) begins() string { return "<!-- " + p.Name + ": written by " + p.Command + " -->\n" }
func (p Part) ends() string   { return "<!-- " + p.Name + " end -->\n" }

// Read returns what the part holds.
func (p Part) Read() (content string, err error) {
	_, content, _, err = p.cut()
	return content, err
}

// Write puts content in place of what the part holds.
func (p Part) Write(content string) error {
	writing.Lock()
	defer writing.Unlock()
	before, _, after, err := p.cut()
	if err != nil {
		return err
	}
	path, err := path()
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+p.begins()+content+p.ends()+after), 0o644)
}

func (p Part) cut() (before, content, after string, err error) {
	path, err := path()
	if err != nil {
		return "", "", "", err
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		return "", "", "", err
	}
	before, rest, begins := strings.Cut(string(whole), p.begins())
	content, after, ends := strings.Cut(rest, p.ends())
	if !begins || !ends {
		return "", "", "", fmt.Errorf("docs/proof.md must have the lines %q and %q", p.begins(), p.ends())
	}
	return before, content, after, nil
}

// path is that of the document in the repository in which the command runs.
func path() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return filepath.Join(folder, "docs", "proof.md"), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			return "", errors.New("run this in the repository: there is no go.mod in this folder or above it")
		}
		folder = filepath.Dir(folder)
	}
}
