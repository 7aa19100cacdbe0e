package traffic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A drawer draws the lines of one View.
type drawer struct {
	p    *Pane
	c    *pane.Context
	th   *style.Theme
	cols columns
	w    int
	*style.Line

	spot   spot // spot is how the row belongs to a round trip of HTTP.
	indent int  // indent is how many cells come before the text of the row.
	under  bool // under: the line above is the request that the row answers.

	at   *session.Conn // at is the connection that was looked up last; nil = none.
	asks int           // asks counts the questions for people that are open in it.
}

// line draws the row at a place in the list.
func (d *drawer) line(list []uint32, at int, over style.Style) string {
	i := list[at]
	msg, answer := d.p.folds.line(d.c.Snap, i)
	d.spot, d.indent = d.spotOf(list, at), 0
	d.under = at > 0 && isAnswer(d.c.Snap.Row(i)) && d.c.Snap.Row(i).Pair == list[at-1] && !d.p.isSorted()
	if d.c.Snap.Row(i).Kind == session.RowTrip && msg != session.NoRow {
		i = msg
	}
	r := d.c.Snap.Row(i)
	d.Reset(d.w, d.p.colour(d.c, i).With(over))
	noted := i
	for _, row := range [...]uint32{msg, answer, list[at]} {
		if d.p.comments[noted] == "" && row != session.NoRow && (d.isMarked(row) || d.p.comments[row] != "") {
			noted = row
		}
	}
	switch {
	case d.p.comments[noted] != "":
		d.Left(d.th.Mark, commentSign, markWidth)
	case d.isMarked(noted):
		d.Left(d.th.Mark, "◆", markWidth)
	default:
		d.Space(markWidth)
	}
	var all [numColumns]cell
	d.numbers(&all, list, at, i)
	if r.Kind == session.RowTrip {
		t := d.tripLine(i)
		all[colID] = cell{d.th.Dim, tripName(d.c.Snap, i)}
		all[colLatency].style, all[colLatency].text = d.tripTime(&t)
		all[colSize] = cell{}
		all[colFinding].style, all[colFinding].text = d.th.Severity(t.severity())
		if t.severity() == session.NoSeverity {
			all[colFinding] = cell{}
		}
		tint, sign := t.sign(d.th)
		return d.slots(&all, noted, tint, sign, func(w int) { d.trip(i, &t, w) })
	}
	if msg != session.NoRow {
		return d.exchange(&all, noted, msg, answer)
	}
	sign := signOf(r)
	if ends := d.ends(i, r); len(ends) > 0 && ends[0] == i {
		sign = "▾ "
		if d.p.folds.folded(d.c.Snap, i) {
			sign = "▸ "
		}
	}
	return d.slots(&all, i, d.tint(r), sign, func(w int) { d.text(i, r, w) })
}

// endWords names the streams that ended.
func endWords(s *session.Snapshot, ends []uint32) string {
	var names []string
	how := "end of file"
	for _, i := range ends {
		r := s.Row(i)
		if name := r.Stream.Stdio(); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if s.Name(r.Method) != "eof" {
			how = "ended"
		}
	}
	return strings.Join(names, ", ") + ": " + how
}

// ends are the ends of streams that belong together, nil where the row is none of several.
func (d *drawer) ends(i uint32, r session.Row) []uint32 {
	if !isEnd(d.c.Snap, r) {
		return nil
	}
	if ends := endsOf(d.c.Snap, i); len(ends) > 1 {
		return ends
	}
	return nil
}

func (d *drawer) isMarked(row uint32) bool {
	_, marked := slices.BinarySearch(d.p.marks, row)
	return marked
}

// numbers finds what the line of row i, at a place in the list, has in the columns besides its
// text.
func (d *drawer) numbers(all *[numColumns]cell, list []uint32, at int, i uint32) {
	r, t := d.c.Snap.Row(i), d.c.Snap.Row(list[at]).T
	before := int64(0)
	if at > 0 {
		before = d.c.Snap.Row(list[at-1]).T
	}
	all[colN] = cell{d.th.Dim, number(r.N)}
	all[colTime] = cell{d.th.Dim, d.c.When(t, before)}
	all[colConn] = cell{d.th.Dim, "c" + strconv.Itoa(d.c.Snap.Own(int(r.Conn)))}
	all[colLatency].style, all[colLatency].text = d.latency(list, i, r)
	all[colID] = cell{d.th.Dim, idText(d.c.Snap.ID(r), r.Way)}
	if sized(r.Kind) {
		style := d.th.Dim
		if limit := d.limits(r).MaxLine; limit > 0 && int64(r.Len) >= limit/2 && r.Stream != session.Stderr {
			style = share(d.th, int64(r.Len), limit)
		}
		all[colSize] = cell{style, text.Size(int64(r.Len))}
	}
	if r.Sev != session.NoSeverity {
		all[colFinding].style, all[colFinding].text = d.th.Severity(r.Sev)
	}
}

// idText is an id as the column shows it: of one of ours, which differ in their last part only,
// that.
func idText(id string, way session.Way) string {
	if at := strings.LastIndexByte(id, '-'); way != session.Crossed && strings.HasPrefix(id, `"wiretea-`) {
		return "…" + strings.TrimSuffix(id[at:], `"`)
	}
	return text.Visible([]byte(id), idWidth)
}

// slots draws the columns of a row. What it is about takes the place of the columns behind
// it too that are empty, but not of the findings'.
func (d *drawer) slots(all *[numColumns]cell, i uint32, tint style.Style, sign string, text func(w int)) string {
	behind := false // behind the text.
	for k := 0; k < len(d.cols.slots); k++ {
		s := d.cols.slots[k]
		switch {
		case s.col == colWhat:
			behind = true
			w := d.cols.text
			if d.spot.below {
				d.indent = min(indentWidth, w)
				d.Space(d.indent)
				w -= d.indent
			}
			d.Left(tint, sign, signWidth)
			d.Space(1)
			for k++; k < len(d.cols.slots); k++ {
				next := d.cols.slots[k]
				if next.col == colFinding || all[next.col].text != "" {
					break
				}
				w += next.width + 1
			}
			k--
			if d.spot.of != "" {
				left := d.part(d.th.Accent, d.spot.of, w)
				w, d.indent = left, d.indent+w-left
			}
			d.textAndComment(i, w, text)
		case behind:
			d.Space(1)
			d.Right(all[s.col].style, all[s.col].text, s.width)
		default:
			d.Right(all[s.col].style, all[s.col].text, s.width)
			d.Space(1)
		}
	}
	return d.String()
}

// sized reports whether the length of rows of that kind is a size to show.
func sized(k session.RowKind) bool { return !k.Event() || k == session.RowTripEnd }

func number(n uint32) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(n), 10)
}

// tint is the style of a row's sign: who asks, who answers, what went wrong, and
// what did not go from one to the other.
func (d *drawer) tint(r session.Row) style.Style {
	server := r.Stream != session.C2S
	if r.Way != session.Crossed {
		return d.th.Warning
	}
	if r.Failed() {
		return d.th.Error
	}
	switch r.Kind {
	case session.RowText, session.RowGap:
		return d.th.Error
	case session.RowGrowing, session.RowBatch:
		return d.th.Warning
	case session.RowPart, session.RowHeader, session.RowBlank, session.RowStderr, session.RowIO, session.RowError, session.RowTrip, session.RowTripResponse, session.RowTripEnd:
		return d.th.Dim
	case session.RowProc:
		return d.th.Accent
	case session.RowRequest:
		if server {
			return d.th.Asks
		}
	case session.RowResult:
		if !server {
			return d.th.Asks
		}
	case session.RowNotification:
	}
	if server {
		return d.th.Server
	}
	return d.th.Client
}

// text writes what a row is about: its target and what it says, or an event.
func (d *drawer) text(i uint32, r session.Row, w int) {
	x, ok := d.p.texts.of(i)
	words := x.text
	if !ok && r.Kind.HasBody() && !named(d.c.Snap, r) {
		words = "…"
	}
	switch r.Kind {
	case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
		d.message(i, r, words, w)
	case session.RowText:
		d.Left(d.th.Text, words, w)
	case session.RowPart, session.RowHeader, session.RowStderr:
		d.Left(d.th.Dim, words, w)
	case session.RowBlank:
		d.Left(d.th.Dim, "(blank line)", w)
	case session.RowGrowing:
		d.growing(r, words, w)
	case session.RowIO, session.RowProc, session.RowGap:
		if ends := d.ends(i, r); len(ends) > 0 && ends[0] == i && d.p.folds.folded(d.c.Snap, i) {
			words = endWords(d.c.Snap, ends)
		}
		d.event(r, words, w)
	case session.RowTripEnd, session.RowTrip, session.RowTripResponse:
		d.event(r, d.c.Snap.TripWords(i), w)
	}
}

// message writes what a message is about, how it stands, and what it says.
func (d *drawer) message(i uint32, r session.Row, words string, w int) {
	if d.cols.bare && !r.Failed() && named(d.c.Snap, r) {
		words = ""
	}
	const gap = 2
	keep := 0
	if isAnswer(r) && words != "" && (w >= 24 || d.under) {
		keep = gap + min(w*2/5, cells.Width(words)) // The line of the request has the whole target.
	}
	left, style := d.subject(r, w, keep)
	left = d.part(d.th.Warning, d.p.way(d.c, i, r), left)
	left = d.standing(i, r, left)
	if gap := left - (w - d.cols.tab + d.indent); d.cols.tab > 0 && words != "" && gap > 0 {
		d.Space(gap)
		left -= gap
	}
	if r.Kind == session.RowError {
		words = wholeCode(words, left)
	}
	switch {
	case r.Failed():
		style = d.th.Error
	case r.Kind == session.RowError:
		left = d.part(style, "legacy server", left)
	}
	left = d.part(style, words, left)
	d.Space(left)
}

// subject writes what a message is about: target and a verb, or the method. keep cells are kept
// for what the message says, with the gap before it. It returns how many cells are left, and the
// style of what the message says.
func (d *drawer) subject(r session.Row, w, keep int) (left int, says style.Style) {
	s := d.c.Snap
	dim := r.Kind == session.RowNotification || r.Kind == session.RowResult || r.Flags&session.FlagProbe != 0
	method, target := s.Name(r.Method), text.Visible([]byte(s.Name(r.Target)), w)
	if d.under && keep > 0 {
		method, target = "", "" // The line above says it.
	}
	style, says := d.th.Text, d.th.Text
	if dim {
		style = d.th.Dim
	}
	if r.Kind == session.RowRequest {
		says = d.th.Dim
	}
	if r.Kind == session.RowBatch && method != "" {
		target = "…"
	}
	if verb := verbOf(method); target != "" && verb != "" && !d.cols.exact {
		method, style = verb, d.th.Dim
	}
	left = d.cut(style, text.Visible([]byte(method), w), w-keep, w)
	switch {
	case isLog(s, r):
		sign, level := d.th.LogLevel(s.Name(r.Target))
		left = d.part(level, strings.TrimSpace(sign+" "+text.Visible([]byte(s.Name(r.Target)), 20)), left)
	case dim:
		left = d.cut(d.th.Text, target, left-keep, left)
	default:
		left = d.cut(d.th.Strong, target, left-keep, left)
	}
	return left, says
}

// wholeCode keeps the code of an error whole in w cells: with the beginning of
// its message, alone, or not at all.
func wholeCode(words string, w int) string {
	const someWords = 6
	code, _, _ := strings.Cut(words, " ")
	switch n := cells.Width(code); {
	case n > w:
		return ""
	case n+someWords > w:
		return code
	}
	return words
}

// part writes text and two spaces into w cells, and returns how many are left.
func (d *drawer) part(style style.Style, text string, w int) int { return d.cut(style, text, w, w) }

// cut is part with a text that takes most cells at most.
func (d *drawer) cut(style style.Style, text string, most, w int) int {
	most = min(most, w)
	if text == "" || most <= 0 {
		return w
	}
	text = cells.Head(text, most)
	n := min(most, cells.Width(text))
	d.Left(style, text, n)
	w -= n
	gap := min(w, 2)
	d.Space(gap)
	return w - gap
}

// growing shows a frame that has not ended, and how near it is to the length at
// which common clients give up.
func (d *drawer) growing(r session.Row, words string, w int) {
	limit := d.limits(r).MaxLine
	if r.Stream == session.Stderr || limit <= 0 {
		d.Left(d.th.Dim, words, w)
		return
	}
	percent := int64(r.Len) * 100 / limit
	note := fmt.Sprintf("unfinished line, %d %% of %s", percent, text.Size(limit))
	left := d.part(share(d.th, int64(r.Len), limit), note, w)
	left = d.part(d.th.Dim, words, left)
	d.Space(left)
}

// share is the style of a number that has a limit: half of it is a warning.
func share(th *style.Theme, n, limit int64) style.Style {
	switch {
	case n >= limit:
		return th.Error
	case n >= limit/2:
		return th.Warning
	}
	return th.Text
}

// event writes what happened; until that is read, what the row tells of it.
func (d *drawer) event(r session.Row, words string, w int) {
	if words == "" {
		words = text.Visible([]byte(strings.TrimSpace(d.c.Snap.Name(r.Method)+"  "+d.c.Snap.Name(r.Target))), w)
	}
	style := d.th.Dim
	switch r.Kind {
	case session.RowProc:
		style = d.th.Strong
	case session.RowGap:
		style = d.th.Error
	default:
	}
	d.Left(style, words, w)
}

// latency is how long an exchange took, for the row of its answer, or that of its request
// where the answer is not in the list; of a request that waits, how long it has waited
// against the timeout in force.
func (d *drawer) latency(list []uint32, i uint32, r session.Row) (style.Style, string) {
	if r.Kind != session.RowRequest && r.Kind != session.RowResult && r.Kind != session.RowError {
		return d.th.Dim, ""
	}
	if ns, ok := d.c.Snap.Latency(i); ok {
		if r.Kind == session.RowRequest {
			if _, shown := slices.BinarySearch(list, r.Pair); shown {
				return d.th.Dim, ""
			}
		}
		if (r.Flags|d.c.Snap.Row(r.Pair).Flags)&session.FlagLate != 0 {
			return d.th.Error, text.Duration(ns)
		}
		if a := d.c.Snap.Row(max(i, r.Pair)); a.Way == session.WayOut && a.Flags&session.FlagDecided != 0 {
			return d.th.Dim, text.Duration(ns) // It was answered here: that is nobody's time.
		}
		return d.th.Text, text.Duration(ns)
	}
	switch {
	case r.Kind != session.RowRequest:
		return d.th.Dim, ""
	case r.Flags&session.FlagCancelled != 0:
		if c := d.conn(r); c != nil && c.Ours && r.Stream == session.C2S && r.Flags&session.FlagLate != 0 {
			return d.th.Error, "timed out"
		}
		return d.th.Dim, "cancelled"
	case d.c.Dropped(i):
		return d.th.Dim, "dropped"
	case r.Flags&session.FlagLost != 0:
		return d.th.Warning, "lost"
	case r.Way == session.WayOut && r.Flags&session.FlagDecided != 0 && d.c.Snap.Waiting(i) == nil:
		return d.th.Dim, "" // It went on in place of another, in whose row that is.
	case !d.c.Live, d.c.Over(d.conn(r)):
		return d.th.Dim, "no answer"
	}
	return d.waiting(i, r)
}
