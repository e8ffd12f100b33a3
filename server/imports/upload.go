package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/csv"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
)

// Upload keeps a file, says what its columns are, and has it be looked at. Nothing else changes.
func Upload(ctx context.Context, store Store, who access.Principal, name string, raw []byte) (Import, error) {
	if err := who.Require(access.Import); err != nil {
		return Import{}, err
	}
	name, err := message.CanonicalLine("name", name, config.ImportFileNameRunesMax)
	if err != nil {
		return Import{}, err
	}
	file, rows, err := readRows(raw)
	if err != nil {
		return Import{}, err
	}
	i := Import{ID: uuid.Must(uuid.NewV7()), FileName: name, Encoding: file.Encoding, Delimiter: file.Delimiter, MappingNumber: 1}
	if rows, err = i.takeHeader(rows); err != nil {
		return Import{}, err
	}
	i.Rows, i.LastRow = len(rows), rows[len(rows)-1].Number
	if i.HasHeader { // made-up names say nothing of another file
		if i.Mapping, err = store.MappingOf(ctx, who.Workspace, i.Header); err != nil {
			return Import{}, err
		}
	}
	if i.Mapping == nil || checkMapping(i.Header, i.Mapping) != nil {
		i.Mapping = guess(i.Header, rows[0].Cells, i.HasHeader)
	}
	if err := store.ImportInsert(ctx, who.Workspace, who.ID, i); err != nil {
		return Import{}, err
	}
	for len(rows) > 0 {
		chunk := rows[:min(len(rows), config.ImportChunkRows)]
		names := make([][]people.Identity, len(chunk))
		for at, row := range chunk {
			names[at] = addressesOf(row.Cells)
		}
		if err := store.RowsInsert(ctx, who.Workspace, i.ID, chunk, names); err != nil {
			return Import{}, fmt.Errorf("keep the rows of import %s: %w", i.ID, err)
		}
		rows = rows[len(chunk):]
	}
	return store.ImportGet(ctx, who.Workspace, i.ID)
}

// readRows are the rows of a file that are not blank. The error is a *problem.Problem about file.
func readRows(raw []byte) (*csv.File, []csv.Row, error) {
	const field = "file"
	file, err := csv.Open(raw)
	if err != nil {
		return nil, nil, problem.Field(field, "%v", err)
	}
	var rows []csv.Row
	for {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			return file, rows, nil
		}
		if err != nil {
			return nil, nil, problem.Field(field, "%v", err)
		}
		if !row.IsBlank() {
			rows = append(rows, row)
		}
	}
}

// takeHeader reads the names of the columns off the first row. A first row with an address in it, also one that cannot be read, is a
// person: the file names no columns. The names are kept for good, and nobody who is removed is found in them.
func (i *Import) takeHeader(rows []csv.Row) ([]csv.Row, error) {
	const field = "file"
	if len(rows) > 0 && rows[0].Flaw != "" {
		return nil, problem.Field(field, "its first row cannot be read: %s", rows[0].Flaw)
	}
	if len(rows) > 0 && slices.ContainsFunc(rows[0].Cells, isLikeAddress) {
		for at := range rows[0].Cells {
			i.Header = append(i.Header, fmt.Sprintf("Column %d", at+1))
		}
		return rows, nil
	}
	if len(rows) < 2 {
		return nil, problem.Field(field, "it has the names of columns, and no row below them")
	}
	i.HasHeader = true
	for at, cell := range rows[0].Cells {
		name, err := message.CanonicalLine(field, cell, config.ImportFileNameRunesMax)
		if err != nil {
			return nil, problem.Field(field, "the name of column %d cannot be read: %s", at+1, problem.As(err).Detail)
		}
		i.Header = append(i.Header, name)
	}
	return rows[1:], nil
}

var addressLike = regexp.MustCompile(`(?i)\S@\S|linkedin\.com/`)

func isLikeAddress(cell string) bool {
	return addressLike.MatchString(cell) || len(addressesIn(cell)) > 0
}

// Map says what each column is. The file is looked at anew.
func Map(ctx context.Context, store Store, who access.Principal, id uuid.UUID, mapping []string) (Import, error) {
	if err := who.Require(access.Import); err != nil {
		return Import{}, err
	}
	i, err := store.ImportLock(ctx, who.Workspace, id)
	if err != nil {
		return Import{}, err
	}
	if i.ForgottenAt != nil {
		return Import{}, forgotten()
	}
	if i.BegunAt != nil {
		return Import{}, problem.New(problem.ImportBegun, "it was begun with the columns as they were; upload the file again to take it otherwise")
	}
	if err := checkMapping(i.Header, mapping); err != nil {
		return Import{}, err
	}
	if err := store.ImportMap(ctx, id, mapping); err != nil {
		return Import{}, err
	}
	return store.ImportGet(ctx, who.Workspace, id)
}

// Begin lets an import happen that was shown. One that was begun before is returned as it is.
func Begin(ctx context.Context, store Store, who access.Principal, id uuid.UUID) (Import, error) {
	if err := who.Require(access.Import); err != nil {
		return Import{}, err
	}
	i, err := store.ImportLock(ctx, who.Workspace, id)
	if err != nil {
		return Import{}, err
	}
	switch i.State() {
	case Running, Done:
		return i, nil
	case Expired:
		return Import{}, forgotten()
	case NeedsMapping:
		return Import{}, problem.New(problem.ImportNotReady, "say first which column is an address")
	case Previewing:
		return Import{}, problem.New(problem.ImportNotReady, "it is still being looked at: %d of %d rows so far", i.Judged(), i.Rows)
	}
	if err := store.ImportBegin(ctx, id, who.ID); err != nil {
		return Import{}, fmt.Errorf("begin import %s: %w", id, err)
	}
	if err := store.MappingRemember(ctx, who.Workspace, who.ID, i.Header, i.Mapping); err != nil {
		return Import{}, err
	}
	return store.ImportGet(ctx, who.Workspace, id)
}

// Judged is how many rows have a verdict.
func (i Import) Judged() (count int) {
	for _, n := range i.Verdicts {
		count += n
	}
	return count
}

func forgotten() *problem.Problem {
	return problem.New(problem.ImportForgotten, "what was uploaded is kept no longer; upload the file again")
}
