// Package sandbox is a made-up browser in front of a made-up LinkedIn, for whoever tries Sendonce without either. The browser
// is no part of the server: it connects to the real gateway over a websocket and speaks docs/protocol.md as the extension does,
// so that everything behind it (leases, starts, reports, checks, the database's guards) is what real messages meet. What
// becomes of a message is decided by its recipient's address alone; see story.go.
package sandbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// Options say which server the browser works for.
type Options struct {
	// URL is the server's address, such as http://127.0.0.1:8090.
	URL string
	// Code pairs the browser, once.
	Code string
	// Member is the address of who is signed in to LinkedIn there.
	Member string
	// Step is how long it takes over each thing that it does.
	Step time.Duration
	Log  *slog.Logger
}

// Browser is one made-up install. Run is its only goroutine but for the one that reads.
type Browser struct {
	options Options
	site    *Site

	install, secret string
	epoch, event    int64 // the highest that was heard
	accounts        []string
	pingEvery       time.Duration
	pingAt          time.Time
	attempt         *attempt
	look            *look
}

// NewBrowser is not connected yet.
func NewBrowser(options Options, site *Site) *Browser { return &Browser{options: options, site: site} }

// Run keeps the browser connected until ctx ends.
func (b *Browser) Run(ctx context.Context) {
	rest := config.SandboxReturnFirst
	for {
		welcomed, err := b.live(ctx)
		if ctx.Err() != nil {
			return
		}
		b.options.Log.Info("the sandbox's browser lost its connection and comes back", "error", err)
		if welcomed {
			rest = config.SandboxReturnFirst
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
		rest = min(2*rest, config.SandboxReturnMost)
	}
}

// live is one connection. It returns when that has ended.
func (b *Browser) live(ctx context.Context) (welcomed bool, err error) {
	c, err := dial(ctx, b.options.URL)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.conn.Close()
	go c.read(ctx)
	welcome, err := b.greet(ctx, c)
	if err != nil {
		return false, err
	}
	b.welcome(welcome)
	if err := b.ready(c); err != nil {
		return true, err
	}
	ticker := time.NewTicker(b.options.Step)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case err = <-c.ended:
		case h := <-c.frames:
			if err = b.hear(c, h); err == nil {
				err = b.act(c, time.Now())
			}
		case now := <-ticker.C:
			err = b.act(c, now)
		}
		if err != nil {
			return true, err
		}
	}
}

func (b *Browser) welcome(welcome heard) {
	b.accounts = nil
	for _, one := range welcome.Accounts {
		b.accounts = append(b.accounts, one.Account)
	}
	b.pingEvery = time.Duration(welcome.Settings.PingEveryMS) * time.Millisecond
	b.pingAt = time.Now().Add(b.pingEvery)
	if b.attempt != nil && b.attempt.isSaid {
		b.attempt.due = time.Time{} // what had no answer on the former connection is said again at once
	}
}

// ready asks for work, unless there is some in hand.
func (b *Browser) ready(c *connection) error {
	if b.attempt != nil || b.look != nil {
		return nil
	}
	return c.say("ready", map[string]any{"accounts": b.accounts})
}

// hear takes one frame.
func (b *Browser) hear(c *connection, h heard) error {
	if h.Epoch > b.epoch {
		b.epoch, b.event = h.Epoch, h.Event
	} else if h.Epoch == b.epoch {
		b.event = max(b.event, h.Event)
	}
	switch h.Type {
	case "lease":
		if b.attempt != nil || b.look != nil {
			return c.say("release", map[string]any{"lease_token": h.LeaseToken, "code": "busy"})
		}
		b.attempt = newAttempt(h)
	case "check":
		b.look = &look{check: h, due: time.Now().Add(opensIn * b.options.Step), said: uuid.NewString()}
	case "error":
		b.options.Log.Warn("the sandbox's browser was refused a frame", "code", h.Code, "text", h.Text)
		if b.attempt != nil && h.answers(b.attempt.said) && h.Code == "bad_lease" {
			b.attempt = nil
			return b.ready(c)
		}
	default:
		return b.hearAnswer(c, h)
	}
	return nil
}

// act does what is due.
func (b *Browser) act(c *connection, now time.Time) error {
	if !now.Before(b.pingAt) {
		b.pingAt = now.Add(b.pingEvery)
		if err := c.say("ping", map[string]any{}); err != nil {
			return err
		}
		// What it is ready for has no answer, and may not have arrived.
		if err := b.ready(c); err != nil {
			return err
		}
	}
	if b.attempt != nil {
		return b.proceed(c, now)
	}
	if b.look != nil {
		return b.lookNow(c, now)
	}
	return nil
}
