package traffic

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// SetNote marks a row or takes its mark off, and comments it; empty = no comment.
func (p *Pane) SetNote(c *pane.Context, row uint32, mark bool, text string) tea.Cmd {
	p.marks = with(p.marks, row, mark)
	p.noted = with(p.noted, row, mark || text != "")
	// What is drawn is never written to.
	p.comments = maps.Clone(p.comments)
	if p.comments == nil {
		p.comments = make(map[uint32]string)
	}
	if p.comments[row] = text; text == "" {
		delete(p.comments, row)
	}
	p.there = upTo(p.noted, uint32(c.Snap.Len()))
	switch {
	case p.only && len(p.there) == 0:
		return p.onlyMarks(c, false)
	case p.only:
		p.settle(c)
	}
	return nil
}

// with returns ascending rows with one of them, or without it, as a list of its own:
// the old one may be shown, and searched, in commands.
func with(rows []uint32, row uint32, in bool) []uint32 {
	i, has := slices.BinarySearch(rows, row)
	switch {
	case has == in:
		return rows
	case in:
		return slices.Insert(slices.Clone(rows), i, row)
	}
	return slices.Delete(slices.Clone(rows), i, i+1)
}

// upTo returns those of ascending rows that are before row n.
func upTo(rows []uint32, n uint32) []uint32 {
	at, _ := slices.BinarySearch(rows, n)
	return slices.Clip(rows[:at])
}

// onlyMarks shows the marked rows alone, or all again.
func (p *Pane) onlyMarks(c *pane.Context, on bool) tea.Cmd {
	p.only, p.follow, p.top = on, p.follow && !on, centre
	p.base = p.end()
	p.settle(c)
	var cmd tea.Cmd
	if p.search.filter != nil {
		cmd = p.searchAnew(c)
	}
	return tea.Batch(cmd, p.load(c))
}

// commentSign is before a comment, and in the margin of its row.
const commentSign = "✎"

// leastComment is how many cells a row must have for its text to share them with a
// comment.
const leastComment = 30

// textAndComment writes what a row is about and, at the end, what was said about it.
func (d *drawer) textAndComment(i uint32, w int, words func(w int)) {
	said := d.p.comments[i]
	if said == "" || w < leastComment {
		words(w)
		return
	}
	said = commentSign + " " + text.Visible([]byte(said), w)
	n := min(cells.Width(said), w/2)
	words(w - n - 1)
	d.Space(1)
	d.Left(d.th.Mark, said, n)
}

// A comment takes at most so many lines below the list, which keeps at least as many
// as listLeast.
const (
	commentLines = 3
	listLeast    = 5
)

// remark is the comment on the selected row, in lines of w cells; nil where there is
// none, or the pane of h lines has no room for it.
func (p *Pane) remark(th *style.Theme, w, h int) []string {
	said := p.comments[p.row]
	if said == "" || p.at < 0 || h <= listLeast || w < 10 {
		return nil
	}
	parts := cells.Clip(text.Visible([]byte(said), 0), w-4, min(commentLines, h-listLeast))
	lead := " " + commentSign + " "
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = cells.Fit(th.Mark.Paint(lead+part), w)
		lead = "   "
	}
	return lines
}

// Marks returns the marked rows in their order, also those that an earlier moment
// does not show. The slice must not be changed.
func (p *Pane) Marks() []uint32 { return p.marks }

// Noted returns the rows that are marked or have a comment, in their order. The slice
// must not be changed.
func (p *Pane) Noted() []uint32 { return p.noted }

// Comment returns what was said about a row, empty for nothing.
func (p *Pane) Comment(row uint32) string { return p.comments[row] }

// Words returns what row i says, as its line has it; empty where that was not read.
func (p *Pane) Words(i uint32) string {
	x, _ := p.texts.of(i)
	return x.text
}
