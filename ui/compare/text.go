package compare

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/format"
	"wiretea/ui/pane"
)

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
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", format.Visible([]byte(p.asked.Old.Name), 0), format.Visible([]byte(p.asked.New.Name), 0))
	for i := range p.rows {
		r := &p.rows[i]
		b.WriteByte(r.Sign)
		b.WriteString(strings.Repeat("  ", r.Depth))
		write(&b, r)
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
		fmt.Fprintf(b, "… %s the same", format.Plural(int64(r.Same), "line"))
	default:
		closing := byte('}')
		if r.Text[0] == '[' {
			closing = ']'
		}
		fmt.Fprintf(b, " … %d the same %c", r.Same, closing)
	}
}
