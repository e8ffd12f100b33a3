package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/app"
	"sendonce/server/callback"
	"sendonce/server/config"
)

const sourceUsage = `say: sendonce source create --name NAME [--secret-file FILE]
     sendonce source renew ID [--secret-file FILE]
     sendonce source list
     sendonce source end ID`

// sources is what the command works with.
type sources struct {
	*callback.Sources
	admin access.Principal
	out   io.Writer
}

// source makes, renews, lists and ends the providers that may call back.
func source(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return sourceMisread()
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
	admin, err := access.NewService(store).FirstAdmin(ctx)
	if err != nil {
		return err
	}
	service, err := app.SourcesBeside(settings, store, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	return sources{service, admin, out}.do(ctx, args[0], args[1:])
}

func sourceMisread() error {
	fmt.Fprintln(os.Stderr, sourceUsage)
	return errUsage
}

func (s sources) do(ctx context.Context, what string, args []string) error {
	switch what {
	case "create":
		return s.create(ctx, args)
	case "renew":
		return s.renew(ctx, args)
	case "list":
		return s.list(ctx)
	case "end":
		return s.end(ctx, args)
	}
	return sourceMisread()
}

func (s sources) create(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("source create", flag.ContinueOnError)
	name := flags.String("name", "", "which provider it is")
	file := flags.String("secret-file", "", "a file with the secret that the provider has made")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return sourceMisread()
	}
	given, err := readSecret(*file)
	if err != nil {
		return err
	}
	made, secret, err := s.Create(ctx, s.admin, *name, given)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, callback.PathPrefix+made.ID.String())
	return s.show(secret)
}

func (s sources) renew(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("source renew", flag.ContinueOnError)
	file := flags.String("secret-file", "", "a file with the secret that the provider has made")
	id, err := sourceID(args)
	if err != nil || flags.Parse(args[1:]) != nil || flags.NArg() > 0 {
		return errors.Join(err, sourceMisread())
	}
	given, err := readSecret(*file)
	if err != nil {
		return err
	}
	_, secret, err := s.Renew(ctx, s.admin, id, given)
	if err != nil {
		return err
	}
	return s.show(secret)
}

// show prints a secret that was made here.
func (s sources) show(secret string) error {
	if secret == "" {
		return nil
	}
	_, err := fmt.Fprintln(s.out, secret)
	return err
}

func (s sources) list(ctx context.Context) error {
	all, err := s.List(ctx, s.admin.Workspace)
	if err != nil {
		return err
	}
	for _, one := range all {
		until := "now"
		if one.EndedAt != nil {
			until = one.EndedAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(s.out, "%s\t%s\t%s - %s\n", one.ID, one.Name, one.CreatedAt.UTC().Format(time.RFC3339), until)
	}
	return nil
}

func (s sources) end(ctx context.Context, args []string) error {
	id, err := sourceID(args)
	if err != nil || len(args) > 1 {
		return errors.Join(err, sourceMisread())
	}
	return s.End(ctx, s.admin, id)
}

func sourceID(args []string) (uuid.UUID, error) {
	if len(args) == 0 {
		return uuid.Nil, errUsage
	}
	return uuid.Parse(strings.TrimPrefix(args[0], callback.PathPrefix))
}

func readSecret(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}
