package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ofMessage names what differs between the rows of two messages: the message's id is $1, the person's $2, the key and the profile $3.
// The columns of a table that are not named are those of the model.
var ofMessage = []struct {
	table   string
	differs map[string]string
}{
	{"people", map[string]string{"id": "$2::uuid"}},
	{"person_identities", map[string]string{"person_id": "$2::uuid", "value": "$3::text"}},
	{"messages", map[string]string{"id": "$1::uuid", "person_id": "$2::uuid"}},
	{"message_versions", map[string]string{"message_id": "$1::uuid"}},
	{"idempotency_keys", map[string]string{"key": "$3::text", "object_id": "$1::uuid"}},
	{"events", map[string]string{"id": "nextval('send_event_ids')", "message_id": "$1::uuid"}},
}

// makeModel keeps the rows of one message, each table under its own name.
const makeModel = `CREATE SCHEMA model; CREATE SCHEMA unguarded;
CREATE TABLE model.idempotency_keys AS SELECT * FROM idempotency_keys WHERE key = '` + knownKey + `';
CREATE TABLE model.messages AS SELECT * FROM messages WHERE id = (SELECT object_id FROM model.idempotency_keys);
CREATE TABLE model.message_versions AS SELECT * FROM message_versions WHERE message_id = (SELECT id FROM model.messages);
CREATE TABLE model.people AS SELECT * FROM people WHERE id = (SELECT person_id FROM model.messages);
CREATE TABLE model.person_identities AS SELECT * FROM person_identities WHERE person_id = (SELECT id FROM model.people);
CREATE TABLE model.events AS SELECT * FROM events WHERE message_id = (SELECT id FROM model.messages)`

// serveRows is the least that a create could be if it wrote the same rows: one statement that writes them all once into tables with
// the same indexes, with no check, no reference, no trigger and nothing read.
func serveRows(ctx context.Context, pool *pgxpool.Pool) (*bareServer, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, makeModel); err != nil {
		return nil, fmt.Errorf("keep a message as a model: %w", err)
	}
	var inserts []string
	for _, of := range ofMessage {
		insert, err := copying(ctx, conn.Conn(), of.table, of.differs)
		if err != nil {
			return nil, err
		}
		inserts = append(inserts, fmt.Sprintf("%s AS (%s)", of.table, insert))
	}
	statement := "WITH " + strings.Join(inserts, ", ") + " SELECT"
	return serveBare(pool, statement, func(key string) []any { return []any{uuid.Must(uuid.NewV7()), uuid.New(), key} })
}

// copying makes the unguarded table, and returns the statement that copies the model's rows into it.
func copying(ctx context.Context, conn *pgx.Conn, table string, differs map[string]string) (string, error) {
	if _, err := conn.Exec(ctx, fmt.Sprintf("CREATE TABLE unguarded.%[1]s (LIKE public.%[1]s INCLUDING INDEXES)", table)); err != nil {
		return "", fmt.Errorf("make a table like %s: %w", table, err)
	}
	rows, err := conn.Query(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = 'model' AND table_name = $1 ORDER BY ordinal_position", table)
	if err != nil {
		return "", fmt.Errorf("list the columns of %s: %w", table, err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("list the columns of %s: %w", table, err)
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		if values[i] = differs[column]; values[i] == "" {
			values[i] = column
		}
	}
	return fmt.Sprintf("INSERT INTO unguarded.%[1]s (%[2]s) SELECT %[3]s FROM model.%[1]s",
		table, strings.Join(columns, ", "), strings.Join(values, ", ")), nil
}
