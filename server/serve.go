package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"

	"sendonce/server/app"
	"sendonce/server/config"
)

// serve runs until it is told to stop or the database is lost.
func serve(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.Usage = func() { serveHelp(os.Stderr) }
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	settings, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}
	server, err := app.Start(ctx, settings, newLog(settings.LogFormat))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Sendonce listens on %s\n", server.URL())
	if link := server.FirstLink(); link != "" {
		fmt.Fprintf(out, "Sign in once at %s\n", link)
	}
	return server.Wait(ctx)
}

func newLog(format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil))
}

func serveHelp(out io.Writer) {
	fmt.Fprintln(out, "sendonce serve takes its settings from the environment; NAME_FILE names a file that holds the value of NAME.")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, setting := range config.All() {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", setting.Name, setting.Default, setting.About)
	}
	_ = table.Flush()
}
