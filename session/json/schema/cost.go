package schema

import (
	"fmt"

	"wiretea/session/json/tree"
)

// Bounds of what the library is given, besides the steps that a caller grants.
const (
	maxSchema  = 4 << 20  // bytes of a schema
	maxReading = 32 << 20 // bytes of a schema, times its depth: the library reads a part once for each that it stands in
	maxPlaces  = 16 << 20 // bytes of the pointers to all subschemas: the library keeps them
	maxPairs   = 300_000  // subschemas and values that meet
)

// A meeting is a subschema and a value that is held against it.
type meeting struct{ schema, value *tree.Node }

// A price is what a meeting takes.
type price struct {
	steps int64 // steps are those of the library; 0 while it is worked out.
	text  int64 // text is how long the library's error may become, which quotes the value and names each subschema on the way to it.
}

// A costing works out how many steps the library would take.
type costing struct {
	*outline
	limit int64 // limit is how many steps there may be.
	known map[meeting]price
	err   error
}

// keywords are those with which a value is judged, by how they lead to
// subschemas.
var keywords = map[string]int{
	"allOf": sameList, "anyOf": sameAny, "oneOf": sameList, "not": same, "if": same, "then": same, "else": same,
	"dependentSchemas": sameMap, "dependencies": sameMap,
	"additionalProperties": below, "unevaluatedProperties": below, "propertyNames": belowNames, "additionalItems": below,
	"contains": below, "unevaluatedItems": below, "items": below, "prefixItems": belowList,
	"properties": belowNamed, "patternProperties": belowMap, "$ref": reference,
	"$dynamicRef": unknown, "$recursiveRef": unknown, "$defs": aside, "definitions": aside,
	"$id": nowhere, "$anchor": nowhere, "$dynamicAnchor": nowhere, "contentSchema": nowhere,
	"type": itself, "enum": itself, "const": itself, "multipleOf": itself, "minimum": itself, "maximum": itself,
	"exclusiveMinimum": itself, "exclusiveMaximum": itself, "minLength": itself, "maxLength": itself, "pattern": itself,
	"minItems": itself, "maxItems": itself, "uniqueItems": itself, "minContains": itself, "maxContains": itself,
	"minProperties": itself, "maxProperties": itself, "required": itself, "dependentRequired": itself,
}

const (
	same = iota + 1
	sameList
	sameAny // sameAny: a list, of which the library keeps all errors.
	sameMap
	below
	belowList
	belowMap
	belowNamed
	belowNames // belowNames: names are held against it, not what they name.
	reference
	unknown
	aside   // aside: a map of schemas that no value is held against for it.
	nowhere // nowhere: the library is not given it.
	itself  // itself: to no subschemas.
)

func (c *costing) fail(why string, args ...any) price {
	if c.err == nil {
		c.err = fmt.Errorf(why, args...)
	}
	return price{}
}

func (c *costing) cost(s, v *tree.Node, depth int) price {
	if c.err != nil || s == nil || s.Kind != tree.Object {
		return price{1, int64(len(c.schemas[s]))}
	}
	m := meeting{s, v}
	if p, met := c.known[m]; met {
		if p.steps == 0 {
			return c.fail("it refers to itself without end")
		}
		return p
	}
	if len(c.known) >= maxPairs || int64(len(c.known)) >= c.limit || depth > 2000 {
		return c.fail("it is too involved for these values")
	}
	c.known[m] = price{}
	all := price{1 + int64(len(v.Raw)/128+len(v.Members)/4), int64(len(v.Raw))}
	for i := range s.Members {
		word := c.word(&s.Members[i], v, depth+1)
		all = price{all.steps + word.steps, max(all.text, word.text)}
	}
	all.text += int64(len(c.schemas[s])) + 16
	if all.steps += all.text / 32; all.steps > c.limit {
		return c.fail("it is too involved for these values")
	}
	c.known[m] = all
	return all
}

// word is the cost of a keyword.
func (c *costing) word(m *tree.Member, v *tree.Node, depth int) price {
	how := keywords[m.Key]
	switch {
	case m.Key == "nullable" && string(m.Val.Raw) == "true":
		return c.fail("nullable is a word of another language") // OpenAPI 3.0; some validators know it, and accept null.
	case m.Key == "uniqueItems":
		return price{steps: alike(v)}
	case how == itself:
		size := int64(len(m.Val.Raw))
		steps := size / 16
		if m.Key == "pattern" && v.Kind == tree.String {
			steps += c.matching(m.Val, len(v.Raw))
		}
		return price{steps, size + int64(len(v.Raw))}
	case how == unknown:
		return c.fail("%s is not followed", m.Key)
	case how == reference:
		return c.cost(c.targets[m.Val], v, depth)
	}
	return c.inner(how, m.Val, v, depth)
}

// matching is the cost of holding the patterns of a node against a text.
func (c *costing) matching(n *tree.Node, length int) int64 {
	return c.weights[n] * int64(length) / 8
}

// alike is the cost of finding items that are the same: some arrays and objects
// are the same to the library until it looks at them closely, two by two.
func alike(v *tree.Node) int64 {
	n := int64(0)
	for _, item := range v.Items {
		if item.Kind >= tree.Array {
			n++
		}
	}
	return 4 * n * n
}

// inner is the cost of the schemas in a keyword's value.
func (c *costing) inner(how int, sub, v *tree.Node, depth int) (all price) {
	add := func(s, v *tree.Node) {
		p := c.cost(s, v, depth)
		if all.steps += p.steps; how == sameAny {
			all.text += p.text
		} else {
			all.text = max(all.text, p.text)
		}
	}
	switch how {
	case same:
		add(sub, v)
	case sameList, sameAny, sameMap:
		for _, item := range sub.Children() {
			add(item, v)
		}
	case below:
		for _, child := range v.Children() {
			add(sub, child)
			for _, item := range sub.Items {
				add(item, child)
			}
		}
	case belowList, belowMap:
		for _, item := range sub.Children() {
			for _, child := range v.Children() {
				add(item, child)
			}
		}
		if how == belowMap {
			for i := range v.Members {
				all.steps += c.matching(sub, len(v.Members[i].Key))
			}
		}
	case belowNames:
		for i := range v.Members {
			add(sub, &tree.Node{Kind: tree.String, Raw: v.Members[i].Raw})
		}
	case belowNamed:
		for i := range v.Members {
			add(c.book.Member(sub, v.Members[i].Key), v.Members[i].Val)
		}
	}
	return all
}
