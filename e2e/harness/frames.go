package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	// Lease is the token of the lease that the frame is about, or the frame that it answers; empty without one.
	Lease string
	Fate  Fate
	At    time.Time
	// Body is the whole frame.
	Body map[string]any
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
	return p.wait(ctx, fmt.Sprintf("wait for frame %s number %d of the %s", kind, count, from), func() bool { return p.Count(from, kind) >= count })
}

// wait returns when something of the proxy's record is so.
func (p *Proxy) wait(ctx context.Context, what string, isSo func() bool) error {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if isSo() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w (so far: %s)", what, ctx.Err(), p.Story())
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
	return p.wait(ctx, fmt.Sprintf("wait for the end of connection number %d", count), func() bool { return p.Ended() >= count })
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

// signal wakes every Wait. The caller holds p.mu.
func (p *Proxy) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// leaseOf finds the lease that a frame is about. The caller holds p.mu.
func (p *Proxy) leaseOf(frame Frame) string {
	if token, ok := frame.Body["lease_token"].(string); ok {
		return token
	}
	re, ok := frame.Body["re"].(string)
	if !ok {
		return ""
	}
	for _, asked := range slices.Backward(p.frames) {
		if asked.From != frame.From && asked.Body["id"] == re {
			return asked.Lease
		}
	}
	return ""
}
