package parity_test

import (
	"encoding/json"
	"testing"

	"github.com/dop251/goja"

	"sendonce/parity"
)

// pureModules are what the extension decides with and what needs no browser, beside its frames and its rule.
var pureModules = map[string]string{
	"urls": "linkedin/urls.js", "delivery": "linkedin/delivery.js", "text": "core/text.js", "thread": "core/thread.js",
	"person": "core/person.js", "observe": "core/observe.js", "digest": "core/digest.js",
}

// browserSide calls the extension's own functions with arguments and results that go over as JSON.
type browserSide struct {
	vm  *goja.Runtime
	run goja.Callable
}

func newBrowserSide(t testing.TB) browserSide {
	t.Helper()
	modules, err := parity.Bundle(pureModules, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := parity.PageScript("linkedin/gate.js", "linkedin/walker.js")
	if err != nil {
		t.Fatal(err)
	}
	vm, err := parity.Load(modules + page + `
		globalThis.page = SendoncePage;
		globalThis.run = (of, name, text) => JSON.stringify(globalThis[of][name](...JSON.parse(text))) ?? 'null';`)
	if err != nil {
		t.Fatal(err)
	}
	run, _ := goja.AssertFunction(vm.Get("run"))
	return browserSide{vm, run}
}

// call fails the test when the function throws: the extension's readers answer to whatever a page holds.
func call[T any](t testing.TB, b browserSide, of, name string, args ...any) T {
	t.Helper()
	encoded, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := b.run(goja.Undefined(), b.vm.ToValue(of), b.vm.ToValue(name), b.vm.ToValue(string(encoded)))
	if err != nil {
		t.Fatalf("%s.%s throws on %s: %v", of, name, encoded, err)
	}
	var result T
	if err := json.Unmarshal([]byte(answer.String()), &result); err != nil {
		t.Fatalf("%s.%s answers %s: %v", of, name, answer, err)
	}
	return result
}
