package content

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"wiretea/session/cells"
	"wiretea/session/json/lex"
	"wiretea/session/text"
)

const (
	maxTree  = MaxMessage // maxTree is the longest JSON that is laid out as a tree, in bytes.
	openRows = 300        // openRows is about how many lines of a tree are unfolded at first.
	maxOpen  = 12         // maxOpen is how many levels are, at most.
	minOpen  = 2          // minOpen is how many levels are at least.
)

// Inks of JSON.
const (
	inkName    = code + 1
	inkKeyword = code + 2
	inkString  = code + 3
	inkNumber  = code + 4
	inkPunct   = code + 5
)

// json adds a JSON value as a tree that folds. Strings that are JSON are trees in it, and
// those that are base64 of a text unfold to the text.
func (l *layout) json(indent string, v value) {
	if len(v) > maxTree || !json.Valid(v) {
		l.text(indent, string(v), "json")
		return
	}
	t := jsonTree{layout: l, levels: openLevels(v), from: l.depth}
	t.node(indent, "json", nil, v, "")
}

// A jsonTree lays out a JSON value.
type jsonTree struct {
	*layout
	levels int // levels is how many levels are unfolded at first,
	from   int // and from the depth of the outermost.
}

// node adds a value behind its key, and tail behind it. name is its name among its siblings.
func (t jsonTree) node(indent, name string, key []Part, v value, tail string) {
	if len(t.lines) >= maxLines {
		return
	}
	what := ""
	if inner := jsonText(v); inner != nil {
		v, what = inner, "JSON text "
	}
	n := 0
	switch {
	case v.object():
		for range lex.Members(v) {
			n++
		}
	case v.array():
		for range lex.Items(v) {
			n++
		}
	}
	if n == 0 {
		t.leaf(indent, name, key, v, tail)
		return
	}
	left, right, noun := "{", "}", "key"
	if v.array() {
		left, right, noun = "[", "]", "item"
	}
	open := t.folding(name, t.depth-t.from < t.levels, func(open bool) {
		parts := append([]Part{{Text: indent}, {Ink: Dim, Text: sign(open)}}, key...)
		parts = append(parts, Part{Ink: Dim, Text: what}, Part{Ink: inkPunct, Text: left})
		if !open {
			words := " " + text.Plural(int64(n), noun)
			room := t.w - len(words) - len(tail) - 4
			for _, p := range parts {
				room -= cells.Width(p.Text)
			}
			if room > 8 {
				words += ": " + text.Visible(bytes.TrimSpace(v[1:len(v)-1]), room)
			}
			parts = append(parts, Part{Ink: Dim, Text: cells.Fit(words, min(cells.Width(words), max(1, room+len(words)))) + " "}, Part{Ink: inkPunct, Text: right + tail})
		}
		t.hard(indent, parts)
	})
	if !open {
		return
	}
	t.inside(name, func() { t.members(t.under(indent), v, n) })
	t.hard(indent, []Part{{Text: indent + "  "}, {Ink: inkPunct, Text: right + tail}})
}

// under is the indentation of what is in a value, as far as the width allows.
func (t jsonTree) under(indent string) string {
	if cells.Width(indent)+2 > t.w/2 {
		return indent
	}
	return indent + "  "
}

// members adds what is in an object or an array with n members or items.
func (t jsonTree) members(indent string, v value, n int) {
	at := 0
	tail := func() string {
		if at++; at < n {
			return ","
		}
		return ""
	}
	for key, m := range lex.Members(v) {
		words := visible(string(key))
		t.node(indent, strconv.Itoa(at), []Part{{Ink: inkName, Text: words}, {Ink: inkPunct, Text: ": "}}, m, tail())
	}
	for i, item := range lex.Items(v) {
		if i == mostItems {
			t.put(Part{Text: indent + "  "}, Part{Ink: Dim, Text: "… " + text.Plural(int64(n-i), "more item")})
			return
		}
		t.node(indent, strconv.Itoa(at), nil, item, tail())
	}
}

// leaf adds a value with nothing in it.
func (t jsonTree) leaf(indent, name string, key []Part, v value, tail string) {
	ink := inkKeyword
	switch {
	case len(v) == 0:
		return
	case v[0] == '"':
		ink = inkString
		if text, ok := base64Text(v.text()); ok {
			t.encoded(indent+"  ", name, key, v, text, tail)
			return
		}
	case v[0] == '{' || v[0] == '[':
		ink = inkPunct
		v = lex.AppendCompact(nil, v)
	case v[0] == '-' || v[0] >= '0' && v[0] <= '9':
		ink = inkNumber
	}
	parts := append([]Part{{Text: indent + "  "}}, key...)
	text, more := head(string(v))
	t.hard(indent+"  ", append(parts, Part{Ink: ink, Text: visible(text)}, Part{Ink: inkPunct, Text: tail}))
	t.rest(indent+"  ", more)
}

// encoded adds a string that is base64 of a text, which it unfolds to.
func (l *layout) encoded(indent, name string, key []Part, v value, content, tail string) {
	open := l.folding(name, false, func(open bool) {
		words := "  base64 of a text, " + text.Size(int64(len(content)))
		parts := append(append([]Part{{Text: indent}}, key...), Part{Ink: Dim, Text: sign(open)})
		room := l.w - cells.Width(words) - len(tail)
		for _, p := range parts {
			room -= cells.Width(p.Text)
		}
		l.hard(indent, append(parts, Part{Ink: inkString, Text: text.Visible(v, max(8, room))}, Part{Ink: inkPunct, Text: tail}, Part{Ink: Dim, Text: words}))
	})
	if open {
		l.inside(name, func() { l.decoded(indent+"    ", content) })
	}
}

// decoded adds a text that was encoded.
func (l *layout) decoded(indent, text string) {
	if v := value(bytes.TrimSpace([]byte(text))); (v.object() || v.array()) && json.Valid(v) && !l.doc.Source {
		l.json(indent, v)
		return
	}
	l.text(indent, text, languageOf("", "", text))
}

// jsonText is the object or array that a string is the text of; nil for any other value. An
// array of one plain value, as in "[1]", may as well be a word.
func jsonText(v value) value {
	if len(v) < 4 || v[0] != '"' || !bytes.ContainsAny(v[:min(len(v), 64)], "{[") {
		return nil
	}
	inner := value(bytes.TrimSpace([]byte(v.text())))
	if !inner.object() && !(inner.array() && bytes.ContainsAny(inner[1:], `{[",`)) || !json.Valid(inner) {
		return nil
	}
	return inner
}

// openLevels is how many levels of a value are unfolded at first: as many as make about
// openRows lines.
func openLevels(v value) int {
	var rows [maxOpen + 1]int
	countRows(v, 0, &rows)
	sum, levels := rows[0], 0
	for levels < maxOpen {
		if sum += rows[levels+1]; sum > openRows && levels >= minOpen {
			break
		}
		levels++
	}
	return levels
}

// countRows counts the values of each level from a depth on, those of JSON in strings too.
func countRows(v value, depth int, rows *[maxOpen + 1]int) {
	add := func() { rows[min(max(depth, 0), maxOpen)]++ }
	add()
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '{', '[':
			depth++
			add()
		case '}', ']':
			depth--
		case ',':
			add()
		case '"':
			end := lex.StringEnd(v, i)
			if inner := jsonText(v[i:end]); inner != nil {
				countRows(inner, depth, rows)
			}
			i = end - 1
		}
	}
}

// deepestOpen is how deep values are nested that are unfolded together; those within them
// are unfolded one by one.
const deepestOpen = 200

// folds say what of a document is unfolded: what was chosen line by line, else what is less
// deep than a depth, else what the layout unfolds by itself.
type folds struct {
	chosen map[string]bool
	depth  int // depth is one more than the depth from which all is folded; 0 = nothing was chosen.
}

// open reports whether a part is unfolded.
func (f *folds) open(key string, depth int, self bool) bool {
	if open, ok := f.chosen[key]; ok {
		return open
	}
	if f.depth > 0 {
		return depth < f.depth-1
	}
	return self
}

// Toggle folds or unfolds the part that a line of the last layout begins. It takes effect
// with the next one.
func (d *Document) Toggle(l Line) {
	if l.Fold == "" {
		return
	}
	if d.folds.chosen == nil {
		d.folds.chosen = map[string]bool{}
	}
	d.folds.chosen[l.Fold] = !l.Open
}

// Unfold unfolds all that is less deep than a depth, and folds the rest: with 0 everything
// is folded. It takes effect with the next layout.
func (d *Document) Unfold(depth int) { d.folds = folds{depth: 1 + max(0, min(depth, deepestOpen))} }

// folding adds the line or lines that begin a part which folds, and reports whether the
// part is unfolded. name is its name among what it is in, empty where the path leads
// to it; self is whether it is unfolded where nobody has chosen. put adds the lines.
func (l *layout) folding(name string, self bool, put func(open bool)) (open bool) {
	key := l.key(name)
	open = l.doc.folds.open(key, l.depth, self)
	first := len(l.lines)
	put(open)
	if first < len(l.lines) {
		l.lines[first].Fold, l.lines[first].Open = key, open
	}
	return open
}

// inside lays out what is in a part that folds.
func (l *layout) inside(name string, draw func()) {
	path := l.path
	l.path, l.depth = l.way(name), l.depth+1
	draw()
	l.path, l.depth = path, l.depth-1
}

// way is the way to a part by its name.
func (l *layout) way(name string) []string {
	if name == "" {
		return l.path
	}
	return append(slices.Clip(l.path), name)
}

// key is the key of a part by its name: that of the block, and the way to it.
func (l *layout) key(name string) string {
	return strconv.Itoa(l.block) + "\x00" + place(l.way(name)...)
}

// sign is before what folds.
func sign(open bool) string {
	if open {
		return "▾ "
	}
	return "▸ "
}
