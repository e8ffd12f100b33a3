package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// quietPage is a part of the extension that runs no script of its own: opened as a page it can use chrome.*, and says
// nothing to the worker by itself.
const quietPage = "/icons/16.png"

// View is what the popup shows of the install.
type View struct {
	Phase   string   `json:"phase"`
	Trouble string   `json:"trouble"`
	Paused  bool     `json:"paused"`
	Doing   []string `json:"doing"`
}

func (b *Browser) extensionURL(path string) string {
	return "chrome-extension://" + b.extensionID + path
}

// OpenExtension opens a quiet page of the extension, for Ask, Stored and Reload. It lives beside the worker, in the same
// process.
func (b *Browser) OpenExtension(ctx context.Context) (Tab, error) {
	tab, err := b.OpenTab(ctx, b.extensionURL(quietPage))
	if err != nil {
		return tab, err
	}
	return tab, poll(ctx, "a page of the extension", func() (bool, error) {
		var ready bool
		err := b.Evaluate(ctx, tab, `globalThis.chrome?.runtime?.id !== undefined`, &ready)
		return ready, err
	})
}

// Ask says a command of the popup (view, stop, resume) to the worker, which is woken for it, and returns what the popup
// would show.
func (b *Browser) Ask(ctx context.Context, page Tab, what string) (View, error) {
	var answer struct{ View View }
	err := b.Evaluate(ctx, page, fmt.Sprintf(`chrome.runtime.sendMessage({what: %q})`, what), &answer)
	return answer.View, err
}

// AwaitDoing asks until the popup would show that one thing is being done, whose text begins so.
func (b *Browser) AwaitDoing(ctx context.Context, page Tab, doing string) error {
	var view View
	err := poll(ctx, fmt.Sprintf("the popup to show %q", doing), func() (bool, error) {
		var err error
		view, err = b.Ask(ctx, page, "view")
		return len(view.Doing) == 1 && strings.HasPrefix(view.Doing[0], doing), err
	})
	if err != nil {
		err = fmt.Errorf("%w; it shows %+v", err, view)
	}
	return err
}

// AwaitPhase asks until the popup would show this state of the connection.
func (b *Browser) AwaitPhase(ctx context.Context, page Tab, phase string) error {
	return poll(ctx, "the popup to show "+phase, func() (bool, error) {
		view, err := b.Ask(ctx, page, "view")
		return view.Phase == phase, err
	})
}

// Command opens a page of the extension, says a command, and closes it again.
func (b *Browser) Command(ctx context.Context, what string) (View, error) {
	page, err := b.OpenExtension(ctx)
	if err != nil {
		return View{}, err
	}
	view, err := b.Ask(ctx, page, what)
	return view, errors.Join(err, b.CloseTab(ctx, page))
}

// CloseWorker ends the extension's worker by way of DevTools, and returns when the browser itself knows that it has ended: until then
// a page may still be told what the worker said last, and not that it is gone.
func (b *Browser) CloseWorker(ctx context.Context) error {
	workers, err := b.targets(ctx, workerTarget)
	if err != nil {
		return err
	}
	for _, worker := range workers {
		if err := b.CloseTab(ctx, worker); err != nil {
			return err
		}
	}
	if len(workers) == 0 {
		return errors.New("no worker runs that could be closed")
	}
	return poll(ctx, "the closed worker to leave", func() (bool, error) {
		left, err := b.targets(ctx, workerTarget)
		return err == nil && !slices.ContainsFunc(left, func(one Tab) bool { return slices.Contains(workers, one) }), err
	})
}

// Reload makes the extension start anew, as an update does. Its page scripts stay in their pages as orphans.
func (b *Browser) Reload(ctx context.Context) error {
	page, err := b.OpenExtension(ctx)
	if err != nil {
		return err
	}
	// The page goes with the old extension, so that the answer may be lost.
	_ = b.Evaluate(ctx, page, `chrome.runtime.reload()`, nil)
	return poll(ctx, "the extension to leave", func() (bool, error) {
		tabs, err := b.Tabs(ctx, page.URL)
		return len(tabs) == 0, err
	})
}
