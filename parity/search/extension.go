package search

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dop251/goja"

	"sendonce/parity"
)

//go:embed browser.js
var browserScript string

// extension runs the real reducer of an install and the real gate of the page script. The same event in the same state is
// run once: every state and every store has a number, and what followed is remembered.
type extension struct {
	move, decide goja.Callable
	vm           *goja.Runtime
	frames       *frames
	workers      numbers // of an install's state, as JSON
	seen         []seen  // by the worker's number
	stores       numbers
	opened       map[uint32][]string // by the store
	words        numbers             // of go, as JSON
	events       numbers
	done         map[asked]moved
	verdicts     map[gateAsked]string
}

// seen is what the search must know of a worker to see what may happen next.
type seen struct {
	Phase, Token, Attempt string
	Tab, Ready            bool
	Timers                []string
	Asks                  []json.RawMessage
	asks                  []uint16
	lease                 uint8
}

type asked struct {
	worker, store, event uint32
	late                 bool
}

// moved is what one event did. said are the frames that it said.
type moved struct {
	worker, store, behind uint32
	word                  uint32
	said                  []uint16
}

type gateAsked struct {
	word                uint32
	late, asleep, alive bool
}

func newExtension(frames *frames, without *Rule) (*extension, error) {
	replaced, err := without.texts()
	if err != nil {
		return nil, err
	}
	script, err := parity.Bundle(map[string]string{
		"core": "core/install.js", "urls": "linkedin/urls.js",
	}, replaced)
	if err != nil {
		return nil, err
	}
	gate, err := pageScript("linkedin/gate.js", replaced)
	if err != nil {
		return nil, err
	}
	vm, err := parity.Load(script + "\n" + gate + "\n" + browserScript)
	if err != nil {
		return nil, err
	}
	browser := vm.Get("browser").ToObject(vm)
	move, _ := goja.AssertFunction(browser.Get("move"))
	decide, _ := goja.AssertFunction(browser.Get("decide"))
	e := &extension{
		move: move, decide: decide, vm: vm, frames: frames, done: map[asked]moved{}, verdicts: map[gateAsked]string{},
		opened: map[uint32][]string{},
		seen:   []seen{{}},
	}
	for _, n := range []*numbers{&e.workers, &e.stores, &e.words, &e.events} {
		n.of("") // 0 is none
	}
	return e, nil
}

// pageScript is a classic file, changed or as it is.
func pageScript(path string, replaced map[string]string) (string, error) {
	if text, is := replaced[path]; is {
		return text, nil
	}
	return parity.PageScript(path)
}

// empty is the number of a store in which nothing stands.
func (e *extension) empty() uint32 { return e.stores.of("{}") }

// after says what an event does to the worker, or, with worker 0, what a worker does that begins.
func (e *extension) after(install uint8, worker, store uint32, late bool, event string) (moved, error) {
	key := asked{worker, store, e.events.of(event), late}
	if known, is := e.done[key]; is {
		return known, nil
	}
	value, err := e.move(goja.Undefined(), e.vm.ToValue(e.workers.text(worker)), e.vm.ToValue(e.stores.text(store)),
		e.vm.ToValue(late), e.vm.ToValue(event))
	if err != nil {
		return moved{}, fmt.Errorf("the extension threw on %s: %w", event, err)
	}
	var result struct {
		Install, Store, Behind, Go json.RawMessage
		Said                       []json.RawMessage
		Seen                       seen
	}
	if err := json.Unmarshal([]byte(value.String()), &result); err != nil {
		return moved{}, fmt.Errorf("read what the extension did: %w", err)
	}
	m := moved{store: e.stores.of(string(result.Store)), behind: e.stores.of(string(result.Behind))}
	if string(result.Go) != "null" {
		m.word = e.words.of(string(result.Go))
	}
	for _, frame := range result.Said {
		m.said = append(m.said, e.frames.fromInstall(install, frame))
	}
	m.worker = e.number(install, string(result.Install), result.Seen)
	e.done[key] = m
	return m, nil
}

// number gives a worker its number. No two installs share one: the worker's own name is in its state.
func (e *extension) number(install uint8, text string, s seen) uint32 {
	n := e.workers.of(text)
	if int(n) == len(e.seen) {
		for _, frame := range s.Asks {
			s.asks = append(s.asks, e.frames.fromInstall(install, frame))
		}
		s.lease = numberIn(s.Token)
		s.Asks = nil
		e.seen = append(e.seen, s)
	}
	return n
}

// open are the leases of which a store says that they are open.
func (e *extension) open(store uint32) []string {
	if known, is := e.opened[store]; is {
		return known
	}
	var stored struct {
		Journal struct{ Open map[string]json.RawMessage }
	}
	if err := json.Unmarshal([]byte(e.stores.text(store)), &stored); err != nil {
		panic(fmt.Sprintf("the extension stored %s: %v", e.stores.text(store), err))
	}
	names := slices.Sorted(maps.Keys(stored.Journal.Open))
	e.opened[store] = names
	return names
}

// verdict is what the page script decides when it is told to go: "" is a click, else why not.
func (e *extension) verdict(ask gateAsked) (string, error) {
	if known, is := e.verdicts[ask]; is {
		return known, nil
	}
	value, err := e.decide(goja.Undefined(), e.vm.ToValue(e.words.text(ask.word)), e.vm.ToValue(ask.late),
		e.vm.ToValue(ask.asleep), e.vm.ToValue(ask.alive))
	if err != nil {
		return "", fmt.Errorf("the gate threw: %w", err)
	}
	var said struct {
		Click  bool
		Reason string
	}
	if err := json.Unmarshal([]byte(value.String()), &said); err != nil {
		return "", fmt.Errorf("read the gate's verdict: %w", err)
	}
	e.verdicts[ask] = said.Reason
	return said.Reason, nil
}

// numbers gives each text a number, in the order in which they come.
type numbers struct {
	all   []string
	known map[string]uint32
}

func (n *numbers) of(text string) uint32 {
	if number, is := n.known[text]; is {
		return number
	}
	if n.known == nil {
		n.known = map[string]uint32{}
	}
	number := uint32(len(n.all))
	n.all = append(n.all, text)
	n.known[text] = number
	return number
}

func (n *numbers) text(number uint32) string { return n.all[number] }

func source(path string) (string, error) {
	text, err := os.ReadFile(filepath.Join(parity.Root(), "extension", path))
	if err != nil {
		return "", fmt.Errorf("read the extension: %w", err)
	}
	return string(text), nil
}
