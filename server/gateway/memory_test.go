package gateway

import (
	"net"
	"runtime"
	"testing"

	"github.com/google/uuid"
)

// BenchmarkIdleInstall measures what one connected, ready and idle install costs: its heap and its stacks, all state of
// the gateway included, and the net.Conn of the other end with it. Run it with -benchtime=1x.
func BenchmarkIdleInstall(b *testing.B) {
	const installs = 1000
	for b.Loop() {
		s := newScript()
		_, url, stop := serve(b, s, unhurried)
		warm := dial(b, url) // what exists once, like pools, is not an install's
		warm.hello(uuid.New())
		before := memoryInUse()
		peers := make([]net.Conn, installs)
		for i := range peers {
			p := dialUnkept(b, url)
			p.hello(uuid.New())
			p.say("ready", "accounts", []any{s.account})
			p.say("ping")
			p.hears("pong")
			peers[i] = p.conn.NetConn()
		}
		s.mu.Lock()
		s.asked = nil
		s.mu.Unlock()
		b.ReportMetric(float64(memoryInUse()-before)/installs, "B/install")
		for _, peer := range peers {
			peer.Close()
		}
		stop()
	}
}

func memoryInUse() int64 {
	// Two collections: the first moves the pools' contents aside, the second frees them and shrinks the stacks.
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
