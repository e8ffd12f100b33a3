package sim

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/postgres"
)

// death is how a server's process ends: from then on it says nothing more to the database.
type death struct {
	is atomic.Bool
	// after so many more round trips it dies; heard: the last one arrives and is done, and nobody hears the answer.
	after atomic.Int64
	heard atomic.Bool
}

var errDead = errors.New("the server's process has ended")

// dies counts a round trip of a server that is about to die.
func (d *death) dies(heard bool) bool {
	if d.after.Load() == 0 || d.heard.Load() != heard || d.after.Add(-1) != 0 {
		return false
	}
	d.is.Store(true)
	return true
}

// openMortal opens the database for all lives of a server. A death cuts the connection on which something was under way, and
// nothing is said on the others until the next life: a connection that nothing is under way on cannot be told from a new one, and
// each new one costs Postgres more than most of what a life asks over it.
func openMortal(s *server) *postgres.Store {
	poolConfig, err := pgxpool.ParseConfig(s.w.urls.server)
	s.w.must(err)
	poolConfig.MaxConns = connectionsMax
	poolConfig.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	// Plans for so few rows differ in nothing but the time that it takes to make them.
	poolConfig.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	poolConfig.ConnConfig.RuntimeParams["jit"] = "off"
	dial := poolConfig.ConnConfig.DialFunc
	poolConfig.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if s.dead.is.Load() {
			return nil, errDead
		}
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &mortal{Conn: conn, of: s}, nil
	}
	store, err := postgres.OpenConfig(s.w.ctx, poolConfig)
	s.w.must(err)
	return store
}

// mortal is a connection to the database that a death cuts.
type mortal struct {
	net.Conn
	of    *server
	asked atomic.Bool // and not answered
}

func (m *mortal) Write(p []byte) (int, error) {
	if d := m.of.dead; d.is.Load() || d.dies(false) {
		return 0, m.cut()
	}
	if err := m.of.w.clock.show(m.of.w.ctx); err != nil {
		return 0, err
	}
	m.asked.Store(true)
	return m.Conn.Write(p)
}

// Read counts an answer once: in how many parts it comes is up to the machine, and a seed lives one life.
func (m *mortal) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if d := m.of.dead; d.is.Load() || m.asked.Swap(false) && d.dies(true) {
		return 0, m.cut()
	}
	return n, err
}

func (m *mortal) cut() error {
	_ = m.Conn.Close() // nobody is there to hear of it
	return errDead
}
