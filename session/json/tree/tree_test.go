package tree

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"wiretea/session/json/lex"
)

// value is a Node as encoding/json would decode it.
func value(n *Node) any {
	switch n.Kind {
	case Array:
		out := []any{}
		for _, item := range n.Items {
			out = append(out, value(item))
		}
		return out
	case Object:
		out := map[string]any{}
		for _, m := range n.Members {
			out[m.Key] = value(m.Val)
		}
		return out
	case Null, Bool, Number, String:
	}
	var v any
	_ = json.Unmarshal(n.Raw, &v)
	return v
}

// FuzzRead holds that the tree of a text is what encoding/json makes of it, and that
// each node is where it says.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`1`, ` {"a":[1,2.5e3,true,false,null],"b":{"c":"\u00e9\"x"}} `, `[]`, `{}`, `[[],{}, "" ]`, `{"a":1,"a":2}`, "\"\xff\"",
		strings.Repeat("[", 120) + strings.Repeat("]", 120)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		n := Read(text)
		if got := bytes.TrimSpace(text); !bytes.Equal(n.Raw, got) {
			t.Errorf("%q is read as %q", got, n.Raw)
		}
		walk(t, text, n)
		if lex.Nesting(text) > MaxDepth {
			return // What lies deeper has no structure here.
		}
		var want any
		if err := json.Unmarshal(text, &want); err == nil && !reflect.DeepEqual(value(n), want) {
			t.Errorf("%q is %v, want %v", text, value(n), want)
		}
	})
}

func walk(t *testing.T, text []byte, n *Node) {
	if !bytes.HasPrefix(text[n.Off:], n.Raw) || !json.Valid(n.Raw) {
		t.Errorf("%q does not stand at %d", n.Raw, n.Off)
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Key] && !n.Twice {
			t.Errorf("%q has %s twice, and does not say so", n.Raw, m.Key)
		}
		seen[m.Key] = true
	}
	for _, child := range n.Children() {
		walk(t, text, child)
	}
}

func TestGet(t *testing.T) {
	n := Read([]byte(`{"a":1,"b":"x","a":[2]}`))
	if got := n.Get("a"); !n.Twice || !got.Is(Array) || string(got.Raw) != "[2]" {
		t.Errorf("a is %+v", got)
	}
	if text, ok := n.Get("b").Text(); !ok || text != "x" {
		t.Errorf("b is %q, %v", text, ok)
	}
	if n.Get("c") != nil || n.Get("c").Get("d") != nil || n.Get("c").Is(Null) {
		t.Error("what is not there is there")
	}
}
