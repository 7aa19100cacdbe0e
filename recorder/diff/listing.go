package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/json/diff"
)

// A catalogue is a kind of things that a server lists.
type catalogue struct {
	part   Part
	method string
	member string // member of the result that is the list.
	name   string // name is the member that names a thing.
}

var catalogues = []catalogue{
	{Tools, "tools/list", "tools", "name"},
	{Prompts, "prompts/list", "prompts", "name"},
	{Resources, "resources/list", "resources", "uri"},
	{Resources, "resources/templates/list", "resourceTemplates", "uriTemplate"},
}

// A listing is what a server listed the last time, over all pages.
type listing struct {
	names []string // names in the order in which they were listed.
	items map[string]json.RawMessage
	pages map[*call]bool
}

// listing reads the last listing that was answered; it is empty where there was
// none. Of two things with one name the second is told apart by a count.
func (s *Side) listing(cat *catalogue) (*listing, error) {
	l := &listing{items: map[string]json.RawMessage{}, pages: map[*call]bool{}}
	var pages []*call
	for _, c := range s.calls {
		if c.method != cat.method || c.sender != session.C2S || c.ends != result {
			continue
		}
		if !c.cursor {
			pages = pages[:0]
		}
		pages = append(pages, c)
	}
	for _, c := range pages {
		l.pages[c] = true
		body, err := s.text(c.resp)
		if err != nil {
			return nil, err
		}
		var page []json.RawMessage
		if json.Unmarshal(recorder.Members(recorder.Members(body)["result"])[cat.member], &page) != nil {
			continue
		}
		for _, item := range page {
			name := recorder.TextOf(recorder.Members(item)[cat.name])
			for l.items[name] != nil {
				name += " (again)"
			}
			l.names = append(l.names, name)
			l.items[name] = item
		}
	}
	return l, nil
}

// An Item is a thing in a list that was added, removed or changed.
type Item struct {
	Kind    Kind            `json:"kind"`
	List    string          `json:"list"` // List is the member of the result: tools, prompts, resources, resourceTemplates.
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value,omitempty"`   // Value is the thing, where it was added or removed.
	Changes []Change        `json:"changes,omitempty"` // Changes of one that both have.

	// Prose says that texts for the model have changed: a description of the thing
	// or of one of its parameters.
	Prose bool `json:"proseChanged,omitempty"`

	// Tokens is by how many tokens, estimated, a tool takes more of a model's context in
	// every conversation; less than 0 = it takes less.
	Tokens int64 `json:"tokens,omitempty"`
}

// A Context is how many tokens, estimated, the tools of each side take in every
// conversation.
type Context struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

// compareLists compares what both list of one kind, in the order of the first.
func (d *differ) compareLists(cat *catalogue) ([]Item, error) {
	a, err := d.a.listing(cat)
	if err != nil {
		return nil, err
	}
	b, err := d.b.listing(cat)
	if err != nil {
		return nil, err
	}
	if len(a.pages) == 0 || len(b.pages) == 0 {
		return nil, nil // One did not list: that is among the calls.
	}
	for _, l := range []*listing{a, b} {
		for page := range l.pages {
			d.listed[page] = true
		}
	}
	var items []Item
	for _, name := range a.names {
		now := b.items[name]
		if now == nil {
			items = append(items, Item{Kind: Removed, List: cat.member, Name: name, Value: a.items[name]})
			continue
		}
		// Paths begin at the thing.
		if changes := d.values(a.items[name], now, "", within(d.opt.Ignore, ".result."+cat.member+"[")); len(changes) > 0 {
			items = append(items, Item{Kind: Changed, List: cat.member, Name: name, Changes: changes, Prose: prose(changes)})
		}
	}
	for _, name := range b.names {
		if a.items[name] == nil {
			items = append(items, Item{Kind: Added, List: cat.member, Name: name, Value: b.items[name]})
		}
	}
	if cat.part == Tools && len(items) > 0 && d.wants(Tools) {
		for i := range items {
			items[i].Tokens = b.tokens(items[i].Name) - a.tokens(items[i].Name)
		}
		d.out.Context = &Context{a.tokens(a.names...), b.tokens(b.names...)}
	}
	return items, nil
}

// tokens is what tools take of a model's context; those that are not listed take nothing.
func (l *listing) tokens(names ...string) (n int64) {
	for _, name := range names {
		if tool := l.items[name]; tool != nil {
			n += statistics.DefinitionOf(tool).Tokens
		}
	}
	return n
}

// prose reports whether a change is in a text for the model, and marks those.
func prose(changes []Change) bool {
	found := false
	for i := range changes {
		if strings.HasSuffix(changes[i].Path, ".description") {
			changes[i].Prose, found = true, true
		}
	}
	return found
}

// within returns patterns as they read inside the elements of a list.
func within(list []diff.Path, prefix string) []diff.Path {
	var out []diff.Path
	for _, p := range list {
		rest, inside := strings.CutPrefix(p.String(), prefix)
		if _, path, ok := strings.Cut(rest, "]"); inside && ok {
			if at, err := diff.ParsePath(path); err == nil {
				out = append(out, at)
			}
			continue
		}
		if strings.HasPrefix(p.String(), "..") {
			out = append(out, p)
		}
	}
	return out
}

// values compares two values. path is cut off from where they differ.
func (d *differ) values(old, now []byte, path string, ignore []diff.Path) []Change {
	list, err := diff.Compare(old, now, ignore...)
	switch {
	case err == nil:
		return d.counting(list, path)
	case bytes.Equal(old, now):
		return nil
	}
	return []Change{{Kind: Changed, Path: "."}}
}

// counting leaves out the differences that do not count, and cuts off the path that
// all begin with.
func (d *differ) counting(list []diff.Change, path string) []Change {
	var out []Change
	for _, c := range list {
		if !d.opt.Strict && c.OfTimes() {
			continue
		}
		at := cmp.Or(strings.TrimPrefix(c.Path, path), ".")
		out = append(out, Change{Kind: Kind(c.Kind.String()), Path: at, Old: c.Old, New: c.New})
	}
	return out
}

// wrap puts an object, nil for an empty one, to a path of names: ".result.capabilities".
func wrap(value []byte, path string) []byte {
	if value == nil {
		value = []byte("{}")
	}
	var open, end []byte
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		open = append(append(append(open, `{"`...), name...), `":`...)
		end = append(end, '}')
	}
	return bytes.Join([][]byte{open, value, end}, nil)
}
