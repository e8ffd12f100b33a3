package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"text/tabwriter"

	"sendonce/server/app"
	"sendonce/server/config"
)

// serve runs until it is told to stop or the database is lost.
func serve(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	isSandbox := flags.Bool("sandbox", false, "")
	flags.Usage = func() { serveHelp(os.Stderr, *isSandbox) }
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	load := config.Load
	if *isSandbox {
		load = config.LoadSandbox
	}
	settings, err := load(os.LookupEnv)
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
	if settings.Sandbox {
		fmt.Fprintf(out, "This is the sandbox: nothing here reaches LinkedIn. Try it as an agent with\nexport SENDONCE_URL=%s\nexport SENDONCE_TOKEN=%s\n",
			server.URL(), server.AgentToken())
		fmt.Fprintf(out, "The token stands in %s too.\n", filepath.Join(settings.Data, config.SandboxTokenFile))
	}
	return server.Wait(ctx)
}

func newLog(format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil))
}

func serveHelp(out io.Writer, isSandbox bool) {
	fmt.Fprintln(out, "sendonce serve --sandbox brings a made-up browser and a made-up LinkedIn, to try everything: docs/sandbox.md.")
	settings := config.All()
	if isSandbox {
		settings = config.AllSandbox()
	}
	fmt.Fprintln(out, "sendonce serve takes its settings from the environment; NAME_FILE names a file that holds the value of NAME.")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, setting := range settings {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", setting.Name, setting.Default, setting.About)
	}
	_ = table.Flush()
}
