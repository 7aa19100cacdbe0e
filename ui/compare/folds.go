package compare

import (
	"slices"

	"wiretea/session/json/diff"
)

// A place is one line of the page: a row, or two side by side; -1 = none.
type place struct{ old, new int }

// row is the one that counts of a place.
func (at place) row() int {
	if at.new >= 0 {
		return at.new
	}
	return at.old
}

// A layout is what places were made for.
type layout struct {
	side    bool
	changed int
}

// lay makes the places, where they are not made already. The cursor stays with its
// row.
func (p *Pane) lay(side bool) {
	want := layout{side, p.changed}
	if p.laid == want {
		return
	}
	p.laid = want
	at := 0
	if p.list.At < len(p.places) {
		at = p.places[p.list.At].row()
	}
	p.places = p.places[:0]
	for i := 0; i < len(p.rows); {
		if !side || p.rows[i].Sign == ' ' {
			p.places = append(p.places, place{i, i})
			i++
			continue
		}
		i = p.columns(i)
	}
	p.goTo(at)
}

// columns lays what one difference has in two columns, from row i on, and returns
// where it ends.
func (p *Pane) columns(i int) int {
	minus, change := i, p.rows[i].Change
	for i < len(p.rows) && p.rows[i].Sign == '-' && p.rows[i].Change == change {
		i++
	}
	plus := i
	for i < len(p.rows) && p.rows[i].Sign == '+' && p.rows[i].Change == change {
		i++
	}
	for k := range max(plus-minus, i-plus) {
		at := place{-1, -1}
		if minus+k < plus {
			at.old = minus + k
		}
		if plus+k < i {
			at.new = plus + k
		}
		p.places = append(p.places, at)
	}
	return i
}

// goTo puts the cursor on a row.
func (p *Pane) goTo(r int) {
	for i, at := range p.places {
		if at.old == r || at.new == r {
			p.list.At = i
			return
		}
	}
}

// row returns the row under the cursor, nil where there is none.
func (p *Pane) row() *row {
	if p.list.At >= len(p.places) {
		return nil
	}
	return &p.rows[p.places[p.list.At].row()]
}

// jump goes to the next difference in a direction, and round at the end. stay: the
// one under the cursor will do.
func (p *Pane) jump(dir int, stay bool) {
	n := len(p.places)
	change := func(i int) int {
		if i < 0 || i >= n {
			return 0
		}
		return p.rows[p.places[i].row()].Change
	}
	for k := range n {
		if !stay {
			k++
		}
		i := ((p.list.At+k*dir)%n + n) % n
		// A difference is gone to where it begins.
		if change(i) > 0 && change(i) != change(i-1) {
			p.list.At = i
			return
		}
	}
}

// unfold shows what is in the container, or the run of lines, under the cursor.
func (p *Pane) unfold() {
	r := p.row()
	if r == nil || r.Same == 0 {
		return
	}
	if fresh := opened(r.Line); len(p.rows)+len(fresh) <= mostRows {
		at := p.places[p.list.At].row()
		p.show(slices.Concat(p.rows[:at], fresh, p.rows[at+1:]))
	}
}

// mostRows is how many rows unfolding makes at most.
const mostRows = 2 * diff.MaxLines

// opened are the rows that a folded line stands for. The first of a container's
// remembers that line.
func opened(l diff.Line) []row {
	lines := l.Unfold()
	rows := make([]row, len(lines))
	for i := range lines {
		rows[i].Line = lines[i]
	}
	if l.Path != "" && len(rows) > 0 {
		rows[0].was = &l
	}
	return rows
}

// show takes other rows.
func (p *Pane) show(rows []row) {
	p.rows = rows
	p.changed++
	p.lay(p.laid.side)
}

// fold folds the container that was unfolded under the cursor, or goes to the line
// that the one under the cursor is set in below.
func (p *Pane) fold() {
	r := p.row()
	if r == nil {
		return
	}
	at := p.places[p.list.At].row()
	if r.was == nil {
		for i := at - 1; i >= 0; i-- {
			if p.rows[i].Depth < r.Depth {
				p.goTo(i)
				return
			}
		}
		return
	}
	end := at + 1
	for end < len(p.rows) && p.rows[end].Depth > r.Depth {
		end++
	}
	p.show(slices.Concat(p.rows[:at], []row{{Line: *r.was}}, p.rows[min(end+1, len(p.rows)):]))
}

// unfoldAll shows all there is, as far as there is room for so many rows.
func (p *Pane) unfoldAll() {
	var all []row
	queue := slices.Clone(p.rows)
	slices.Reverse(queue) // the next one is at the end
	for len(queue) > 0 {
		r := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if r.Same == 0 || len(all)+len(queue)+r.Same > mostRows {
			all = append(all, r)
			continue
		}
		fresh := opened(r.Line)
		slices.Reverse(fresh)
		queue = append(queue, fresh...)
	}
	p.show(all)
}
