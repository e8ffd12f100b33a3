package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/config"
	"sendonce/server/postgres/local"
)

// insertBare is one durable commit of as many bytes as a message under a key takes.
const insertBare = "INSERT INTO inserted VALUES ($1, $2)"

// makeInserted has the bytes stay in their row, as those of a message do: none of its rows is long enough for another place.
const makeInserted = "CREATE TABLE inserted (id text PRIMARY KEY, row bytea NOT NULL); ALTER TABLE inserted ALTER COLUMN row SET STORAGE PLAIN"

// bareServer is the least that a create over HTTP can be: Go's server and as many connections as ours has, but no token, no key, no
// rule, and one statement. It shows how much of a create is HTTP. It runs in this process, on the same processors.
type bareServer struct {
	url    string
	server *http.Server
}

// barePool is as many connections as a server has, to the server's database but in the name of Postgres' own administrator.
func barePool(ctx context.Context, data string) (*pgxpool.Pool, error) {
	url, err := local.RunningURL(data, "postgres", "sendonce")
	if err != nil {
		return nil, err
	}
	poolConfig, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", err)
	}
	poolConfig.MaxConns = config.DatabaseConnectionsMax
	pool, err := pgxpool.NewWithConfig(ctx, poolConfig)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return pool, nil
}

// serveBare answers each request after it has run the statement with what args makes of a fresh key.
func serveBare(pool *pgxpool.Pool, statement string, args func(key string) []any) (*bareServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	insert := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = pool.Exec(r.Context(), statement, args(rand.Text())...)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body) // whoever asks hears of it
	}
	b := &bareServer{url: "http://" + listener.Addr().String(), server: &http.Server{Handler: http.HandlerFunc(insert)}}
	go func() { _ = b.server.Serve(listener) }() // ends with Close
	return b, nil
}

func (b *bareServer) Close() error { return b.server.Close() }
