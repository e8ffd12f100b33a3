// Package agent is what an AI agent may do with Sendonce over the Model Context Protocol: look up people and accounts, propose and
// revise messages, and read what became of them. It is a client of the REST API like any other program. It has no tool that
// approves, retries or resolves, and works with no token that could.
package agent

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sendonce/client"
	"sendonce/server/access"
)

// Options say whom the agent works for.
type Options struct {
	// URL is the server's address, Token that of a principal whose role is agent.
	URL, Token string
	Log        *slog.Logger
}

// tools answer the calls of one agent.
type tools struct {
	api  *client.Client
	page string // where people decide
}

// instructions are what the agent's model is told before anything else.
const instructions = `Sendonce sends a message to a person once. You propose; a person approves, or a rule that a person made; a browser sends.

- A message is identified by its content: the same propose_message call again is the same message, so repeat a call whose answer
  you did not get, exactly as it was. Before it has begun, revise_message changes its words.
- Another message to the same person for the same purpose or task is a new decision: it names the send that it follows, and why.
  Whoever approves it is shown the earlier one and asked for an explicit yes; while the team lets that person rest, no rule approves.
- "state" is one of not_started, started, unconfirmed, sent, failed. unconfirmed means that the person may have the message:
  never propose it again in other words or over another account.
- You cannot approve, retry or resolve. "what_to_do" says what happens next and who must act.`

// inTheSandbox is added where nothing reaches anybody.
const inTheSandbox = "\n- This server is a sandbox: nothing reaches anybody. Who a message is for decides what becomes of it (docs/sandbox.md)."

// Serve answers the agent behind the transport until it goes away or ctx ends. It refuses to begin with a token that may do more
// than an agent.
func Serve(ctx context.Context, options Options, transport mcp.Transport) error {
	api, err := client.New(options.URL, options.Token)
	if err != nil {
		return err
	}
	team, err := api.Workspace(ctx)
	if err != nil {
		return fmt.Errorf("ask %s whose token this is: %w", options.URL, err)
	}
	if role := access.Role(team.Principal.Role); role != access.Agent {
		return fmt.Errorf("this token is of the role %s, and an agent is given none that may do what is for people to do: make one with sendonce token create --role agent", role)
	}
	said := instructions
	if team.Sandbox {
		said += inTheSandbox
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "sendonce", Title: "Sendonce", Version: version}, &mcp.ServerOptions{
		Instructions: said, Logger: options.Log,
	})
	t := &tools{api: api, page: strings.TrimSuffix(options.URL, "/") + "/messages/"}
	t.add(server)
	return server.Run(ctx, transport)
}

// version is of the tools: their names, what they take and what they answer.
const version = "1"
