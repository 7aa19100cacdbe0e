package form

import (
	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
)

// A Problem is something that is wrong with what would be sent.
type Problem struct {
	Path   []string // Path are the names that lead to the value: members as they are called, items as numbers from 0.
	Text   string   // Text says what is wrong, in a line that is fit for the screen.
	Syntax bool     // Syntax: what would be sent is not JSON.
}

// A judge is what checking needs of a schema. It is used by one goroutine at a time.
type judge struct {
	schema *schema.Schema
	note   string
}

func newJudge(root *tree.Node, note string) *judge {
	if _, err := (schema.Options{}).Read(root); err != nil && note == "" {
		note = "the schema cannot be used to validate: " + inline(err.Error(), 200)
	}
	lenient, _ := schema.Options{Lenient: true}.Read(root)
	return &judge{lenient, note}
}

// value says what is wrong with a value. pick are the alternatives that were chosen,
// by path: a value that matches none is judged as what it was meant to be.
func (j *judge) value(v *tree.Node, pick map[string]*tree.Node) []Problem {
	found, err := j.schema.Problems(v, func(name, text string) string {
		// Formats are annotations only (JSON Schema 2020-12 validation §7.2.1).
		if f, known := formats.Get()[name]; known && !f.ok(text) {
			return "not a valid " + name + " (example: " + f.example + ")"
		}
		return ""
	})
	if err != nil {
		j.note = "the values are not validated in full: " + inline(err.Error(), 200)
	}
	var out []Problem
	for _, p := range meant(found, pick) {
		out = append(out, Problem{Path: p.Path, Text: inline(p.Text, 200)})
	}
	return out
}

// meant puts the problems of the alternatives that were chosen in the place of there
// being none that matches.
func meant(found []schema.Problem, pick map[string]*tree.Node) []schema.Problem {
	var out []schema.Problem
	for _, p := range found {
		var path []byte
		for _, name := range p.Path {
			path = append(append(path, 0), name...)
		}
		if chosen := within(p.Branches, pick[string(path)]); chosen != nil {
			out = append(out, meant(chosen, pick)...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// within returns the problems of an alternative, which may be one of an alternative;
// nil where it is not among them.
func within(branches []schema.Branch, chosen *tree.Node) []schema.Problem {
	for _, b := range branches {
		if b.Root == chosen {
			return b.Problems
		}
		for _, p := range b.Problems {
			if found := within(p.Branches, chosen); found != nil {
				return found
			}
		}
	}
	return nil
}
