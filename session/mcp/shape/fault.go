package shape

import (
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Class is a way in which a value is wrong.
type Class uint8

const (
	Missing     Class = iota // Missing: a required member is absent.
	Null                     // Null: the value is null.
	WrongType                // WrongType: it has another JSON type.
	OutsideEnum              // OutsideEnum: it is none of the strings that are allowed there.
	NotInteger               // NotInteger: a number has a fraction.
	OutOfRange               // OutOfRange: a number is too small or too large.
	BadFormat                // BadFormat: a string has another form.
	Neither                  // Neither: an object has neither of two members, of which it must have one.
	Misnamed                 // Misnamed: an optional member is absent, and stands there under a near name.
)

// String returns the class in one or two words.
func (c Class) String() string {
	return [...]string{"missing", "null", "wrong type", "enum", "fraction", "range", "format", "neither", "misnamed"}[c]
}

// A Fault is a value that the table does not allow.
type Fault struct {
	Class Class
	Path  string       // Path is where it is in the text: "tools[3].annotations.readOnlyHint".
	Any   string       // Any is the path for every index and key: "tools[].annotations.readOnlyHint".
	Place string       // Place is its type and member in the table: "ToolAnnotations.readOnlyHint".
	Got   jsonrpc.Type // Got is the type of the value, Absent for Missing and Neither.
	Near  string       // Near is the name under which an absent member stands there; empty = it does not.
	Raw   []byte       // Raw is the value, nil if it is absent.
	Want  string       // Want is what it must be: "a boolean".
	Count int          // Count counts the values with this fault.

	// Required: the member that has the value, or an item of it, must be present.
	Required bool

	// Foreign: the revision has no such member; another revision has, and does not
	// allow the value.
	Foreign bool

	// Since is the revision that introduced the value, if an earlier one does not
	// allow it; else NoVersion.
	Since mcp.Version
}

// fault takes note of a fault at the present path, and returns it if it is a new one.
func (j *Judge) fault(class Class, t *Type, raw []byte) *Fault {
	var path, every strings.Builder
	for i, s := range j.path {
		s.write(&path, i == 0, false)
		s.write(&every, i == 0, true)
	}
	for i := range j.faults {
		if f := &j.faults[i]; f.Any == every.String() && f.Class == class && f.Got == jsonrpc.TypeOf(raw) {
			f.Count++
			return nil
		}
	}
	if len(j.faults) == maxFaults {
		return nil
	}
	if end := lex.ValueEnd(raw, 0); end >= 0 {
		raw = raw[:end]
	}
	place, required := j.place(t)
	j.faults = append(j.faults, Fault{
		Class: class, Path: path.String(), Any: every.String(), Place: place, Required: required,
		Got: jsonrpc.TypeOf(raw), Raw: raw, Want: t.want(), Count: 1, Foreign: j.alien,
	})
	return &j.faults[len(j.faults)-1]
}

// place returns the place in the table of a value of type t at the present path, and
// whether it is required.
func (j *Judge) place(t *Type) (place string, required bool) {
	suffix := ""
	for _, s := range slices.Backward(j.path) {
		switch {
		case s.member != nil:
			return s.member.place + suffix, s.member.required
		case s.name != "":
			return t.name + "." + s.name, true
		case s.key != nil:
			suffix = "{}" + suffix
		default:
			suffix = "[]" + suffix
		}
	}
	return t.name + suffix, true
}

// write appends a step to a path. every: for every index and key.
func (s step) write(path *strings.Builder, first, every bool) {
	name := s.name
	if s.member != nil {
		name = s.member.name
	}
	switch {
	case name == "" && s.key == nil:
		path.WriteByte('[')
		if !every {
			path.WriteString(strconv.Itoa(s.index))
		}
		path.WriteByte(']')
		return
	case name == "" && every:
		name = "*"
	case name == "":
		name = lex.Unquote(s.key)
	}
	if name != "*" && strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) }) {
		path.WriteString("[" + lex.Quote(name) + "]")
		return
	}
	if !first {
		path.WriteByte('.')
	}
	path.WriteString(name)
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$'
}

// wants says what values of a kind are, with an article; empty where it depends on the type.
var wants = [...]string{
	str: "a string", base64: "base64", uri: "a URI with a scheme",
	date: "a date in ISO 8601", timestamp: "a time in ISO 8601 with a time zone",
	boolean: "a boolean", number: "a number", integer: "an integer",
	natural: "an integer that is not negative", fraction: "a number from 0 to 1", lifetime: "an integer or null",
	id: "a string or an integer", list: "an array", oneOrList: "an object or an array",
	object: "an object", record: "an object", mapping: "an object",
	anyValue: "present", either: "", oneOf: "", union: "",
}

// want says what values of the type are, with an article.
func (t *Type) want() string {
	switch t.kind {
	case either:
		return "an object with " + t.words[0] + " or " + t.words[1]
	case oneOf:
		return alternatives(t.words)
	case union:
		var names []string
		for i := range t.members {
			if !t.members[i].foreign {
				names = append(names, t.members[i].name)
			}
		}
		return alternatives(names)
	}
	return wants[t.kind]
}

// alternatives joins words: "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return strconv.Quote(words[0])
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
