// The command soak keeps a server under a steady load with random faults for a long time, and says whether anything grew:
// the server's memory and goroutines, its connections to Postgres, and what the tables take for each row. The exit code is
// not 0 when something did.
//
// MINUTES says how long (30), and UPDATE=1 writes docs/proof.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"sendonce/bench/scripted"
)

const minutesDefault = 30

// settings are short, so that leases expire, deadlines pass and people may speak while the soak lasts.
var settings = map[string]string{
	"SENDONCE_LEASE_LASTS": "5s", "SENDONCE_TOUCH_WITHIN": "2s", "SENDONCE_ANSWER_WITHIN": "1s", "SENDONCE_LOOK_WITHIN": "1s",
	"SENDONCE_DEADLINE": "5s", "SENDONCE_GRACE": "5s", "SENDONCE_GRACE_UNSEEN": "10s", "SENDONCE_SWEEP_EVERY": "1s",
	"SENDONCE_BREAKER_AFTER": "1000", // every account meets many faults
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	minutes := minutesDefault
	if asked := os.Getenv("MINUTES"); asked != "" {
		if minutes, err = strconv.Atoi(asked); err != nil || minutes < 1 {
			return fmt.Errorf("MINUTES is %q, want a whole number above 0", asked)
		}
	}
	fmt.Println("building and starting a server on its own Postgres ...")
	w, err := scripted.Begin(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	watch, err := newWatch(ctx, w)
	if err != nil {
		return err
	}
	defer watch.close()
	lasting, stop := context.WithTimeout(ctx, time.Duration(minutes)*time.Minute)
	defer stop()
	load, err := beginLoad(lasting, w)
	if err != nil {
		return err
	}
	if err := watch.until(lasting, load); err != nil {
		return err
	}
	if err := load.end(); err != nil {
		return err
	}
	rows, err := watch.verdict(ctx)
	if err != nil || os.Getenv("UPDATE") == "" {
		return err
	}
	return figures.Write(fmt.Sprintf("%d minutes, %d messages proposed, %d lives of installs, %d faults:\n\n%s%s\n",
		minutes, load.proposed.Load(), load.lives.Load(), load.faults.Load(), "| what | in the middle third | in the last third | |\n|---|---|---|---|\n", rows))
}
