package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Side is who sent a frame.
type Side string

// The two sides of the socket.
const (
	Install  Side = "install"
	Upstream Side = "server"
)

// Fate is what became of a frame.
type Fate string

// The fates. A held frame is passed on when its gate opens, if the connection still stands.
const (
	Passed Fate = "passed"
	Lost   Fate = "lost"
	Held   Fate = "held"
)

// Frame is one frame that came through the proxy.
type Frame struct {
	From Side
	Type string
	Fate Fate
	At   time.Time
	// Body is the whole frame.
	Body map[string]any
}

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
	gate := make(chan struct{})
	p.add(&frameRule{from: from, kind: kind, times: -1, gate: gate})
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

// Frames are those that came so far, oldest first.
func (p *Proxy) Frames() []Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.frames)
}

// Count is how many frames of a type came from one side, whatever became of them.
func (p *Proxy) Count(from Side, kind string) int {
	count := 0
	for _, frame := range p.Frames() {
		if frame.From == from && frame.Type == kind {
			count++
		}
	}
	return count
}

// Wait returns when so many frames of a type have come from one side.
func (p *Proxy) Wait(ctx context.Context, from Side, kind string, count int) error {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if p.Count(from, kind) >= count {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for frame %s number %d of the %s: %w (so far: %s)", kind, count, from, ctx.Err(), p.Story())
		}
	}
}

// Ended is how many connections of the extension have come to their end. What was held of them never arrives.
func (p *Proxy) Ended() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// WaitEnded returns when so many connections of the extension have come to their end.
func (p *Proxy) WaitEnded(ctx context.Context, count int) error {
	for {
		p.mu.Lock()
		changed, ended := p.changed, p.ended
		p.mu.Unlock()
		if ended >= count {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of connection number %d: %w (so far: %s)", count, ctx.Err(), p.Story())
		}
	}
}

// Story sums up what came, for a failed test.
func (p *Proxy) Story() string {
	var said []string
	for _, frame := range p.Frames() {
		if frame.Type != "ping" && frame.Type != "pong" {
			said = append(said, fmt.Sprintf("%s %s %s", frame.From, frame.Type, frame.Fate))
		}
	}
	return strings.Join(said, ", ")
}

func (p *Proxy) add(rule *frameRule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, rule)
}

// signal wakes every Wait. The caller holds p.mu.
func (p *Proxy) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// judge records a frame and says what becomes of it; the gate is nil unless it is held.
func (p *Proxy) judge(from Side, data []byte) (Fate, <-chan struct{}) {
	frame := Frame{From: from, Fate: Passed, At: time.Now()}
	_ = json.Unmarshal(data, &frame.Body) // what is no frame is passed on like any other
	frame.Type, _ = frame.Body["type"].(string)
	p.mu.Lock()
	defer p.mu.Unlock()
	var gate <-chan struct{}
	for _, rule := range p.rules {
		if rule.from != from || rule.kind != frame.Type || rule.times == 0 {
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
