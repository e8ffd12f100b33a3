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
)

// insertBare is one durable commit of as many bytes as a message under a key takes.
const insertBare = "INSERT INTO inserted VALUES ($1, $2)"

// bareServer is the least that a create over HTTP can be: Go's server and as many connections as ours has, but no token, no key, no
// rule, and one insert. It shows how much of a create is HTTP. It runs in this process, on the same processors.
type bareServer struct {
	url    string
	server *http.Server
	pool   *pgxpool.Pool
}

func serveBare(ctx context.Context, url string, row []byte) (*bareServer, error) {
	poolConfig, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", err)
	}
	poolConfig.MaxConns = config.DatabaseConnectionsMax
	pool, err := pgxpool.NewWithConfig(ctx, poolConfig)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	insert := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = pool.Exec(r.Context(), insertBare, rand.Text(), row)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body) // whoever asks hears of it
	}
	b := &bareServer{url: "http://" + listener.Addr().String(), server: &http.Server{Handler: http.HandlerFunc(insert)}, pool: pool}
	go func() { _ = b.server.Serve(listener) }() // ends with Close
	return b, nil
}

func (b *bareServer) Close() error {
	defer b.pool.Close()
	return b.server.Close()
}
