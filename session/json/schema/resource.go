package schema

import (
	"net/url"
	"sort"
	"strconv"
	"strings"

	"wiretea/session/json/tree"
)

// A resource is a schema with a URI of its own: the whole, and what has an $id in
// it.
type resource struct {
	uri     string     // uri has no fragment; it may be empty.
	whole   *tree.Node // whole is the document that it is in.
	root    *sub
	dialect *dialect        // dialect is nil where it is not supported.
	anchors map[string]*sub // anchors are by name; nil where two have it.
	dynamic map[string]*sub // dynamic are those that $dynamicRef looks for.
}

// A sub is a subschema.
type sub struct {
	node     *tree.Node
	res      *resource
	read     bool
	words    []word // words are its keywords, once read.
	nullable bool   // nullable: it has that keyword of OpenAPI 3.0, with which some validators accept null.
	after    bool   // after: it has unevaluatedItems or unevaluatedProperties.
}

// load takes a document.
func (s *Schema) load(uri string, root *tree.Node, d *dialect) *sub {
	res := &resource{uri: uri, whole: root, dialect: d}
	s.resources[uri] = res
	b := s.add(root, res)
	s.resources[uri] = b.res
	return b
}

// add takes a schema and those in it.
func (s *Schema) add(n *tree.Node, res *resource) *sub {
	b := &sub{node: n, res: res}
	s.subs[n] = b
	if n.Kind != tree.Object {
		return b
	}
	s.name(b)
	if b.res.root == nil {
		b.res.root = b
	}
	if b.res.dialect == nil {
		return b
	}
	for i := range n.Members {
		m := &n.Members[i]
		k := b.res.dialect.words[m.Key]
		if k == nil {
			continue
		}
		switch k.shape {
		case oneSchema:
			s.add(m.Val, b.res)
		case schemaList, schemaMap, itemsOrList, dependencies:
			s.addEach(k.shape, m.Val, b.res)
		case someString:
			if m.Key[0] == '$' {
				s.refs = append(s.refs, m.Val)
				s.from[m.Val] = b.res
			}
		case anything, someNumber, count, someBool, someArray, strings_, stringsMap, typeNames:
		}
	}
	return b
}

func (s *Schema) addEach(of shape, v *tree.Node, res *resource) {
	if of == itemsOrList && v.Kind != tree.Array {
		s.add(v, res)
		return
	}
	for _, child := range v.Children() {
		if of != dependencies || child.Kind != tree.Array {
			s.add(child, res)
		}
	}
}

// name takes the names that a subschema gives itself.
func (s *Schema) name(b *sub) {
	n, old := b.node, b.res
	id, ok := n.Get("$id").Text()
	if old.dialect != nil && old.dialect.draft == draft7 {
		if n.Get("$ref") != nil {
			return // What is beside a reference is ignored.
		}
		if name, is := strings.CutPrefix(id, "#"); is && name != "" {
			old.anchor(name, b)
			return
		}
	}
	if id = strings.TrimSuffix(id, "#"); ok && id != "" {
		b.res = &resource{uri: join(old.uri, id), whole: old.whole, dialect: old.dialect}
		if name, named := n.Get("$schema").Text(); named && old.root != nil {
			b.res.dialect = s.dialect(name)
		}
		if _, twice := s.resources[b.res.uri]; twice && b.res.uri != old.uri {
			s.resources[b.res.uri] = nil
		} else {
			s.resources[b.res.uri] = b.res
		}
	}
	if d := b.res.dialect; d == nil || d.draft == draft7 {
		return
	}
	if name, ok := n.Get("$anchor").Text(); ok {
		b.res.anchor(name, b)
	}
	if name, ok := n.Get("$dynamicAnchor").Text(); ok {
		b.res.anchor(name, b)
		if b.res.dynamic == nil {
			b.res.dynamic = map[string]*sub{}
		}
		b.res.dynamic[name] = b
	}
}

func (r *resource) anchor(name string, b *sub) {
	if r.anchors == nil {
		r.anchors = map[string]*sub{}
	}
	if _, twice := r.anchors[name]; twice {
		b = nil
	}
	r.anchors[name] = b
}

// join resolves a reference against a URI.
func join(base, ref string) string {
	b, err := url.Parse(base)
	r, err2 := url.Parse(ref)
	if err != nil || err2 != nil {
		return ref
	}
	u := b.ResolveReference(r)
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// resource returns the resource of a URI; nil where it cannot be had.
func (s *Schema) resource(uri string, from *resource) *resource {
	if res, known := s.resources[uri]; known {
		return res
	}
	text := s.document(uri)
	if text == nil {
		return nil
	}
	root, err := parse(text)
	if err != nil {
		return nil
	}
	d := from.dialect
	if name, ok := root.Get("$schema").Text(); ok {
		d = s.dialect(name)
	}
	b := s.load(uri, root, d)
	return b.res
}

// Resolve returns what the value of a $ref or $dynamicRef in the schema leads to; nil
// where it cannot be had.
func (s *Schema) Resolve(ref *tree.Node) *tree.Node {
	if b := s.resolve(ref); b != nil {
		return b.node
	}
	return nil
}

func (s *Schema) resolve(ref *tree.Node) *sub {
	name, ok := ref.Text()
	res := s.from[ref]
	if !ok || res == nil {
		return nil
	}
	base, fragment, _ := strings.Cut(name, "#")
	if base != "" {
		if res = s.resource(join(res.uri, base), res); res == nil {
			return nil
		}
	}
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	if fragment == "" {
		return res.root
	}
	if fragment[0] != '/' {
		return res.anchors[fragment]
	}
	return s.pointer(res, fragment[1:])
}

// pointer follows a JSON pointer (RFC 6901) from the root of a resource.
func (s *Schema) pointer(res *resource, path string) *sub {
	n := res.root.node
	for part := range strings.SplitSeq(path, "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch n.Kind {
		case tree.Object:
			n = s.members.Get(n, part)
		case tree.Array:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.Items) {
				return nil
			}
			n = n.Items[i]
		case tree.Null, tree.Bool, tree.Number, tree.String:
			return nil
		}
		if n == nil {
			return nil
		}
		if b := s.subs[n]; b != nil {
			res = b.res
		}
	}
	if b := s.subs[n]; b != nil {
		return b
	}
	return s.add(n, res) // No draft has a schema there.
}

// place returns where a node is in a tree, as the names that lead to it.
func place(root, n *tree.Node) []string {
	var path []string
	for root != n {
		child := func(i int) *tree.Node { return root.Items[i] }
		size := len(root.Items)
		if root.Kind == tree.Object {
			child = func(i int) *tree.Node { return root.Members[i].Val }
			size = len(root.Members)
		}
		i := sort.Search(size, func(i int) bool { return n.Off < child(i).Off+len(child(i).Raw) })
		if i == size {
			break
		}
		if root.Kind == tree.Object {
			path = append(path, root.Members[i].Key)
		} else {
			path = append(path, strconv.Itoa(i))
		}
		root = child(i)
	}
	return path
}
