package sim

import (
	_ "embed"
	"strings"
	"time"

	"github.com/dop251/goja"
)

//go:embed page.js
var pageAPI string

// pageKind is what a page of LinkedIn is.
type pageKind string

const (
	feedPage    pageKind = "feed"
	profilePage pageKind = "profile"
	composePage pageKind = "compose"
	threadPage  pageKind = "thread"
	signInPage  pageKind = "sign-in"
	brokenPage  pageKind = "no page"
)

// document is one page in one tab, with the page scripts that run in it.
type document struct {
	tab    *tab
	member *member // who was signed in when it was loaded
	kind   pageKind
	url    string
	person *person
	thread *thread
	began  time.Time

	box   string // what stands in the message box
	stuck bool   // the box cannot be emptied

	vm       *goja.Runtime
	entry    *goja.Object
	acts     bool
	port     int // 0: none, or its worker has ended
	unloaded bool
}

// inject runs the page scripts in their order, each file once.
func (d *document) inject(acts bool) {
	w := d.tab.b.w
	if d.kind == brokenPage || d.unloaded {
		return
	}
	if d.vm == nil {
		d.vm = goja.New()
		d.vm.SetTimeSource(func() time.Time { return d.tab.b.wall() })
		w.must(d.vm.Set("host", d.host()))
		d.run(w.scripts.page())
		d.entry = d.vm.Get("simulatedPage").ToObject(d.vm)
		d.run(w.scripts.viewer())
	}
	if acts && !d.acts {
		d.acts = true
		d.run(w.scripts.driver())
	}
}

func (d *document) run(p *goja.Program) {
	if _, err := d.vm.RunProgram(p); err != nil {
		d.tab.b.w.breach("%s: a page script threw %v", d.tab.b.name, err)
	}
}

func (d *document) call(name string, args ...any) {
	if d.vm == nil || d.unloaded {
		return
	}
	function, _ := goja.AssertFunction(d.entry.Get(name))
	values := make([]goja.Value, len(args))
	for i, arg := range args {
		values[i] = d.vm.ToValue(arg)
	}
	if _, err := function(goja.Undefined(), values...); err != nil {
		d.tab.b.w.breach("%s: a page script threw %v", d.tab.b.name, err)
	}
}

// task is one turn of the page's own loop: they come in their order, and none while the tab is frozen.
func (d *document) task(after time.Duration, what string, do func()) {
	e := d.tab.b.later(after, d.tab.queue(), what, func() {
		if !d.unloaded {
			do()
		}
	})
	e.tab = d.tab
}

func (d *document) host() map[string]func(goja.FunctionCall) goja.Value {
	value := func(v any) goja.Value { return d.vm.ToValue(v) }
	b := d.tab.b
	return map[string]func(goja.FunctionCall) goja.Value{
		"mono":    func(goja.FunctionCall) goja.Value { return value(b.mono(d.began)) },
		"path":    func(goja.FunctionCall) goja.Value { return value(strings.TrimPrefix(d.url, origin)) },
		"hop":     func(c goja.FunctionCall) goja.Value { d.hop(int(c.Argument(0).ToInteger())); return goja.Undefined() },
		"connect": func(goja.FunctionCall) goja.Value { d.connect(); return goja.Undefined() },
		"say":     func(c goja.FunctionCall) goja.Value { d.say(c.Argument(0).String()); return goja.Undefined() },
		"facts":   func(c goja.FunctionCall) goja.Value { return value(asJSON(d.facts(int(c.Argument(0).ToInteger())))) },
		"hasBox":  func(goja.FunctionCall) goja.Value { return value(d.hasBox()) },
		"box":     func(goja.FunctionCall) goja.Value { return value(d.box) },
		"canSend": func(goja.FunctionCall) goja.Value { return value(d.box != "") },
		"edit": func(c goja.FunctionCall) goja.Value {
			return value(d.edit(c.Argument(0).String(), c.Argument(1).String()))
		},
		"click": func(goja.FunctionCall) goja.Value { d.click(true); return goja.Undefined() },
	}
}

func (d *document) hop(id int) { d.task(0, "hop", func() { d.call("hop", id) }) }

// connect opens the page script's port. It starts a dead worker.
func (d *document) connect() {
	b := d.tab.b
	b.ports++
	port := b.ports
	d.port = port
	b.later(b.w.between(0, 10*time.Millisecond), d.up(), "a page script connects", func() {
		if b.wake(); b.worker != nil && d.port == port {
			b.worker.call("connect", port, d.tab.id)
		}
	})
}

func (d *document) up() string { return d.tab.b.name + " ports" }

// say carries a word of the page script to its worker.
func (d *document) say(text string) {
	port, b := d.port, d.tab.b
	if port == 0 {
		return
	}
	k := b.worker
	b.later(b.w.between(0, 10*time.Millisecond), d.up(), "the page says "+whatOf(text), func() {
		if b.worker != nil && (k == nil || b.worker == k) {
			b.worker.call("portMessage", port, text)
		}
	})
}

// told has a word of the worker arrive at the page script.
func (d *document) told(text string) {
	d.task(d.tab.b.w.between(0, 10*time.Millisecond), "the page is told to "+whatOf(text), func() {
		d.call("message", text)
	})
}

func whatOf(text string) string {
	for _, word := range []string{"watch", "type", "halt", "older", "facts", "typed", "not_typed", "poised", "clicked", "not_clicked", "halted"} {
		if strings.Contains(text, `"do":"`+word+`"`) || strings.Contains(text, `"what":"`+word+`"`) {
			return word
		}
	}
	return "go"
}

// workerGone is the end of the port because its worker has died.
func (d *document) workerGone() {
	if d.port == 0 {
		return
	}
	d.port = 0
	d.task(d.tab.b.w.between(0, 10*time.Millisecond), "the page loses its worker", func() { d.call("disconnected") })
}

// unload ends the page: its port closes, and what it had begun is left alone.
func (d *document) unload() {
	d.unloaded = true
	port, b := d.port, d.tab.b
	d.port = 0
	if port == 0 || b.worker == nil {
		return
	}
	k := b.worker
	b.later(b.w.between(0, 10*time.Millisecond), d.up(), "a page's port closes", func() {
		if b.worker == k {
			k.call("portGone", port)
		}
	})
}

// changed tells the page scripts that something on the page changed.
func (d *document) changed() {
	if d.vm != nil && !d.unloaded {
		d.task(0, "the page changes", func() { d.call("mutated") })
	}
}

func (d *document) hasBox() bool {
	return (d.kind == threadPage || d.kind == composePage && d.person.connected) && !d.unloaded
}

// edit is the editor's insertText and delete.
func (d *document) edit(command, text string) bool {
	if !d.hasBox() || d.stuck && command == "delete" {
		return false
	}
	d.box = ""
	if command == "insertText" {
		d.box = text
	}
	d.changed()
	return true
}

// click presses Send: the page empties its box and posts. byScript: our page script did it, else a hand.
func (d *document) click(byScript bool) {
	if d.box == "" || !d.hasBox() {
		return
	}
	text := d.box
	d.box = ""
	d.tab.b.w.site.clicked(d, text, byScript)
	d.changed()
}

// facts are what linkedin/reader.js would read from the page.
func (d *document) facts(itemsMax int) map[string]any {
	facts := map[string]any{
		"url": d.url, "sign_in": d.kind == signInPage, "members": []any{}, "others": []any{}, "recipients": 0,
		"message_links": []string{}, "invitable": false, "name": "", "composers": 0, "occupied": d.box != "",
		"send": "none", "inmail": false, "items": []any{},
	}
	if d.kind != signInPage {
		facts["members"] = []any{d.member.shown()}
	}
	if d.hasBox() {
		facts["composers"] = 1
		facts["send"] = map[bool]string{true: "enabled", false: "disabled"}[d.box != ""]
	}
	switch d.kind {
	case profilePage:
		facts["name"], facts["invitable"] = d.person.name, !d.person.connected
		if d.person.connected {
			facts["message_links"] = []string{composeURL(d.person), composeURL(d.person)}
		}
	case composePage:
		facts["others"] = []any{map[string]string{"key": d.person.slug, "name": d.person.name}}
		facts["recipients"] = 1
	case threadPage:
		facts["others"] = []any{map[string]string{"key": d.person.id, "name": d.person.name}}
		facts["items"] = d.thread.items(itemsMax)
	}
	return facts
}
