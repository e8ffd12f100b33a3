package parity_test

import (
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

// outcome reads one of the extension's outcomes: what it does not say is null there and "" here.
func (e extension) outcome(name string, argument map[string]any) (rule.Outcome, error) {
	value, err := e.call(name, argument)
	if err != nil {
		return rule.Outcome{}, err
	}
	object := value.ToObject(e.vm)
	return rule.Outcome{
		Status: rule.Status(said(object.Get("status"))), Code: said(object.Get("code")),
		Reason: said(object.Get("reason")), Incident: said(object.Get("incident")),
	}, nil
}

func said(value goja.Value) string {
	if value == nil || goja.IsNull(value) || goja.IsUndefined(value) {
		return ""
	}
	return value.String()
}
