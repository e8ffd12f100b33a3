package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/server/config"
	"sendonce/server/rule"
)

const (
	protocolVersion = 1
	socketPath      = "/v1/installs/socket"
	// origin is any that the server takes for an extension's.
	origin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	// extensionVersion tells people which browsers are made up.
	extensionVersion = "sandbox"
)

// heard has the fields of every frame of the server that the browser looks at; docs/protocol.md says what they mean.
type heard struct {
	Type string  `json:"type"`
	Re   *string `json:"re"`
	Code string  `json:"code"`
	Text string  `json:"text"`

	Install       string `json:"install"`
	RefreshSecret string `json:"refresh_secret"`
	AccessToken   string `json:"access_token"`
	Settings      struct {
		PingEveryMS int64 `json:"ping_every_ms"`
	} `json:"settings"`
	Accounts []struct {
		Account string `json:"account"`
	} `json:"accounts"`

	Send       string `json:"send"`
	LeaseToken string `json:"lease_token"`
	CheckToken string `json:"check_token"`
	Person     struct {
		Slug *string `json:"slug"`
		URN  *string `json:"urn"`
	} `json:"person"`
	Body    string   `json:"body"`
	Digest  string   `json:"digest"`
	HeldIDs []string `json:"held_ids"`
	Wanted  []struct {
		Version int    `json:"version"`
		Body    string `json:"body"`
	} `json:"wanted"`

	Attempt    string `json:"attempt"`
	DeadlineMS int64  `json:"deadline_ms"`
	Epoch      int64  `json:"epoch"`
	Event      int64  `json:"event"`
}

// answers reports whether the frame answers the one with that id.
func (h heard) answers(id string) bool { return h.Re != nil && *h.Re == id }

// slug is the person's address, "" when only their id is known.
func (h heard) slug() string {
	if h.Person.Slug == nil {
		return ""
	}
	return *h.Person.Slug
}

// person is who is meant.
func (h heard) person() string {
	if h.Person.URN != nil {
		return *h.Person.URN
	}
	return urnOf(h.slug())
}

// connection is one websocket to the server.
type connection struct {
	conn   *websocket.Conn
	frames chan heard
	ended  chan error
}

// dial connects, and reads until the connection ends or ctx does.
func dial(ctx context.Context, address string) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, config.HelloWithin)
	defer cancel()
	// The server answers for this name on whatever address it listens.
	header := http.Header{"Origin": {origin}, "Host": {"localhost"}}
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(address, "http")+socketPath, header)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	conn.SetReadLimit(config.FrameBytesMax)
	return &connection{conn: conn, frames: make(chan heard, config.SandboxFramesMax), ended: make(chan error, 1)}, nil
}

// read hands on what is heard until the connection ends.
func (c *connection) read(ctx context.Context) {
	for {
		var h heard
		if err := c.conn.ReadJSON(&h); err != nil {
			c.ended <- err
			return
		}
		select {
		case c.frames <- h:
		case <-ctx.Done():
			c.ended <- ctx.Err()
			return
		}
	}
}

// say says a frame that has no answer, or none that is waited for.
func (c *connection) say(kind string, fields map[string]any) error {
	return c.sayAs(uuid.NewString(), kind, fields)
}

// sayAs says a frame under an id: the same one when it is said again.
func (c *connection) sayAs(id, kind string, fields map[string]any) error {
	fields["v"], fields["type"], fields["id"] = protocolVersion, kind, id
	if err := c.conn.SetWriteDeadline(time.Now().Add(config.SocketWriteWithin)); err != nil {
		return err
	}
	return c.conn.WriteJSON(fields)
}

// ask says a frame of the greeting and waits for its answer.
func (c *connection) ask(ctx context.Context, kind string, fields map[string]any) (heard, error) {
	id := uuid.NewString()
	if err := c.sayAs(id, kind, fields); err != nil {
		return heard{}, fmt.Errorf("say %s: %w", kind, err)
	}
	select {
	case h := <-c.frames:
		if !h.answers(id) || h.Type == "error" {
			return heard{}, fmt.Errorf("%s was answered with %s %s: %s", kind, h.Type, h.Code, h.Text)
		}
		return h, nil
	case err := <-c.ended:
		return heard{}, fmt.Errorf("wait for the answer to %s: %w", kind, err)
	case <-time.After(config.HandshakeStepWithin):
		return heard{}, fmt.Errorf("%s was not answered", kind)
	case <-ctx.Done():
		return heard{}, ctx.Err()
	}
}

// greet proves who the browser is, and says who is signed in there and what it has not ended.
func (b *Browser) greet(ctx context.Context, c *connection) (heard, error) {
	if b.install == "" {
		paired, err := c.ask(ctx, "pair", map[string]any{"code": b.options.Code, "extension_version": extensionVersion})
		if err != nil {
			return heard{}, err
		}
		b.install, b.secret = paired.Install, paired.RefreshSecret
	}
	access, err := c.ask(ctx, "token", map[string]any{"install": b.install, "refresh_secret": b.secret})
	if err != nil {
		return heard{}, err
	}
	b.secret = access.RefreshSecret
	return c.ask(ctx, "hello", map[string]any{
		"access_token": access.AccessToken, "install": b.install, "extension_version": extensionVersion, "rules_digest": rule.Digest(),
		"accounts": []any{map[string]any{"member_urn": urnOf(b.options.Member), "slug": b.options.Member, "name": nameOf(b.options.Member)}},
		"open":     b.journal(), "mark": map[string]any{"epoch": b.epoch, "event": b.event},
	})
}
