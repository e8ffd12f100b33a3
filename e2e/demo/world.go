package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

var (
	rita  = standin.Person{Slug: "rita-recruiter", Name: "Rita Recruiter"}
	ada   = standin.Person{Slug: "ada-example", Name: "Ada Example", Connected: true}
	ben   = standin.Person{Slug: "jürgen-beispiel", Name: "Jürgen Beispiel", Connected: true}
	chloe = standin.Person{Slug: "chloe-sample", Name: "Chloé Sample", Connected: true}
	noa   = standin.Person{Slug: "noa-muster", Name: "Noa Muster", Connected: true}
	luis  = standin.Person{Slug: "luis-ejemplo", Name: "Luis Ejemplo", Connected: true}
)

// people are all of them.
var people = []standin.Person{ada, ben, chloe, noa, luis}

// world is everything that the demo starts.
type world struct {
	folder  string
	site    *standin.Server
	server  *harness.Server
	browser *harness.Browser
	api     *harness.API
	account string
	thread  string // Ada's conversation with Rita
}

// open starts everything. The world it returns is to be closed, also with an error.
func open(ctx context.Context, tell *teller) (*world, error) {
	w := &world{}
	tell.act("Messages go out through a real browser, each of them once")
	tell.line("Everything runs on this machine and is thrown away in the end. Nobody is written to.")
	folder, err := os.MkdirTemp("", "sendonce-demo-")
	if err != nil {
		return w, err
	}
	w.folder = folder
	// Postgres does not run as root; its user must be able to walk through.
	if err := os.Chmod(folder, 0o711); err != nil {
		return w, err
	}
	if err := w.startServer(ctx, tell); err != nil {
		return w, err
	}
	if err := w.startSite(tell); err != nil {
		return w, err
	}
	return w, w.startBrowser(ctx, tell)
}

func (w *world) startServer(ctx context.Context, tell *teller) error {
	program, err := harness.Build(ctx, w.folder)
	if err != nil {
		return err
	}
	w.server, err = harness.StartServer(ctx, harness.ServerOptions{
		Program: program, Data: filepath.Join(w.folder, "data"), Settings: windows,
	})
	if err != nil {
		return err
	}
	tell.line("The server listens on %s, on a private Postgres of its own.", w.server.URL())
	token, err := w.server.Token(ctx, "admin")
	if err != nil {
		return err
	}
	w.api = &harness.API{URL: w.server.URL(), Token: token}
	w.account, err = w.api.Account(ctx, rita.Slug)
	if err != nil {
		return err
	}
	tell.line("It has one account: %s on LinkedIn.", rita.Name)
	return nil
}

func (w *world) startSite(tell *teller) (err error) {
	w.site, err = standin.Start(standin.Options{
		Members: []standin.Person{rita}, People: people, Seed: 1,
	})
	if err != nil {
		return err
	}
	thread, err := w.site.AddThread(rita.Slug, ada.Slug, standin.Message{From: ada.Slug, Text: "Hi Rita, good to meet you."})
	if err != nil {
		return err
	}
	w.thread = thread.ID
	tell.line("A stand-in plays www.linkedin.com. Its ledger keeps every copy that it really accepts: that is the truth.")
	return nil
}

func (w *world) startBrowser(ctx context.Context, tell *teller) error {
	root, err := harness.Root(ctx)
	if err != nil {
		return err
	}
	w.browser, err = harness.StartBrowser(ctx, harness.BrowserOptions{
		Extension: filepath.Join(root, "extension"), Profile: filepath.Join(w.folder, "profile"),
		ResolverRules: w.site.ResolverRules(),
	})
	if err != nil {
		return err
	}
	if err := w.browser.SignIn(ctx, rita.Slug); err != nil {
		return err
	}
	tell.line("Chromium runs with the extension as it ships. %s is signed in to LinkedIn there.", rita.Name)
	code, err := w.api.PairingCode(ctx)
	if err != nil {
		return err
	}
	if err := w.browser.Pair(ctx, w.server.URL(), code); err != nil {
		return err
	}
	tell.line("On the extension's options page the server's address and the one-time code %s were typed: paired.", code)
	return nil
}

// console is where a person looks.
func (w *world) console() string {
	if link := w.server.SignInLink(); link != "" {
		return link + " (the link signs in once)"
	}
	return w.server.URL()
}

// explain adds what the server said to an error.
func (w *world) explain(err error) error {
	return fmt.Errorf("%w\nthe server's last words:\n%s", err, w.server.Tail())
}

// close ends everything in the order that leaves nobody waiting, and removes the folder.
func (w *world) close() error {
	var failed []error
	if w.browser != nil {
		w.browser.Kill()
	}
	if w.server != nil {
		failed = append(failed, w.server.Stop())
	}
	if w.site != nil {
		failed = append(failed, w.site.Close())
	}
	if w.folder != "" {
		failed = append(failed, os.RemoveAll(w.folder))
	}
	return errors.Join(failed...)
}
