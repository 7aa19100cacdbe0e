package jsonschema

import (
	"fmt"
	"strings"
)

// Bounds of what the library is given, besides the steps that a caller grants.
const (
	maxSchema  = 4 << 20  // bytes of a schema
	maxReading = 64 << 20 // bytes of a schema, times its depth
	maxPairs   = 300_000  // subschemas and values that meet
)

// A meeting is a subschema and a value that is held against it.
type meeting struct{ schema, value *node }

// A costing works out how many steps the library would take.
type costing struct {
	book  *book
	limit int64             // limit is how many steps there may be.
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

func (c *costing) cost(s, v *node, depth int) int64 {
	if c.err != nil || s == nil || s.kind != object {
		return 1
	}
	m := meeting{s, v}
	if n, met := c.known[m]; met {
		if n == 0 {
			return c.fail("it refers to itself without end")
		}
		return n
	}
	if len(c.known) >= maxPairs || int64(len(c.known)) >= c.limit || depth > 2000 {
		return c.fail("it is too involved for these values")
	}
	if s.twice {
		return c.fail("it is ambiguous")
	}
	c.known[m] = 0
	steps := 1 + int64(len(v.raw)/128)
	for i := range s.members {
		steps += c.word(&s.members[i], s, v, depth+1)
	}
	if steps > c.limit {
		return c.fail("it is too involved for these values")
	}
	c.known[m] = steps
	return steps
}

// word is the cost of a keyword.
func (c *costing) word(m *member, s, v *node, depth int) int64 {
	how, exactly := keywords[m.key]
	switch {
	case !exactly && folded[strings.ToLower(m.key)]:
		return c.fail("%q is no keyword", m.key)
	case m.key == "$id" && s != c.book.root:
		return c.fail("a part of it has its own $id")
	case m.key == "nullable" && string(m.val.raw) == "true":
		return c.fail("nullable is a word of another language") // OpenAPI 3.0; some validators know it, and accept null.
	case m.key == "enum" || m.key == "const":
		return int64(len(m.val.raw)) / 16
	case how == unknown:
		return c.fail("%s is not followed", m.key)
	case how == reference:
		name, _ := m.val.string()
		target := c.book.resolve(name)
		if target == nil {
			return c.fail("%q is not in it", name)
		}
		return c.cost(target, v, depth)
	}
	return c.inner(how, m.val, v, depth)
}

// inner is the cost of the schemas in a keyword's value.
func (c *costing) inner(how int, sub, v *node, depth int) (steps int64) {
	switch how {
	case same:
		return c.cost(sub, v, depth)
	case sameList, sameMap:
		for _, item := range sub.children() {
			steps += c.cost(item, v, depth)
		}
	case below:
		for _, child := range v.children() {
			steps += c.cost(sub, child, depth)
			for _, item := range sub.items {
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
