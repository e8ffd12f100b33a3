package sim

import (
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/dop251/goja"

	"sendonce/parity"
)

//go:embed worker.js
var chromeAPI string

// worker is one life of the extension's worker.
type worker struct {
	b       *browser
	vm      *goja.Runtime
	dead    bool
	dies    int // after so many more words to Chrome; 0: not
	sockets map[int]*link
	timers  map[int]*event
	entry   *goja.Object
}

// program is a script of the extension, compiled once for all worlds.
type program func() *goja.Program

func compiled(name string, source func() (string, error)) program {
	return sync.OnceValue(func() *goja.Program {
		text, err := source()
		if err != nil {
			panic(err)
		}
		return goja.MustCompile(name, text, true)
	})
}

// Scripts are the extension's files as one program each.
type Scripts struct{ chrome, worker, page, viewer, driver program }

// NewScripts compiles the extension. replaced gives some of its files another text, by their path under extension/: to see what
// a breakage does.
func NewScripts(replaced map[string]string) *Scripts {
	joined := func(paths ...string) func() (string, error) {
		return func() (string, error) { return parity.ReplacedPageScript(replaced, paths...) }
	}
	return &Scripts{
		chrome: compiled("worker.js", func() (string, error) { return chromeAPI, nil }),
		worker: compiled("background.js", func() (string, error) {
			return parity.Bundle(map[string]string{"background": "background.js"}, replaced)
		}),
		page:   compiled("page.js", func() (string, error) { return pageAPI, nil }),
		viewer: compiled("viewer.js", joined("linkedin/viewer.js")),
		driver: compiled("driver.js", joined("linkedin/gate.js", "linkedin/driver.js")),
	}
}

// startWorker begins a life: the extension's own background.js runs.
func (b *browser) startWorker() {
	k := &worker{b: b, vm: goja.New(), sockets: map[int]*link{}, timers: map[int]*event{}}
	b.worker = k
	k.vm.SetTimeSource(func() time.Time { return b.wall() })
	k.vm.SetRandSource(b.w.rng.Float64)
	b.w.must(k.vm.Set("host", k.host()))
	k.run(b.w.scripts.chrome())
	k.entry = k.vm.Get("simulated").ToObject(k.vm)
	b.w.tell("%s: a worker starts, life %d", b.name, b.workers)
	k.run(b.w.scripts.worker())
}

func (k *worker) run(p *goja.Program) {
	_, err := k.vm.RunProgram(p)
	k.took(err)
}

// call calls a function of worker.js.
func (k *worker) call(name string, args ...any) {
	if k.dead {
		return
	}
	function, ok := goja.AssertFunction(k.entry.Get(name))
	if !ok {
		k.b.w.t.Fatalf("worker.js has no function %s", name)
	}
	values := make([]goja.Value, len(args))
	for i, arg := range args {
		values[i] = k.vm.ToValue(arg)
	}
	_, err := function(goja.Undefined(), values...)
	k.took(err)
}

func (k *worker) took(err error) {
	var interrupted *goja.InterruptedError
	switch {
	case err == nil:
	case errors.As(err, &interrupted):
		k.b.endWorker()
	default:
		k.b.w.breach("%s: the worker threw %v", k.b.name, err)
	}
}

// host is what worker.js asks of the simulation. Between any two of these words the worker may die.
func (k *worker) host() map[string]func(goja.FunctionCall) goja.Value {
	b := k.b
	functions := map[string]func(goja.FunctionCall) goja.Value{
		"storageGet": func(c goja.FunctionCall) goja.Value { return k.storageGet(c) },
		"storageSet": func(c goja.FunctionCall) goja.Value { return k.storageSet(c) },
		"tabCreate":  func(c goja.FunctionCall) goja.Value { return k.tabCreate(c) },
		"tabUpdate":  func(c goja.FunctionCall) goja.Value { return k.tabUpdate(c) },
		"tabRemove":  func(c goja.FunctionCall) goja.Value { return k.tabRemove(c) },
		"tabQuery": func(c goja.FunctionCall) goja.Value {
			return k.settle(c, " tabs", []map[string]int{{"id": feedTab}}, "")
		},
		"execute":     func(c goja.FunctionCall) goja.Value { return k.execute(c) },
		"socketOpen":  func(c goja.FunctionCall) goja.Value { b.connect(k, int(c.Argument(0).ToInteger())); return nil },
		"socketSend":  func(c goja.FunctionCall) goja.Value { return k.socketSend(c) },
		"socketClose": func(c goja.FunctionCall) goja.Value { return k.socketClose(c) },
		"portSay":     func(c goja.FunctionCall) goja.Value { return k.portSay(c) },
		"reload":      func(goja.FunctionCall) goja.Value { return k.reload() },
	}
	for name, do := range functions {
		functions[name] = func(c goja.FunctionCall) goja.Value {
			if k.dead {
				return goja.Undefined()
			}
			if k.dies > 0 {
				if k.dies--; k.dies == 0 {
					k.vm.Interrupt("the worker is killed")
					return goja.Undefined()
				}
			}
			if result := do(c); result != nil {
				return result
			}
			return goja.Undefined()
		}
	}
	functions["mono"] = func(goja.FunctionCall) goja.Value { return k.vm.ToValue(b.mono(b.began)) }
	functions["random"] = func(goja.FunctionCall) goja.Value { return k.vm.ToValue(b.w.rng.Float64()) }
	functions["log"] = func(c goja.FunctionCall) goja.Value { b.w.tell("%s logs: %s", b.name, c.Argument(0)); return nil }
	functions["bytes"] = func(c goja.FunctionCall) goja.Value { return k.vm.ToValue(len(c.Argument(0).String())) }
	functions["version"] = func(goja.FunctionCall) goja.Value { return k.vm.ToValue("1.0.0") }
	functions["timer"] = func(c goja.FunctionCall) goja.Value { return k.timer(c) }
	functions["untimer"] = func(c goja.FunctionCall) goja.Value { return k.untimer(c) }
	functions["alarm"] = func(goja.FunctionCall) goja.Value { return nil }
	functions["commanded"] = func(c goja.FunctionCall) goja.Value { k.commanded(c); return goja.Undefined() }
	functions["portClose"] = func(goja.FunctionCall) goja.Value { return nil }
	return functions
}

// settle answers what worker.js asked, after a moment.
func (k *worker) settle(c goja.FunctionCall, queue string, answer any, failure string) goja.Value {
	raw, err := json.Marshal(answer)
	k.b.w.must(err)
	id := int(c.Argument(0).ToInteger())
	takes := k.b.w.between(0, 20*time.Millisecond)
	if k.b.w.faults && k.b.w.chance(slowDiskShare) {
		takes = k.b.w.between(time.Second, slowMax)
	}
	e := k.b.later(takes, k.b.name+queue, "answered", func() { k.call("settle", id, string(raw), failure) })
	e.worker, e.quiet = k, true
	return nil
}

func (k *worker) storageGet(c goja.FunctionCall) goja.Value {
	var keys []string
	k.read(c, 1, &keys)
	found := map[string]json.RawMessage{}
	for _, key := range keys {
		if value, there := k.b.storage[key]; there {
			found[key] = json.RawMessage(value)
		}
	}
	return k.settle(c, " storage", found, "")
}

func (k *worker) storageSet(c goja.FunctionCall) goja.Value {
	var values map[string]json.RawMessage
	k.read(c, 1, &values)
	k.b.set(values)
	return k.settle(c, " storage", nil, "")
}

func (k *worker) read(c goja.FunctionCall, i int, into any) {
	k.b.w.must(json.Unmarshal([]byte(c.Argument(i).String()), into))
}

func (k *worker) timer(c goja.FunctionCall) goja.Value {
	id := int(c.Argument(0).ToInteger())
	// Chrome counts whole milliseconds, and none as one.
	ms := max(1, int64(min(c.Argument(1).ToFloat(), math.MaxInt32)))
	e := k.b.later(time.Duration(ms)*time.Millisecond, k.b.name+" timer", "a timer", func() {
		delete(k.timers, id)
		k.call("timer", id)
	})
	e.worker, e.quiet, e.free = k, true, true
	k.timers[id] = e
	return nil
}

func (k *worker) untimer(c goja.FunctionCall) goja.Value {
	id := int(c.Argument(0).ToInteger())
	e := k.timers[id]
	delete(k.timers, id)
	k.b.w.drop(func(one *event) bool { return one == e })
	return nil
}

func (k *worker) socketSend(c goja.FunctionCall) goja.Value {
	l, raw := k.sockets[int(c.Argument(0).ToInteger())], c.Argument(1).String()
	kind := frameType([]byte(raw))
	// Once it has left, it arrives although the worker dies.
	e := k.b.w.later(k.b.w.network(), l.queueUp(), "frame "+kind, func() { l.send(raw) })
	e.quiet = kind == "ping"
	return nil
}

func (k *worker) socketClose(c goja.FunctionCall) goja.Value {
	l := k.sockets[int(c.Argument(0).ToInteger())]
	l.closedHere = true
	if l.conn != nil {
		l.drop(false)
	}
	return nil
}

func (k *worker) portSay(c goja.FunctionCall) goja.Value {
	port, text := int(c.Argument(0).ToInteger()), c.Argument(1).String()
	for _, t := range k.b.tabs {
		if t.doc != nil && t.doc.port == port {
			t.doc.told(text)
		}
	}
	return nil
}

// commanded is what the popup shows; a browser that is not paired, or no more, is paired by its recruiter.
func (k *worker) commanded(c goja.FunctionCall) {
	var shown struct {
		View *struct{ Phase string }
	}
	k.read(c, 1, &shown)
	if shown.View != nil && (shown.View.Phase == "unpaired" || shown.View.Phase == "stopped") {
		k.b.w.note("paired again: " + shown.View.Phase)
		k.b.w.later(0, k.b.name, "its recruiter pairs it", func() { k.b.w.pair(k.b) })
	}
}

func (k *worker) reload() goja.Value {
	k.vm.Interrupt("the extension is reloaded")
	return nil
}
