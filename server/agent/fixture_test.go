package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sendonce/client"
	"sendonce/server/agent"
	"sendonce/server/app/apptest"
	"sendonce/server/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// desk is a sandbox, and an agent that was started beside it.
type desk struct {
	*apptest.Server
	session *mcp.ClientSession
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	s := apptest.Sandbox(t)
	return &desk{Server: s, session: connect(t, s)}
}

// in is the same desk in a test's part.
func (d *desk) in(t *testing.T) *desk {
	server := *d.Server
	server.TB = t
	return &desk{Server: &server, session: d.session}
}

// connect starts the tools behind two pipes, as a program that speaks over standard input and output.
func connect(t *testing.T, s *apptest.Server) *mcp.ClientSession {
	t.Helper()
	toolsIn, agentOut := io.Pipe()
	agentIn, toolsOut := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- agent.Serve(ctx, agent.Options{URL: s.URL(), Token: s.AgentToken, Log: slog.New(slog.DiscardHandler)}, agent.Stdio(toolsIn, toolsOut))
	}()
	model := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := model.Connect(ctx, &mcp.IOTransport{Reader: agentIn, Writer: agentOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		stop()
		<-ended
	})
	return session
}

// said is what a tool answered: its words, and its members when it did not refuse.
type said struct {
	words   string
	refused bool

	MessageID string `json:"message_id"`
	State     string `json:"state"`
	WhatToDo  string `json:"what_to_do"`
	Authority string `json:"authority"`
	Version   int    `json:"version"`
	Known     bool   `json:"already_proposed"`
	Messages  []said `json:"messages"`
	IsKnown   bool   `json:"is_known"`
	History   []string
	Sends     []struct {
		SendID string `json:"send_id"`
	} `json:"sends"`
	Receipt  json.RawMessage `json:"receipt"`
	Accounts []struct {
		AccountID string `json:"account_id"`
	}
}

// call calls a tool. A refusal of the protocol itself is a refusal too.
func (d *desk) call(tool string, arguments any) said {
	d.Helper()
	result, err := d.session.CallTool(d.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return said{words: err.Error(), refused: true}
	}
	var answer said
	if !result.IsError {
		raw, err := json.Marshal(result.StructuredContent)
		if err == nil {
			err = json.Unmarshal(raw, &answer)
		}
		if err != nil {
			d.Fatalf("%s: %v", tool, err)
		}
	}
	answer.refused = result.IsError
	for _, part := range result.Content {
		if words, ok := part.(*mcp.TextContent); ok {
			answer.words += words.Text
		}
	}
	return answer
}

type with map[string]any

// propose proposes "Hello" to whoever has that address.
func (d *desk) propose(slug string, more with) said {
	d.Helper()
	arguments := with{"account_id": d.Account(), "linkedin": "https://www.linkedin.com/in/" + slug, "body": "Hello", "purpose": "first contact"}
	for name, value := range more {
		arguments[name] = value
	}
	return d.call("propose_message", arguments)
}

// approve has a person approve the version that the tool spoke of, over the API.
func (d *desk) approve(a said) {
	d.Helper()
	m, err := d.Server.Agent.Message(d.Context(), a.MessageID)
	if err != nil {
		d.Fatal(err)
	}
	m.Version = a.Version
	d.Approve(m)
}

// comesTo reads the message until its state is as wanted.
func (d *desk) comesTo(id, state string) said {
	d.Helper()
	var last said
	d.Await(id, func(client.Message) bool {
		last = d.call("read_message", with{"message_id": id})
		return last.State == state
	})
	return last
}

// count is how many messages there are.
func (d *desk) count() int {
	d.Helper()
	var page struct{ Items []json.RawMessage }
	d.Get("/v1/messages", &page)
	return len(page.Items)
}

func contains(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// approves has a person approve the version that stands, with a yes to earlier messages, and returns the code of the refusal or "".
func (d *desk) approves(id string, yesTo ...string) string {
	d.Helper()
	m, err := d.Server.Agent.Message(d.Context(), id)
	if err != nil {
		d.Fatal(err)
	}
	body := with{"version": m.Version, "digest": m.Digest, "yes_to": append([]string{}, yesTo...)}
	_, err = d.Person.Do(d.Context(), client.Request{Method: http.MethodPost, Path: "/v1/messages/" + id + "/approval", Body: body}, nil)
	var refused *client.Problem
	if errors.As(err, &refused) {
		return refused.Code
	}
	if err != nil {
		d.Fatal(err)
	}
	return ""
}

// setPolicy has a person say what needs no person.
func (d *desk) setPolicy(rules ...with) {
	d.Helper()
	body := with{"auto_approve": append([]with{}, rules...)}
	if _, err := d.Person.Do(d.Context(), client.Request{Method: http.MethodPatch, Path: "/v1/workspace/policy", Body: body}, nil); err != nil {
		d.Fatal(err)
	}
}
