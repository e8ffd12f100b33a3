package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorilla/websocket"
)

// Tab is a page of the browser, its own or another's.
type Tab struct {
	ID  string `json:"targetId"`
	URL string `json:"url"`
}

// The kinds of what DevTools calls targets.
const (
	pageTarget   = "page"
	workerTarget = "service_worker"
)

// ErrTabGone: the page went away before it answered. What was to run in it may have run.
var ErrTabGone = errors.New("the tab is gone")

// devTools is one short talk with the browser, over a connection of its own. Unlike a chromedp context it attaches to
// nothing that it was not told: attached to the extension's worker, even by way of an extension's page, it would keep
// that alive.
type devTools struct {
	connection *websocket.Conn
	said       int
}

// talk runs one talk, and ends it when ctx does.
func (b *Browser) talk(ctx context.Context, say func(*devTools) error) error {
	connection, _, err := websocket.DefaultDialer.DialContext(ctx, b.address, nil)
	if err != nil {
		return fmt.Errorf("reach the browser's DevTools: %w", err)
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	connection.SetReadLimit(answerBytesMax)
	return say(&devTools{connection: connection})
}

// call says one command, to the browser ("") or to a page's session, and reads its result into result unless that is nil.
func (d *devTools) call(session, method string, params, result any) error {
	d.said++
	command := map[string]any{"id": d.said, "method": method, "params": params}
	if session != "" {
		command["sessionId"] = session
	}
	if err := d.connection.WriteJSON(command); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		var answer struct {
			ID     int             `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct{ Message string }
		}
		if err := d.connection.ReadJSON(&answer); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.Method == "Target.detachedFromTarget":
			return fmt.Errorf("%s: %w", method, ErrTabGone)
		case answer.ID != d.said: // another event, which nobody here asked for
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}

// targets are those of a kind.
func (b *Browser) targets(ctx context.Context, kind string) ([]Tab, error) {
	var found struct {
		TargetInfos []struct {
			Tab
			Type string `json:"type"`
		} `json:"targetInfos"`
	}
	err := b.talk(ctx, func(d *devTools) error { return d.call("", "Target.getTargets", map[string]any{}, &found) })
	var tabs []Tab
	for _, one := range found.TargetInfos {
		if one.Type == kind {
			tabs = append(tabs, one.Tab)
		}
	}
	return tabs, err
}

// Tabs are the open tabs whose address begins with the prefix.
func (b *Browser) Tabs(ctx context.Context, prefix string) ([]Tab, error) {
	tabs, err := b.targets(ctx, pageTarget)
	return slices.DeleteFunc(tabs, func(tab Tab) bool { return !strings.HasPrefix(tab.URL, prefix) }), err
}

// AwaitTabs waits until so many tabs have an address that begins with the prefix.
func (b *Browser) AwaitTabs(ctx context.Context, prefix string, count int) (tabs []Tab, err error) {
	err = poll(ctx, fmt.Sprintf("%d tabs of %s", count, prefix), func() (bool, error) {
		tabs, err = b.Tabs(ctx, prefix)
		return len(tabs) == count, err
	})
	if err != nil {
		err = fmt.Errorf("%w (there are %v)", err, tabs)
	}
	return tabs, err
}

// AwaitLeft waits until the tab shows no address with the prefix, or is gone.
func (b *Browser) AwaitLeft(ctx context.Context, left Tab, prefix string) error {
	return poll(ctx, "a tab to leave "+prefix, func() (bool, error) {
		tabs, err := b.Tabs(ctx, prefix)
		return err == nil && !slices.ContainsFunc(tabs, func(tab Tab) bool { return tab.ID == left.ID }), err
	})
}

// OpenTab opens an address in a tab of its own.
func (b *Browser) OpenTab(ctx context.Context, url string) (Tab, error) {
	tab := Tab{URL: url}
	err := b.talk(ctx, func(d *devTools) error {
		return d.call("", "Target.createTarget", map[string]any{"url": url}, &tab)
	})
	return tab, err
}

// CloseTab closes a tab as a person does.
func (b *Browser) CloseTab(ctx context.Context, tab Tab) error {
	return b.talk(ctx, func(d *devTools) error {
		return d.call("", "Target.closeTarget", map[string]any{"targetId": tab.ID}, nil)
	})
}

// attach begins a session with a tab, which ends with the talk.
func (d *devTools) attach(tab Tab) (session string, err error) {
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	err = d.call("", "Target.attachToTarget", map[string]any{"targetId": tab.ID, "flatten": true}, &attached)
	return attached.SessionID, err
}

// Evaluate runs an expression in a tab's page, waits for its promise, and reads its value into value unless that is nil.
func (b *Browser) Evaluate(ctx context.Context, tab Tab, expression string, value any) error {
	return b.talk(ctx, func(d *devTools) error {
		session, err := d.attach(tab)
		if err != nil {
			return err
		}
		var got struct {
			Result           struct{ Value json.RawMessage }
			ExceptionDetails *struct {
				Text      string
				Exception struct{ Description string }
			}
		}
		asked := map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}
		if err := d.call(session, "Runtime.evaluate", asked, &got); err != nil {
			return err
		}
		if thrown := got.ExceptionDetails; thrown != nil {
			return fmt.Errorf("evaluate in %s: %s %s", tab.URL, thrown.Text, thrown.Exception.Description)
		}
		if value == nil {
			return nil
		}
		if len(got.Result.Value) == 0 {
			return errors.New("evaluate in " + tab.URL + ": there is no value")
		}
		return json.Unmarshal(got.Result.Value, value)
	})
}
