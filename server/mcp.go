package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"sendonce/server/agent"
	"sendonce/server/config"
)

// serveAgent answers an AI agent over standard input and output, until it goes away.
func serveAgent(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) > 0 {
		fmt.Fprintln(os.Stderr, "sendonce mcp takes no arguments; SENDONCE_URL names the server, and SENDONCE_TOKEN or SENDONCE_TOKEN_FILE the token of an agent")
		return errUsage
	}
	program, err := config.LoadProgram(os.LookupEnv)
	if err != nil {
		return err
	}
	// Standard output is the protocol's; what is logged goes elsewhere, and that a client came and went is nothing to report.
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return agent.Serve(ctx, agent.Options{URL: program.URL, Token: program.Token, Log: log}, agent.Stdio(os.Stdin, os.Stdout))
}
