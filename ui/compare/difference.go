package compare

import (
	"errors"
	"unicode/utf8"

	"wiretea/session/json/diff"
)

// An outcome is what came of a comparison.
type outcome struct {
	rows    []row
	changes int  // changes counts the differences among the rows.
	more    bool // more: there are more rows than are shown.
	first   string
	note    string // note says how it was compared, where not as JSON.
	why     string // why says why nothing could be compared, empty = it was.
}

// difference compares two texts: as JSON, else line by line.
func difference(old, new []byte, ignore []diff.Path) outcome {
	var got outcome
	lines, more, err := diff.Lines(old, new, ignore...)
	if errors.Is(err, diff.ErrNotJSON) {
		got.note = "not JSON, compared line by line"
		lines, more, err = diff.TextLines(old, new)
	}
	if err != nil {
		got.why = err.Error()
		return got
	}
	got.more = more
	got.rows = make([]row, len(lines))
	for i, l := range lines {
		got.rows[i].Line = l
		if l.Change > got.changes {
			got.changes = l.Change
			if l.Change == 1 {
				got.first = l.Path
			}
		}
	}
	emphasise(got.rows)
	return got
}

// emphasise marks what differs within two lines of which one took the other's
// place.
func emphasise(rows []row) {
	for i := 0; i+1 < len(rows); i++ {
		a, b := &rows[i], &rows[i+1]
		if a.Sign != '-' || b.Sign != '+' || a.Change != b.Change || a.Path != b.Path || len(a.Text) == 0 || len(b.Text) == 0 {
			continue
		}
		if i > 0 && rows[i-1].Sign == '-' && rows[i-1].Change == a.Change || i+2 < len(rows) && rows[i+2].Sign == '+' && rows[i+2].Change == b.Change {
			continue // several lines took the place of others
		}
		head, tail := common(a.Text, b.Text)
		// Quotes alone, and a digit here and there, are nothing in common.
		if a.Text[0] != b.Text[0] || head+tail < 4 {
			continue
		}
		a.from, a.to = head, len(a.Text)-tail
		b.from, b.to = head, len(b.Text)-tail
	}
}

// common is how much two texts have in common at their beginning and at their end,
// in bytes, cut between characters.
func common(a, b []byte) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	for head > 0 && head < len(a) && !utf8.RuneStart(a[head]) {
		head--
	}
	for head > 0 && head < len(b) && !utf8.RuneStart(b[head]) {
		head--
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(a[len(a)-tail]) {
		tail--
	}
	return head, tail
}
