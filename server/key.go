package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"sendonce/server/config"
	keys "sendonce/server/key"
)

// key prints the Idempotency-Key for what stands on standard input, and nothing else.
func key(_ context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("key", flag.ContinueOnError)
	prefix := flags.String("prefix", "", "who asks, like the name of the program")
	item := flags.String("item", "", "a stable id of what it is about, like lead-42/step-1")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "say: sendonce key --prefix WORD --item ID < payload.json")
		return errUsage
	}
	made, err := keyOf(*prefix, *item, os.Stdin)
	if err == nil {
		fmt.Fprintln(out, made)
	}
	return err
}

func keyOf(prefix, item string, in io.Reader) (string, error) {
	payload, err := io.ReadAll(io.LimitReader(in, config.RequestBodyBytesMax+1))
	if err != nil {
		return "", fmt.Errorf("read the payload: %w", err)
	}
	if len(payload) > config.RequestBodyBytesMax {
		return "", fmt.Errorf("the payload is larger than a request may be, %d bytes", config.RequestBodyBytesMax)
	}
	return keys.Make(prefix, item, payload)
}
