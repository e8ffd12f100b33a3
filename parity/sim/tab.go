package sim

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/dop251/goja"
)

// tab is one tab of a browser. feedTab is the recruiter's own and shows their feed.
type tab struct {
	b           *browser
	id          int
	url         string
	loads       int
	doc         *document
	frozenUntil time.Time
}

func (t *tab) queue() string { return t.b.name + " page" }

// leave ends the tab's document.
func (t *tab) leave() {
	if t.doc != nil {
		t.doc.unload()
		t.doc = nil
	}
}

// close removes the tab, whoever does it.
func (t *tab) close() {
	t.leave()
	delete(t.b.tabs, t.id)
	id := t.id
	t.b.later(t.b.w.network(), t.b.name+" tabs", "tab is gone", func() { t.b.toWorker("removed", id) })
}

func (k *worker) tabCreate(c goja.FunctionCall) goja.Value {
	b := k.b
	b.tabsYet++
	t := &tab{b: b, id: b.tabsYet, url: "about:blank"}
	b.tabs[t.id] = t
	return k.settle(c, " tabs", map[string]int{"id": t.id}, "")
}

func (k *worker) tabUpdate(c goja.FunctionCall) goja.Value {
	var id int
	var change struct {
		URL string `json:"url"`
	}
	k.read(c, 1, &id)
	k.read(c, 2, &change)
	t, there := k.b.tabs[id]
	if !there {
		return k.settle(c, " tabs", nil, "No tab with that id.")
	}
	if change.URL != "" {
		t.navigate(change.URL)
	}
	return k.settle(c, " tabs", nil, "")
}

func (k *worker) tabRemove(c goja.FunctionCall) goja.Value {
	var id int
	k.read(c, 1, &id)
	t, there := k.b.tabs[id]
	if !there {
		return k.settle(c, " tabs", nil, "No tab with that id.")
	}
	t.close()
	return k.settle(c, " tabs", nil, "")
}

// execute runs page scripts in a tab, or says who is signed in there when it is given none.
func (k *worker) execute(c goja.FunctionCall) goja.Value {
	var id int
	var files []string
	k.read(c, 1, &id)
	k.read(c, 2, &files)
	t, there := k.b.tabs[id]
	switch {
	case !there:
		return k.settle(c, " tabs", nil, "No tab with that id.")
	case len(files) == 0:
		return k.settle(c, " tabs", []map[string]any{{"result": k.b.seenMembers()}}, "")
	}
	e := k.b.later(k.b.w.network(), t.queue(), "page scripts run", func() {
		if t.doc != nil {
			acts := slices.Contains(files, "linkedin/driver.js")
			t.doc.inject(acts)
			t.b.w.injected(t.doc, acts)
		}
	})
	e.tab = t
	return k.settle(c, " tabs", nil, "")
}

// seenMembers is whom a page of LinkedIn names as signed in.
func (b *browser) seenMembers() []map[string]string {
	if b.isSignedOut() {
		return []map[string]string{}
	}
	return []map[string]string{b.member.shown()}
}

func (b *browser) isSignedOut() bool { return time.Now().Before(b.signedOut) }

// navigate begins to load an address; the document there is goes when the new one has come.
func (t *tab) navigate(address string) {
	t.loads++
	load := t.loads
	e := t.b.later(t.b.w.network(), t.queue(), "loads "+address, func() {
		if t.b.tabs[t.id] == t && t.loads == load {
			t.commit(address)
		}
	})
	e.tab = t
}

func (t *tab) commit(address string) {
	t.leave()
	doc := t.b.w.site.page(t, address)
	t.url, t.doc = doc.url, doc
	id, shown := t.id, map[string]string{"url": doc.url}
	t.b.later(t.b.w.network(), t.b.name+" tabs", "tab has loaded "+string(doc.kind), func() {
		t.b.toWorker("updated", id, map[string]string{"status": "complete"}, shown)
	})
}

// ourTabs are those in which page scripts may run.
func (b *browser) ourTabs() []*tab {
	var found []*tab
	for _, id := range slices.Sorted(maps.Keys(b.tabs)) {
		if id != feedTab {
			found = append(found, b.tabs[id])
		}
	}
	return found
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
