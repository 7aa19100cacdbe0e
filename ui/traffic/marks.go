package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/pane"
)

// mark marks the row under the cursor, or takes its mark off.
func (p *Pane) mark(c *pane.Context) tea.Cmd {
	i, marked := slices.BinarySearch(p.marks, p.row)
	// The list may be shown, and searched, in commands: it is made anew.
	marks := make([]uint32, 0, len(p.marks)+1)
	marks = append(marks, p.marks[:i]...)
	if marked {
		marks = append(marks, p.marks[i+1:]...)
	} else {
		marks = append(append(marks, p.row), p.marks[i:]...)
	}
	p.marks = marks
	if p.only && len(marks) == 0 {
		return p.onlyMarks(c, false)
	}
	if p.only {
		p.settle(c)
	}
	return nil
}

// nextMark goes to the next marked row, past those that are not shown.
func (p *Pane) nextMark(c *pane.Context, dir int) tea.Cmd {
	list := p.list()
	i, on := slices.BinarySearch(p.marks, p.row)
	if !on && dir > 0 {
		i--
	}
	for k := 1; k <= len(p.marks); k++ {
		pos := i + k*dir
		row := p.marks[((pos%len(p.marks))+len(p.marks))%len(p.marks)]
		if _, shown := slices.BinarySearch(list, row); !shown {
			continue
		}
		p.selectRow(row)
		cmd := p.load(c)
		if pos < 0 || pos >= len(p.marks) {
			cmd = tea.Batch(cmd, say(wrapWords[dir > 0]))
		}
		return cmd
	}
	return say("no marked row is shown")
}

// onlyMarks shows the marked rows alone, or all again.
func (p *Pane) onlyMarks(c *pane.Context, on bool) tea.Cmd {
	p.only, p.follow, p.top = on, p.follow && !on, centre
	p.base = len(p.list())
	p.settle(c)
	var cmd tea.Cmd
	if p.search.filter != nil {
		cmd = p.searchAnew(c)
	}
	return tea.Batch(cmd, p.load(c))
}
