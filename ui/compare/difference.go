package compare

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/lazy"
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
		if a.paired, b.paired = true, true; a.Text[0] != b.Text[0] || head+tail < 4 {
			head, tail = 0, 0 // Quotes alone, and a digit here and there, are nothing in common.
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

// farOff is how many rows away the other one of an original and its replacement is looked
// for.
const farOff = 1 << 16

// errCrossed is said of a row that has no other one.
var errCrossed = errors.New("the message crossed as it came; is:decided shows those that did not")

// Replaced reads which row took the place of one that did not cross, or which one it took
// the place of: its replacement, or the answer that the sender of a stopped request got
// instead.
func Replaced(snap *session.Snapshot, log recorder.Log, row uint32) (uint32, error) {
	r := snap.Row(row)
	if r.Flags&session.FlagDecided == 0 {
		return session.NoRow, errCrossed
	}
	bodies := recorder.NewBodies(log)
	rec := bodies.Record(r.Off)
	if rec == nil {
		return session.NoRow, errors.New("the row cannot be read")
	}
	n, of := rec.N, rec.Of
	if of != 0 {
		for i := row; i > 0 && row-i < farOff; {
			if i--; uint64(snap.Row(i).N) == of {
				return i, nil
			}
		}
		return session.NoRow, errors.New("the message whose place it took is not in the recording")
	}
	for i := row + 1; i < uint32(snap.Len()) && i-row < farOff; i++ {
		next := snap.Row(i)
		if next.Flags&session.FlagDecided == 0 {
			continue
		}
		if rec := bodies.Record(next.Off); rec != nil && rec.Of == n {
			return i, nil
		}
	}
	return session.NoRow, errors.New("nothing took its place")
}

// usual are the patterns of what mostly differs without being a difference.
var usual = []string{".._meta", "..timestamp"}

var (
	// timely are the names of members that hold times, and what time makes of them.
	timely = lazy.Regexp{Text: `(?i)(time|date|stamp|duration|elapsed|latency|uptime|expires|ttl)|(At|_at|_ms|Ms)$`}

	// instant is how a time is mostly written.
	instant = lazy.Regexp{Text: `^"?\d{4}-\d\d-\d\d([T ]\d\d:\d\d|"?$)`}

	// lastName is the name at the end of a path.
	lastName = lazy.Regexp{Text: `\.([A-Za-z_][A-Za-z0-9_]*)$`}
)

// Suggest returns patterns that are worth ignoring, sorted: what differs now and looks
// like a time or is in _meta, and what usually does. Those that are ignored are not
// among them.
func (p *Pane) Suggest() []string {
	list := slices.Clone(usual)
	for i := range p.rows {
		r := &p.rows[i]
		if r.Sign == ' ' || r.Path == "" {
			continue
		}
		name := lastName.Get().FindStringSubmatch(r.Path)
		switch {
		case strings.Contains(r.Path, "._meta"):
		case name == nil:
			if instant.Get().Match(r.Text) {
				list = append(list, r.Path)
			}
		case timely.Get().MatchString(name[1]), instant.Get().Match(r.Text):
			list = append(list, ".."+name[1])
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), p.ignores)
}

// ignores reports whether a pattern is ignored, as it was written.
func (p *Pane) ignores(pattern string) bool {
	return slices.ContainsFunc(p.ignore, func(known diff.Path) bool { return known.String() == pattern })
}
