// The command sendonce: the server, and what is done beside it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// command is one word after "sendonce".
type command struct {
	name, about string
	run         func(ctx context.Context, args []string, out io.Writer) error
}

func commands() []command {
	return []command{
		{"serve", "run the server", serve},
		{"migrate", "bring the database of SENDONCE_ADMIN_URL to this version (--check: only compare)", migrate},
		{"token", "create --role admin|recruiter|viewer|agent [--name NAME]: print a new API token", token},
		{"key", "--prefix WORD --item ID < payload.json: print the Idempotency-Key for it (docs/api.md)", key},
		{"mcp", "answer an AI agent over standard input and output, as a client of SENDONCE_URL", serveAgent},
		{"pause", "[--note TEXT]: hold back all sending of every workspace, at once", pauseEverything},
		{"resume", "let it go on", resumeEverything},
		{"receipt", "key [--new] | verify [--key KEY|FILE] RECEIPT.json: the keys that sign receipts; is this one unaltered?", receipts},
		{"source", "create|renew|list|end: the providers that may call back (docs/operating.md)", source},
		{"link", "create [--role ROLE] [--name NAME]: print a new one-time sign-in link", link},
	}
}

// errUsage says that the command line was not understood; what to do was printed already.
var errUsage = errors.New("usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sendonce:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		for _, c := range commands() {
			if c.name == args[0] {
				return c.run(ctx, args[1:], out)
			}
		}
	}
	fmt.Fprintln(os.Stderr, "Sendonce: a message goes out once, or a person is told why it did not.")
	for _, c := range commands() {
		fmt.Fprintf(os.Stderr, "  sendonce %-8s %s\n", c.name, c.about)
	}
	return errUsage
}
