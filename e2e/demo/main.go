// Command demo shows Sendonce to someone who has never seen it: the real server, the real extension in a real Chromium,
// and a stand-in for LinkedIn whose ledger says what was really accepted. `make demo` runs it. Nothing leaves the
// machine.
//
// With ONCE=1 it ends after the last message, with one line of JSON; it fails when the ledger holds a duplicate or
// anything did not come as told. Without, it stays, so that the console can be looked at, until Ctrl-C.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("ONCE") == "1"); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, once bool) (err error) {
	tell := newTeller(os.Stdout)
	w, err := open(ctx, tell)
	if err != nil {
		return errors.Join(err, w.close())
	}
	defer func() { err = errors.Join(err, w.close()) }()
	result, err := play(ctx, w, tell)
	if ctx.Err() != nil {
		return errors.New("stopped before the end")
	}
	if err != nil {
		return w.explain(err)
	}
	if !once {
		tell.line("The console is at %s", w.console())
		tell.line("Ctrl-C ends the demo.")
		<-ctx.Done()
		return nil
	}
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return result.check()
}

// result is the last line of a demo that ends by itself.
type result struct {
	Messages    int `json:"messages"`
	Sent        int `json:"sent"`
	Replied     int `json:"replied"` // kept back, because their person had replied
	Unconfirmed int `json:"unconfirmed"`
	Ledger      int `json:"ledger"`
	Duplicates  int `json:"duplicates"`
}

func (r result) check() error {
	if r.Duplicates != 0 || r.Unconfirmed != 0 || r.Replied != 1 || r.Sent != r.Messages-r.Replied || r.Ledger != r.Sent {
		return errors.New("that is not one copy of each message, and none of the one that a reply kept back")
	}
	return nil
}
