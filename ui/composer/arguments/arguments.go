package arguments

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
	wholeschema "wiretea/session/json/schema"
	"wiretea/session/text"
)

// An argument is one name=value word.
type argument struct {
	name  string
	value string
	exact bool // exact: the word was name:=JSON.
}

// parseArgument cuts a word in two.
func parseArgument(word string) (argument, error) {
	i := strings.IndexByte(word, '=')
	if i <= 0 || word[:i] == ":" {
		return argument{}, fmt.Errorf("%q is not name=value", word)
	}
	a := argument{name: word[:i], value: word[i+1:]}
	if name, exact := strings.CutSuffix(a.name, ":"); exact {
		a.name, a.exact = name, true
		if !json.Valid([]byte(a.value)) {
			return a, fmt.Errorf("%s: %q is not JSON, as := wants it", name, a.value)
		}
	}
	return a, nil
}

// A typedValue is built from arguments: an object, a list or a leaf.
type typedValue struct {
	leaf    json.RawMessage // leaf is set where the value is neither an object nor a list.
	list    []*typedValue   // list are the items where isList.
	isList  bool
	names   []string // names are an object's members, in the order in which they were given.
	members map[string]*typedValue
}

func (t *typedValue) isObject() bool { return t.members != nil }
func (t *typedValue) empty() bool    { return t.leaf == nil && !t.isList && t.members == nil }

// member returns the member of that name, made where it is new.
func (t *typedValue) member(name string) *typedValue {
	if t.members == nil {
		t.members = map[string]*typedValue{}
	}
	m := t.members[name]
	if m == nil {
		m = new(typedValue)
		t.members[name] = m
		t.names = append(t.names, name)
	}
	return m
}

// json writes the value.
func (t *typedValue) json() json.RawMessage {
	switch {
	case t.isObject():
		members := make([]lex.Member, len(t.names))
		for i, name := range t.names {
			members[i] = lex.Member{Name: name, Value: t.members[name].json()}
		}
		return lex.AppendObject(nil, members...)
	case t.isList:
		b := []byte{'['}
		for i, item := range t.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, item.json()...)
		}
		return append(b, ']')
	case t.leaf == nil:
		return json.RawMessage("null")
	}
	return t.leaf
}

// FromWords makes the arguments of a call from name=value words. faults are
// what does not fit the schema; the value is what comes nearest to what was
// typed.
func FromWords(words []string, s Schema) (json.RawMessage, []string) {
	root := &typedValue{members: map[string]*typedValue{}}
	var faults []string
	for _, word := range words {
		a, err := parseArgument(word)
		if err == nil {
			err = root.put(a, a.name, s)
		}
		if err != nil {
			faults = append(faults, err.Error())
		}
	}
	value := root.json()
	if len(faults) > 0 {
		// The schema's own checks would say the same in more words.
		return value, append(faults, namesMisfit(value, s, "")...)
	}
	return value, Misfits(value, s)
}

// put sets the value at a path of names, "a.b.0.c". A name of the schema that has
// dots in it is taken whole.
func (t *typedValue) put(a argument, path string, s Schema) error {
	name, rest := path, ""
	if _, whole := s.Property(path); !whole {
		if first, more, dotted := strings.Cut(path, "."); dotted && first != "" && more != "" {
			name, rest = first, more
		}
	}
	at, part := t, s.item()
	if index, err := strconv.Atoi(name); err == nil && index >= 0 && (t.isList || s.types()["array"]) {
		if index > len(t.list) || t.isObject() || t.leaf != nil {
			return fmt.Errorf("%s: the items of a list are given in their order, from 0", a.name)
		}
		t.isList = true
		if index == len(t.list) {
			t.list = append(t.list, new(typedValue))
		}
		at = t.list[index]
	} else {
		if t.isList || t.leaf != nil {
			return fmt.Errorf("%s: %s has a value of its own already", a.name, strings.TrimSuffix(strings.TrimSuffix(a.name, path), "."))
		}
		at = t.member(name)
		part, _ = s.Property(name)
	}
	if rest != "" {
		return at.put(a, rest, part)
	}
	return at.set(a, part)
}

// set gives a value what was typed; a second one for the same name makes a list.
func (t *typedValue) set(a argument, s Schema) error {
	if t.isObject() {
		return fmt.Errorf("%s: has members of its own already", a.name)
	}
	types := s.types()
	switch {
	case a.exact && t.empty():
		t.leaf = json.RawMessage(a.value)
		return nil
	case types["array"] && t.empty() && strings.HasPrefix(strings.TrimSpace(a.value), "[") && json.Valid([]byte(a.value)):
		t.leaf = json.RawMessage(a.value)
		return nil
	case types["array"] && (t.isList || t.empty() && (len(types) == 1 || !scalarFits(a.value, types))):
		return t.add(a, s.item())
	case types["array"] && t.leaf != nil:
		return fmt.Errorf("%s: given as a whole already", a.name)
	case !t.empty() && types == nil:
		if !t.isList {
			t.list, t.isList, t.leaf = []*typedValue{{leaf: t.leaf}}, true, nil
		}
		return t.add(a, s.item())
	case !t.empty():
		return fmt.Errorf("%s: given twice, but it is not an array", a.name)
	}
	var err error
	t.leaf, err = typeText(a, s)
	return err
}

// add puts one more item on a list.
func (t *typedValue) add(a argument, s Schema) error {
	t.isList = true
	item := new(typedValue)
	t.list = append(t.list, item)
	if a.exact {
		item.leaf = json.RawMessage(a.value)
		return nil
	}
	var err error
	item.leaf, err = typeText(a, s)
	return err
}

// scalarFits reports whether a text could be a value that is not a list.
func scalarFits(text string, types map[string]bool) bool {
	_, ok := scalar(text, types)
	return ok
}

// typeText turns a text into the JSON value that the schema wants. What it cannot
// be is sent as text, with an error.
func typeText(a argument, s Schema) (json.RawMessage, error) {
	types := s.types()
	if value, ok := scalar(a.value, types); ok {
		return value, nil
	}
	return lex.AppendQuote(nil, a.value), fmt.Errorf("%s: %q is not %s", a.name, a.value, withArticle(s.Words()))
}

// scalar reads a text as one of the types; nil types are any.
func scalar(text string, types map[string]bool) (json.RawMessage, bool) {
	valid := json.Valid([]byte(text))
	first := byte(0)
	if trimmed := strings.TrimSpace(text); trimmed != "" {
		first = trimmed[0]
	}
	number := valid && (first == '-' || first >= '0' && first <= '9')
	switch {
	case types == nil && valid && first != '"':
		return json.RawMessage(text), true
	case types == nil:
		return lex.AppendQuote(nil, text), true
	case number && (types["number"] || types["integer"] && wholeschema.IsInteger([]byte(strings.TrimSpace(text)))),
		(text == "true" || text == "false") && types["boolean"],
		text == "null" && types["null"],
		first == '{' && valid && types["object"]:
		return json.RawMessage(text), true
	case types["string"]:
		return lex.AppendQuote(nil, text), true
	}
	return nil, false
}

func withArticle(words string) string {
	switch {
	case words == "" || strings.HasPrefix(words, "one of"):
		return words
	case strings.IndexByte("aeiou", words[0]) >= 0:
		return "an " + words
	}
	return "a " + words
}

// Misfits says how arguments do not fit a schema: names that it does not know,
// those that are missing, and what its checks find else.
func Misfits(value json.RawMessage, s Schema) []string {
	faults := namesMisfit(value, s, "")
	if len(faults) > 0 {
		return faults
	}
	if fault := s.validate(value); fault != "" {
		return []string{fault}
	}
	return nil
}

// namesMisfit goes through an object and those inside it.
func namesMisfit(value json.RawMessage, s Schema, prefix string) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil || s.At == nil {
		return nil
	}
	var faults []string
	known := s.Properties()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		part, own := s.Property(name)
		if !own && s.closed() {
			faults = append(faults, fmt.Sprintf("%s%s is not an argument of it; %s", prefix, name, text.Nearest(name, known, "it has "+List(known))))
			continue
		}
		faults = append(faults, namesMisfit(members[name], part, prefix+name+".")...)
	}
	for _, name := range s.Required() {
		if _, given := members[name]; !given {
			part, _ := s.Property(name)
			fault := prefix + name + " is missing"
			if words := part.Words(); words != "" {
				fault += ": " + withArticle(words)
			}
			faults = append(faults, fault)
		}
	}
	return faults
}

// List lists names, not too many of them.
func List(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
