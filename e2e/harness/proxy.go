package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Proxy stands between one extension and the server and plays the network: it loses or holds frames, cuts the
// connection, and lets nobody through. The extension is paired with the proxy's address and knows of no other.
type Proxy struct {
	listener net.Listener
	http     *http.Server
	relays   sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{}
	upstream string
	shut     bool
	rules    []*frameRule
	frames   []Frame
	open     map[*line]Side // and who is at its other end
	ended    int            // connections of the extension that came to their end
	closed   bool
}

type frameRule struct {
	from  Side
	kind  string
	times int // how many more frames it is for; below zero: every one
	gate  <-chan struct{}
	spare map[string]bool // tokens of leases whose frames it leaves alone
}

// StartProxy listens on a free loopback port and passes on to the server's address, such as http://127.0.0.1:41234.
func StartProxy(server string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the proxy: %w", err)
	}
	p := &Proxy{listener: listener, changed: make(chan struct{}), open: map[*line]Side{}}
	p.SetServer(server)
	p.http = &http.Server{Handler: http.HandlerFunc(p.relay), ReadHeaderTimeout: dialWithin}
	p.relays.Go(func() { _ = p.http.Serve(listener) }) // it ends with Close
	return p, nil
}

// Address is what a person types into the options page.
func (p *Proxy) Address() string { return "http://" + p.listener.Addr().String() }

// SetServer names the server anew, after it came back on another port.
func (p *Proxy) SetServer(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.upstream = address
}

// Lose makes the next frames of a type from one side vanish, so many of them; below zero: every one until Heal.
func (p *Proxy) Lose(from Side, kind string, times int) {
	p.add(&frameRule{from: from, kind: kind, times: times})
}

// Hold keeps every frame of a type from one side until the returned function is called. Other frames overtake them.
func (p *Proxy) Hold(from Side, kind string) (release func()) {
	return p.hold(from, kind, nil)
}

// HoldNew is Hold for the frames of leases that were not heard of before: what an earlier attempt still says passes.
// arrived returns when one is held.
func (p *Proxy) HoldNew(from Side, kind string) (arrived func(context.Context) error, release func()) {
	known := map[string]bool{}
	for _, frame := range p.Frames() {
		known[frame.Lease] = true
	}
	isHeld := func(frame Frame) bool {
		return frame.From == from && frame.Type == kind && frame.Fate == Held && !known[frame.Lease]
	}
	release = p.hold(from, kind, known)
	return func(ctx context.Context) error {
		return p.wait(ctx, fmt.Sprintf("hold a %s of the %s", kind, from), func() bool { return slices.ContainsFunc(p.Frames(), isHeld) })
	}, release
}

func (p *Proxy) hold(from Side, kind string, spare map[string]bool) (release func()) {
	gate := make(chan struct{})
	p.add(&frameRule{from: from, kind: kind, times: -1, gate: gate, spare: spare})
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rules = slices.DeleteFunc(p.rules, func(rule *frameRule) bool { return rule.gate == gate })
		close(gate)
	})
}

// Heal ends every Lose. Frames that are held stay held.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = slices.DeleteFunc(p.rules, func(rule *frameRule) bool { return rule.gate == nil })
}

// Cut breaks the connection. The extension may come back at once.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for connection := range p.open {
		connection.Close()
	}
}

// Shut cuts the connection and lets nobody through until Open.
func (p *Proxy) Shut() {
	p.mu.Lock()
	p.shut = true
	p.mu.Unlock()
	p.Cut()
}

// Open ends a Shut.
func (p *Proxy) Open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = false
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.signal()
	p.mu.Unlock()
	p.http.Close()
	p.Cut()
	p.relays.Wait()
}

// Repeat says a frame of the server to the extension again, as it came.
func (p *Proxy) Repeat(frame Frame) error {
	data, err := json.Marshal(frame.Body)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for connection, side := range p.open {
		if side == Install {
			connection.write(data)
			return nil
		}
	}
	return errors.New("the extension is not connected, so that nothing can be said to it")
}

func (p *Proxy) add(rule *frameRule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, rule)
}

// judge records a frame and says what becomes of it; the gate is nil unless it is held.
func (p *Proxy) judge(from Side, data []byte) (Fate, <-chan struct{}) {
	frame := Frame{From: from, Fate: Passed, At: time.Now()}
	_ = json.Unmarshal(data, &frame.Body) // what is no frame is passed on like any other
	frame.Type, _ = frame.Body["type"].(string)
	p.mu.Lock()
	defer p.mu.Unlock()
	frame.Lease = p.leaseOf(frame)
	var gate <-chan struct{}
	for _, rule := range p.rules {
		if rule.from != from || rule.kind != frame.Type || rule.times == 0 || rule.spare[frame.Lease] {
			continue
		}
		rule.times--
		frame.Fate, gate = Lost, rule.gate
		if gate != nil {
			frame.Fate = Held
		}
		break
	}
	if len(p.frames) < framesKept {
		p.frames = append(p.frames, frame)
	}
	p.signal()
	return frame.Fate, gate
}
