package standin_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sendonce/e2e/standin"

	"github.com/chromedp/chromedp"
)

// browserPatience bounds one whole browser test.
const browserPatience = 90 * time.Second

// startBrowser starts a Chromium that knows the stand-in as www.linkedin.com
// and nothing else, and returns the context of its first tab.
func startBrowser(t *testing.T, s *standin.Server) context.Context {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not on PATH; `make deps` installs it")
	}
	var process *exec.Cmd
	allocator, cancelAllocator := chromedp.NewExecAllocator(t.Context(),
		chromedp.ExecPath(chromium), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("headless", "new"), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		// Pages behind the address bar, which nobody sees here and which cost half of a start.
		chromedp.Flag("disable-features", "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"),
		chromedp.Flag("disable-sync", true), chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("host-resolver-rules", s.ResolverRules()),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			process = cmd
		}),
	)
	tab, cancelTab := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if process != nil && process.Process != nil {
			syscall.Kill(-process.Process.Pid, syscall.SIGKILL) // its renderers too
		}
		cancelTab()
		cancelAllocator()
	})
	if err := chromedp.Do(tab); err != nil { // starts the browser, for as long as tab lives
		t.Fatalf("start chromium: %v", err)
	}
	bounded, cancel := context.WithTimeout(tab, browserPatience)
	t.Cleanup(cancel)
	if err := chromedp.Do(bounded, chromedp.Navigate(origin+"/standin/sign-in?member="+rita.Slug)); err != nil {
		t.Fatal(err)
	}
	return bounded
}

// selectAll selects what stands in a composer.
const selectAll = `() => {
  const editor = document.querySelector('main .msg-form__contenteditable');
  editor.focus();
  getSelection().selectAllChildren(editor);
}`

// insert puts text into a composer as the extension does; it returns whether
// the browser took it.
const insert = `(text) => {
  (` + selectAll + `)();
  return document.execCommand('insertText', false, text);
}`

// typeAndSend opens a page, inserts the text and clicks Send once.
func typeAndSend(t *testing.T, tab context.Context, path, text string) {
	t.Helper()
	err := chromedp.Do(tab,
		chromedp.Navigate(origin+path),
		chromedp.WaitReady(chromedp.CSS(`main .msg-form__send-button:disabled`)),
	)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	taken, err := chromedp.Run(tab, chromedp.Evaluate[bool]("("+insert+")("+quote(text)+")"))
	if err != nil || !taken {
		t.Fatalf("insert the text: taken %v, %v", taken, err)
	}
	err = chromedp.Do(tab,
		chromedp.WaitReady(chromedp.CSS(`main .msg-form__send-button:enabled`)),
		chromedp.Evaluate[chromedp.Void](`document.querySelector('main .msg-form__send-button').click()`),
	)
	if err != nil {
		t.Fatalf("click Send: %v", err)
	}
}

// ownItem is the server's own item of a message, marked as sent.
func ownItem(c standin.Copy) chromedp.CSS {
	return chromedp.CSS(`main [data-event-urn="urn:li:msg_message:(urn:li:fsd_profile:` + c.OwnerID + `,` + c.MessageID + `)"] [class*="indicator--sent"]`)
}

func TestAClickInARealBrowserEndsInTheLedger(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	thread, err := s.AddThread(rita.Slug, ada.Slug, standin.Message{From: ada.Slug, Text: "Hi Rita"})
	if err != nil {
		t.Fatal(err)
	}
	browser := startBrowser(t, s)
	const text = "Hello Ada,\n\n  two  spaces, <b>&amp; 👩‍💻 🇩🇪 e\u0301\tשלום\nlast line "
	plain := standin.Variant{}
	twice := standin.Variant{PostsTwice: true}
	byNode := standin.Variant{ReplaceNode: true, StaleBubbleOf: carl.Slug, StaleDraft: "not for Ada", HiddenCopy: true}
	inFrames := standin.Variant{AnimationFrames: true, Locale: "de"}
	threadPath := "/messaging/thread/" + thread.ID + "/"
	firstPath := "/messaging/compose/?recipient=" + idOf(t, s, ben.Slug)
	for _, c := range []struct {
		name, path, person string
		variant            standin.Variant
		copies             int
	}{
		{"existing thread", threadPath, ada.Slug, plain, 1},
		{"existing thread, node replaced, stale bubble, hidden copy", threadPath, ada.Slug, byNode, 1},
		{"existing thread, animation frames, German", threadPath, ada.Slug, inFrames, 1},
		{"existing thread, page posts twice", threadPath, ada.Slug, twice, 2},
		{"first message", firstPath, ben.Slug, plain, 1},
		{"paid InMail", "/messaging/compose/?recipient=" + idOf(t, s, carl.Slug), carl.Slug, standin.Variant{PaidInMail: true}, 1},
		{"first message, page posts twice", firstPath, ben.Slug, twice, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab, cancel := context.WithTimeout(browser, patience)
			defer cancel()
			s.Reset()
			if err := s.SetVariant(c.person, c.variant); err != nil {
				t.Fatal(err)
			}
			typeAndSend(t, tab, c.path, text)
			wait(t, s, func(state standin.State) bool { return len(state.Copies) == c.copies && len(state.Clicks) == 1 })
			click := s.Clicks()[0]
			for _, copied := range s.Ledger() {
				if copied.Text != text || copied.Click != click.ID || copied.RecipientID != idOf(t, s, c.person) ||
					copied.InMail != c.variant.PaidInMail {
					t.Errorf("the ledger holds %+v, want %q of click %s", copied, text, click.ID)
				}
				if err := chromedp.Do(tab, chromedp.WaitReady(ownItem(copied))); err != nil {
					t.Errorf("the page never showed its message as sent: %v", err)
				}
			}
			if s.CreateRequests() != c.copies || s.PageCopies() != c.copies-1 || s.Duplicates() != 0 || s.BrowserCopies() != 0 {
				t.Errorf("requests %d, page copies %d, duplicates %d, browser copies %d",
					s.CreateRequests(), s.PageCopies(), s.Duplicates(), s.BrowserCopies())
			}
			place, err := chromedp.Run(tab, chromedp.Location())
			if err != nil {
				t.Fatal(err)
			}
			box, err := chromedp.Run(tab, chromedp.InnerHTML(chromedp.CSS(`main .msg-form__contenteditable`)))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(place, "/messaging/thread/"+s.Ledger()[0].ThreadID+"/") || box != "<p><br></p>" {
				t.Errorf("after the answer the page is at %s with %q in its box", place, box)
			}
		})
	}
}

func TestARealBrowserRepeatsADroppedRequestAndEnterSendsWithoutAClick(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	thread, err := s.AddThread(rita.Slug, ada.Slug)
	if err != nil {
		t.Fatal(err)
	}
	path := "/messaging/thread/" + thread.ID + "/"
	tab := startBrowser(t, s)

	// Accept, drop, accept the repeat: one click and one token, two copies.
	setFault(t, s, standin.FaultMatch{Nth: 1}, standin.Fault{When: standin.AfterAccept, Do: standin.Close})
	typeAndSend(t, tab, path, "Hello")
	wait(t, s, func(state standin.State) bool { return state.BrowserCopies() == 1 && len(state.Clicks) == 1 })
	if s.CreateRequests() != 2 || s.Duplicates() != 0 || s.PageCopies() != 0 {
		t.Errorf("requests %d, duplicates %d, page copies %d; want 2, 0, 0", s.CreateRequests(), s.Duplicates(), s.PageCopies())
	}

	// The page's failed mark is invented, but that it shows one is not.
	s.Reset()
	setFault(t, s, standin.FaultMatch{}, standin.Fault{Do: standin.RedirectToHTML})
	typeAndSend(t, tab, path, "Hello")
	if err := chromedp.Do(tab, chromedp.WaitReady(chromedp.CSS(`main .msg-s-event-listitem--standin-failed`))); err != nil {
		t.Errorf("a request that ended in a checkpoint is not shown as failed: %v", err)
	}

	s.Reset()
	if err := s.SetVariant(ada.Slug, standin.Variant{EnterToSend: true, Draft: "Already there"}); err != nil {
		t.Fatal(err)
	}
	err = chromedp.Do(tab, chromedp.Navigate(origin+path),
		chromedp.SendKeys(chromedp.CSS(`main .msg-form__contenteditable`), "\r"))
	if err != nil {
		t.Fatal(err)
	}
	wait(t, s, func(state standin.State) bool { return len(state.Copies) == 1 })
	if c := s.Ledger()[0]; c.Text != "Already there" || c.Click != "" || len(s.Clicks()) != 0 {
		t.Errorf("the Enter key sent %+v with %d clicks, want the draft and none", c, len(s.Clicks()))
	}

	// A box that is emptied in the task in which it was filled is told of at once, and not again by a beacon that may arrive
	// when the page is long gone.
	s.Reset()
	if err := s.SetVariant(ada.Slug, standin.Variant{Rewrite: "emoji", RewriteAt: "typed"}); err != nil {
		t.Fatal(err)
	}
	err = chromedp.Do(tab, chromedp.Navigate(origin+path),
		chromedp.Evaluate[chromedp.Void]("("+insert+")('Hello :)'); ("+selectAll+")(); document.execCommand('delete')"),
		chromedp.Evaluate[chromedp.Void]("("+insert+")('Hi')"))
	if err != nil {
		t.Fatal(err)
	}
	wait(t, s, func(state standin.State) bool { return slices.Equal(state.Left(), []string{"Hi"}) })
	if told := s.State().Boxes; len(told) != 2 || told[0].Text != "" || told[1].Count != 2 {
		t.Errorf("the box was told of as %+v, want once emptied and once filled", told)
	}

	// On the new client's pages a bubble is in the shadow root alone.
	if err := s.SetVariant(ada.Slug, standin.Variant{StaleBubbleOf: ben.Slug, StaleDraft: "Not for Ada"}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(tab, chromedp.Navigate(origin+ada.Path())); err != nil {
		t.Fatal(err)
	}
	inShadow, err := chromedp.Run(tab, chromedp.Evaluate[bool](`document.querySelector(".msg-form__contenteditable") === null &&
		document.getElementById("interop-outlet").shadowRoot.querySelector(".msg-form__contenteditable").textContent === "Not for Ada"`))
	if err != nil || !inShadow {
		t.Errorf("the bubble is in the shadow root alone: %v, %v", inShadow, err)
	}
}
