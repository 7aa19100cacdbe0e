package schema

import (
	"slices"
	"strings"

	"wiretea/session/json/tree"
)

// Fault returns what is wrong with a schema as such, nil where nothing is known
// to be. It looks at what the dialects from draft-06 to 2020-12 agree on; of
// booleans where a later draft wants a number, of lists of items and of patterns
// it says nothing, nor of schemas of other dialects or of more than 4 MiB.
func Fault(b []byte) *Problem {
	root := readable(b)
	if root == nil {
		return nil
	}
	if text := notSchema(root); text != "" {
		return &Problem{Text: text}
	}
	s, _ := Options{Lenient: true}.Read(root)
	return s.fault(root)
}

// fault looks for a fault in the order of the text.
func (s *Schema) fault(n *tree.Node) *Problem {
	b := s.subs[n]
	if b == nil || b.node.Twice {
		return nil
	}
	ref := n.Get("$ref")
	for _, w := range inOrder(s.words(b)) {
		if ref != nil && w.val != ref {
			continue // Up to draft-07 what is beside a reference is ignored.
		}
		if w.fault != "" && !w.quiet && (w.name[0] != '$' || w.val.Kind != tree.String || s.isMissing(w)) {
			return &Problem{Path: place(s.Root(), w.at), Text: w.fault, Keyword: w.name}
		}
		if w.name == "$ref" && w.sub == b {
			return &Problem{Path: place(s.Root(), w.val), Text: "leads to itself", Keyword: w.name}
		}
		for _, child := range append([]*sub{w.sub}, w.list...) {
			if child == nil || w.name[0] == '$' && w.shape == someString {
				continue
			}
			if p := s.fault(child.node); p != nil {
				return p
			}
		}
	}
	return nil
}

func inOrder(words []word) []word {
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b word) int { return a.val.Off - b.val.Off })
	return words
}

// isMissing reports whether a reference leads to where nothing is in any draft.
func (s *Schema) isMissing(w word) bool {
	return (w.text == "#" || strings.HasPrefix(w.text, "#/")) && len(s.resources) == 1 && s.Root().Get("$id") == nil && s.Root().Get("id") == nil
}

// RemoteRef returns the first $ref of a schema that leads to the web, empty where
// none does. The dialects' own schemas, which every validator has, are not
// remote.
func RemoteRef(b []byte) string {
	root := readable(b)
	if root == nil {
		return ""
	}
	s, _ := Options{Lenient: true}.Read(root)
	for _, ref := range s.refs {
		name, _ := ref.Text()
		base, _, _ := strings.Cut(bare(name), "#")
		if bare(name) != strings.TrimSuffix(name, "#") && !slices.Contains(agreeing, base) && s.resolve(ref) == nil {
			return name
		}
	}
	return ""
}

// agreeing are the dialects that Fault knows.
var agreeing = []string{"", "json-schema.org/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema"}

// readable reads a schema of a dialect that Fault knows; nil where it is none.
func readable(b []byte) *tree.Node {
	if len(b) > maxSchema {
		return nil
	}
	root, err := parse(b)
	if err != nil {
		return nil
	}
	name, _ := root.Get("$schema").Text()
	if !slices.Contains(agreeing, bare(name)) {
		return nil
	}
	return root
}
