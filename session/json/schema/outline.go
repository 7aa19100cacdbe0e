package schema

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"wiretea/session/json/tree"
)

// An outline is where the subschemas of a schema stand and what they are called,
// in words that the library cannot read in another way: what it would have to do
// is worked out on it, and what it is given is written from it.
type outline struct {
	book    *tree.Book
	id      string                    // id is the root's $id, without an empty fragment; may be empty.
	schemas map[*tree.Node]string     // schemas are all that the library knows as schemas, by where they stand: as a JSON pointer.
	places  int                       // places is how long those pointers are together.
	refs    []*tree.Node              // refs are the values of all $ref.
	targets map[*tree.Node]*tree.Node // targets are where those lead.
	anchors map[string]*tree.Node     // anchors are those with an $anchor or a $dynamicAnchor.
	weights map[*tree.Node]int64      // weights are those of patterns, and of all in a patternProperties.
	weight  int64                     // weight is that of all patterns together.
}

// spelling gives the keywords as they are spelt, by what folded makes of them.
var spelling = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for name := range keywords {
		out[folded(name)] = name
	}
	return out
})

// folded returns the same for all words that encoding/json takes for the same
// name of a field: besides capitals, ſ and the Kelvin sign.
func folded(word string) string {
	return strings.ToLower(strings.ToUpper(word))
}

var (
	errAmbiguous = errors.New("it is ambiguous")
	errTooLarge  = errors.New("it is too large")
)

// newOutline reads a schema. The error says why the library is not given it.
func newOutline(root *tree.Node) (*outline, error) {
	o := &outline{
		book: tree.NewBook(root), schemas: map[*tree.Node]string{}, targets: map[*tree.Node]*tree.Node{},
		anchors: map[string]*tree.Node{}, weights: map[*tree.Node]int64{},
	}
	id, _ := root.Get("$id").Text()
	o.id = strings.TrimSuffix(id, "#")
	if err := o.add(root, ""); err != nil {
		return nil, err
	}
	for _, ref := range o.refs {
		name, ok := ref.Text()
		target := o.resolve(name)
		if !ok || target == nil {
			return nil, fmt.Errorf("%.200s is not in it", ref.Raw)
		}
		o.targets[ref] = target
	}
	return o, nil
}

func (o *outline) add(s *tree.Node, place string) error {
	o.schemas[s] = place
	if o.places += len(place); o.places > maxPlaces {
		return errTooLarge
	}
	if s.Twice {
		return errAmbiguous
	}
	for i := range s.Members {
		m := &s.Members[i]
		if proper, ok := spelling()[folded(m.Key)]; ok && proper != m.Key {
			return fmt.Errorf("%q is not a keyword", m.Key)
		}
		if err := o.word(m, s, place); err != nil {
			return err
		}
	}
	return nil
}

// word takes one keyword of a subschema.
func (o *outline) word(m *tree.Member, s *tree.Node, place string) error {
	switch m.Key {
	case "$id":
		if s != o.book.Root() {
			return errors.New("a part of it has its own $id")
		}
	case "$anchor", "$dynamicAnchor":
		name, _ := m.Val.Text()
		if o.anchors[name] != nil {
			return errAmbiguous
		}
		o.anchors[name] = s
	case "$ref":
		o.refs = append(o.refs, m.Val)
	case "pattern":
		if source, ok := m.Val.Text(); ok {
			return o.weigh(m.Val, source)
		}
	case "patternProperties":
		for i := range m.Val.Members {
			if err := o.weigh(m.Val, m.Val.Members[i].Key); err != nil {
				return err
			}
		}
	}
	return o.addBelow(keywords[m.Key], m.Val, place+"/"+m.Key)
}

// weigh takes a pattern that belongs to a node.
func (o *outline) weigh(n *tree.Node, source string) error {
	w := PatternWeight(source)
	o.weights[n] += w
	if o.weight += w; o.weight > MaxPatterns {
		return errors.New("its patterns are too involved")
	}
	return nil
}

// addBelow adds the subschemas in a keyword's value.
func (o *outline) addBelow(how int, value *tree.Node, place string) error {
	switch how {
	case 0, reference, unknown, nowhere, itself:
		return nil
	case aside, sameMap, belowMap, belowNamed:
		if value.Twice {
			return errAmbiguous
		}
	default:
		if value.Kind != tree.Array {
			return o.add(value, place)
		}
	}
	for i := range value.Members {
		m := &value.Members[i]
		if err := o.add(m.Val, place+"/"+escapePlace.Replace(m.Key)); err != nil {
			return err
		}
	}
	for i, item := range value.Items {
		if err := o.add(item, place+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// escapePlace writes a name as a part of a JSON pointer (RFC 6901).
var escapePlace = strings.NewReplacer("~", "~0", "/", "~1")

// resolve finds the subschema that a reference names; nil where that is none.
func (o *outline) resolve(name string) *tree.Node {
	base, fragment, _ := strings.Cut(name, "#")
	if base != "" && base != o.id {
		return nil
	}
	if fragment != "" && fragment[0] != '/' {
		return o.anchors[fragment]
	}
	target := o.book.Resolve("#" + fragment)
	if _, known := o.schemas[target]; !known {
		return nil
	}
	return target
}

// text writes the schema as the library is given it: with the keywords that judge
// a value, where a reference leads said by its place, and without any other name
// by which the library could find a subschema.
func (o *outline) text() []byte { return o.write(nil, o.book.Root()) }

func (o *outline) write(dst []byte, s *tree.Node) []byte {
	if s.Kind != tree.Object {
		return append(dst, s.Raw...)
	}
	dst = append(dst, '{')
	for i := range s.Members {
		m := &s.Members[i]
		how := keywords[m.Key]
		if how == 0 || how == nowhere || how == unknown {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(dst, m.Raw...), ':')
		dst = o.writeWord(dst, how, m.Val)
	}
	return append(dst, '}')
}

func (o *outline) writeWord(dst []byte, how int, value *tree.Node) []byte {
	if how == reference {
		place := url.URL{Fragment: o.schemas[o.targets[value]]}
		return strconv.AppendQuote(dst, "#"+place.EscapedFragment())
	}
	if how == itself {
		return append(dst, value.Raw...)
	}
	if _, one := o.schemas[value]; one {
		return o.write(dst, value)
	}
	return o.writeEach(dst, value)
}

// writeEach writes a list or a map of subschemas.
func (o *outline) writeEach(dst []byte, value *tree.Node) []byte {
	if value.Kind < tree.Array {
		return append(dst, value.Raw...)
	}
	open, end := byte('['), byte(']')
	if value.Kind == tree.Object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i, child := range value.Children() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if value.Kind == tree.Object {
			dst = append(append(dst, value.Members[i].Raw...), ':')
		}
		dst = o.write(dst, child)
	}
	return append(dst, end)
}
