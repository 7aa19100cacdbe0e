package jsonview

import (
	"fmt"
	"sort"
	"unicode/utf8"

	"wiretea/session/cells"
	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/highlight"
)

// A place is a row of the display: the line, and the byte of it that the row
// begins with.
type place struct {
	line uint32
	off  int
}

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.off < q.off }

// segment is after how many bytes a wrapped line begins a new row at the latest.
// Rows are counted from there, so that going up costs no more than going down.
const segment = 8 << 10

// tokens returns the tokens of line n, to draw it from a byte on.
func (v *View) tokens(n uint32, l *line, from int) []token {
	b, out := v.doc.body, v.toks[:0]
	switch l.kind {
	case noteLine:
		words := fmt.Sprintf("✖ byte %s: %s", text.Count(int64(v.doc.bad)), v.doc.wrong)
		out = append(out, token{from: l.off, to: l.off, words: words, ink: inkError})
	case textLine:
		end := l.end
		if end > l.off && b[end-1] == '\n' {
			end--
		}
		out = v.textTokens(out, l.off, end, from)
		if end < l.end && v.doc.opt.Raw {
			out = append(out, token{from: end, to: l.end, words: "␊", ink: inkDim})
		}
	case closeLine:
		out = append(out, token{from: l.off, to: l.off + 1, ink: inkPunct})
		out = appendComma(out, b, l.off+1, l.end)
	case leafLine, openLine:
		if l.hasKey() {
			end := lex.StringEnd(b[:l.value], l.off)
			out = append(out, token{from: l.off, to: end, ink: inkKey, str: true},
				token{from: end, to: l.value, words: ": ", ink: inkPunct})
		}
		out = v.valueTokens(out, n, l)
	}
	v.toks = out
	return out
}

// mostSpans is how many pieces of a line have a colour in one row.
const mostSpans = 512

// textTokens appends the tokens of a line of text, to draw it from a byte on: its
// pieces where they are known.
func (v *View) textTokens(out []token, off, end, from int) []token {
	spans := v.doc.opt.Spans
	if v.doc.kind != Text || len(spans) == 0 {
		return append(out, token{from: off, to: end, ink: inkText})
	}
	from = max(off, from)
	if from > off {
		out = append(out, token{from: off, to: from, ink: inkText})
	}
	first := sort.Search(len(spans), func(i int) bool { return spans[i].End > from })
	for _, s := range spans[first:min(len(spans), first+mostSpans)] {
		to := min(s.End, end)
		switch {
		case from >= end:
			return out
		case splits(v.doc.body, to):
			continue // The next piece takes it along.
		}
		out = append(out, token{from: from, to: to, ink: inkOf[s.Kind]})
		from = to
	}
	if from < end || len(out) == 0 {
		out = append(out, token{from: from, to: end, ink: inkText})
	}
	return out
}

// splits reports whether a place is within what is one character on the screen.
func splits(b []byte, at int) bool {
	if at >= len(b) || b[at] < utf8.RuneSelf {
		return false
	}
	i := at - 1
	for i > max(0, at-maxCluster) && b[i] >= utf8.RuneSelf {
		i--
	}
	for i < at {
		cluster, _ := cells.Cluster(b[i:min(len(b), i+maxCluster)])
		i += len(cluster)
	}
	return i > at
}

// inkOf is what pieces of a text are drawn with.
var inkOf = [highlight.NumKinds]ink{
	highlight.Plain: inkText, highlight.Name: inkKey, highlight.Keyword: inkLiteral, highlight.String: inkString, highlight.Number: inkNumber,
	highlight.Punct: inkPunct, highlight.Comment: inkDim, highlight.Strong: inkStrong, highlight.Inserted: inkGood, highlight.Deleted: inkError,
}

// valueTokens appends the tokens of a line's value.
func (v *View) valueTokens(out []token, n uint32, l *line) []token {
	b := v.doc.body
	if l.value >= l.end {
		return out
	}
	c := b[l.value]
	if l.kind == openLine {
		if v.isFolded(n, l) {
			return v.foldedTokens(out, n, l)
		}
		return append(out, token{from: l.value, to: l.value + 1, ink: inkPunct})
	}
	end := trimEnd(b, l.value, l.end)
	t := token{from: l.value, to: end, ink: inkLiteral}
	switch {
	case c == '"':
		t.ink, t.str = inkString, true
	case c == '{' || c == '[':
		t.ink, t.words = inkPunct, string([]byte{c, c + 2})
	case c == '-' || c >= '0' && c <= '9':
		t.ink = inkNumber
	}
	return appendComma(append(out, t), b, end, l.end)
}

// foldedTokens appends what stands for a container: how much is in it, and its beginning,
// both within its brackets: behind them it would look like broken JSON.
func (v *View) foldedTokens(out []token, n uint32, l *line) []token {
	b := v.doc.body
	last, whole := v.read.closeOf(n)
	noun, sign := "key", "{"
	closing := " }"
	if b[l.value] == '[' {
		noun, sign, closing = "item", "[", " ]"
	}
	words := sign + " …"
	if count, ok := v.read.count(last, n); ok && whole {
		words = sign + " " + text.Plural(int64(count), noun)
	}
	if !whole {
		closing = ""
	}
	end := v.read.at(last)
	to := end.off + 1
	if !whole {
		to = end.end
	}
	inside := min(l.value+1, to)
	out = append(out, token{from: l.value, to: inside, words: words + ": ", ink: inkFold}, token{from: inside, to: max(inside, end.off), ink: inkDim, brief: true})
	if closing != "" {
		out = append(out, token{from: to - 1, to: to, words: closing, ink: inkFold})
	}
	return appendComma(out, b, to, end.end)
}

// appendComma appends the comma that follows a value, if one does.
func appendComma(out []token, b []byte, from, end int) []token {
	if i := lex.SkipSpace(b[:end], from); i < end && b[i] == ',' {
		return append(out, token{from: from, to: end, words: ",", ink: inkPunct})
	}
	return out
}

// layout fills the cells of the row that begins at byte from of line n, at most
// w wide. It returns where the next row of that line begins, and reports false
// where there is none.
func (v *View) layout(n uint32, l *line, from, w int, wrap bool) (next int, more bool) {
	c := &v.cells
	c.reset()
	limit := l.end
	if wrap {
		limit = v.segmentStart(l, v.segmentOf(l, from)+1)
	}
	v.cutToken = nil
	tokens := v.tokens(n, l, from)
	for i := range tokens {
		t := &tokens[i]
		if t.words != "" {
			if t.from < from {
				continue
			}
			if width := utf8.RuneCountInString(t.words); wrap && c.width > 0 && c.width+width > w {
				return t.from, true
			}
			c.words(t.words, t.from, t.ink)
			if c.width > w && !wrap {
				v.cutToken = t
				return t.to, true
			}
			c.cut(w)
			continue
		}
		if t.to <= from {
			continue
		}
		at, stop := v.fill(t, max(t.from, from), limit, w, wrap)
		if at < t.to || stop && (i+1 < len(tokens)) {
			v.cutToken = t
			return at, true
		}
	}
	return l.end, false
}

// fill adds the bytes of a token from at on, while they fit and begin before
// limit. It returns how far it came, and reports whether the row ends there.
func (v *View) fill(t *token, at, limit, w int, wrap bool) (int, bool) {
	b, c := v.doc.body, &v.cells
	for at < t.to {
		if wrap && at >= limit && c.width > 0 {
			return at, true
		}
		u := t.next(b[at:t.to], wrap)
		if u.width > w {
			u = unit{text: "…", width: 1, size: u.size}
		}
		if u.ends {
			return at + u.size, true
		}
		if c.width+u.width > w {
			return at, true
		}
		c.list = append(c.list, cell{text: uint32(len(c.text)), raw: at, width: uint8(u.width), ink: t.ink})
		if u.plain {
			c.text = append(c.text, b[at])
		} else {
			c.text = append(c.text, u.text...)
		}
		c.width += u.width
		at += u.size
	}
	return at, false
}

// segmentStart returns where segment k of a line begins: not within an escape or
// a character.
func (v *View) segmentStart(l *line, k int) int {
	if k <= 0 {
		return l.off
	}
	return v.boundary(l, min(l.off+k*segment, l.end))
}

// boundary returns the first place from at on that is not within an escape or a
// character.
func (v *View) boundary(l *line, at int) int {
	b := v.doc.body
	for i := 0; i < 3 && at < l.end && b[at]&0xc0 == 0x80; i++ {
		at++
	}
	if l.kind != leafLine {
		return at
	}
	for i := at - 1; i >= max(l.off, at-6); i-- {
		if b[i] != '\\' {
			continue
		}
		run := i
		for run > max(l.off, i-segment) && b[run-1] == '\\' {
			run--
		}
		if (i-run)%2 == 1 {
			continue // It is escaped itself, and ends its escape.
		}
		if end := i + escapeLen(b[i:l.end]); end > at {
			return min(end, l.end)
		}
		break
	}
	return at
}

// segmentOf returns which segment of a line a byte is in.
func (v *View) segmentOf(l *line, at int) int {
	k := (at - l.off) / segment
	if v.segmentStart(l, k) > at {
		k--
	}
	return k
}

// room is the width that the text of a line has, and where it begins.
func (v *View) room(l *line, w int) (indent, room int) {
	if v.doc.kind == JSON {
		indent = min(2*l.depth, max(0, w/2-2)) + signWidth
	}
	return indent, max(1, w-indent)
}

// signWidth is the width of the column with the signs of folding.
const signWidth = 2

// wraps reports whether line n takes as many rows as it needs.
func (v *View) wraps(n uint32, l *line) bool { return v.wrap && !v.isFolded(n, l) }

// nextRow returns the row behind p. It reports false at the end.
func (v *View) nextRow(p place) (place, bool) {
	if v.doc.kind == Hex {
		q := place{line: p.line + 1}
		return q, int(q.line) < v.hexRows()
	}
	l := v.read.at(p.line)
	if v.wraps(p.line, &l) {
		_, w := v.room(&l, v.w)
		if next, more := v.layout(p.line, &l, p.off, w, true); more {
			return place{p.line, next}, true
		}
	}
	n := v.after(p.line)
	if n == none {
		return p, false
	}
	return v.firstRow(n), true
}

// prevRow returns the row before p. It reports false at the beginning.
func (v *View) prevRow(p place) (place, bool) {
	if v.doc.kind == Hex {
		return place{line: max(p.line, 1) - 1}, p.line > 0
	}
	l := v.read.at(p.line)
	if p.off > l.off && v.wraps(p.line, &l) {
		return v.rowBefore(p.line, &l, p.off), true
	}
	n := v.before(p.line)
	if n == none {
		return p, false
	}
	return v.lastRow(n), true
}

func (v *View) firstRow(n uint32) place {
	if v.doc.kind == Hex || n >= v.doc.lines {
		return place{line: n}
	}
	return place{n, v.read.at(n).off}
}

// lastRow returns the last row of line n.
func (v *View) lastRow(n uint32) place {
	l := v.read.at(n)
	if !v.wraps(n, &l) {
		return place{n, l.off}
	}
	return v.rowBefore(n, &l, l.end+1)
}

// rowBefore returns the last row of line n that begins before a byte.
func (v *View) rowBefore(n uint32, l *line, before int) place {
	for k := v.segmentOf(l, max(l.off, min(before, l.end)-1)); k >= 0; k-- {
		starts := v.rowsOf(n, l, k)
		if i := sort.SearchInts(starts, before) - 1; i >= 0 {
			return place{n, starts[i]}
		}
	}
	return place{n, l.off}
}

// segmentRows are where the rows of one segment begin.
type segmentRows struct {
	line   uint32
	k, w   int // w is 0 while nothing is known.
	starts []int
}

// rowsOf returns where the rows of segment k of line n begin, and keeps it for
// the next time.
func (v *View) rowsOf(n uint32, l *line, k int) []int {
	_, w := v.room(l, v.w)
	kept := &v.rows
	if kept.line == n && kept.k == k && kept.w == w {
		return kept.starts
	}
	kept.line, kept.k, kept.w, kept.starts = n, k, w, kept.starts[:0]
	at, end := v.segmentStart(l, k), v.segmentStart(l, k+1)
	for {
		next, more := v.layout(n, l, at, w, true)
		if len(v.cells.list) > 0 || k == 0 && len(kept.starts) == 0 || more && at < end {
			kept.starts = append(kept.starts, at)
		}
		if !more || next >= end || next <= at {
			return kept.starts
		}
		at = next
	}
}

// rowOf returns the row of line n that shows a byte.
func (v *View) rowOf(n uint32, off int) place {
	l := v.read.at(n)
	if !v.wraps(n, &l) {
		return place{n, l.off}
	}
	return v.rowBefore(n, &l, off+1)
}
