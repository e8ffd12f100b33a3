package harness

import (
	"fmt"
	"net"
	"sync"
)

// Wire passes bytes on between an address of its own and a target, which may change while clients keep the address: as a
// load balancer does, or a name in DNS. It can freeze what is connected: both ends stay open, and nothing passes.
type Wire struct {
	listener net.Listener
	joined   sync.WaitGroup

	mu     sync.Mutex
	target string
	open   map[*pair]bool
	closed bool
}

// pair is one connection of a client, joined with one to the target.
type pair struct {
	near, far net.Conn
	ended     chan struct{}
	endOnce   sync.Once

	mu     sync.Mutex
	frozen <-chan struct{} // nil unless it was frozen; closed when it thaws
}

// StartWire listens on a network ("tcp" or "unix") at an address, and leads to a target on the same network.
func StartWire(network, address, target string) (*Wire, error) {
	listener, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("listen for the wire: %w", err)
	}
	w := &Wire{listener: listener, target: target, open: map[*pair]bool{}}
	w.joined.Go(w.accept)
	return w, nil
}

// Address is where the wire listens.
func (w *Wire) Address() string { return w.listener.Addr().String() }

// SetTarget leads new connections elsewhere, and ends the present ones.
func (w *Wire) SetTarget(target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.target = target
	w.cut()
}

// Freeze lets nothing pass any more over what is connected now, until thaw. Later connections pass.
func (w *Wire) Freeze() (thaw func()) {
	gate := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	for joined := range w.open {
		joined.mu.Lock()
		joined.frozen = gate
		joined.mu.Unlock()
	}
	return sync.OnceFunc(func() { close(gate) })
}

// Close ends the wire and its connections.
func (w *Wire) Close() {
	w.mu.Lock()
	w.closed = true
	w.listener.Close()
	w.cut()
	w.mu.Unlock()
	w.joined.Wait()
}

// cut ends what is connected. The caller holds w.mu.
func (w *Wire) cut() {
	for joined := range w.open {
		joined.end()
	}
}

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // the wire was closed
		}
		w.joined.Go(func() { w.join(client) })
	}
}

func (w *Wire) join(client net.Conn) {
	w.mu.Lock()
	target := w.target
	w.mu.Unlock()
	server, err := net.DialTimeout(w.listener.Addr().Network(), target, dialWithin)
	if err != nil {
		client.Close()
		return
	}
	joined := &pair{near: client, far: server, ended: make(chan struct{})}
	w.mu.Lock()
	if w.closed || w.target != target {
		joined.end()
	}
	w.open[joined] = true
	w.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { joined.pass(client, server) })
	both.Go(func() { joined.pass(server, client) })
	both.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, joined)
}

func (p *pair) end() {
	p.endOnce.Do(func() {
		close(p.ended)
		p.near.Close()
		p.far.Close()
	})
}

// pass copies one direction until either end is gone, and then ends both, unless they are frozen.
func (p *pair) pass(from, to net.Conn) {
	defer p.end()
	buffer := make([]byte, wireBuffer)
	for {
		count, err := from.Read(buffer)
		p.mu.Lock()
		frozen := p.frozen
		p.mu.Unlock()
		if frozen != nil {
			select {
			case <-frozen:
			case <-p.ended:
				return
			}
		}
		if _, failed := to.Write(buffer[:count]); err != nil || failed != nil {
			return
		}
	}
}
