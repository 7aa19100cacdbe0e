package jsonschema

import (
	"fmt"

	"wiretea/session/jsontree"
)

// Bounds of what the library is given, besides the steps that a caller grants.
const (
	maxSchema  = 4 << 20  // bytes of a schema
	maxReading = 64 << 20 // bytes of a schema, times its depth
	maxPairs   = 300_000  // subschemas and values that meet
)

// A meeting is a subschema and a value that is held against it.
type meeting struct{ schema, value *jsontree.Node }

// A costing works out how many steps the library would take.
type costing struct {
	*outline
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
	"$dynamicRef": unknown, "$recursiveRef": unknown, "$defs": aside, "definitions": aside,
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
	aside // aside: a map of schemas that no value is held against for it.
)

func (c *costing) fail(why string, args ...any) int64 {
	if c.err == nil {
		c.err = fmt.Errorf(why, args...)
	}
	return 0
}

func (c *costing) cost(s, v *jsontree.Node, depth int) int64 {
	if c.err != nil || s == nil || s.Kind != jsontree.Object {
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
	c.known[m] = 0
	steps := 1 + int64(len(v.Raw)/128)
	for i := range s.Members {
		steps += c.word(&s.Members[i], s, v, depth+1)
	}
	if steps > c.limit {
		return c.fail("it is too involved for these values")
	}
	c.known[m] = steps
	return steps
}

// word is the cost of a keyword.
func (c *costing) word(m *jsontree.Member, s, v *jsontree.Node, depth int) int64 {
	how := keywords[m.Key]
	switch {
	case m.Key == "nullable" && string(m.Val.Raw) == "true":
		return c.fail("nullable is a word of another language") // OpenAPI 3.0; some validators know it, and accept null.
	case m.Key == "enum" || m.Key == "const":
		return int64(len(m.Val.Raw)) / 16
	case how == unknown:
		return c.fail("%s is not followed", m.Key)
	case how == reference:
		name, _ := m.Val.Text()
		target := c.resolve(name)
		if target == nil {
			return c.fail("%q is not in it", name)
		}
		return c.cost(target, v, depth)
	}
	return c.inner(how, m.Val, v, depth)
}

// inner is the cost of the schemas in a keyword's value.
func (c *costing) inner(how int, sub, v *jsontree.Node, depth int) (steps int64) {
	switch how {
	case same:
		return c.cost(sub, v, depth)
	case sameList, sameMap:
		for _, item := range sub.Children() {
			steps += c.cost(item, v, depth)
		}
	case below:
		for _, child := range v.Children() {
			steps += c.cost(sub, child, depth)
			for _, item := range sub.Items {
				steps += c.cost(item, child, depth)
			}
		}
	case belowList, belowMap:
		for _, item := range sub.Children() {
			for _, child := range v.Children() {
				steps += c.cost(item, child, depth)
			}
		}
	case belowNamed:
		for i := range v.Members {
			steps += c.cost(c.book.Member(sub, v.Members[i].Key), v.Members[i].Val, depth)
		}
	}
	return steps
}
