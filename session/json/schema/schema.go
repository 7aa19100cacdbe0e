package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"wiretea/session/json/tree"
)

// A Schema is a schema that values can be held against. It belongs to one
// goroutine.
type Schema struct {
	*outline
	resolved *jsonschema.Resolved
	fraction bool // fraction: it has a multipleOf that float64 arithmetic gets wrong.
	draft7   bool
}

// A Problem is what is wrong with a value.
type Problem struct {
	Path []string // Path are the names that lead to it: members as they are called, items as numbers from 0.
	Text string   // Text says what is wrong, in a line. It may quote what the peers wrote as it stands.
}

// MaxSteps is how many steps a validation may take where its caller grants no
// less. A step takes the library some 100 ns.
const MaxSteps = 5_000_000

// dialects are the names of those that the library knows, as it wants them
// spelt, by their name without the empty fragment.
var dialects = map[string]string{
	"":                                       "",
	"http://json-schema.org/draft-07/schema": "http://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft-07/schema":      "https://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft/2020-12/schema": "https://json-schema.org/draft/2020-12/schema",
}

// Compile reads a schema. It keeps b, which must not be changed. An error says
// why values cannot be held against it; it need not be wrong.
func Compile(b []byte) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("the validator cannot take it: %v", p)
		}
	}()
	if len(b) > maxSchema {
		return nil, errTooLarge
	}
	root, err := parse(b)
	if err != nil {
		return nil, err
	}
	if root.Kind != tree.Object && root.Kind != tree.Bool {
		return nil, errors.New("not a schema")
	}
	name, _ := root.Get("$schema").Text()
	dialect, known := dialects[strings.TrimSuffix(name, "#")]
	if !known {
		return nil, fmt.Errorf("it is written in %s", name)
	}
	parts, err := newOutline(root)
	if err != nil {
		return nil, err
	}
	text := parts.text()
	if !Readable(text) {
		return nil, errTooLarge
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	schema.Schema = dialect
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &Schema{outline: parts, resolved: resolved, fraction: fraction(root), draft7: strings.Contains(dialect, "draft-07")}, nil
}

// Readable reports whether a schema is small and flat enough for the library to be
// read in no time.
func Readable(b []byte) bool { return len(b) <= maxSchema && tree.Nesting(b)*len(b) <= maxReading }

// fraction reports whether a multipleOf stands anywhere that is not a whole
// number.
func fraction(n *tree.Node) bool {
	for _, m := range n.Members {
		if m.Key == "multipleOf" && m.Val.Kind == tree.Number && strings.ContainsAny(string(m.Val.Raw), ".eE") {
			return true
		}
	}
	for _, child := range n.Children() {
		if fraction(child) {
			return true
		}
	}
	return false
}

// Validate returns what is wrong with a value, nil where nothing is, and how many
// steps it took or would have taken, of which there may be at most limit, and
// MaxSteps where limit is 0. The error says why it cannot tell.
func (s *Schema) Validate(value []byte, limit int64) (wrong *Problem, steps int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			wrong, err = nil, fmt.Errorf("the validator failed: %v", p)
		}
	}()
	if limit == 0 {
		limit = MaxSteps
	}
	steps = 1 + int64(len(value))/64
	v, err := parse(value)
	if err != nil {
		return nil, steps, err
	}
	found, took, err := s.ask(v, limit)
	if steps += took; err != nil || found == nil {
		return nil, steps, err
	}
	if s.fraction {
		return nil, steps, errors.New("its multipleOf cannot be worked out exactly")
	}
	if p := s.explain(v); p != nil {
		return p, steps, nil
	}
	p := located(found.Error())
	return &p, steps, nil
}

// ask asks the library, where that would take no more than limit steps. The error
// says why it was not asked.
func (s *Schema) ask(v *tree.Node, limit int64) (found error, steps int64, err error) {
	c := costing{outline: s.outline, limit: limit, known: map[meeting]price{}}
	steps = c.cost(s.book.Root(), v, 0).steps + int64(len(c.known))
	if c.err != nil {
		return nil, steps, c.err
	}
	return s.resolved.Validate(decoded(v)), steps, nil
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
	return line
}
