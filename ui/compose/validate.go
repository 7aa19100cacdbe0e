package compose

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of what the library is given. It recurses, reads each level of a schema
// again, and cannot be stopped: what it would have to do is worked out before.
const (
	maxSchema  = 4 << 20  // bytes of a schema
	maxReading = 64 << 20 // bytes of a schema, times its depth
	maxSteps   = 5_000_000
	maxPairs   = 300_000 // subschemas and values that meet
)

// A validator is the library with a schema. It belongs to one goroutine.
type validator struct {
	root     *value
	book     *book
	resolved *jsonschema.Resolved
}

var dialects = []string{"", "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema"}

// compile gives a schema to the library. The error says why it cannot take it.
func compile(root *value, b *book) (v *validator, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("the validator cannot take it: %v", p)
		}
	}()
	switch depth := nesting(root.raw); {
	case len(root.raw) > maxSchema || depth*len(root.raw) > maxReading || depth > 2*maxDepth:
		return nil, errors.New("it is too large")
	case root.kind != kindObject && root.kind != kindBool:
		return nil, errors.New("it is no schema")
	}
	if name, ok := root.get("$schema").text(); ok && !slices.Contains(dialects, strings.TrimSuffix(name, "#")) {
		return nil, fmt.Errorf("it is written in %s", inline(name, maxName))
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(root.raw, &schema); err != nil {
		return nil, fmt.Errorf("%s", inline(err.Error(), 200))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%s", inline(err.Error(), 200))
	}
	return &validator{root: root, book: b, resolved: resolved}, nil
}

// validate returns what is wrong with a value, nil where nothing is. The error
// says why the library cannot tell.
func (v *validator) validate(instance *value) (wrong *Problem, err error) {
	defer func() {
		if p := recover(); p != nil {
			wrong, err = nil, fmt.Errorf("the validator failed: %v", p)
		}
	}()
	if nesting(instance.raw) > maxDepth {
		return nil, errors.New("the values are nested too deep")
	}
	c := costing{book: v.book, known: map[meeting]int64{}}
	if c.cost(v.root, instance, 0); c.err != nil {
		return nil, c.err
	}
	found := v.resolved.Validate(instance.decoded())
	if found == nil {
		return nil, nil
	}
	p := located(found.Error())
	return &p, nil
}

// A meeting is a subschema and a value that is held against it.
type meeting struct{ schema, value *value }

// A costing works out how many steps the library would take.
type costing struct {
	book  *book
	known map[meeting]int64 // known is the cost of a meeting; 0 while it is worked out.
	err   error
}

// keywords are those that lead to subschemas, by how they do.
var keywords = map[string]int{
	"allOf": sameList, "anyOf": sameList, "oneOf": sameList, "not": same, "if": same, "then": same, "else": same,
	"dependentSchemas": sameMap, "dependencies": sameMap,
	"additionalProperties": below, "unevaluatedProperties": below, "propertyNames": below, "additionalItems": below,
	"contains": below, "unevaluatedItems": below, "items": below, "prefixItems": belowList,
	"properties": belowNamed, "patternProperties": belowMap, "$ref": reference,
	"$dynamicRef": unknown, "$recursiveRef": unknown,
}

const (
	same = iota + 1
	sameList
	sameMap
	below
	belowList
	belowMap
	belowNamed
	reference
	unknown
)

// folded are the keywords in lower case: the library does not always tell them
// from those in capitals.
var folded = func() map[string]bool {
	out := map[string]bool{}
	for name := range keywords {
		out[strings.ToLower(name)] = true
	}
	return out
}()

func (c *costing) fail(why string, args ...any) int64 {
	if c.err == nil {
		c.err = fmt.Errorf(why, args...)
	}
	return 0
}

func (c *costing) cost(s, v *value, depth int) int64 {
	if c.err != nil || s == nil || s.kind != kindObject {
		return 1
	}
	m := meeting{s, v}
	if n, met := c.known[m]; met {
		if n == 0 {
			return c.fail("it refers to itself without end")
		}
		return n
	}
	if len(c.known) >= maxPairs || depth > 2000 {
		return c.fail("it is too involved for these values")
	}
	if s.twice || s.deep {
		return c.fail("it is ambiguous, or too deep")
	}
	c.known[m] = 0
	steps := 1 + int64(len(v.raw)/128)
	for i := range s.members {
		steps += c.word(&s.members[i], s, v, depth+1)
	}
	if steps > maxSteps {
		return c.fail("it is too involved for these values")
	}
	c.known[m] = steps
	return steps
}

// word is the cost of a keyword.
func (c *costing) word(m *member, s, v *value, depth int) (steps int64) {
	sub := m.val
	how, exact := keywords[m.key]
	switch {
	case !exact && folded[strings.ToLower(m.key)]:
		return c.fail("%s is no keyword", inline(m.key, maxName))
	case m.key == "$id" && s != c.book.root:
		return c.fail("a part of it has its own $id")
	case m.key == "enum" || m.key == "const":
		return int64(len(sub.raw)) / 16
	}
	switch how {
	case unknown:
		return c.fail("%s is not followed", m.key)
	case reference:
		name, _ := sub.text()
		target := c.book.resolve(name)
		if target == nil {
			return c.fail("%s is not in it", inline(name, maxName))
		}
		return c.cost(target, v, depth)
	case same:
		return c.cost(sub, v, depth)
	case sameList, sameMap:
		for _, item := range sub.children() {
			steps += c.cost(item, v, depth)
		}
	case below:
		for _, child := range v.children() {
			for _, item := range append([]*value{sub}, sub.items...) {
				steps += c.cost(item, child, depth)
			}
		}
	case belowList, belowMap:
		for _, item := range sub.children() {
			for _, child := range v.children() {
				steps += c.cost(item, child, depth)
			}
		}
	case belowNamed:
		if sub.twice {
			return c.fail("it is ambiguous")
		}
		for i := range v.members {
			steps += c.cost(c.book.member(sub, v.members[i].key), v.members[i].val, depth)
		}
	}
	return steps
}

// children are the members' values of an object, or the items of an array.
func (v *value) children() []*value {
	if v.kind != kindObject {
		return v.items
	}
	out := make([]*value, len(v.members))
	for i := range v.members {
		out[i] = v.members[i].val
	}
	return out
}

// decoded returns the value as encoding/json would, but for numbers that have no
// place in a float64: those are as large as can be.
func (v *value) decoded() any {
	switch v.kind {
	case kindBool:
		return v.raw[0] == 't'
	case kindNumber:
		if n, err := strconv.ParseInt(string(v.raw), 10, 64); err == nil {
			return n
		}
		return nearest(v.raw)
	case kindString:
		return unquote(v.raw)
	case kindArray:
		out := make([]any, len(v.items))
		for i, item := range v.items {
			out[i] = item.decoded()
		}
		return out
	case kindObject:
		out := make(map[string]any, len(v.members))
		for i := range v.members {
			out[v.members[i].key] = v.members[i].val.decoded()
		}
		return out
	case kindNull:
	}
	return nil
}

// located turns an error of the library into a problem: its message begins with
// the subschemas that it came through, as JSON pointers.
func located(message string) Problem {
	var p Problem
	before, lost := "", false
	for {
		rest, ok := strings.CutPrefix(message, "validating ")
		if !ok {
			break
		}
		at, tail, ok := strings.Cut(rest, ": ")
		if !ok {
			break
		}
		message = tail
		if at == "root" {
			at = ""
		}
		step, inside := strings.CutPrefix(at, before)
		before = at
		parts := strings.Split(strings.TrimPrefix(step, "/"), "/")
		switch {
		case lost || !inside || step == "":
		case parts[0] == "properties" && len(parts) == 2, parts[0] == "prefixItems" && len(parts) == 2:
			p.Path = append(p.Path, strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[1]))
		case strings.HasPrefix(parts[0], "additional"), strings.HasPrefix(parts[0], "unevaluated"),
			parts[0] == "items", parts[0] == "contains", parts[0] == "patternProperties", parts[0] == "propertyNames":
			lost = true // Which one of them it was is not said.
		}
	}
	p.Text = reworded(message)
	return p
}

// reworded says in fewer words what the library says of subschemas without a
// name.
func reworded(message string) string {
	switch {
	case strings.HasPrefix(message, "anyOf:"), strings.HasPrefix(message, "oneOf: did not"):
		return "fits none of the alternatives"
	case strings.HasPrefix(message, "oneOf:"):
		return "fits more than one of the alternatives"
	case strings.HasPrefix(message, "not:"):
		return "is what the schema rules out"
	case strings.HasPrefix(message, "contains:"):
		return "has no item of the kind that the schema wants in it"
	}
	line, _, _ := strings.Cut(message, "\n")
	return inline(line, 200)
}
