package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Database looks into a server's database past the server, as the superuser.
type Database struct{ pool *pgxpool.Pool }

// OpenDatabase connects.
func OpenDatabase(ctx context.Context, adminURL string) (*Database, error) {
	pool, err := pgxpool.New(ctx, adminURL)
	if err != nil {
		return nil, fmt.Errorf("connect as admin: %w", err)
	}
	return &Database{pool}, nil
}

// Close ends the connections.
func (d *Database) Close() { d.pool.Close() }

// Row is a send as its table has it, with empty strings for nulls.
type Row struct {
	ID, Status, Code, Reason, WaitingFor, Holder string
	Ordinal                                      int
	IsStarted, IsRetry                           bool
}

// Rows are the sends of a message, the oldest first.
func (d *Database) Rows(ctx context.Context, message string) ([]Row, error) {
	rows, err := d.pool.Query(ctx, `SELECT id::text, status, coalesce(code, ''), coalesce(reason, ''), coalesce(waiting_for, ''),
		coalesce(lease_holder::text, ''), ordinal, started_at IS NOT NULL, retry_of IS NOT NULL
		FROM sends WHERE message_id = $1::uuid ORDER BY ordinal`, message)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
}

// AwaitRow reads the newest send of a message until the condition holds.
func (d *Database) AwaitRow(ctx context.Context, message string, condition func(Row) bool) (Row, error) {
	var last Row
	err := poll(ctx, "the row of message "+message, func() (bool, error) {
		rows, err := d.Rows(ctx, message)
		if err != nil || len(rows) == 0 {
			return false, err
		}
		last = rows[len(rows)-1]
		return condition(last), nil
	})
	if err != nil {
		err = fmt.Errorf("%w; the row is %+v", err, last)
	}
	return last, err
}

// Moves are the statuses that a send has had, in the order of its history. A change that kept the status is left out.
func (d *Database) Moves(ctx context.Context, send string) ([]string, error) {
	rows, err := d.pool.Query(ctx, `SELECT to_status FROM send_events
		WHERE send_id = $1::uuid AND from_status IS DISTINCT FROM to_status ORDER BY id`, send)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// AwaitCheck waits until a look at a message's sends has come to one of the results.
func (d *Database) AwaitCheck(ctx context.Context, message string, results ...string) error {
	return poll(ctx, fmt.Sprintf("a check of message %s that says one of %v", message, results), func() (seen bool, err error) {
		err = d.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM evidence e JOIN sends s ON s.id = e.send_id
			WHERE s.message_id = $1::uuid AND e.kind = 'check' AND e.outcome = ANY ($2))`, message, results).Scan(&seen)
		return seen, err
	})
}

// AwaitFirstLooks waits until every unconfirmed send was looked at once.
func (d *Database) AwaitFirstLooks(ctx context.Context) error {
	return poll(ctx, "a look at each unconfirmed send", func() (done bool, err error) {
		err = d.pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM checks WHERE answered_at IS NULL)`).Scan(&done)
		return done, err
	})
}

// PostponeLooks plans no further look at what was looked at once, until CheckAgain: a test that holds the pages of one attempt
// would hold those of a look at another.
func (d *Database) PostponeLooks(ctx context.Context) error {
	_, err := d.pool.Exec(ctx, `UPDATE checks SET due_at = NULL WHERE answered_at IS NOT NULL`)
	return err
}

// AwaitLooksAfter waits until each unconfirmed send was seen absent, by a look that was asked for after the moment.
func (d *Database) AwaitLooksAfter(ctx context.Context, moment time.Time) error {
	return poll(ctx, "a later look at each unconfirmed send", func() (done bool, err error) {
		err = d.pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM sends s WHERE s.status = 'unconfirmed' AND NOT EXISTS (
			SELECT FROM evidence e WHERE e.send_id = s.id AND e.kind = 'check' AND e.asked_at >= $1
				AND e.outcome IN ('absent', 'no_conversation')))`, moment).Scan(&done)
		return done, err
	})
}

// Now is the database's moment.
func (d *Database) Now(ctx context.Context) (now time.Time, err error) {
	return now, d.pool.QueryRow(ctx, `SELECT sendonce_now()`).Scan(&now)
}

// EndListening waits until so many connections listen for notices, and ends them as a failing network device does.
func (d *Database) EndListening(ctx context.Context, count int) error {
	return poll(ctx, "the connections that listen", func() (ended bool, err error) {
		err = d.pool.QueryRow(ctx, `WITH listening AS MATERIALIZED (
				SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %')
			SELECT coalesce(bool_and(pg_terminate_backend(pid)), false) FROM listening WHERE (SELECT count(*) FROM listening) = $1`,
			count).Scan(&ended)
		return ended, err
	})
}

// MovedBy is who moved a send of the message to a status, by the history.
func (d *Database) MovedBy(ctx context.Context, message, status string) (actor string, err error) {
	err = d.pool.QueryRow(ctx, `SELECT actor FROM send_events WHERE message_id = $1::uuid AND to_status = $2
		AND from_status IS DISTINCT FROM to_status ORDER BY id DESC LIMIT 1`, message, status).Scan(&actor)
	return actor, err
}

// MostAtOnce is how many sends of one account were ever leased or started at the same time, by the history.
func (d *Database) MostAtOnce(ctx context.Context) (int, error) {
	var most int
	err := d.pool.QueryRow(ctx, `SELECT coalesce(max(running), 0) FROM (
		SELECT sum((to_status IN ('leased', 'started'))::int - (coalesce(from_status, '') IN ('leased', 'started'))::int)
			OVER (PARTITION BY s.account_id ORDER BY e.id) AS running
		FROM send_events e JOIN sends s ON s.id = e.send_id) counted`).Scan(&most)
	return most, err
}

// Deliveries is how many deliveries of a message are known.
func (d *Database) Deliveries(ctx context.Context, message string) (int, error) {
	var count int
	err := d.pool.QueryRow(ctx, `SELECT count(*) FROM deliveries WHERE message_id = $1::uuid`, message).Scan(&count)
	return count, err
}

// Observed are the kinds of what was seen of a message after it had left, one for each fact that is kept, sorted.
func (d *Database) Observed(ctx context.Context, message string) ([]string, error) {
	rows, err := d.pool.Query(ctx, `SELECT kind FROM delivery_observations WHERE message_id = $1::uuid ORDER BY kind`, message)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// AccountState is what keeps an account from working.
type AccountState struct{ IsStopped, IsCooling bool }

// Account reads an account, by the database's clock.
func (d *Database) Account(ctx context.Context, id string) (state AccountState, err error) {
	err = d.pool.QueryRow(ctx, `SELECT stopped_at IS NOT NULL, coalesce(cool_until > sendonce_now(), false)
		FROM accounts WHERE id = $1::uuid`, id).Scan(&state.IsStopped, &state.IsCooling)
	return state, err
}

// Advance moves the database's clock forward, as only its owner may.
func (d *Database) Advance(ctx context.Context, by time.Duration) error {
	_, err := d.pool.Exec(ctx, `UPDATE clock_offset SET ahead = ahead + $1`, by)
	return err
}

// Table is one whose rows a test counts.
type Table string

// The tables.
const (
	Messages Table = "messages"
	People   Table = "people"
)

// Count is how many rows a table has.
func (d *Database) Count(ctx context.Context, table Table) (count int, err error) {
	err = d.pool.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{string(table)}.Sanitize()).Scan(&count)
	return count, err
}
