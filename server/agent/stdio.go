package agent

import (
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sendonce/server/config"
)

// Stdio is the transport of an agent that started this program: one JSON message a line. A longer one than any call ends it.
func Stdio(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	return &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: config.AgentLineBytesMax}
}
