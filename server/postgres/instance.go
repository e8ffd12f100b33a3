package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/instance"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var (
	_ instance.Store        = (*Store)(nil)
	_ instance.PurposeStore = (*Store)(nil)
)

// PurposeClaim implements instance.PurposeStore.
func (s *Store) PurposeClaim(ctx context.Context, want instance.Purpose) (instance.Purpose, error) {
	var is string
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		if err := q.PurposeClaim(ctx, string(want)); err != nil {
			return err
		}
		var err error
		is, err = q.PurposeGet(ctx)
		return err
	})
	if isCode(err, refusedByPurpose) {
		return instance.Real, nil
	}
	return instance.Purpose(is), err
}

// refusedByPurpose is the SQLSTATE of what a database refuses because of what it is for.
const refusedByPurpose = "SO014"

// InstanceLook implements instance.Store.
func (s *Store) InstanceLook(ctx context.Context, events []int64) (instance.Seen, error) {
	return look(ctx, s.queries(), events)
}

func look(ctx context.Context, q *db.Queries, events []int64) (instance.Seen, error) {
	row, err := q.InstanceLook(ctx, events)
	if err != nil {
		return instance.Seen{}, fmt.Errorf("read which history the database is: %w", err)
	}
	return instance.Seen{
		State: stateOf(db.InstanceStateRow{
			ID: row.ID, Epoch: row.Epoch, ArmedAt: row.ArmedAt, DisarmedAt: row.DisarmedAt, DisarmedCode: row.DisarmedCode,
			SystemID: row.SystemID, DatabaseOid: row.DatabaseOid,
		}),
		Here:   instance.Home{System: row.SystemHere, Database: uint32(row.DatabaseHere)},
		Newest: row.Newest, Missing: row.Missing,
	}, nil
}

func stateOf(row db.InstanceStateRow) instance.State {
	return instance.State{
		ID: row.ID, Epoch: row.Epoch, ArmedAt: row.ArmedAt, DisarmedAt: row.DisarmedAt, Code: instance.Code(orZero(row.DisarmedCode)),
		Home: instance.Home{System: orZero(row.SystemID), Database: uint32(orZero(row.DatabaseOid))},
	}
}

// InstanceBegin implements instance.Store.
func (s *Store) InstanceBegin(ctx context.Context) error {
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error { return q.InstanceBegin(ctx) })
	if isCode(err, refusedByInstance) {
		return nil // another server was faster
	}
	return err
}

// refusedByInstance is the SQLSTATE of whatever the history of arming refuses.
const refusedByInstance = "SO011"

// InstanceDisarm implements instance.Store.
func (s *Store) InstanceDisarm(ctx context.Context, code instance.Code) error {
	return s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error { return disarm(ctx, q, code, nil, nil) })
}

// InstanceWatch implements instance.Store. A database that is replaced under a running server, by another of its name or by
// a standby, ends the connections; so every new one is looked at before anything is asked on it.
func (s *Store) InstanceWatch(witness *instance.Witness) { s.witness.Store(witness) }

// lookAtConnection is run on each new connection.
func (s *Store) lookAtConnection(ctx context.Context, conn *pgx.Conn) error {
	witness := s.witness.Load()
	if witness == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, config.StatementWithin)
	defer cancel()
	memory := witness.Memory()
	q := db.New(conn)
	seen, err := look(ctx, q, memory.Events)
	if err != nil {
		return err
	}
	code := instance.Judge(seen, &memory)
	if code == "" || seen.ArmedAt == nil {
		return nil
	}
	return disarm(ctx, q, code, nil, nil)
}

// acknowledged remembers what was just committed.
func (s *Store) acknowledged(mark send.Mark) {
	if witness := s.witness.Load(); witness != nil {
		witness.Acknowledged(mark)
	}
}

// InstanceGet reads what a person is shown before they arm it. Names of other workspaces' people are left out.
func (s *Store) InstanceGet(ctx context.Context, workspace uuid.UUID) (instance.Report, error) {
	var report instance.Report
	err := s.inSnapshot(ctx, func(tx transaction) (err error) {
		report, err = tx.InstanceGet(ctx, workspace)
		return err
	})
	return report, err
}

// InstanceGet implements instance.ArmingStore.
func (tx transaction) InstanceGet(ctx context.Context, workspace uuid.UUID) (instance.Report, error) {
	state, err := tx.q.InstanceState(ctx)
	if err != nil {
		return instance.Report{}, fmt.Errorf("read whether the database is armed: %w", err)
	}
	counts, err := tx.q.InstanceReports(ctx)
	if err != nil {
		return instance.Report{}, fmt.Errorf("count the installs that reported: %w", err)
	}
	rows, err := tx.q.InstanceHistory(ctx, workspace, config.InstanceHistoryMax)
	if err != nil {
		return instance.Report{}, fmt.Errorf("read the history of arming: %w", err)
	}
	report := instance.Report{
		State: stateOf(state), Installs: int(counts.Total), Unreported: int(counts.Unreported), Ahead: int(counts.Ahead),
	}
	for _, row := range rows {
		report.History = append(report.History, instance.Event{
			What: row.What, At: row.At, Epoch: row.Epoch, Code: instance.Code(row.Code), By: row.ByName,
			Unreported: int(row.Unreported), AcceptUnseen: row.AcceptUnseen,
		})
	}
	return report, nil
}

// InstanceArm implements instance.ArmingStore. All servers look for work when it is committed.
func (tx transaction) InstanceArm(ctx context.Context, admin uuid.UUID, acceptUnseen bool) error {
	err := tx.q.InstanceArm(ctx, admin, acceptUnseen)
	if isCode(err, refusedByInstance) {
		return problem.New(problem.WorldMoved, "somebody armed it meanwhile, or an install has not reported: look again")
	}
	if err != nil {
		return fmt.Errorf("arm the database: %w", err)
	}
	if err := tx.q.Notify(ctx, []string{wakeChannel, installChannel}, []string{anyServer, anyServer}); err != nil {
		return fmt.Errorf("wake the servers: %w", err)
	}
	return nil
}

// anyServer is a payload in no server's name and without ids: it means all of them, to every server.
const anyServer = "instance"

// holdFireFor lets the database hold fire when an install remembers more than its history holds.
func holdFireFor(ctx context.Context, q *db.Queries, id uuid.UUID, mark send.Mark) (db.InstanceOfHelloRow, error) {
	row, err := q.InstanceOfHello(ctx)
	if err != nil || row.ArmedAt == nil || !instance.IsAhead(mark, row.Epoch, row.Newest) {
		return row, err
	}
	if err := disarm(ctx, q, instance.InstallAhead, &id, &mark); err != nil {
		return row, err
	}
	return q.InstanceOfHello(ctx)
}

// disarm tells all servers too: every install is to say what it remembers.
func disarm(ctx context.Context, q *db.Queries, code instance.Code, id *uuid.UUID, mark *send.Mark) error {
	var epoch, event *int64
	if mark != nil {
		epoch, event = &mark.Epoch, &mark.Event
	}
	if err := q.InstanceDisarm(ctx, string(code), id, epoch, event); err != nil {
		return fmt.Errorf("let the database hold fire: %w", err)
	}
	if err := q.Notify(ctx, []string{installChannel}, []string{anyServer}); err != nil {
		return fmt.Errorf("tell the servers that the database holds fire: %w", err)
	}
	return nil
}
