package check

import (
	"bytes"
	"reflect"
	"testing"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// TestMark holds that no two marks of a rule are equal once any of its parts differs.
func TestMark(t *testing.T) {
	if first, second := Fingerprint(), Fingerprint(); first != second {
		t.Error("the mark changes by itself")
	}
	whole := rule.Rule{
		ID: "a", Severity: session.Warning, Fault: rule.Client, Since: mcp.V1, Until: mcp.V2, Alone: true, Timed: true, NeedsAll: true,
		Check: func(*rule.Rule, *session.Event, session.Reporter) {},
	}
	want := appendRule(nil, &whole)
	differs := func(name string, alter func(reflect.Value)) {
		altered := whole
		alter(reflect.ValueOf(&altered).Elem())
		if bytes.Equal(appendRule(nil, &altered), want) {
			t.Errorf("the mark is the same with another %s", name)
		}
	}
	for i := range reflect.TypeFor[rule.Rule]().NumField() {
		field := reflect.TypeFor[rule.Rule]().Field(i)
		differs(field.Name, func(v reflect.Value) { v.Field(i).SetZero() })
	}
}
