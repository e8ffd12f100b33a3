package agent

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sendonce/server/config"
)

// Stdio is the transport of an agent that started this program: one JSON message a line. A longer one than any call ends it. What was
// asked before the end of the input is answered first: a program that asks through a pipe closes it at once.
func Stdio(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	return answerFirst{&mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: config.AgentLineBytesMax}}
}

type answerFirst struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (t answerFirst) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	over, end := context.WithCancel(context.Background())
	return &answering{Connection: inner, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1), over: over, end: end}, nil
}

// answering is a connection that knows what it has still to answer.
type answering struct {
	mcp.Connection
	mu   sync.Mutex
	open map[jsonrpc.ID]bool
	// answered holds at most one sign, for any number of answers.
	answered chan struct{}
	over     context.Context
	end      context.CancelFunc
}

// Read hands on the end of the input when all is answered.
func (c *answering) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.rest(ctx)
		return message, err
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[request.ID] = true
	}
	return message, err
}

// rest waits for the answers that are still to come.
func (c *answering) rest(ctx context.Context) {
	late := time.NewTimer(config.AgentAnswersWithin)
	defer late.Stop()
	for !c.isDone() {
		select {
		case <-c.answered:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		case <-c.over.Done():
			return
		}
	}
}

func (c *answering) isDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// Write implements mcp.Connection.
func (c *answering) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, response.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// Close implements mcp.Connection.
func (c *answering) Close() error {
	c.end()
	return c.Connection.Close()
}
