package harness

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// LinkedIn is the address under which the stand-in is reached.
const LinkedIn = "https://www.linkedin.com"

// developerMode keeps an extension that reloads itself from being disabled.
const developerMode = `{"extensions":{"ui":{"developer_mode":true}}}`

// BrowserOptions say how a Chromium is started.
type BrowserOptions struct {
	// Extension is the folder to load; Profile the profile's folder, made if it is not there.
	Extension, Profile string
	// ResolverRules lead the real host name to a stand-in.
	ResolverRules string
}

// Browser is a headless Chromium with the extension, in a process group of its own. DevTools is attached to ordinary
// pages only: attached to the extension's worker it would keep that alive.
type Browser struct {
	options     BrowserOptions
	extensionID string
	process     *Process
	address     string          // of its DevTools
	page        context.Context // the person's own tab
	leave       context.CancelFunc
}

// StartBrowser returns when the browser answers.
func StartBrowser(ctx context.Context, options BrowserOptions) (*Browser, error) {
	id, err := extensionID(options.Extension)
	if err != nil {
		return nil, err
	}
	b := &Browser{options: options, extensionID: id}
	return b, b.Restart(ctx)
}

// Restart starts the browser again with the same profile, after a Kill.
func (b *Browser) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if err := b.prepareProfile(); err != nil {
		return err
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return errors.New("chromium is not on PATH; `make deps` installs it")
	}
	command := exec.Command(chromium, b.flags()...)
	if b.process, err = startProcess(command, nil); err != nil {
		return err
	}
	if b.address, err = b.devToolsAddress(ctx); err != nil {
		b.Kill()
		return err
	}
	allocator, leaveAllocator := remote.NewAllocator(context.Background(), b.address, remote.NoModifyURL)
	page, leavePage := chromedp.NewContext(allocator)
	b.page, b.leave = page, func() { leavePage(); leaveAllocator() }
	// The first call binds the connection to its context, so it gets the one that lives as long as the browser.
	if err := chromedp.Do(page); err != nil {
		b.Kill()
		return fmt.Errorf("open a tab: %w", err)
	}
	return nil
}

func (b *Browser) flags() []string {
	return []string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-breakpad",
		// Pages behind the address bar, which nobody sees here and which cost half of a start, and the renderer that
		// Chromium starts for a page that may come.
		"--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess",
		"--disable-software-rasterizer",
		"--disable-dev-shm-usage", "--mute-audio", "--password-store=basic", "--remote-debugging-port=0",
		"--ignore-certificate-errors", "--host-resolver-rules=" + b.options.ResolverRules,
		"--disable-extensions-except=" + b.options.Extension, "--load-extension=" + b.options.Extension,
		"--user-data-dir=" + b.options.Profile, "about:blank",
	}
}

func (b *Browser) prepareProfile() error {
	folder := filepath.Join(b.options.Profile, "Default")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the profile: %w", err)
	}
	preferences := filepath.Join(folder, "Preferences")
	if _, err := os.Stat(preferences); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(preferences, []byte(developerMode), 0o600); err != nil {
			return fmt.Errorf("write the profile's preferences: %w", err)
		}
	}
	// A killed browser leaves the address of its DevTools behind.
	if err := os.Remove(b.portFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (b *Browser) portFile() string { return filepath.Join(b.options.Profile, "DevToolsActivePort") }

// devToolsAddress reads the address that the browser writes into its profile once it listens.
func (b *Browser) devToolsAddress(ctx context.Context) (address string, err error) {
	err = poll(ctx, "the browser's DevTools", func() (bool, error) {
		select {
		case <-b.process.Done():
			return false, fmt.Errorf("the browser ended:\n%s", b.process.Tail())
		default:
		}
		raw, err := os.ReadFile(b.portFile())
		port, path, whole := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		if err != nil || !whole {
			return false, nil // not written yet
		}
		address = "ws://127.0.0.1:" + port + path
		return true, nil
	})
	return address, err
}

// SignIn signs a member (slug or profile id) in to the stand-in, in the person's own tab, which stays on the feed.
func (b *Browser) SignIn(ctx context.Context, member string) error {
	return b.in(ctx, b.page, chromedp.Navigate(LinkedIn+"/standin/sign-in?member="+member))
}

// in runs actions in a tab, bounded by ctx.
func (b *Browser) in(ctx, tab context.Context, actions ...chromedp.Action[chromedp.Void]) error {
	bounded, cancel := context.WithCancel(tab)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return chromedp.Do(bounded, actions...)
}

// StopWorkers ends every service worker of the browser, the extension's among them, as Chromium does when it likes.
func (b *Browser) StopWorkers(ctx context.Context) error {
	return b.in(ctx, b.page, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tab, serviceworker.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, tab, serviceworker.StopAllWorkers, cdp.Empty{})
		return err
	}))
}

// Freeze stops all of the browser where it stands, as a closed lid does.
func (b *Browser) Freeze() { b.process.Freeze() }

// Thaw ends a Freeze.
func (b *Browser) Thaw() { b.process.Thaw() }

// Kill ends all of the browser at once.
func (b *Browser) Kill() {
	b.process.Kill()
	if b.leave != nil {
		b.leave()
	}
}

// extensionID is what Chromium makes of the manifest's public key: the first half of its SHA-256 in letters from a to p.
func extensionID(folder string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		return "", fmt.Errorf("read the extension's manifest: %w", err)
	}
	var manifest struct{ Key string }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return "", fmt.Errorf("read the extension's manifest: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(manifest.Key)
	if err != nil || len(key) == 0 {
		return "", errors.New("the extension's manifest has no key, so its id would differ from folder to folder")
	}
	sum := sha256.Sum256(key)
	return strings.Map(func(digit rune) rune {
		if digit >= 'a' {
			return digit - 'a' + 'k'
		}
		return digit - '0' + 'a'
	}, hex.EncodeToString(sum[:sha256.Size/2])), nil
}
