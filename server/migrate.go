package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"

	"sendonce/server/app"
	"sendonce/server/config"
	"sendonce/server/postgres"
)

// migrate makes the roles and the tables, or only compares them. The role and the password that will serve are those of
// DATABASE_URL.
func migrate(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("migrate", flag.ContinueOnError)
	check := flags.Bool("check", false, "compare the database with this program as the server's role, and change nothing")
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	settings, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}
	if settings.DatabaseURL == "" {
		return errors.New("DATABASE_URL is not set: it names the role and the password that will serve; the private database migrates itself")
	}
	if *check {
		store, err := postgres.Open(ctx, settings.DatabaseURL)
		if err != nil {
			return err
		}
		defer store.Close()
		return store.Check(ctx, postgres.CheckOptions{AllowUndurable: settings.AllowUndurable})
	}
	if settings.AdminURL == "" {
		return errors.New("SENDONCE_ADMIN_URL is not set: it names a role that may create roles and tables")
	}
	address, err := url.Parse(settings.DatabaseURL)
	if err != nil || address.User.Username() == "" {
		return errors.New("DATABASE_URL must be a URL that names the server's role, like postgres://sendonce_server:…@host/sendonce")
	}
	password, _ := address.User.Password()
	if err := app.Migrate(ctx, settings.AdminURL, address.User.Username(), password, settings); err != nil {
		return err
	}
	fmt.Fprintln(out, "The database is ready for this version.")
	return nil
}
