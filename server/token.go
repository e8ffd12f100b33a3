package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"sendonce/server/access"
	"sendonce/server/app"
	"sendonce/server/config"
)

// token prints a new API token and nothing else, so that a script can take it.
func token(ctx context.Context, args []string, out io.Writer) error {
	return create(ctx, "token", args, func(ctx context.Context, service *access.Service, _ config.Settings, role access.Role, name string) error {
		value, err := service.CreateToken(ctx, role, name)
		if err == nil {
			fmt.Fprintln(out, value)
		}
		return err
	})
}

// link prints a new one-time sign-in link, for a person who lost theirs.
func link(ctx context.Context, args []string, out io.Writer) error {
	return create(ctx, "link", args, func(ctx context.Context, service *access.Service, settings config.Settings, role access.Role, name string) error {
		value, err := service.CreateLink(ctx, role, name)
		if err == nil {
			fmt.Fprintln(out, app.SignInURL(settings.PublicURL, settings.Addr, value))
		}
		return err
	})
}

type making func(ctx context.Context, service *access.Service, settings config.Settings, role access.Role, name string) error

func create(ctx context.Context, what string, args []string, do making) error {
	flags := flag.NewFlagSet(what, flag.ContinueOnError)
	roleName := flags.String("role", string(access.Admin), "admin, recruiter, viewer or agent")
	name := flags.String("name", "", "whose it is; without it, the role's own")
	if len(args) == 0 || args[0] != "create" || flags.Parse(args[1:]) != nil {
		fmt.Fprintf(os.Stderr, "say: sendonce %s create --role admin|recruiter|viewer|agent [--name NAME]\n", what)
		return errUsage
	}
	role, err := access.ParseRole(*roleName)
	if err != nil {
		return err
	}
	settings, err := config.Load(os.LookupEnv)
	if err != nil {
		return err
	}
	store, err := app.OpenBeside(ctx, settings)
	if err != nil {
		return err
	}
	defer store.Close()
	return do(ctx, access.NewService(store), settings, role, *name)
}
