package harness

import (
	"context"
	"fmt"
	"strings"
)

// Console is a person's tab on the server's own pages, signed in.
type Console struct {
	browser *Browser
	tab     Tab
	url     string
}

// OpenConsole signs in with the server's one-time link.
func (b *Browser) OpenConsole(ctx context.Context, server *Server) (*Console, error) {
	tab, err := b.OpenTab(ctx, server.SignInLink())
	if err != nil {
		return nil, err
	}
	c := &Console{b, tab, server.URL()}
	if err := c.awaits(ctx, "/sign-in"); err != nil {
		return nil, err
	}
	if err := b.Evaluate(ctx, tab, pressLater(`document.querySelector('form[action="/sign-in"] button')`), nil); err != nil {
		return nil, err
	}
	return c, c.awaits(ctx, "/")
}

// Settling is what a person met on the page of an unconfirmed send.
type Settling struct {
	// Note is what was filled in as what they saw, before they touched it.
	Note string `json:"note"`
	// Clicks is how often they clicked: what had to be ticked, and the button. 0: they had to write first, and did not.
	Clicks int `json:"clicks"`
}

// settling ticks what a form asks for, and presses "It was not delivered" when nothing has to be written.
const settling = `(() => {
	const form = document.querySelector('form[action="/sends/%s/resolution"]');
	const note = form.elements.note.value;
	if (note === '') return { note, clicks: 0 };
	const boxes = [...form.querySelectorAll('input[type="checkbox"]')];
	for (const box of boxes) box.click();
	%s;
	return { note, clicks: boxes.length + 1 };
})()`

// NotDelivered says on a message's page that its unconfirmed send was not delivered.
func (c *Console) NotDelivered(ctx context.Context, message, send string) (said Settling, err error) {
	page := "/messages/" + message
	if err := c.browser.Evaluate(ctx, c.tab, fmt.Sprintf("location.assign(%q)", c.url+page), nil); err != nil {
		return said, err
	}
	if err := c.awaits(ctx, page); err != nil {
		return said, err
	}
	press := pressLater(`form.querySelector('button[value="not_delivered"]')`)
	if err := c.browser.Evaluate(ctx, c.tab, fmt.Sprintf(settling, send, press), &said); err != nil || said.Clicks == 0 {
		return said, err
	}
	return said, c.awaits(ctx, "/")
}

// pressLater is a script that presses a button once it has itself ended: the page it runs in goes away.
func pressLater(button string) string {
	return fmt.Sprintf("(button => { setTimeout(() => button.click(), 0); })(%s)", button)
}

// awaits waits until a page is loaded. A refusal is shown at the address of what was asked for.
func (c *Console) awaits(ctx context.Context, path string) error {
	return poll(ctx, "the page "+path, func() (bool, error) {
		var shown struct{ Path, Text string }
		err := c.browser.Evaluate(ctx, c.tab, `({ path: document.readyState === 'complete' ? location.pathname : '', text: document.body?.innerText ?? '' })`, &shown)
		if err != nil {
			return false, nil // between two pages
		}
		if strings.HasSuffix(shown.Path, "/resolution") {
			return false, fmt.Errorf("the page refused: %s", shown.Text)
		}
		return shown.Path == path, nil
	})
}
