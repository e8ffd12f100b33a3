package agent_test

import (
	"bytes"
	"io"
	"log/slog"
	"strings"

	"sendonce/server/agent"
)

// output is a standard output that is read when all is over.
type output struct{ bytes.Buffer }

func (*output) Close() error { return nil }

// Goal: whoever asks through a pipe that ends at once has every answer.
func pipeThatEnds(d *desk) {
	asked := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_accounts","arguments":{}}}`,
	}, "\n") + "\n"
	var out output
	options := agent.Options{URL: d.URL(), Token: d.AgentToken, Log: slog.New(slog.DiscardHandler)}
	if err := agent.Serve(d.Context(), options, agent.Stdio(io.NopCloser(strings.NewReader(asked)), &out)); err != nil {
		d.Errorf("it ended with %v", err)
	}
	if answers := out.String(); !strings.Contains(answers, `"serverInfo"`) || !strings.Contains(answers, d.Account()) {
		d.Errorf("answered: %s", answers)
	}
}
