package parity_test

import (
	"encoding/json"
	"testing"

	"github.com/dop251/goja"

	"sendonce/parity"
	"sendonce/server/rule"
)

const (
	ruleModule  = "core/rule.js"
	tableModule = "generated/statuses.js"
)

// extension is the rule as the extension's own JavaScript has it.
type extension struct {
	vm   *goja.Runtime
	rule *goja.Object
}

// loadExtension runs the extension's rule, with other texts in place of some of its modules if any are given.
func loadExtension(t *testing.T, replaced map[string]string) extension {
	t.Helper()
	script, err := parity.Bundle(map[string]string{"rule": ruleModule, "statuses": tableModule}, replaced)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := parity.Load(script)
	if err != nil {
		t.Fatal(err)
	}
	return extension{vm, vm.Get("rule").ToObject(vm)}
}

// call runs an exported function of the rule and gives back what it returned, or what it threw.
func (e extension) call(name string, args ...any) (goja.Value, error) {
	function, _ := goja.AssertFunction(e.rule.Get(name))
	values := make([]goja.Value, len(args))
	for i, arg := range args {
		values[i] = e.vm.ToValue(arg)
	}
	return function(goja.Undefined(), values...)
}

func (e extension) allowed(from, to rule.Status, actor rule.Actor, started bool) (bool, error) {
	value, err := e.call("allowed", string(from), string(to), string(actor), started)
	if err != nil {
		return false, err
	}
	return value.ToBoolean(), nil
}

// said is what an exported function of the rule returned: what it does not say is null there and "" here.
type said struct {
	Status                        rule.Status
	Code, Reason, Incident, Error string
	// Effect is what a function returned that returns a word.
	Effect rule.Effect
}

func (s said) outcome() rule.Outcome {
	return rule.Outcome{Status: s.Status, Code: s.Code, Reason: s.Reason, Incident: s.Incident}
}

// each calls an exported function of the rule with each of the arguments, which go over and come back as JSON: as the
// extension meets them.
func (e extension) each(t *testing.T, name string, arguments []any) []said {
	t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	all, err := e.vm.RunString(`((text, call) => JSON.stringify(JSON.parse(text).map((argument) => {
		try {
			const result = call(argument);
			return typeof result === 'string' ? { effect: result } : result ?? {};
		} catch (error) { return { error: String(error) }; }
	})))`)
	if err != nil {
		t.Fatal(err)
	}
	function, _ := goja.AssertFunction(all)
	value, err := function(goja.Undefined(), e.vm.ToValue(string(encoded)), e.rule.Get(name))
	if err != nil {
		t.Fatal(err)
	}
	var results []said
	if err := json.Unmarshal([]byte(value.String()), &results); err != nil {
		t.Fatal(err)
	}
	return results
}
