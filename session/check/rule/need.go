package rule

import (
	"fmt"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// A Need is a value that a JSON object must have.
type Need struct {
	// Path is the names that lead to the value, joined by dots. "[]" after a name
	// stands for every item of that array, "?" for a member that may be absent:
	// "prompts[].arguments?[].name".
	Path string
	Type jsonrpc.Type // Type is the type of the value; Absent = any.
}

// Lack says which of the needs an object does not meet: "tools[0].name is absent,
// must be a string". It is empty if the object meets all of them.
func Lack(object []byte, needs []Need) string {
	for i := range needs {
		if lack := needs[i].lack(object, needs[i].Path); lack != "" {
			return lack
		}
	}
	return ""
}

func (n *Need) lack(object []byte, path string) string {
	name, rest, more := strings.Cut(path, ".")
	name, list := strings.CutSuffix(name, "[]")
	name, optional := strings.CutSuffix(name, "?")
	value := lex.Get(object, name)
	if optional && value == nil {
		return ""
	}
	if !list {
		return join(name, n.under(value, rest, more))
	}
	if lack := Mismatch(value, jsonrpc.Array); lack != "" {
		return name + lack
	}
	for i, item := range lex.Items(value) {
		if lack := n.under(item, rest, more); lack != "" {
			return join(fmt.Sprintf("%s[%d]", name, i), lack)
		}
	}
	return ""
}

// under judges a value on the path, or at its end.
func (n *Need) under(value []byte, rest string, more bool) string {
	if !more {
		return Mismatch(value, n.Type)
	}
	if lack := Mismatch(value, jsonrpc.Object); lack != "" {
		return lack
	}
	if lack := n.lack(value, rest); lack != "" {
		return "." + lack
	}
	return ""
}

func join(name, lack string) string {
	if lack == "" {
		return ""
	}
	return name + lack
}

// Mismatch says what is wrong with the type of a value, to follow its name: " is
// null, must be an object". It is empty if the type is right; Absent = any.
func Mismatch(value []byte, want jsonrpc.Type) string {
	switch got := jsonrpc.TypeOf(value); {
	case want == jsonrpc.Absent && got == want:
		return " is absent"
	case want != jsonrpc.Absent && got != want:
		return " is " + TypeName(got) + ", must be " + TypeName(want)
	}
	return ""
}
