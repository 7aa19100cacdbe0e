package shape

import (
	_ "embed"
	"fmt"
	"strings"

	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A kind is how a value of a type is judged.
type kind uint8

const (
	anyValue kind = iota
	str
	base64
	uri
	date
	timestamp
	boolean
	number
	integer
	natural
	fraction
	lifetime
	id
	oneOf // oneOf: a string of a list.
	object
	record // record: an object with members of the table.
	either // either: a record that has one of two members as a string.
	union  // union: an object whose tag says which type it is.
	list
	mapping   // mapping: an object whose members are all of one type.
	oneOrList // oneOrList: a value or an array of such values.
)

// A Type is a type of the table, as one revision has it.
type Type struct {
	name    string // name is its name in the table, empty for a part of a line.
	kind    kind
	members []member // members of a record or an either, cases of a union.
	needs   uint64   // needs are the members that are required, by their bit.
	of      *Type    // of is the type of the entries.
	words   []string // words are the values of a oneOf, or the two members of an either.
	tag     string   // tag is the member that tells the cases of a union apart,
	without string   // and without the case of a union that has no tag.
}

// String returns the type's name in the table, or what its values must be.
func (t *Type) String() string {
	if t.name != "" {
		return t.name
	}
	return t.want()
}

// A member of a record, or a case of a union.
type member struct {
	name     string
	is       *Type
	required bool
	foreign  bool // foreign: the revision does not have it, another one has.
	since    mcp.Version
	place    string // place is its type and its name: "Tool.title".
}

// plain are the types that the table does not define.
var plain = lazy.Value[map[string]kind]{New: func() map[string]kind {
	return map[string]kind{
		"string": str, "boolean": boolean, "number": number, "integer": integer, "natural": natural, "fraction": fraction,
		"lifetime": lifetime, "base64": base64, "uri": uri, "date": date, "timestamp": timestamp, "id": id, "object": object, "any": anyValue,
	}
}}

// A compiler makes the types of one revision.
type compiler struct {
	revision mcp.Version // revision is NoVersion for an unknown one.
	types    map[string]*Type

	results, params map[string]*Type // results and params are the types of methods.
}

//go:embed shapes.txt
var table string

// paragraphs are the lines of each type of the table.
var paragraphs = lazy.Value[map[string][]string]{New: func() map[string][]string {
	all := map[string][]string{}
	name := ""
	for line := range lazy.Lines(table) {
		if line[0] != ' ' {
			name, _, _ = strings.Cut(line, " ")
		}
		all[name] = append(all[name], strings.TrimSpace(line))
	}
	return all
}}

// all are the types of each revision, compiled when they are first used.
var all [mcp.V5 + 1]lazy.Value[*compiler]

// revision returns the types of a revision.
func revision(v mcp.Version) *compiler {
	if v == mcp.V0 {
		v = mcp.V1
	}
	return all[v].From(func() *compiler { return compile(v) })
}

func compile(v mcp.Version) *compiler {
	const methods = "methods" // methods is the paragraph that has no type.
	c := &compiler{revision: v, types: map[string]*Type{}, results: map[string]*Type{}, params: map[string]*Type{}}
	for name := range paragraphs.Get() {
		if name != methods {
			c.typeOf(name)
		}
	}
	for _, line := range paragraphs.Get()[methods][1:] {
		if fields := strings.Fields(line); c.has(fields) {
			c.results[fields[0]], c.params[fields[0]] = c.types[fields[1]], c.types[fields[2]]
		}
	}
	return c
}

// has reports whether the revision has the method of a line of the table, and no extension
// defines it there.
func (c *compiler) has(line []string) bool {
	m, known := mcp.Lookup(line[0])
	if !known || !m.In(c.revision) || m.ExtensionIn(c.revision) != "" {
		return false
	}
	if len(line) == 3 {
		return true
	}
	since, until := rangeOf(line[3])
	return c.revision >= since && c.revision <= until
}

// Result returns the type of a method's result in a revision; nil if the table has
// none. NoVersion is an unknown revision: what only some revisions require may be
// absent then.
func Result(name string, v mcp.Version) *Type { return revision(v).results[name] }

// Params returns the type of the params of a notification, or of a request that
// servers send; nil if the table has none.
func Params(name string, v mcp.Version) *Type { return revision(v).params[name] }

// Named returns the type of that name in a revision, nil if the table has no such type.
func Named(name string, v mcp.Version) *Type { return revision(v).types[name] }

// typeOf returns what a text of the table describes.
func (c *compiler) typeOf(said string) *Type {
	if t := c.types[said]; t != nil {
		return t
	}
	t := &Type{}
	c.types[said] = t
	k, isPlain := plain.Get()[said]
	one, rest, several := strings.Cut(said, "/[")
	switch {
	case isPlain:
		t.kind = k
	case said[0] == '"':
		t.kind, t.words = oneOf, []string{strings.Trim(said, `"`)}
	case said[0] == '[':
		t.kind, t.of = list, c.typeOf(said[1:len(said)-1])
	case said[0] == '{':
		t.kind, t.of = mapping, c.typeOf(said[1:len(said)-1])
	case several && rest == one+"]":
		t.kind, t.of = oneOrList, c.typeOf(one)
	default:
		c.paragraph(t, said)
	}
	return t
}

// paragraph reads the lines of a type of the table.
func (c *compiler) paragraph(t *Type, name string) {
	lines := paragraphs.Get()[name]
	if lines == nil {
		panic(fmt.Sprintf("shape: the table has no type %q", name))
	}
	t.name, t.kind = name, record
	words := strings.Fields(lines[0])
	for i, word := range words {
		words[i] = strings.Trim(word, `"`)
	}
	if len(words) > 1 {
		switch words[1] {
		case "=":
			t.kind, t.words = oneOf, words[2:]
		case "with":
			t.kind, t.words = either, []string{words[2], words[4]}
		case "by":
			if t.kind, t.tag = union, words[2]; len(words) > 4 {
				t.without = words[4]
			}
		}
	}
	for _, line := range lines[1:] {
		c.line(t, line)
	}
	for i := range t.members {
		if t.members[i].required {
			t.needs |= 1 << i
		}
	}
}

// line reads a member or a case, and merges it with those of the same name for
// other revisions.
func (c *compiler) line(t *Type, line string) {
	fields := strings.Fields(line)
	said, required := strings.CutSuffix(fields[1], "!")
	since, until := mcp.V1, mcp.V5
	if len(fields) > 2 {
		since, until = rangeOf(fields[2])
	}
	m := member{name: fields[0], is: c.typeOf(said), required: required, since: since, place: t.name + "." + fields[0]}
	v := max(c.revision, mcp.V1)
	m.foreign = v < since || v > until
	if c.revision == mcp.NoVersion {
		m.foreign = false
		m.required = required && since == mcp.V1 && until == mcp.V5
	}
	m.required = m.required && !m.foreign
	for i := range t.members {
		if old := &t.members[i]; old.name == m.name {
			c.merge(old, m)
			return
		}
	}
	t.members = append(t.members, m)
}

// merge takes another line of the same member: that of the revision counts, else
// the newest. Of an unknown revision nothing is said where the lines differ.
func (c *compiler) merge(old *member, m member) {
	if c.revision == mcp.NoVersion {
		if old.is != m.is {
			old.is = c.typeOf("any")
		}
		old.required = old.required && m.required
		return
	}
	if !m.foreign || old.foreign {
		m.since = min(m.since, old.since)
		*old = m
	}
}

// rangeOf reads the revisions of a line.
func rangeOf(said string) (since, until mcp.Version) {
	from, to, isRange := strings.Cut(said, "-")
	if !isRange {
		to = from
	}
	since, until = mcp.V1, mcp.V5
	if from != "" {
		since = mcp.V1 + mcp.Version(from[0]-'1')
	}
	if to != "" {
		until = mcp.V1 + mcp.Version(to[0]-'1')
	}
	return since, until
}
