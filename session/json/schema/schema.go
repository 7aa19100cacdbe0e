package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
)

// A Schema is a schema that values can be held against. It belongs to one
// goroutine.
type Schema struct {
	options   Options
	root      *sub
	resources map[string]*resource // resources are by URI.
	subs      map[*tree.Node]*sub
	refs      []*tree.Node // refs are the values of $ref and $dynamicRef, in the order of the text,
	from      map[*tree.Node]*resource
	members   tree.Index
	patterns  map[string]*pattern
	weight    int64 // weight is that of all patterns.
}

// Options are how a schema is read. The zero value reads it as MCP has it.
type Options struct {
	// Lenient reads a schema in a dialect that is not supported as one of 2020-12, and
	// what is not a schema as one of which nothing is known: nothing is an error then.
	Lenient bool
	// Documents returns a document that a reference leads to, nil where there is
	// none. Without it there are the meta-schemas only.
	Documents func(uri string) []byte
	// Default is the dialect of a schema that names none; empty means 2020-12.
	Default string
}

// A Problem is what is wrong with a value, or with a schema.
type Problem struct {
	Path     []string // Path are the names that lead to it: members as they are called, items as numbers from 0.
	Text     string   // Text says what is wrong, in a line. It may quote what the peers wrote as it is.
	Keyword  string   // Keyword is the one that is not satisfied; empty for a schema that is false.
	Schema   string   // Schema is where that is in the schema, as a JSON pointer.
	Format   bool     // Format: it is about a format, and the value is valid anyway.
	Branches []Branch // Branches are why no alternative of anyOf or oneOf matches, where none is closest.
}

// A Branch is why a value does not match an alternative.
type Branch struct {
	Root     *tree.Node // Root is the alternative.
	Problems []Problem
}

// MaxSteps is how many steps a validation may take where its caller grants no
// less. A step takes some 50 ns.
const MaxSteps = 5_000_000

// maxSchema is how many bytes a schema may have.
const maxSchema = 4 << 20

var (
	errDeep     = errors.New("it is nested too deep")
	errJSON     = errors.New("not valid JSON")
	errTooLarge = errors.New("it is too large")
)

// Compile reads a schema. It keeps b, which must not be changed. An error says
// why values cannot be held against it; it need not be wrong.
func Compile(b []byte) (*Schema, error) { return Options{}.Compile(b) }

// Compile reads a schema, as the function does.
func (o Options) Compile(b []byte) (*Schema, error) {
	if len(b) > maxSchema {
		return nil, errTooLarge
	}
	root, err := parse(b)
	if err != nil {
		return nil, err
	}
	return o.Read(root)
}

// Read is Compile for a schema that was parsed.
func (o Options) Read(root *tree.Node) (*Schema, error) {
	if notSchema(root) != "" && !o.Lenient {
		return nil, errors.New("not a schema")
	}
	s := &Schema{options: o, resources: map[string]*resource{}, subs: map[*tree.Node]*sub{}, from: map[*tree.Node]*resource{},
		members: tree.Index{}, patterns: map[string]*pattern{}}
	name, _ := root.Get("$schema").Text()
	name = cmp.Or(name, o.Default)
	d := s.dialect(name)
	if d == nil && !o.Lenient {
		return nil, fmt.Errorf("it is written in %s", name)
	}
	if d == nil {
		d = known("")
	}
	s.root = s.load("", root, d)
	return s, nil
}

// Root is the schema.
func (s *Schema) Root() *tree.Node { return s.root.node }

// parse reads one JSON value. It keeps b, which must not be changed.
func parse(b []byte) (*tree.Node, error) {
	b = bytes.TrimSpace(b)
	if lex.Nesting(b) > tree.MaxDepth {
		return nil, errDeep
	}
	if !json.Valid(b) {
		return nil, errJSON
	}
	return tree.Read(b), nil
}

// Validate returns the first thing that is wrong with a value, nil where nothing is,
// and how many steps that took, of which there may be about limit, and MaxSteps where
// limit is 0. The error says why it cannot tell.
func (s *Schema) Validate(value []byte, limit int64) (wrong *Problem, steps int64, err error) {
	limit = cmp.Or(limit, MaxSteps)
	steps = 1 + int64(len(value))/64
	v, err := parse(value)
	if err != nil {
		return nil, steps, err
	}
	problems, took, err := s.judge(v, limit, nil)
	if steps += took; len(problems) > 0 {
		return &problems[0], steps, nil
	}
	return nil, steps, err
}

// Problems returns everything that is wrong with a value. format says what is wrong
// with a text for a format, empty where nothing is known to be; nil asks for no
// formats. The error says why some of the value could not be judged.
func (s *Schema) Problems(v *tree.Node, format func(name, text string) string) ([]Problem, error) {
	problems, _, err := s.judge(v, MaxSteps, format)
	return problems, err
}

// judge evaluates twice: the second time it writes down what is wrong, where
// anything is.
func (s *Schema) judge(v *tree.Node, limit int64, format func(name, text string) string) ([]Problem, int64, error) {
	first := evaluation{s: s, left: limit, index: tree.Index{}, refs: []meeting{{s.root, v}}}
	is := first.schema(s.root, v, nil)
	if first.left < 0 {
		return nil, limit, errSteps
	}
	if is != invalid && format == nil {
		if is == unknown {
			return nil, limit - first.left, first.why
		}
		return nil, limit - first.left, nil
	}
	second := evaluation{s: s, left: limit, index: first.index, refs: first.refs, record: true, formats: format}
	second.schema(s.root, v, nil)
	steps := limit - first.left + min(limit, limit-second.left)
	if is == invalid && len(second.problems) == 0 {
		second.problems = []Problem{{Text: "does not match the schema"}}
	}
	problems := second.problems[:min(len(second.problems), maxProblems)]
	if is == valid {
		return problems, steps, nil
	}
	return problems, steps, second.why
}
