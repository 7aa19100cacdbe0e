package form

import (
	"cmp"
	"strconv"
	"strings"

	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/style"
)

const (
	aboutLines  = 8 // lines of a description where it has the focus
	textLines   = 8 // rows of a text that has the focus
	markerWidth = 2
	longestName = 40   // cells of the names of fields, at most
	namesSeen   = 1000 // rows whose names are measured for that
)

// row draws a row of the form.
func (p *painting) row(i int) {
	f, t := p.form, p.theme
	r := f.rows[i]
	here := i == f.at
	marker := "  "
	if here {
		marker = t.Accent.Paint("▸ ")
	}
	switch r.kind {
	case aboutRow:
		for _, line := range cells.Clip(f.cfg.About, max(1, p.w-2), max(1, p.h/4)) {
			p.add(" "+t.Dim.Paint(line), i, -1)
		}
	case sendRow:
		style := t.Dim
		if here {
			style = t.Accent.With(t.Cursor)
		}
		p.add(marker+style.Paint("[ send ]"), i, -1)
	case addRow:
		style := t.Dim
		if here {
			style = t.Accent
		}
		what := "a member"
		if r.field.manner == asArray {
			what = "an item"
		}
		p.add(marker+cells.Spaces(p.indent(r))+style.Paint("+ add "+what), i, -1)
	case fieldRow:
		p.field(r, i, marker)
	}
}

// indent is how far a row is moved to the right.
func (p *painting) indent(r row) int { return min(2*r.depth, p.w/4) }

// nameColumn returns the cells that the names of fields have: three tenths of the width, and
// more, up to nearly half of it, where a name is longer.
func (p *painting) nameColumn() int {
	widest := 0
	for _, r := range p.form.rows[:min(len(p.form.rows), namesSeen)] {
		if r.kind == fieldRow {
			widest = max(widest, markerWidth+p.indent(r)+cells.Width(r.field.name())+len("* "))
		}
	}
	return max(min(28, max(12, p.w*3/10)), min(widest, longestName, p.w*9/20))
}

// field draws a field: its name, its value, and below them what is known about
// it.
func (p *painting) field(r row, i int, marker string) {
	x, t := r.field, p.theme
	here := i == p.form.at
	indent := p.indent(r)
	column := max(p.names, markerWidth+indent+8)
	if p.w < 30 {
		column = min(column, p.w/2)
	}
	label := marker + cells.Spaces(indent) + p.label(x, column-markerWidth-indent-1)
	label = cells.Fit(label, column-1) + " "
	room := max(1, p.w-column)
	hint := t.Dim.Paint(p.hint(x))
	if n := cells.Width(hint); n > 0 && room-n-3 >= max(14, room/2) {
		room -= n + 3
	} else {
		hint = ""
	}
	lines := p.value(x, room, here)
	for k, line := range lines {
		switch {
		case k == 0 && hint != "":
			line = label + cells.Fit(line, room) + "  " + hint
		case k == 0:
			line = label + line
		default:
			line = cells.Spaces(column) + line
		}
		p.add(line, i, -1)
	}
	p.below(x, i, markerWidth+indent+2, here)
	if here && p.form.menu != nil {
		p.menu(i, column)
	}
}

// label is the name of a field, with the sign of one that must be filled in.
func (p *painting) label(x *field, w int) string {
	t := p.theme
	if x.keying != nil {
		c := canvas{theme: t, inks: plainInks(t.Key), cursor: p.focus, wrong: -1}
		return c.lines(x.keying, max(2, w), 1)[0]
	}
	name := x.name()
	sign := ""
	if x.required && x.parent != nil && x.parent.manner != asArray {
		sign = t.Warning.Paint("*")
	}
	style := t.Key
	if !x.sent() && !x.required || x.shape.deprecated {
		style = t.Text
	}
	return cells.Fit(style.Paint(name), min(cells.Width(name), max(1, w-1))) + sign
}

// value draws the value, in one line or, where it is typed into, in several.
func (p *painting) value(x *field, w int, here bool) []string {
	t := p.theme
	if x.keying != nil {
		return []string{t.Dim.Paint("the member's name; enter goes on")}
	}
	typing := here && p.focus && (x.manner == asText || x.manner == asNumber || x.manner == asRaw)
	switch {
	case typing:
		return p.typing(x, w)
	case !x.sent() || x.origin == absent && x.manner != asText && len(x.kids) == 0 && x.typed() == "":
		return []string{p.missing(x)}
	}
	tag := ""
	if x.origin == byDefault && x.manner != asObject && x.manner != asArray {
		tag = t.Dim.Paint("  default")
	}
	return []string{p.shown(x, max(1, w-cells.Width(tag)), here) + tag}
}

// missing is where nothing is sent.
func (p *painting) missing(x *field) string {
	if x.required {
		word := p.theme.Warning.Paint("missing")
		if x.awaited() && !p.form.tried {
			word = p.theme.Dim.Paint("required")
		}
		switch {
		case x.manner == asChoice, p.form.checklist(x) != nil:
			return word + p.theme.Dim.Paint("  enter chooses")
		case x.manner == asObject || x.manner == asArray:
			return word + p.theme.Dim.Paint("  enter adds it")
		}
		return word
	}
	for _, s := range []*shape{x.shape, x.base} {
		if s.initial != nil {
			return p.theme.Dim.Paint("not sent  default " + inline(string(s.initial), 30))
		}
	}
	return p.theme.Dim.Paint("not sent")
}

// shown is a value in one line.
func (p *painting) shown(x *field, w int, here bool) string {
	t := p.theme
	c := canvas{theme: t, wrong: -1}
	switch x.manner {
	case asText:
		c.inks = plainInks(t.String)
		if x.typed() == "" {
			return t.String.Paint(`""`) + t.Dim.Paint("  empty")
		}
		if x.shape.secret {
			return t.String.Paint(strings.Repeat("•", min(w, 8)))
		}
		return c.first(x.text.text, w)
	case asNumber:
		c.inks = plainInks(t.Number)
		return c.first(x.text.text, w)
	case asRaw:
		c.inks = jsonInks
		return c.first(x.text.text, w)
	case asBool:
		if x.yes {
			return t.Literal.Paint("[x] true")
		}
		return t.Literal.Paint("[ ] false")
	case asNull:
		return t.Literal.Paint("null")
	case asChoice:
		word := "nothing chosen"
		if x.chosen >= 0 {
			word = x.shape.choices[x.chosen].label
		}
		line := t.String.Paint(word)
		if here && len(x.shape.choices) > 1 {
			line += t.Accent.Paint(" ▾")
		}
		return line
	case asArray:
		if choices := p.form.checklist(x); choices != nil && !x.listed {
			line := t.String.Paint(cells.Fit(checkedWords(x, choices), min(w-2, cells.Width(checkedWords(x, choices)))))
			if here {
				line += t.Accent.Paint(" ▾")
			}
			return line
		}
		return p.sign(x) + t.Text.Paint(text.Plural(int64(len(x.kids)), "item"))
	case asObject:
		sent := 0
		for _, kid := range x.kids[:min(len(x.kids), 1000)] {
			if kid.sent() {
				sent++
			}
		}
		return p.sign(x) + t.Text.Paint(text.Plural(int64(sent), "member"))
	}
	return ""
}

func (p *painting) sign(x *field) string {
	if x.folded {
		return p.theme.Fold.Paint("▸ ")
	}
	return p.theme.Fold.Paint("▾ ")
}

// typing draws a text that has the cursor.
func (p *painting) typing(x *field, w int) []string {
	t := p.theme
	c := canvas{theme: t, inks: plainInks(t.String), cursor: true, wrong: -1}
	switch x.manner {
	case asNumber:
		c.inks = plainInks(t.Number)
	case asRaw:
		c.inks = jsonInks
	case asText, asBool, asNull, asChoice, asObject, asArray:
	}
	if x.text == nil || len(x.text.text) == 0 {
		note := "type a value"
		switch {
		case x.origin != absent:
			note = "empty, and sent"
		case formats.Get()[x.shape.format].example != "":
			note = "such as " + formats.Get()[x.shape.format].example
		case x.parent != nil && x.parent.manner == asArray && x.manner == asText:
			note = "empty, and sent"
		case x.manner == asRaw:
			note = "any JSON"
		case !x.required:
			note = "not sent"
		}
		return []string{t.Cursor.Paint(" ") + t.Dim.Paint(" "+note)}
	}
	lines := c.lines(x.text, w, min(textLines, max(1, p.h/2)))
	if x.origin == byDefault && len(lines) == 1 {
		if word := strings.TrimRight(lines[0], " "); cells.Width(word)+10 <= w {
			lines[0] = word + t.Dim.Paint("  default")
		}
	}
	return lines
}

// about is what the schema says of a field, its title first where that says more than the name.
func (x *field) about() string {
	about, title := cmp.Or(x.shape.about, x.base.about), x.shape.title
	bare := strings.NewReplacer(" ", "", "_", "", "-", "") // "Zip Code" says nothing but zip_code.
	switch {
	case title == "", strings.EqualFold(bare.Replace(title), bare.Replace(x.key)), strings.HasPrefix(about, title):
		return about
	case about == "":
		return title
	}
	return title + " · " + about
}

// below draws the description, the rules and the problems of a field.
func (p *painting) below(x *field, i, indent int, here bool) {
	t := p.theme
	w := max(1, p.w-indent-1)
	if w < 8 {
		indent, w = 0, p.w
	}
	put := func(style style.Style, text string, most int) {
		for _, line := range cells.Clip(text, w, most) {
			p.add(cells.Spaces(indent)+style.Paint(line), i, -1)
		}
	}
	about := x.about()
	if here {
		put(t.Dim, about, max(1, min(aboutLines, p.h/3)))
		put(t.Info, p.rules(x), 3)
	} else if about != "" && p.h > 8 {
		line, _, _ := strings.Cut(about, "\n")
		p.add(cells.Spaces(indent)+t.Dim.Paint(strings.TrimRight(cells.Fit(line, w), " ")), i, -1)
	}
	if x.awaited() && !p.form.tried {
		return
	}
	for _, text := range x.problems {
		put(t.Error, "✖ "+text, 2)
	}
}

// A manner is how a field is filled in.
type manner uint8

const (
	asText manner = iota
	asNumber
	asBool
	asNull
	asChoice
	asObject
	asArray
	asRaw // asRaw is any JSON, typed as text.
)

// origin is where a field's value comes from.
type origin uint8

const (
	absent    origin = iota // absent: it is not sent.
	byDefault               // byDefault: the schema's default or only value is in it.
	given                   // given: it came with the starting values.
	typed                   // typed: the user filled it in.
)

// A field is one value of the form.
type field struct {
	parent *field
	key    string // key is its name in an object.
	rawKey []byte // rawKey is the name as it is written; nil = as quote writes it.
	at     int    // at is its place among its parent's fields.
	rank   int    // rank orders the members that are sent.

	sub      *ref   // sub is what the schema says of it,
	base     *shape // base that, opened,
	shape    *shape // and shape base with the alternative that was chosen.
	variant  int    // variant is which one; -1 where there are none.
	required bool
	added    bool // added: it is a member that the user added and the schema does not name.

	manner manner
	origin origin
	kept   []byte  // kept is the exact text of the value, until it is edited.
	text   *editor // text is what is typed, of asText, asNumber and asRaw.
	yes    bool    // yes is the value of asBool,
	chosen int     // chosen that of asChoice; -1 = none.
	kids   []*field
	cut    bool // cut: the schema names more members than there are fields.

	keying *editor // keying is the name of a new member while it is typed.
	folded bool
	listed bool // listed: the items of a check list are shown one by one.

	left     bool // left: the user has changed it, or has moved on from it.
	problems []string
}

// Bounds of the tree.
const (
	maxKids   = 20_000  // fields of one object or array; what has more is raw JSON
	maxFields = 100_000 // fields that are made at once
	maxUnfold = 4       // levels of required objects that unfold by themselves
	maxFills  = 5000    // fields after which none unfolds by itself any more
)

// number tells the fields below where they are.
func (f *field) number() {
	for i, kid := range f.kids {
		kid.at = i
	}
}

// name is what the field is called, fit for the screen.
func (f *field) name() string {
	switch {
	case f.parent == nil:
		return "value"
	case f.parent.manner == asArray:
		return strconv.Itoa(f.at + 1)
	}
	return inline(f.key, maxName)
}

// path are the names that lead to the field, exactly.
func (f *field) path() []string {
	if f.parent == nil {
		return nil
	}
	if f.parent.manner == asArray {
		return append(f.parent.path(), strconv.Itoa(f.at))
	}
	return append(f.parent.path(), f.key)
}

// touch notes that the user filled the field in: it is sent, and so is all that
// it is in.
func (f *field) touch() {
	f.origin, f.kept, f.left = typed, nil, true
	for p := f.parent; p != nil; p = p.parent {
		if p.origin == absent || p.origin == byDefault {
			p.origin = typed
		}
	}
}

// depth is how many fields it is in.
func (f *field) depth() int {
	n := 0
	for p := f.parent; p != nil; p = p.parent {
		n++
	}
	return n
}
