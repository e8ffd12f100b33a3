package standin

import (
	"context"
	"sync"
)

// Gate holds something back until it is released, once and for good.
type Gate struct {
	once sync.Once
	open chan struct{}
}

// NewGate returns a gate that is shut.
func NewGate() *Gate { return &Gate{open: make(chan struct{})} }

// Release opens the gate. It may be called more than once.
func (g *Gate) Release() { g.once.Do(func() { close(g.open) }) }

// Wait returns when the gate is open, or ctx has ended.
func (g *Gate) Wait(ctx context.Context) {
	select {
	case <-g.open:
	case <-ctx.Done():
	}
}

func (g *Gate) released() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}
