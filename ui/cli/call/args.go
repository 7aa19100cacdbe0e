package call

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	wholeschema "wiretea/session/json/schema"
	"wiretea/ui/cli/term"
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
		members := make([]member, len(t.names))
		for i, name := range t.names {
			members[i] = member{name, t.members[name].json()}
		}
		return object(members...)
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

// typeArguments makes the arguments of a call from name=value words. faults are
// what does not fit the schema; the value is what comes nearest to what was
// typed.
func typeArguments(words []string, s schema) (json.RawMessage, []string) {
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
	return value, misfits(value, s)
}

// put sets the value at a path of names, "a.b.0.c". A name of the schema that has
// dots in it is taken whole.
func (t *typedValue) put(a argument, path string, s schema) error {
	name, rest := path, ""
	if _, whole := s.property(path); !whole {
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
		part, _ = s.property(name)
	}
	if rest != "" {
		return at.put(a, rest, part)
	}
	return at.set(a, part)
}

// set gives a value what was typed; a second one for the same name makes a list.
func (t *typedValue) set(a argument, s schema) error {
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
func (t *typedValue) add(a argument, s schema) error {
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

// scalarFits reports whether a text could be a value that is no list.
func scalarFits(text string, types map[string]bool) bool {
	_, ok := scalar(text, types)
	return ok
}

// typeText turns a text into the JSON value that the schema wants. What it cannot
// be is sent as text, with an error.
func typeText(a argument, s schema) (json.RawMessage, error) {
	types := s.types()
	if value, ok := scalar(a.value, types); ok {
		return value, nil
	}
	return jsonString(a.value), fmt.Errorf("%s: %q is not %s", a.name, a.value, withArticle(s.words()))
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
		return jsonString(text), true
	case number && (types["number"] || types["integer"] && wholeschema.IsInteger([]byte(strings.TrimSpace(text)))),
		(text == "true" || text == "false") && types["boolean"],
		text == "null" && types["null"],
		first == '{' && valid && types["object"]:
		return json.RawMessage(text), true
	case types["string"]:
		return jsonString(text), true
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

// misfits says how arguments do not fit a schema: names that it does not know,
// those that are missing, and what its checks find else.
func misfits(value json.RawMessage, s schema) []string {
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
func namesMisfit(value json.RawMessage, s schema, prefix string) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil || s.at == nil {
		return nil
	}
	var faults []string
	known := s.properties()
	for _, name := range sortedKeys(members) {
		part, own := s.property(name)
		if !own && s.closed() {
			faults = append(faults, fmt.Sprintf("%s%s is not an argument of it; %s", prefix, name, term.Nearest(name, known, "it has "+someOf(known))))
			continue
		}
		faults = append(faults, namesMisfit(members[name], part, prefix+name+".")...)
	}
	for _, name := range s.required() {
		if _, given := members[name]; !given {
			part, _ := s.property(name)
			fault := prefix + name + " is missing"
			if words := part.words(); words != "" {
				fault += ": " + withArticle(words)
			}
			faults = append(faults, fault)
		}
	}
	return faults
}

func sortedKeys(members map[string]json.RawMessage) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
