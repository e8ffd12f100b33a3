package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/pace"
	"sendonce/server/problem"
	"sendonce/server/sandbox"
)

// sandboxMember is who writes in the sandbox.
const sandboxMember = "sandbox-recruiter"

// madeUpOnly is the enrolment of a sandbox: a real browser that was paired with it would write to real people what was only
// tried out.
type madeUpOnly struct {
	*install.Service
	code string // that of the made-up browser
}

// MayPair refuses to give out a code.
func (*madeUpOnly) MayPair() error {
	return problem.New(problem.MadeUpOnly, "it brings a browser of its own; pair yours with a server that was started without --sandbox")
}

// Pair takes the made-up browser's code alone, whatever way another one came by.
func (m *madeUpOnly) Pair(ctx context.Context, remote, code, extensionVersion string) (install.Paired, error) {
	if code != m.code {
		return install.Paired{}, install.ErrBadCode
	}
	return m.Service.Pair(ctx, remote, code, extensionVersion)
}

// beginSandbox makes what the sandbox is tried with: an account, a token for programs, and a browser, which runs until loops
// ends.
func (a *App) beginSandbox(loops context.Context, who *access.Service, commands *command.Runner, installs *madeUpOnly) error {
	admin, err := who.FirstAdmin(loops)
	if err != nil {
		return err
	}
	if err := ensureSandboxAccount(loops, commands, admin); err != nil {
		return err
	}
	if a.agentToken, err = ensureAgentToken(loops, who, a.settings.Data); err != nil {
		return err
	}
	if err := revokeAll(loops, commands, installs, admin); err != nil {
		return err
	}
	code, err := installs.NewPairingCode(loops, admin.Workspace, admin.ID)
	if err != nil {
		return fmt.Errorf("pair the sandbox's browser: %w", err)
	}
	installs.code = code.Code
	a.site = sandbox.NewSite()
	browser := sandbox.NewBrowser(sandbox.Options{
		URL: a.URL(), Code: code.Code, Member: sandboxMember, Step: a.settings.SandboxStep, Log: a.log,
	}, a.site)
	a.loops.Go(func() { browser.Run(loops) })
	return nil
}

func ensureSandboxAccount(ctx context.Context, commands *command.Runner, admin access.Principal) error {
	_, _, err := commands.Run(ctx, admin, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		made, err := account.Create(ctx, tx, admin, account.LinkedIn, "https://www.linkedin.com/in/"+sandboxMember)
		if err != nil {
			return command.Answer{}, uuid.Nil, err
		}
		_, err = pace.SetLimits(ctx, tx, admin, made.ID, pace.Highest("nothing reaches anybody in the sandbox"))
		return command.Answer{}, uuid.Nil, err
	})
	if problem.Is(err, problem.AccountExists) {
		return nil
	}
	return err
}

// ensureAgentToken returns the token of the data folder while it is good, else a new one, which it keeps there.
func ensureAgentToken(ctx context.Context, who *access.Service, data string) (string, error) {
	path := filepath.Join(data, config.SandboxTokenFile)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the agent's token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token != "" {
		_, err := who.Authenticate(ctx, token)
		if err == nil || !problem.Is(err, problem.Unauthenticated) {
			return token, err
		}
	}
	if token, err = who.CreateToken(ctx, access.Agent, ""); err != nil {
		return "", err
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the agent's token: %w", err)
	}
	return token, nil
}

// revokeAll ends the browsers of former starts: they are gone with what they knew.
func revokeAll(ctx context.Context, commands *command.Runner, installs *madeUpOnly, admin access.Principal) error {
	for after := uuid.Nil; ; {
		page, err := installs.List(ctx, admin.Workspace, after, config.PageSizeMax)
		if err != nil {
			return fmt.Errorf("list the sandbox's browsers: %w", err)
		}
		for _, one := range page {
			if after = one.ID; !one.RevokedAt.IsZero() {
				continue
			}
			if _, _, err := commands.Revoke(ctx, admin, nil, one.ID); err != nil {
				return fmt.Errorf("end a former browser of the sandbox: %w", err)
			}
		}
		if len(page) < config.PageSizeMax {
			return nil
		}
	}
}

// AgentToken is a token with which programs may try the sandbox, or "" when this is none.
func (a *App) AgentToken() string { return a.agentToken }

// Site is the sandbox's made-up LinkedIn, or nil.
func (a *App) Site() *sandbox.Site { return a.site }
