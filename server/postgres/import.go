package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/csv"
	"sendonce/server/imports"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

var (
	_ imports.Store  = transaction{}
	_ imports.Reader = (*Store)(nil)
	_ imports.Runs   = (*Store)(nil)
)

// ImportInsert implements imports.Store.
func (tx transaction) ImportInsert(ctx context.Context, workspace, by uuid.UUID, i imports.Import) error {
	err := tx.q.ImportInsert(ctx, db.ImportInsertParams{
		ID: i.ID, WorkspaceID: workspace, FileName: i.FileName, Encoding: string(i.Encoding), Delimiter: string(i.Delimiter), HasHeader: i.HasHeader,
		Header: i.Header, Mapping: i.Mapping, RowCount: int32(i.Rows), LastRow: int32(i.LastRow), CreatedBy: by,
	})
	if err != nil {
		return fmt.Errorf("keep the file: %w", err)
	}
	return nil
}

// RowsInsert implements imports.Store.
func (tx transaction) RowsInsert(ctx context.Context, workspace, id uuid.UUID, rows []csv.Row, names [][]people.Identity) error {
	removed, err := tx.areRemoved(ctx, workspace, names)
	if err != nil {
		return err
	}
	var failed error
	err = trip(ctx, tx.conn, func(b *pgx.Batch) {
		for i, row := range rows {
			if removed[i] {
				row, names[i] = csv.Row{Number: row.Number}, nil
			}
			cells, err := json.Marshal(append([]string{}, row.Cells...))
			failed = errors.Join(failed, err)
			queueExec(b, "keep a row", db.ImportRowInsert, id, int32(row.Number), cells, row.Flaw, namesOf(names[i]), removed[i])
		}
	})
	return errors.Join(failed, err)
}

// namesOf are addresses as a removal looks for them.
func namesOf(identities []people.Identity) []string {
	names := make([]string, len(identities))
	for i, one := range identities {
		names[i] = string(one.Kind) + ":" + one.Value
	}
	return names
}

// headerHash is by what a header is known again: its names as a reader would call them the same, in their order.
func headerHash(header []string) ([]byte, error) {
	folded := make([]string, len(header))
	for i, name := range header {
		folded[i] = message.Fold(name)
	}
	raw, err := json.Marshal(folded)
	if err != nil {
		return nil, fmt.Errorf("hash the header: %w", err)
	}
	sum := sha256.Sum256(raw)
	return sum[:], nil
}

// MappingOf implements imports.Store.
func (tx transaction) MappingOf(ctx context.Context, workspace uuid.UUID, header []string) ([]string, error) {
	hash, err := headerHash(header)
	if err != nil {
		return nil, err
	}
	mapping, err := tx.q.ImportMappingGet(ctx, workspace, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what the columns were last: %w", err)
	}
	return mapping, nil
}

// MappingRemember implements imports.Store.
func (tx transaction) MappingRemember(ctx context.Context, workspace, by uuid.UUID, header, mapping []string) error {
	hash, err := headerHash(header)
	if err != nil {
		return err
	}
	if err := tx.q.ImportMappingSet(ctx, workspace, hash, mapping, by); err != nil {
		return fmt.Errorf("remember what the columns are: %w", err)
	}
	return nil
}

// ImportGet implements imports.Store.
func (tx transaction) ImportGet(ctx context.Context, workspace, id uuid.UUID) (imports.Import, error) {
	i, err := tx.importOf(ctx, workspace, id)
	if err != nil {
		return imports.Import{}, err
	}
	counts, err := tx.q.ImportCounts(ctx, id)
	if err != nil {
		return imports.Import{}, fmt.Errorf("count what an import came to: %w", err)
	}
	for _, count := range counts {
		i.Verdicts[imports.Verdict(count.Verdict)] += int(count.Number)
		if count.Outcome != "" {
			i.Outcomes[imports.Outcome(count.Outcome)] += int(count.Number)
			i.Handled += int(count.Number)
		}
	}
	return i, nil
}

func (tx transaction) importOf(ctx context.Context, workspace, id uuid.UUID) (imports.Import, error) {
	rows, err := tx.q.ImportPage(ctx, workspace, &id, nil, 1)
	if err == nil && len(rows) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return imports.Import{}, notFound(err, "import", id)
	}
	return importOf(rows[0]), nil
}

func importOf(row db.ImportPageRow) imports.Import {
	return imports.Import{
		ID: row.ID, FileName: row.FileName, Encoding: csv.Encoding(row.Encoding), Delimiter: []rune(row.Delimiter)[0], HasHeader: row.HasHeader, Header: row.Header,
		Mapping: row.Mapping, MappingNumber: int(row.MappingNumber), Rows: int(row.RowCount), LastRow: int(row.LastRow),
		JudgedTo: int(row.JudgedTo), HandledTo: int(row.HandledTo), CreatedBy: row.CreatedByName, CreatedAt: row.CreatedAt,
		BegunAt: row.BegunAt, EndedAt: row.EndedAt, ForgottenAt: row.ForgottenAt,
		Verdicts: map[imports.Verdict]int{}, Outcomes: map[imports.Outcome]int{},
	}
}

// ImportLock implements imports.Store.
func (tx transaction) ImportLock(ctx context.Context, workspace, id uuid.UUID) (imports.Import, error) {
	if _, err := tx.q.ImportLock(ctx, workspace, id); err != nil {
		return imports.Import{}, notFound(err, "import", id)
	}
	return tx.ImportGet(ctx, workspace, id)
}

// ImportMap implements imports.Store.
func (tx transaction) ImportMap(ctx context.Context, id uuid.UUID, mapping []string) error {
	if err := tx.q.ImportMap(ctx, mapping, id); err != nil {
		return fmt.Errorf("say what the columns are: %w", err)
	}
	return nil
}

// ImportBegin implements imports.Store.
func (tx transaction) ImportBegin(ctx context.Context, id, by uuid.UUID) error {
	return tx.q.ImportBegin(ctx, &by, id)
}

// ImportTake implements imports.Store.
func (tx transaction) ImportTake(ctx context.Context, workspace, id uuid.UUID) (imports.Import, bool, error) {
	_, err := tx.q.ImportLockFree(ctx, workspace, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return imports.Import{}, false, nil
	}
	if err != nil {
		return imports.Import{}, false, fmt.Errorf("take an import: %w", err)
	}
	// A connection keeps the plans it has made. Those of a table that was nearly empty read all of it, once it has grown by a list.
	if err := trip(ctx, tx.conn, func(b *pgx.Batch) { queueExec(b, "plan anew", "DISCARD PLANS") }); err != nil {
		return imports.Import{}, false, err
	}
	i, err := tx.importOf(ctx, workspace, id)
	return i, err == nil, err
}

// RowsAfter implements imports.Store.
func (tx transaction) RowsAfter(ctx context.Context, id uuid.UUID, after, most int) ([]imports.Row, error) {
	return tx.importRows(ctx, id, imports.Page{After: after, Most: most})
}

func (tx transaction) importRows(ctx context.Context, id uuid.UUID, page imports.Page) ([]imports.Row, error) {
	found, err := tx.q.ImportRowsAfter(ctx, id, int32(page.After), string(page.Verdict), int32(page.Most))
	if err != nil {
		return nil, fmt.Errorf("list the rows of an import: %w", err)
	}
	rows := make([]imports.Row, len(found))
	for i, row := range found {
		rows[i] = imports.Row{
			Number: int(row.Number), Flaw: row.Flaw, Verdict: imports.Verdict(row.Verdict), Why: row.Why, SameAs: int(row.SameAs),
			Person: orZero(row.PersonID), Outcome: imports.Outcome(row.Outcome), IsForgotten: row.Forgotten,
		}
		if err := json.Unmarshal(row.Cells, &rows[i].Cells); err != nil {
			return nil, fmt.Errorf("read row %d of an import: %w", row.Number, err)
		}
	}
	return rows, nil
}

// RowsJudged implements imports.Store.
func (tx transaction) RowsJudged(ctx context.Context, id uuid.UUID, from, to int, rows []imports.Row) error {
	if err := tx.writeRows(ctx, id, rows); err != nil {
		return err
	}
	moved, err := tx.q.ImportJudged(ctx, int32(to), id, int32(from))
	return wentOn(moved, err)
}

// RowsHandled implements imports.Store.
func (tx transaction) RowsHandled(ctx context.Context, id uuid.UUID, from, to int, rows []imports.Row) error {
	if err := tx.writeRows(ctx, id, rows); err != nil {
		return err
	}
	moved, err := tx.q.ImportHandled(ctx, int32(to), id, int32(from))
	return wentOn(moved, err)
}

// wentOn: the import was locked where it stood, so that nobody else can have gone on with it.
func wentOn(moved int64, err error) error {
	if err == nil && moved != 1 {
		err = errors.New("it is not where it was locked")
	}
	if err != nil {
		return fmt.Errorf("go on with an import: %w", err)
	}
	return nil
}

func (tx transaction) writeRows(ctx context.Context, id uuid.UUID, rows []imports.Row) error {
	p := db.ImportRowsWriteParams{ImportID: id}
	for _, row := range rows {
		p.Numbers, p.Verdicts, p.Whys = append(p.Numbers, int32(row.Number)), append(p.Verdicts, string(row.Verdict)), append(p.Whys, row.Why)
		p.Same, p.People = append(p.Same, int32(row.SameAs)), append(p.People, row.Person)
		p.Outcomes, p.Forgotten = append(p.Outcomes, string(row.Outcome)), append(p.Forgotten, row.IsForgotten)
	}
	if err := tx.q.ImportRowsWrite(ctx, p); err != nil {
		return fmt.Errorf("write what rows of an import come to: %w", err)
	}
	return nil
}

// ImportRead implements imports.Reader.
func (s *Store) ImportRead(ctx context.Context, workspace, id uuid.UUID) (i imports.Import, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		i, err = tx.ImportGet(ctx, workspace, id)
		return err
	})
	return i, err
}

// ImportList implements imports.Reader.
func (s *Store) ImportList(ctx context.Context, workspace, before uuid.UUID, most int) ([]imports.Import, error) {
	rows, err := s.queries().ImportPage(ctx, workspace, nil, nullable(before), int32(most))
	if err != nil {
		return nil, fmt.Errorf("list imports: %w", err)
	}
	list := make([]imports.Import, len(rows))
	for i, row := range rows {
		list[i] = importOf(row)
	}
	return list, nil
}

// ImportRows implements imports.Reader.
func (s *Store) ImportRows(ctx context.Context, workspace, id uuid.UUID, page imports.Page) (rows []imports.Row, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if _, err := tx.importOf(ctx, workspace, id); err != nil {
			return err
		}
		rows, err = tx.importRows(ctx, id, page)
		return err
	})
	return rows, err
}

// ImportsOpen implements imports.Runs.
func (s *Store) ImportsOpen(ctx context.Context) ([]imports.Open, error) {
	rows, err := s.queries().ImportsOpen(ctx)
	if err != nil {
		return nil, fmt.Errorf("list imports under way: %w", err)
	}
	open := make([]imports.Open, len(rows))
	for i, row := range rows {
		open[i] = imports.Open{ID: row.ID, By: access.Principal{ID: row.PrincipalID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.Name}}
	}
	return open, nil
}

// ImportsForget implements command.Store.
func (s *Store) ImportsForget(ctx context.Context, kept time.Duration, most int) (int, error) {
	var forgot int64
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) (err error) {
		if err := q.ImportsForget(ctx, kept); err != nil {
			return err
		}
		forgot, err = q.ImportRowsForget(ctx, int32(most))
		return err
	})
	return int(forgot), err
}
