package text

import (
	"slices"
	"strings"

	"wiretea/session/cells"
)

// A Table is rows of cells in columns, two blanks apart. A column is as wide as its
// widest cell, in cells of the terminal. The zero value is an empty table.
//
// lipgloss/table prints the same, but takes 65 µs a row where this takes 1 µs:
// 13 ms for the list of rules, three times the start of the process.
type Table struct {
	Indent string
	Right  []int // Right lists the columns that are aligned to the right, from 0.

	rows [][]string
}

// Add appends a row. Control characters and escape sequences in it become visible.
func (t *Table) Add(row ...string) {
	for i := range row {
		row[i] = Visible([]byte(row[i]), 0)
	}
	t.rows = append(t.rows, row)
}

// Lines returns the rows as lines without trailing blanks.
func (t *Table) Lines() []string {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells.Width(cell))
		}
	}
	lines := make([]string, len(t.rows))
	for j, row := range t.rows {
		padded := make([]string, len(row))
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-cells.Width(cell))
			if slices.Contains(t.Right, i) {
				padded[i] = pad + cell
			} else {
				padded[i] = cell + pad
			}
		}
		lines[j] = strings.TrimRight(t.Indent+strings.Join(padded, "  "), " ")
	}
	return lines
}

// String returns the lines, each with a newline.
func (t *Table) String() string {
	if len(t.rows) == 0 {
		return ""
	}
	return strings.Join(t.Lines(), "\n") + "\n"
}
