package shapetest

import (
	"fmt"
	"strconv"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// A Mutation is a text that differs from a sample in one value.
type Mutation struct {
	Path string // Path is where the value is: "tools[0].title".
	How  string // How is what it is instead: "null", "true", "7", "0.5", `"x"`, "[]", "{}", or "missing".
	Text []byte
}

// values are what a value is replaced by, if it is of another type, and strings and
// numbers also by others of their type.
var values = []string{"null", "true", "7", "7.5", `"x"`, "[]", "{}"}

// Mutations returns all texts that differ from an object in one value: it is missing,
// or replaced.
func Mutations(object string) []Mutation {
	m := mutator{text: []byte(object)}
	m.value("", 0, len(object), false)
	return m.all
}

type mutator struct {
	text []byte
	all  []Mutation
}

// value makes the mutations of the value at text[from:to], and of what is inside it.
func (m *mutator) value(path string, from, to int, within bool) {
	value := m.text[from:to]
	if within {
		for _, other := range values {
			if t := jsonrpc.TypeOf([]byte(other)); t != jsonrpc.TypeOf(value) || t == jsonrpc.Number || t == jsonrpc.String {
				m.add(path, other, from, to, other)
			}
		}
	}
	for i, item := range lex.Items(value) {
		at := from + cap(value) - cap(item)
		m.value(path+"["+strconv.Itoa(i)+"]", at, at+len(item), true)
	}
	list, _ := lex.List(value)
	for i := range list {
		name := list[i].Name
		if path != "" {
			name = path + "." + name
		}
		at := from + list[i].At
		m.value(name, at, at+len(list[i].Value), true)
		rest := append(append([]lex.Member{}, list[:i]...), list[i+1:]...)
		m.add(name, "missing", from, to, string(lex.AppendObject(nil, rest...)))
	}
}

func (m *mutator) add(path, how string, from, to int, other string) {
	m.all = append(m.all, Mutation{path, how, fmt.Appendf(nil, "%s%s%s", m.text[:from], other, m.text[to:])})
}
