package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/tree"
)

// A verdict says whether a value matches a schema. That all of some match is the
// largest of their verdicts, that any does the smallest.
type verdict int8

const (
	valid verdict = iota
	unknown
	invalid
)

// Bounds of an evaluation, besides the steps that a caller grants.
const (
	maxDepth    = 2000 // subschemas that lead to one another
	maxProblems = 200  // problems that are told
	maxRecords  = 2000 // problems that are written down, those of alternatives too
	maxQuote    = 80   // bytes of a value in a text
)

var errSteps = errors.New("it is too involved for these values")

// An evaluation holds one value against a schema.
type evaluation struct {
	s     *Schema
	left  int64 // left is how many steps there may be; below 0 nothing is looked at any more.
	depth int
	scope []*resource // scope are the resources on the way, for $dynamicRef.
	refs  []meeting   // refs are the references on the way.
	why   error       // why is why something is unknown; nil = nothing is.

	record   bool // record: problems are written down, and looked for to the end.
	path     []step
	problems []Problem
	records  int
	formats  func(name, text string) string
	deduped  map[*tree.Node][]tree.Member
	index    tree.Index
}

// A meeting is a subschema and a value that is held against it.
type meeting struct {
	sub   *sub
	value *tree.Node
}

// A step leads to a member or, where name is nil, to an item.
type step struct {
	name *string
	item int
}

// evaluated are the members or items of a value that keywords have said something
// about: unevaluatedItems and unevaluatedProperties are about the others.
type evaluated struct {
	seen   []bool
	unsure bool // unsure: more of them may be.
}

func newEvaluated(v *tree.Node) *evaluated {
	return &evaluated{seen: make([]bool, max(len(v.Members), len(v.Items)))}
}

func (out *evaluated) mark(i int) {
	if out != nil {
		out.seen[i] = true
	}
}

// merge adds what a subschema with this verdict has evaluated.
func (out *evaluated) merge(of *evaluated, is verdict) {
	switch {
	case out == nil || is == invalid:
	case is == unknown:
		out.unsure = true
	default:
		out.unsure = out.unsure || of.unsure
		for i, seen := range of.seen {
			out.seen[i] = out.seen[i] || seen
		}
	}
}

// fresh returns an evaluated for a subschema that need not match; nil where none is
// wanted.
func (out *evaluated) fresh(v *tree.Node) *evaluated {
	if out == nil {
		return nil
	}
	return newEvaluated(v)
}

// unsure returns unknown, with the reason.
func (e *evaluation) unsure(format string, args ...any) verdict {
	if e.why == nil {
		e.why = fmt.Errorf(format, args...)
	}
	return unknown
}

// schema holds a value against a subschema. out takes what is evaluated; it may be
// nil.
func (e *evaluation) schema(b *sub, v *tree.Node, out *evaluated) verdict {
	if e.left--; e.left < 0 || e.depth == maxDepth {
		e.left = -1
		return unknown
	}
	n := b.node
	switch {
	case n.Kind == tree.Bool && n.Raw[0] == 't':
		return valid
	case n.Kind == tree.Bool:
		return e.fail(nil, n, "the schema allows no value here")
	case n.Kind != tree.Object:
		return e.unsure("a part of it %s", notSchema(n))
	case n.Twice:
		return e.unsure("it is ambiguous: an object in it %s", twiceFault)
	case b.res.dialect == nil:
		return e.unsure("a part of it is in a dialect that is not supported")
	}
	words := e.s.words(b)
	switch {
	case len(words) == 0:
		return valid
	case b.nullable && v.Kind == tree.Null:
		return e.unsure("nullable is a keyword of OpenAPI")
	}
	enters := len(e.scope) == 0 || e.scope[len(e.scope)-1] != b.res
	if enters {
		e.scope = append(e.scope, b.res)
	}
	e.depth++
	is := e.words(b, words, v, out)
	e.depth--
	if enters {
		e.scope = e.scope[:len(e.scope)-1]
	}
	return is
}

func (e *evaluation) words(b *sub, words []word, v *tree.Node, out *evaluated) verdict {
	own := out
	if b.after && (v.Kind == tree.Object || v.Kind == tree.Array) {
		own = newEvaluated(v)
	}
	is := valid
	for i := range words {
		w := &words[i]
		if w.judges&(1<<v.Kind) == 0 {
			continue
		}
		e.left--
		one := unknown
		if w.fault == "" {
			one = w.judge(e, w, v, own)
		} else if e.unsure("%s %s", w.name, w.fault); own != nil {
			own.unsure = true
		}
		if is = max(is, one); is == invalid && !e.record || e.left < 0 {
			return is
		}
	}
	if own != out {
		out.merge(own, is)
	}
	return is
}

// member holds a member against a subschema.
func (e *evaluation) member(b *sub, m *tree.Member) verdict {
	e.path = append(e.path, step{name: &m.Key})
	is := e.schema(b, m.Val, nil)
	e.path = e.path[:len(e.path)-1]
	return is
}

// item holds an item against a subschema.
func (e *evaluation) item(b *sub, v *tree.Node, i int) verdict {
	e.path = append(e.path, step{item: i})
	is := e.schema(b, v.Items[i], nil)
	e.path = e.path[:len(e.path)-1]
	return is
}

// members are the members of an object, of those with one name the last.
func (e *evaluation) members(v *tree.Node) []tree.Member {
	if !v.Twice {
		return v.Members
	}
	if list, done := e.deduped[v]; done {
		return list
	}
	last := map[string]int{}
	for i := range v.Members {
		last[v.Members[i].Key] = i
	}
	var list []tree.Member
	for i := range v.Members {
		if last[v.Members[i].Key] == i {
			list = append(list, v.Members[i])
		}
	}
	if e.deduped == nil {
		e.deduped = map[*tree.Node][]tree.Member{}
	}
	e.deduped[v] = list
	return list
}

// fail returns invalid, and writes down why. w is the keyword, at where the schema
// says so; w is nil for a schema that is false.
func (e *evaluation) fail(w *word, at *tree.Node, format string, args ...any) verdict {
	if e.record && e.records < maxRecords {
		e.records++
		p := Problem{Path: make([]string, len(e.path)), Text: fmt.Sprintf(format, args...)}
		for i, at := range e.path {
			if p.Path[i] = strconv.Itoa(at.item); at.name != nil {
				p.Path[i] = *at.name
			}
		}
		if w != nil {
			p.Keyword = w.name
		}
		p.Schema = e.where(at)
		e.problems = append(e.problems, p)
	}
	return invalid
}

// where says where a part of the schema is, as a JSON pointer.
func (e *evaluation) where(at *tree.Node) string {
	whole := e.s.root.res.whole
	var out strings.Builder
	if len(e.scope) > 0 && e.scope[len(e.scope)-1].whole != whole {
		whole = e.scope[len(e.scope)-1].whole
		id, _ := whole.Get("$id").Text()
		out.WriteString(strings.TrimSuffix(id, "#") + "#")
	}
	for _, name := range place(whole, at) {
		out.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return out.String()
}

// failAt is fail for a member that is not there, or may not be.
func (e *evaluation) failAt(w *word, name string, format string, args ...any) verdict {
	e.path = append(e.path, step{name: &name})
	is := e.fail(w, w.val, format, args...)
	e.path = e.path[:len(e.path)-1]
	return is
}

// aside evaluates without writing anything down.
func (e *evaluation) aside(b *sub, v *tree.Node, out *evaluated) verdict {
	record := e.record
	e.record = false
	is := e.schema(b, v, out)
	e.record = record
	return is
}

// branch evaluates an alternative, and returns what is wrong with it apart.
func (e *evaluation) branch(b *sub, v *tree.Node, out *evaluated) (verdict, []Problem) {
	from := len(e.problems)
	own := out.fresh(v)
	is := e.schema(b, v, own)
	out.merge(own, is)
	if !e.record || is == valid {
		return is, nil // What is left are formats.
	}
	problems := slices.Clone(e.problems[from:])
	e.problems = e.problems[:from]
	return is, problems
}

func (e *evaluation) unsupported(w *word, _ *tree.Node, _ *evaluated) verdict {
	return e.unsure("%s is not supported", w.name)
}

func (e *evaluation) reference(w *word, v *tree.Node, out *evaluated) verdict {
	target := w.sub
	if w.dynamic != "" {
		for _, res := range e.scope {
			if to := res.dynamic[w.dynamic]; to != nil {
				target = to
				break
			}
		}
	}
	here := meeting{target, v}
	for i := len(e.refs) - 1; i >= 0 && e.refs[i].value == v; i-- {
		if e.refs[i] == here {
			return e.unsure("it refers to itself without end")
		}
	}
	e.left -= int64(len(e.refs)) / 32
	e.refs = append(e.refs, here)
	is := e.schema(target, v, out)
	e.refs = e.refs[:len(e.refs)-1]
	return is
}

func (e *evaluation) allOf(w *word, v *tree.Node, out *evaluated) verdict {
	is := valid
	for _, b := range w.list {
		if is = max(is, e.schema(b, v, out)); is == invalid && !e.record {
			break
		}
	}
	return is
}

func (e *evaluation) anyOf(w *word, v *tree.Node, out *evaluated) verdict {
	is, branches := invalid, make([]Branch, 0, len(w.list))
	for _, b := range w.list {
		one, problems := e.branch(b, v, out)
		branches = append(branches, Branch{b.node, problems})
		if is = min(is, one); is == valid && out == nil && !e.record {
			break
		}
	}
	if is == invalid {
		return e.none(w, v, branches)
	}
	return is
}

func (e *evaluation) oneOf(w *word, v *tree.Node, out *evaluated) verdict {
	fits, may := 0, 0
	var branches []Branch
	for _, b := range w.list {
		one, problems := e.branch(b, v, out)
		branches = append(branches, Branch{b.node, problems})
		switch one {
		case valid:
			fits++
		case unknown:
			may++
		case invalid:
		}
		if fits > 1 && !e.record {
			break
		}
	}
	switch {
	case fits > 1:
		return e.fail(w, w.val, "matches more than one of the alternatives")
	case fits+may == 0:
		return e.none(w, v, branches)
	case may > 0:
		return unknown
	}
	return valid
}

// none fails where no alternative matches. Where one of them is meant for sure, its
// problems are what is wrong; where all want another type or constant, that is.
func (e *evaluation) none(w *word, v *tree.Node, branches []Branch) verdict {
	if !e.record {
		return invalid
	}
	best, meant := 0, []Branch{}
	for _, b := range branches {
		switch c := closeness(b.Problems, len(e.path)); {
		case c > best:
			best, meant = c, []Branch{b}
		case c == best:
			meant = append(meant, b)
		}
	}
	switch {
	case len(meant) == 1 && len(meant[0].Problems) > 0:
		e.problems = append(e.problems, meant[0].Problems...)
	case best == 0 && len(meant) == len(branches) && len(branches) > 0:
		e.fail(w, w.val, "%s", e.wanted(branches, v))
	default:
		e.fail(w, w.val, "matches none of the alternatives")
		if last := len(e.problems) - 1; last >= 0 && e.problems[last].Keyword == w.name {
			e.problems[last].Branches = meant
		}
	}
	return invalid
}

// closeness says how near a value is to an alternative: 0 is another type or
// constant, 1 has another constant in a member, which tells alternatives apart.
func closeness(problems []Problem, depth int) int {
	near := 2
	for _, p := range problems {
		switch here := len(p.Path) - depth; {
		case here == 0 && isKind(p):
			return 0
		case here == 1 && (p.Keyword == "const" || p.Keyword == "enum"):
			near = 1
		}
	}
	return near
}

// isKind reports whether a problem is that the value is another type or constant.
func isKind(p Problem) bool {
	return p.Keyword == "type" || p.Keyword == "const" || p.Keyword == "enum" || p.Keyword == ""
}

// wanted says which types or constants the alternatives want.
func (e *evaluation) wanted(branches []Branch, v *tree.Node) string {
	var wants []string
	types := true
	for _, b := range branches {
		i := slices.IndexFunc(b.Problems, func(p Problem) bool { return len(p.Path) == len(e.path) && isKind(p) })
		if b.Problems[i].Keyword == "" {
			continue
		}
		_, want, _ := strings.Cut(b.Problems[i].Text, "must be ")
		types = types && b.Problems[i].Keyword == "type"
		if !slices.Contains(wants, want) {
			wants = append(wants, want)
		}
	}
	if len(wants) == 0 {
		return "matches none of the alternatives"
	}
	if len(wants) > 6 {
		wants = append(wants[:6], "…")
	}
	text := "must be " + strings.Join(wants, " or ")
	if types {
		text = "is " + kindWords[v.Kind] + ", " + text
	}
	return text
}

func (e *evaluation) not(w *word, v *tree.Node, _ *evaluated) verdict {
	is := invalid - e.aside(w.sub, v, nil)
	if is == invalid {
		return e.fail(w, w.val, "must not match the schema of not")
	}
	return is
}

func (e *evaluation) ifThenElse(w *word, v *tree.Node, out *evaluated) verdict {
	own := out.fresh(v)
	is := e.aside(w.sub, v, own)
	out.merge(own, is)
	then, otherwise := w.beside.word("then"), w.beside.word("else")
	if w.beside.faulty("then", "else") {
		return e.unsure("%s depends on a keyword that cannot be evaluated", w.name)
	}
	judge := func(w *word, with func(*sub, *tree.Node, *evaluated) verdict) verdict {
		if w == nil {
			return valid
		}
		return with(w.sub, v, out)
	}
	switch is {
	case valid:
		return judge(then, e.schema)
	case invalid:
		return judge(otherwise, e.schema)
	case unknown:
	}
	a, b := judge(then, e.aside), judge(otherwise, e.aside)
	if a == invalid && b == invalid {
		return e.fail(w, w.val, "matches neither then nor else")
	}
	return max(min(a, b), min(unknown, max(a, b)))
}
