// Package instance is which history a database is, and whether it may send. A database that was restored, copied, put back
// or wiped does not know what its senders did since; it holds fire until a person arms it. What it is held against is what
// lies outside of it: the note in the data folder, the events that this server has acknowledged, and what installs
// remember. The package knows no database; the store it needs is declared here.
package instance

import (
	"time"

	"github.com/google/uuid"
)

// Home is where a database lives. A dump and a template are elsewhere than the database they were made of; a copy of the
// disk is not, and neither is a promoted standby.
type Home struct {
	System   int64  `json:"system_id"`    // Postgres' system identifier of the cluster
	Database uint32 `json:"database_oid"` // of the database in it
}

// State is what the database says of itself.
type State struct {
	ID         uuid.UUID
	Epoch      int64
	ArmedAt    *time.Time // nil: it holds fire
	DisarmedAt *time.Time
	Code       Code // why it holds fire; "" while it is armed
	// Home is where it was when it was first served or last armed; zero before that.
	Home Home
}

// Seen is a database as one look finds it.
type Seen struct {
	State
	// Here is where it lives now.
	Here Home
	// Newest is the highest event of its history, 0 for none.
	Newest int64
	// Missing says that an event which this server remembers is not in its history.
	Missing bool
}

// Code is why a database holds fire.
type Code string

// The reasons.
const (
	// Moved: it says of itself that it lives elsewhere.
	Moved Code = "restored_or_copied"
	// UnknownOrigin: it has a history, and no server of this version has ever served it.
	UnknownOrigin Code = "unknown_origin"
	// OtherHistory: the data folder knows another database than this one.
	OtherHistory Code = "other_database"
	// FolderCopied: the data folder with the database in it is a copy.
	FolderCopied Code = "data_folder_copied"
	// EventMissing: something that this server acknowledged is not in the history.
	EventMissing Code = "history_lost"
	// InstallAhead: an install remembers more than the history holds.
	InstallAhead Code = "install_remembers_more"
)

var texts = map[Code]string{
	Moved:         "This database was restored or copied: it is not where it was when it last sent.",
	UnknownOrigin: "This database has a history, and it is not known where it comes from.",
	OtherHistory:  "The data folder belongs to another database than this one.",
	FolderCopied:  "The data folder is a copy, and so is the database in it.",
	EventMissing:  "Something that this server acknowledged is missing: the database was put back to an earlier time.",
	InstallAhead:  "A browser remembers more than this database does: it was put back to an earlier time, or is another one.",
}

// Text is one sentence for people; "" for the empty code, and the code itself for one of a newer version.
func (c Code) Text() string {
	if text, known := texts[c]; known {
		return text
	}
	return string(c)
}

// Judge says why a database must hold fire, by what it says of itself and by what memory holds against it; "" when nothing
// speaks against it. memory is nil where nothing is remembered: a second server that joins must not stop the first.
//
// A memory of an older epoch speaks no more: a person has armed the database since.
func Judge(seen Seen, memory *Memory) Code {
	switch {
	case seen.Home == Home{} && seen.Newest > 0:
		return UnknownOrigin
	case seen.Home != Home{} && seen.Home != seen.Here:
		return Moved
	case memory == nil:
		return ""
	case memory.Instance != seen.ID:
		return OtherHistory
	case memory.IsCopied:
		return FolderCopied
	case memory.Epoch < seen.Epoch:
		return ""
	case memory.Epoch > seen.Epoch || seen.Missing:
		return EventMissing
	case memory.Home != seen.Here:
		return Moved
	}
	return ""
}
