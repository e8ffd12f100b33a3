// Package imports takes a list of people out of a file: what each row would come to is shown before anything changes, then carried out
// a part at a time, so that it may stop and go on anywhere. An import adds people and fills what is empty. It takes nothing away,
// overwrites nothing, and writes to nobody.
package imports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/csv"
	"sendonce/server/people"
	"sendonce/server/rule"
)

// Import is one uploaded file.
type Import struct {
	ID        uuid.UUID
	FileName  string // may be ""
	Encoding  csv.Encoding
	Delimiter rune
	// HasHeader: the first row names the columns. Header is these names, or made-up ones.
	HasHeader bool
	Header    []string
	// Mapping says of each column what it is: one of the own columns, a field of the person, or "" for nothing. Its number grows with each
	// change.
	Mapping       []string
	MappingNumber int
	Rows          int // that are not blank
	LastRow       int // the number of the last one
	// JudgedTo and HandledTo are the numbers of the last rows that were looked at and carried out.
	JudgedTo, HandledTo int
	Handled             int // how many were carried out
	CreatedBy           string
	CreatedAt           time.Time
	BegunAt             *time.Time
	EndedAt             *time.Time
	ForgottenAt         *time.Time // what was uploaded is gone since
	Verdicts            map[Verdict]int
	Outcomes            map[Outcome]int
}

// State is how far an import is.
type State string

// The states of an import, in their order.
const (
	NeedsMapping State = "needs_mapping" // no column is an address
	Previewing   State = "previewing"
	Previewed    State = "previewed"
	Running      State = "running"
	Done         State = "done"
	Expired      State = "expired" // it was never begun, and what was uploaded is gone
)

// States lists every state.
func States() []State { return []State{NeedsMapping, Previewing, Previewed, Running, Done, Expired} }

// State is how far the import is.
func (i Import) State() State {
	switch {
	case i.EndedAt != nil:
		return Done
	case i.ForgottenAt != nil:
		return Expired
	case i.BegunAt != nil:
		return Running
	case !namesPeople(i.Mapping):
		return NeedsMapping
	case i.JudgedTo < i.LastRow:
		return Previewing
	}
	return Previewed
}

// Verdict is what a row would come to. It is one, and the strictest that anything asks for.
type Verdict string

// The verdicts. Rows of the first five are taken.
const (
	IsNew       Verdict = "new"
	IsKnown     Verdict = "known"
	Contacted   Verdict = "contacted"               // somebody of the team wrote to them
	Owned       Verdict = "owned"                   // by a colleague
	Unconfirmed         = Verdict(rule.Unconfirmed) // a message may have reached them, and a person must look
	// InFileTwice: an earlier row names the same person, and that one counts.
	InFileTwice  Verdict = "in_file_twice"
	DoNotContact Verdict = "do_not_contact"
	Invalid      Verdict = "invalid"
)

// Verdicts lists every verdict.
func Verdicts() []Verdict {
	return []Verdict{IsNew, IsKnown, Contacted, Owned, Unconfirmed, InFileTwice, DoNotContact, Invalid}
}

// isTaken reports whether the run does something with such a row.
func (v Verdict) isTaken() bool { return v != InFileTwice && v != DoNotContact && v != Invalid }

// Outcome is what the run made of a row.
type Outcome string

// The outcomes.
const (
	Made      Outcome = "made"
	Filled    Outcome = "filled" // something was added to somebody who was known
	Unchanged Outcome = "unchanged"
	LeftOut   Outcome = "left_out" // the verdict says why
)

// Outcomes lists every outcome.
func Outcomes() []Outcome { return []Outcome{Made, Filled, Unchanged, LeftOut} }

// Row is one row of the file, with what is known of it so far.
type Row struct {
	Number  int
	Cells   []string
	Flaw    string // why its cells cannot be trusted
	Verdict Verdict
	Why     string    // of the verdict, for people; "" where the verdict says all
	SameAs  int       // the earlier row that names the same person
	Person  uuid.UUID // who it is of those who are known
	Outcome Outcome
	// IsForgotten: whom it names was removed, or the file is kept no longer. It holds nothing.
	IsForgotten bool
}

// Candidate is whom a row names, and what it says of them.
type Candidate struct {
	// Identities are empty where the row names nobody who could be taken.
	Identities []people.Identity
	// Named is every address in the row, whatever its column: by these whoever was removed is found.
	Named         []people.Identity
	Name, Company string
	Fields        map[string]string
}

// Met is what is known of whom a row names.
type Met struct {
	Person people.Person // the zero value: nobody is known by these
	// IsTwo: its addresses belong to different people. WasRemoved: one of them is of somebody who was removed.
	IsTwo, WasRemoved bool
	// Because is what of the row itself must not be contacted: the kind of an address, a domain, a company; or "".
	Because                string
	Unconfirmed, Contacted bool
}

// Change is what the run does to one person.
type Change struct {
	IsNew bool
	Was   people.Person
	Next  people.Person
	Add   []people.Identity
}

// Open is an import with something left to do, and in whose name it is done.
type Open struct {
	ID uuid.UUID
	By access.Principal
}

// Store is one transaction on imports, scoped by workspace. What is not there is problem.NotFound.
type Store interface {
	ImportInsert(ctx context.Context, workspace, by uuid.UUID, i Import) error
	// RowsInsert keeps rows with the addresses in them. Of one that names somebody who was removed it keeps the number.
	RowsInsert(ctx context.Context, workspace, id uuid.UUID, rows []csv.Row, names [][]people.Identity) error
	// MappingOf is the mapping that was begun last with such a header; nil when none was.
	MappingOf(ctx context.Context, workspace uuid.UUID, header []string) ([]string, error)
	MappingRemember(ctx context.Context, workspace, by uuid.UUID, header, mapping []string) error
	ImportGet(ctx context.Context, workspace, id uuid.UUID) (Import, error)
	// ImportLock is ImportGet, and keeps everybody else from it.
	ImportLock(ctx context.Context, workspace, id uuid.UUID) (Import, error)
	// ImportMap has the import be looked at from the beginning.
	ImportMap(ctx context.Context, id uuid.UUID, mapping []string) error
	ImportBegin(ctx context.Context, id, by uuid.UUID) error
	// ImportTake is ImportLock without the counts; false when another server is at it.
	ImportTake(ctx context.Context, workspace, id uuid.UUID) (Import, bool, error)
	// RowsAfter are up to most rows that follow a number, in their order.
	RowsAfter(ctx context.Context, id uuid.UUID, after, most int) ([]Row, error)
	// Meet says what is known of whom each of these names, for one who may pass over claims of their own.
	Meet(ctx context.Context, workspace, by uuid.UUID, candidates []Candidate) ([]Met, error)
	// RowsJudged writes the verdicts of these rows, up to and with the number to.
	RowsJudged(ctx context.Context, id uuid.UUID, from, to int, rows []Row) error
	// Apply changes people. ErrMoved when one of them is not as was read: nothing may be kept then.
	Apply(ctx context.Context, workspace uuid.UUID, changes []Change) error
	// RowsHandled writes the outcomes of these rows, up to and with the number to, and ends the import with its last row.
	RowsHandled(ctx context.Context, id uuid.UUID, from, to int, rows []Row) error
}

// Page asks for rows whose number follows After, of one verdict or ("") all.
type Page struct {
	Verdict Verdict
	After   int
	Most    int
}

// Reader reads outside a command.
type Reader interface {
	ImportRead(ctx context.Context, workspace, id uuid.UUID) (Import, error)
	// ImportList lists the newest first, older than before (uuid.Nil: from the newest on), without their counts.
	ImportList(ctx context.Context, workspace, before uuid.UUID, most int) ([]Import, error)
	ImportRows(ctx context.Context, workspace, id uuid.UUID, page Page) ([]Row, error)
}
