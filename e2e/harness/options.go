package harness

import (
	"context"
	"fmt"

	"github.com/chromedp/chromedp"
)

// connected is what the options page says when the server has welcomed the install.
const connected = `document.getElementById('state')?.textContent.startsWith('Paired and connected')`

// Pair pairs the extension as a person does: opens its options page, types the server's address and the one-time code,
// presses Pair, and waits until the page says that it is connected. The page is closed again, because DevTools, attached
// to it, is attached to the extension's worker too.
func (b *Browser) Pair(ctx context.Context, address, code string) error {
	ctx, cancel := context.WithTimeout(ctx, pairWithin)
	defer cancel()
	tab, closeTab := chromedp.NewContext(b.page)
	defer closeTab()
	if err := chromedp.Do(tab); err != nil {
		return fmt.Errorf("open a tab for the options: %w", err)
	}
	if err := b.openOptions(ctx, tab); err != nil {
		return err
	}
	err := b.in(ctx, tab,
		chromedp.SendKeys(chromedp.CSS("#address"), address),
		chromedp.SendKeys(chromedp.CSS("#code"), code),
		chromedp.Click(chromedp.CSS("#pair button")),
	)
	if err != nil {
		return fmt.Errorf("fill in the options page: %w", err)
	}
	return poll(ctx, "the options page to say that it is connected", func() (bool, error) {
		return evaluate(ctx, tab, connected)
	})
}

// openOptions opens the page again until it is there: the browser answers before it has loaded the extension.
func (b *Browser) openOptions(ctx, tab context.Context) error {
	url := "chrome-extension://" + b.extensionID + "/options/options.html"
	return poll(ctx, "the extension's options page", func() (bool, error) {
		if err := b.in(ctx, tab, chromedp.Navigate(url)); err != nil {
			return false, ctx.Err()
		}
		return evaluate(ctx, tab, `document.getElementById('pair') !== null`)
	})
}

func evaluate(ctx, tab context.Context, expression string) (bool, error) {
	bounded, cancel := context.WithCancel(tab)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return chromedp.Run(bounded, chromedp.Evaluate[bool](expression))
}
