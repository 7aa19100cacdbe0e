package compare

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

const (
	// sideWidth is the width from which on old and new are side by side.
	sideWidth = 110
	// most is how much of a value is shown, in bytes; the whole can be copied.
	most = 16 << 10
	// indent is how far a level is set in, in cells, and deepest the last level
	// that is set in further.
	indent, deepest = 2, 20
	// far is how much of a long value is before what differs in it, in bytes.
	far = 120
)

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	th := c.Theme
	p.keys, p.lineOf, p.above = c.Keys, p.lineOf[:0], 0
	switch {
	case !p.any:
		return p.words(th, "nothing is compared yet; "+p.keys.WordOf(keys.Difference, keys.Compare)+" compares the selected answer with the one before", w, h)
	case !p.known:
		return p.words(th, "comparing…", w, h)
	case p.got.why != "":
		return p.words(th, "⚠ "+p.got.why, w, h)
	}
	side := w >= sideWidth && !p.stacked
	p.lay(side)
	lines := p.head(th, w, h, side)
	p.above = len(lines)
	return cells.Lines(append(lines, p.body(th, w, h-len(lines), focus, side)...), w, h)
}

func (p *Pane) words(th *style.Theme, words string, w, h int) []string {
	lines := []string{""}
	for _, part := range cells.Wrap(text.Visible([]byte(words), 0), max(1, w-4)) {
		lines = append(lines, "  "+th.Dim.Paint(part))
	}
	return cells.Lines(lines, w, h)
}

// head names the two texts and says how they differ, as far as there is room.
func (p *Pane) head(th *style.Theme, w, h int, side bool) []string {
	if h < 5 {
		return nil
	}
	old := th.Error.Paint("− ") + th.Strong.Paint(text.Visible([]byte(p.asked.Old.Name), 120))
	new := th.OK.Paint("+ ") + th.Strong.Paint(text.Visible([]byte(p.asked.New.Name), 120))
	names := " " + old + "   " + new
	if side {
		left, right := columns(w)
		names = cells.Fit(old, left) + th.Border.Paint("│") + cells.Fit(new, right)
	}
	lines := []string{cells.Fit(names, w), cells.Fit(" "+p.state(th), w)}
	if h >= 8 {
		lines = append(lines, th.Border.Paint(strings.Repeat("─", w)))
	}
	return lines
}

// state says how many differences there are, where the first is, and what does not
// count.
func (p *Pane) state(th *style.Theme) string {
	words := th.OK.Paint("✔ the same")
	if p.got.changes > 0 {
		words = th.Warning.Paint("≠ " + p.count())
		if p.got.first != "" {
			words += th.Dim.Paint(", the first at ") + th.Key.Paint(text.Visible([]byte(p.got.first), 200))
		}
	}
	if p.old != "" {
		words = th.Warning.Paint("⚠ "+p.old) + th.Dim.Paint(" · ") + words
	}
	if list := p.ignored(); list != "" {
		words += th.Dim.Paint(" · without ") + list + th.Dim.Paint("  ("+p.keys.WordOf(keys.IgnoreNone, keys.Compare)+" compares them again)")
	}
	if p.got.note != "" {
		words += th.Dim.Paint(" · " + text.Visible([]byte(p.got.note), 200))
	}
	return words
}

// columns are the widths of two columns with a line between them.
func columns(w int) (left, right int) { return (w - 1) / 2, w - 1 - (w-1)/2 }

// body draws the places around the cursor, which may take several lines each.
func (p *Pane) body(th *style.Theme, w, h int, focus, side bool) []string {
	if h <= 0 {
		return nil
	}
	from, to := p.list.Fit(len(p.places), h)
	var blocks [][]string
	before := 0 // before is how many lines stand up to the cursor's end.
	for i := from; i < to; i++ {
		block := p.place(th, p.places[i], w, h, th.Over(i == p.list.At, focus), side)
		blocks = append(blocks, block)
		if i <= p.list.At {
			before += len(block)
		}
	}
	for before > h && from < p.list.At {
		before -= len(blocks[0])
		blocks = blocks[1:]
		from++
	}
	p.list.Top = from
	lines := make([]string, 0, h)
	for k, block := range blocks {
		for _, line := range block {
			if len(lines) < h {
				lines = append(lines, line)
				p.lineOf = append(p.lineOf, from+k)
			}
		}
	}
	return lines
}

// place draws one place in at most h lines.
func (p *Pane) place(th *style.Theme, at place, w, h int, over style.Style, side bool) []string {
	if !side {
		return p.cell(th, at.row(), '-', w, h, over)
	}
	left, right := columns(w)
	a, b := p.cell(th, at.old, '+', left, h, over), p.cell(th, at.new, '-', right, h, over)
	lines := make([]string, max(len(a), len(b)))
	for i := range lines {
		x, y := over.Paint(cells.Spaces(left)), over.Paint(cells.Spaces(right))
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		lines[i] = x + th.Border.Paint("│") + y
	}
	return lines
}

// comma returns the comma behind row i of the text that has no rows of the sign other;
// those before '-' rows and '+' rows may differ.
func (p *Pane) comma(i int, other byte) string {
	r := &p.rows[i]
	if r.Sign == other {
		other = '-' + '+' - other
	}
	opens := r.Same == 0 && (string(r.Text) == "{" || string(r.Text) == "[")
	for i++; p.got.note == "" && !opens && i < len(p.rows); i++ {
		if next := &p.rows[i]; next.Sign != other {
			if text := string(next.Text); text != "}" && text != "]" {
				return ","
			}
			break
		}
	}
	return ""
}

// cell draws row i of the text that has no rows of the sign other in lines of w cells;
// nothing for -1.
func (p *Pane) cell(th *style.Theme, i int, other byte, w, h int, over style.Style) []string {
	if i < 0 {
		return nil
	}
	r := &p.rows[i]
	sign, style := "  ", th.Text
	switch {
	case r.Sign == '-':
		sign, style = "− ", th.Error.With("22") // No bolder than the new line.
	case r.Sign == '+':
		sign, style = "+ ", th.OK
	case r.Past:
		sign, style = "~ ", th.Dim
	}
	in := min(indent*min(r.Depth, deepest), max(0, w/2))
	lead := style.With(over).Paint(sign) + over.Paint(cells.Spaces(in))
	text := p.styled(th, r, p.comma(i, other), style, over)
	room := max(1, w-cells.Width(sign)-in)
	if p.unwrapped {
		line := lead + cells.Fit(text, min(room, cells.Width(text)))
		return []string{cells.Fit(line+over.Paint(cells.Spaces(w-cells.Width(line))), w)}
	}
	parts := cells.Hardwrap(text, room)
	if len(parts) > h {
		parts = append(parts[:max(0, h-1)], th.Dim.With(over).Paint("… "+p.keys.WordOf(keys.CopyValue, keys.Compare)+" copies the whole line"))
	}
	lines := make([]string, len(parts))
	for k, part := range parts {
		if k > 0 {
			lead = over.Paint(cells.Spaces(cells.Width(sign) + in))
		}
		part = lead + part
		lines[k] = cells.Fit(part+over.Paint(cells.Spaces(w-cells.Width(part))), w)
	}
	return lines
}

// styled writes key, value, what is folded, and the comma.
func (p *Pane) styled(th *style.Theme, r *row, comma string, style, over style.Style) string {
	var b strings.Builder
	keyStyle := style
	if r.Sign == ' ' && !r.Past || r.paired {
		keyStyle = th.Key
	}
	if r.Key != nil {
		keyStyle.With(over).Write(&b, text.Visible(r.Key, 200))
		th.Punct.With(over).Write(&b, ": ")
	}
	p.value(th, &b, r, style, over)
	switch {
	case r.Same > 0 && r.Path == "":
		th.Fold.With(over).Write(&b, fmt.Sprintf("▸ %s the same", text.Plural(int64(r.Same), "line")))
	case r.Same > 0:
		th.Fold.With(over).Write(&b, fmt.Sprintf(" ▸ %s the same ", text.Count(int64(r.Same))))
		closing := "}"
		if r.Text[0] == '[' {
			closing = "]"
		}
		style.With(over).Write(&b, closing)
	}
	th.Punct.With(over).Write(&b, comma)
	if r.Past {
		th.Dim.With(over).Write(&b, "  differs, ignored")
	}
	return b.String()
}

// value writes a value: what differs within it stands out, and what lies far before
// that is left out.
func (p *Pane) value(th *style.Theme, b *strings.Builder, r *row, style, over style.Style) {
	raw := trimEnd(r.Text)
	from, to := min(r.from, len(raw)), min(r.to, len(raw))
	begin := 0
	if from > far {
		begin = from - far/2
		for begin < from && raw[begin]&0xc0 == 0x80 {
			begin++
		}
		th.Dim.With(over).Write(b, "…")
	}
	stop := len(raw)
	cut := stop-begin > most
	if cut {
		stop = begin + most
		for stop > begin && raw[stop]&0xc0 == 0x80 {
			stop--
		}
		from, to = min(from, stop), min(to, stop)
	}
	same := style
	if r.paired {
		same = th.Text
	}
	same.With(over).Write(b, text.Visible(raw[begin:max(begin, from)], 0))
	style.With(th.Hit).With(over).Write(b, text.Visible(raw[max(begin, from):to], 0))
	same.With(over).Write(b, text.Visible(raw[to:stop], 0))
	if cut {
		th.Dim.With(over).Write(b, "… "+text.Size(int64(len(raw)-stop))+" more")
	}
}

// trimEnd takes the line feed off a line of a text; one that has none shows by a
// sign, as does a carriage return.
func trimEnd(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == '\n' {
		return text[:n-1]
	}
	return text
}

// copyLine copies the line under the cursor without its sign.
func (p *Pane) copyLine() tea.Cmd {
	r := p.row()
	if r == nil {
		return nil
	}
	var b strings.Builder
	write(&b, r)
	return pane.Tell(pane.CopyMsg{What: "the line", Text: b.String()})
}

// text is the whole difference as text: two names, then lines with signs.
func (p *Pane) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", text.Visible([]byte(p.asked.Old.Name), 0), text.Visible([]byte(p.asked.New.Name), 0))
	for i := range p.rows {
		r := &p.rows[i]
		b.WriteByte(r.Sign)
		b.WriteString(strings.Repeat("  ", r.Depth))
		write(&b, r)
		b.WriteString(p.comma(i, '-'))
		b.WriteByte('\n')
	}
	return b.String()
}

// write writes a row: the bytes as they are, what is folded as a count.
func write(b *strings.Builder, r *row) {
	if r.Key != nil {
		b.Write(r.Key)
		b.WriteString(": ")
	}
	b.Write(trimEnd(r.Text))
	switch {
	case r.Same == 0:
	case r.Path == "":
		fmt.Fprintf(b, "… %s the same", text.Plural(int64(r.Same), "line"))
	default:
		closing := byte('}')
		if r.Text[0] == '[' {
			closing = ']'
		}
		fmt.Fprintf(b, " … %d the same %c", r.Same, closing)
	}
}
