package instance

import (
	"slices"
	"sync"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/send"
)

// Memory is what a server knows of its database's history, outside of that database. It is only ever a part of it.
type Memory struct {
	Instance uuid.UUID `json:"instance"`
	Home
	Epoch int64 `json:"epoch"`
	// Events are the last that this server acknowledged, in the order of the acknowledgements. Not the highest ones: numbers
	// are drawn before the commits, and what a standby loses are the last commits.
	Events []int64 `json:"events"`
	// Folder is the inode of the data folder that holds the private database, 0 for a database elsewhere.
	Folder uint64 `json:"folder_inode,omitempty"`
	// IsCopied says that the note was found in another folder than the one it was written for.
	IsCopied bool `json:"-"`
}

// memoryOf begins anew with what the database is now.
func memoryOf(seen Seen, folder uint64) Memory {
	memory := Memory{Instance: seen.ID, Home: seen.Here, Epoch: seen.Epoch, Folder: folder}
	if seen.Newest > 0 {
		memory.Events = []int64{seen.Newest}
	}
	return memory
}

// Witness keeps a server's memory while it runs. Its methods may be called from any goroutine.
type Witness struct {
	mu      sync.Mutex
	memory  Memory
	changed bool
}

// NewWitness begins with what is remembered.
func NewWitness(memory Memory) *Witness { return &Witness{memory: memory, changed: true} }

// Acknowledged remembers an event whose commit was acknowledged.
func (w *Witness) Acknowledged(mark send.Mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := &w.memory
	if mark.Event == 0 || mark.Epoch < m.Epoch || slices.Contains(m.Events, mark.Event) && mark.Epoch == m.Epoch {
		return
	}
	if mark.Epoch > m.Epoch {
		m.Epoch, m.Events = mark.Epoch, nil
	}
	if m.Events = append(m.Events, mark.Event); len(m.Events) > config.EventsRemembered {
		m.Events = m.Events[1:]
	}
	w.changed = true
}

// Memory is a copy of what is remembered now.
func (w *Witness) Memory() Memory {
	w.mu.Lock()
	defer w.mu.Unlock()
	memory := w.memory
	memory.Events = slices.Clone(memory.Events)
	return memory
}

// rebase takes over an epoch that a person has begun since. Where the database lives is then what it says itself.
func (w *Witness) rebase(seen Seen) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seen.ID == w.memory.Instance && seen.Epoch > w.memory.Epoch {
		w.memory, w.changed = memoryOf(seen, w.memory.Folder), true
	}
}

// takeChanged returns what must be written down, or nil.
func (w *Witness) takeChanged() *Memory {
	w.mu.Lock()
	changed := w.changed
	w.changed = false
	w.mu.Unlock()
	if !changed {
		return nil
	}
	memory := w.Memory()
	return &memory
}
