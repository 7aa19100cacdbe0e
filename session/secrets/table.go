package secrets

import (
	"bytes"
	"strings"
)

// Bounds of a table: cells of a row, and bytes of a cell that may be the head of a column.
const (
	maxCells = 256
	maxHead  = 64
)

// columns are names of lists in which JSON has the heads of columns. Lists with the rows follow.
var columns = set{list: "columns"}

// cell looks at the line of a separator, the first of its line, as a row of a table.
func (s *scan) cell(at int) {
	if at < s.tabled {
		return
	}
	from := at
	for from > 0 && at-from <= maxHead && s.text[from-1] >= ' ' && strings.IndexByte(",:{}[]()=;|\"", s.text[from-1]) < 0 {
		from--
	}
	switch quoted := from > 0 && s.text[from-1] == '"'; {
	case from == 0 || s.text[from-1] == '\n' || isEdge(s.text[from-1]):
		s.table(from, s.text[at])
	case quoted && s.text[at] != ',':
		s.table(from, s.text[at])
		s.tabled = min(s.tabled, s.closing(from))
	}
}

// table looks at a row of cells: with bars between them, as in Markdown and psql, with tabs or
// commas, or a list of JSON. Below the name of a secret it takes the cells of the rows that
// follow, and behind such a name a value that says nothing to people.
func (s *scan) table(from int, sep byte) {
	heads, end := s.row(from, sep)
	s.tabled = end
	var found []int
	for i, c := range heads {
		head := s.text[c.from:c.to]
		if len(head) == 0 && sep == '|' {
			continue // before the first bar, or behind the last one
		}
		if len(head) == 0 || len(head) > maxHead || digit(head[0]) || sep == ',' && i > 0 && s.text[c.from-1] == ' ' { // prose
			return
		}
		if !s.f.secretName(head) {
			continue
		}
		found = append(found, i)
		if i+1 < len(heads) && sep != ',' {
			value := heads[i+1].from
			if to := min(heads[i+1].to, s.wordEnd(value)); value < to && opaque(s.text[value:to]) {
				s.add(value, to, "text "+clip(head))
				return
			}
		}
	}
	line := s.nextRow(end)
	if len(found) == 0 || len(heads) < 2 || sep == '|' && !s.ruler(line) {
		return
	}
	for ; line > 0; line = s.nextRow(end) {
		cells, to := s.row(line, sep)
		end = to
		if s.ruler(line) {
			continue
		}
		if len(cells) != len(heads) {
			return
		}
		s.tabled = end
		for _, i := range found {
			name, c := s.text[heads[i].from:heads[i].to], cells[i]
			vague := weak.get()[plainName(name)]
			if i := bytes.IndexByte(s.text[c.from:c.to], ' '); i > 0 && sep != '|' && !s.isQuote(c.from-1) {
				c.to, vague = c.from+i, true // prose may follow
			}
			if value := s.text[c.from:c.to]; (opaque(value) || !vague) && s.plausible(name, value, true, 0, 0) {
				s.add(c.from, c.to, "text "+clip(name))
			}
		}
	}
}

// nextRow is where the row behind the end of another begins, 0 if there is none.
func (s *scan) nextRow(end int) int {
	far, first := 2, byte('\n')
	if end < len(s.text) && s.text[end] == ']' {
		far, first = maxHead, '['
	}
	next := bytes.IndexByte(s.text[end:min(len(s.text), end+far)], first)
	if next < 0 {
		return 0
	}
	return run(s.text, end+next+1, func(c byte) bool { return c == '[' })
}

// ruler reports whether a line only divides rows: |---|:--:|, ----+----.
func (s *scan) ruler(line int) bool {
	end := s.lineEnd(line)
	return bytes.IndexByte(s.text[line:end], '-') >= 0 && run(s.text[:end], line, func(c byte) bool { return bytes.IndexByte([]byte("-+|:= \t\r"), c) >= 0 }) == end
}

// row returns the cells of a row, without what is around their texts, and where it ends.
func (s *scan) row(line int, sep byte) (cells []member, end int) {
	list, around := line > 0 && s.text[line-1] == '[', func(c byte) bool { return c == ' ' || c == '"' || c == '`' || c == '*' || c == '\'' || isEdge(c) }
	end = min(len(s.text), line+maxLine)
	if !list {
		end = s.lineEnd(line)
	}
	for from, to := line, line; from <= end && len(cells) < maxCells; from = to + 1 {
		if to = run(s.text[:end], from, func(c byte) bool { return c == ' ' }); to < end && s.isQuote(to) && s.text[to] != '\'' {
			to = min(end, s.closing(to+1))
		}
		to = run(s.text[:end], to, func(c byte) bool { return c != sep && (c != ']' || !list) })
		if list && to < end && s.text[to] == ']' {
			end = to
		}
		cell := member{run(s.text[:to], from, around), to}
		for cell.to > cell.from && around(s.text[cell.to-1]) {
			cell.to--
		}
		cells = append(cells, cell)
	}
	return cells, end
}
