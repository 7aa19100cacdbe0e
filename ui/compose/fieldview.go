package compose

import (
	"strconv"
	"strings"

	"wiretea/ui/draw"
	"wiretea/ui/theme"
	"wiretea/ui/units"
)

const (
	aboutLines  = 8 // lines of a description where it has the focus
	textLines   = 8 // rows of a text that has the focus
	markerWidth = 2
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
		lines := draw.Wrap(f.cfg.About, max(1, p.w-2))
		for k, line := range lines[:min(len(lines), max(1, p.h/4))] {
			if k == p.h/4-1 && len(lines) > k+1 {
				line = draw.Fit(line, max(1, p.w-4)) + " …"
			}
			p.add(" "+t.Dim.Paint(line), i, -1)
		}
	case sendRow:
		style := t.Dim
		if here {
			style = t.Accent.With(cursorStyle)
		}
		p.add(marker+style.Paint("[ send ]"), i, -1)
	case addRow:
		style := t.Dim
		if here {
			style = t.Accent
		}
		what := "member"
		if r.field.manner == asArray {
			what = "item"
		}
		p.add(marker+draw.Spaces(p.indent(r))+style.Paint("+ add "+article(what)), i, -1)
	case fieldRow:
		p.field(r, i, marker)
	}
}

func article(what string) string {
	if what == "item" {
		return "an item"
	}
	return "a member"
}

// indent is how far a row is moved to the right.
func (p *painting) indent(r row) int { return min(2*r.depth, p.w/4) }

// field draws a field: its name, its value, and below them what is known about
// it.
func (p *painting) field(r row, i int, marker string) {
	x, t := r.field, p.theme
	here := i == p.form.at
	indent := p.indent(r)
	column := max(min(28, max(12, p.w*3/10)), markerWidth+indent+8)
	if p.w < 30 {
		column = min(column, p.w/2)
	}
	label := marker + draw.Spaces(indent) + p.label(x, column-markerWidth-indent-1)
	label = draw.Fit(label, column-1) + " "
	room := max(1, p.w-column)
	hint := t.Dim.Paint(p.hint(x))
	if n := draw.Width(hint); n > 0 && room-n-2 >= max(14, room/2) {
		room -= n + 2
	} else {
		hint = ""
	}
	lines := p.value(x, room, here)
	for k, line := range lines {
		switch {
		case k == 0 && hint != "":
			line = label + draw.Fit(line, room) + "  " + hint
		case k == 0:
			line = label + line
		default:
			line = draw.Spaces(column) + line
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
	return draw.Fit(style.Paint(name), min(draw.Width(name), max(1, w-1))) + sign
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
	case !x.sent() || x.origin == absent && len(x.kids) == 0 && x.typed() == "":
		return []string{p.missing(x)}
	}
	tag := ""
	if x.origin == byDefault && x.manner != asObject && x.manner != asArray {
		tag = t.Dim.Paint("  default")
	}
	return []string{p.shown(x, max(1, w-draw.Width(tag)), here) + tag}
}

// missing stands where nothing is sent.
func (p *painting) missing(x *field) string {
	if x.required {
		if x.manner == asObject || x.manner == asArray {
			return p.theme.Warning.Paint("missing") + p.theme.Dim.Paint("  enter makes it")
		}
		return p.theme.Warning.Paint("missing")
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
		return p.sign(x) + t.Text.Paint(units.Plural(int64(len(x.kids)), "item"))
	case asObject:
		sent := 0
		for _, kid := range x.kids[:min(len(x.kids), 1000)] {
			if kid.sent() {
				sent++
			}
		}
		return p.sign(x) + t.Text.Paint(units.Plural(int64(sent), "member"))
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
		case formats[x.shape.format].example != "":
			note = "such as " + formats[x.shape.format].example
		case x.manner == asRaw:
			note = "any JSON"
		case !x.required:
			note = "not sent"
		}
		return []string{cursorStyle.Paint(" ") + t.Dim.Paint(" "+note)}
	}
	lines := c.lines(x.text, w, min(textLines, max(1, p.h/2)))
	if x.origin == byDefault && len(lines) == 1 {
		if word := strings.TrimRight(lines[0], " "); draw.Width(word)+10 <= w {
			lines[0] = word + t.Dim.Paint("  default")
		}
	}
	return lines
}

// hint names the type of a field, in a few words.
func (p *painting) hint(x *field) string {
	s := x.shape
	word := ""
	switch x.manner {
	case asText:
		word = "string"
		if s.format != "" {
			word = inline(s.format, 16)
		}
	case asNumber:
		word = "number"
		if s.allowed&typeNumber == 0 {
			word = "integer"
		}
	case asBool:
		word = "boolean"
	case asChoice:
		if word = "one of " + strconv.Itoa(len(s.choices)); s.fixed && len(s.choices) == 1 {
			word = "fixed"
		}
	case asRaw:
		word = "JSON"
	case asObject:
		word = "object"
	case asArray:
		word = "array"
	case asNull:
	}
	if x.variant >= 0 {
		word += " " + strconv.Itoa(x.variant+1) + "/" + strconv.Itoa(len(x.base.flat))
	}
	if s.deprecated {
		word += " deprecated"
	}
	return word
}

// below draws the description, the rules and the problems of a field.
func (p *painting) below(x *field, i, indent int, here bool) {
	t := p.theme
	w := max(1, p.w-indent-1)
	if w < 8 {
		indent, w = 0, p.w
	}
	put := func(style theme.Style, text string, most int) {
		lines := draw.Wrap(text, w)
		for k, line := range lines[:min(len(lines), most)] {
			if k == most-1 && len(lines) > most {
				line = strings.TrimRight(draw.Fit(line, max(1, w-2)), " ") + " …"
			}
			p.add(draw.Spaces(indent)+style.Paint(line), i, -1)
		}
	}
	about := x.shape.about
	if about == "" {
		about = x.base.about
	}
	if about == "" && x.shape.title != "" && !sameWords(x.shape.title, x.key) {
		about = x.shape.title
	}
	if here {
		put(t.Dim, about, max(1, min(aboutLines, p.h/3)))
		put(t.Info, p.rules(x), 3)
	} else if about != "" && p.h > 8 {
		line, _, _ := strings.Cut(about, "\n")
		p.add(draw.Spaces(indent)+t.Dim.Paint(strings.TrimRight(draw.Fit(line, w), " ")), i, -1)
	}
	for _, text := range x.problems {
		put(t.Error, "✖ "+text, 2)
	}
}

// sameWords reports whether a title says nothing but the name: "Zip Code" of
// zip_code.
func sameWords(title, name string) bool {
	bare := strings.NewReplacer(" ", "", "_", "", "-", "")
	return strings.EqualFold(bare.Replace(title), bare.Replace(name))
}

// rules says in a line what a value must be like.
func (p *painting) rules(x *field) string {
	s := x.shape
	var words []string
	if x.variant >= 0 && x.variant < len(x.base.flat) {
		words = append(words, "as "+x.base.flat[x.variant].word+", "+units.Plural(int64(len(x.base.flat)), "variant")+" (ctrl-t)")
	}
	if list := (s.allowed &^ typeNull).orNull(s); s.named && strings.Contains(list, " or ") {
		words = append(words, list+" (ctrl-t)")
	}
	switch x.manner {
	case asText:
		words = append(words, bounds(s.minLength, s.maxLength, "character")...)
		for _, pattern := range s.patterns {
			words = append(words, "matches "+pattern.source)
		}
		if s.format != "" && formats[s.format].example != "" {
			words = append(words, "such as "+formats[s.format].example)
		}
	case asNumber:
		words = append(words, s.limits()...)
	case asArray:
		words = append(words, bounds(s.minItems, s.maxItems, "item")...)
		if s.unique {
			words = append(words, "all different")
		}
	case asObject:
		words = append(words, bounds(s.minMembers, s.maxMembers, "member")...)
	case asRaw:
		if s.why != "" {
			words = append(words, s.why)
		}
	case asBool, asNull, asChoice:
	}
	if x.cut {
		words = append(words, "more members than there are fields: the others are in raw mode")
	}
	return strings.Join(words, " · ")
}

func bounds(least, most int, noun string) []string {
	switch {
	case most >= 0 && most == least:
		return []string{"exactly " + units.Plural(int64(most), noun)}
	case most >= 0 && least > 0:
		return []string{strconv.Itoa(least) + " to " + units.Plural(int64(most), noun)}
	case most >= 0:
		return []string{"at most " + units.Plural(int64(most), noun)}
	case least > 0:
		return []string{"at least " + units.Plural(int64(least), noun)}
	}
	return nil
}

// limits says which numbers there may be.
func (s *shape) limits() []string {
	var words []string
	for _, l := range []struct {
		raw  []byte
		word string
	}{{s.least, "≥ "}, {s.above, "> "}, {s.most, "≤ "}, {s.below, "< "}, {s.step, "multiple of "}} {
		if l.raw != nil {
			words = append(words, l.word+inline(string(l.raw), 30))
		}
	}
	return words
}

// menu draws the menu below its field.
func (p *painting) menu(i, column int) {
	m, t := p.form.menu, p.theme
	h := max(1, min(menuHeight, p.h/2, len(m.found)))
	m.top = max(0, min(m.top, len(m.found)-h))
	if m.at >= 0 {
		m.top = max(m.at-h+1, min(m.top, m.at))
	}
	column = max(0, min(column-2, p.w-20))
	if m.typed != "" {
		p.add(draw.Spaces(column)+t.Accent.Paint("/ ")+t.Text.Paint(inline(m.typed, 40)), i, -1)
	}
	if len(m.found) == 0 {
		p.add(draw.Spaces(column)+t.Dim.Paint("  none of that name"), i, -1)
	}
	for k := m.top; k < min(len(m.found), m.top+h); k++ {
		item := m.items[m.found[k]]
		line := "  " + item.label
		if item.note != "" {
			line += "  " + item.note
		}
		style := t.Text
		if k == m.at {
			line, style = "▸"+line[1:], t.Text.With(t.Selected)
		}
		p.add(draw.Spaces(column)+style.Paint(draw.Fit(line, min(p.w-column, 60))), i, k)
	}
	note := m.note
	if left := len(m.found) - m.top - h; left > 0 {
		note = strings.TrimPrefix(note+", "+strconv.Itoa(left)+" below", ", ")
	}
	if note != "" {
		p.add(draw.Spaces(column)+t.Dim.Paint("  "+note), i, -1)
	}
}
