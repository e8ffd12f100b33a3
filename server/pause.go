package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"sendonce/server/app"
	"sendonce/server/config"
)

// pauseEverything holds back all sending of every workspace. Only who runs the server can: no token reaches that far.
func pauseEverything(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("pause", flag.ContinueOnError)
	note := flags.String("note", "", "why, for the people who see that nothing goes out")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return errUsage
	}
	settings, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}
	text, err := app.PauseEverything(ctx, settings, *note)
	if err == nil {
		fmt.Fprintln(out, text)
	}
	return err
}

// resumeEverything lets it go on.
func resumeEverything(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		fmt.Fprintln(os.Stderr, "say: sendonce resume")
		return errUsage
	}
	settings, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}
	if err := app.ResumeEverything(ctx, settings); err != nil {
		return err
	}
	fmt.Fprintln(out, "Resumed. What is queued goes out again.")
	return nil
}
