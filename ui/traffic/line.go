package traffic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
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

	spot spot // spot is how the row belongs to a round trip of HTTP.

	at   *session.Conn // at is the connection that was looked up last; nil = none.
	asks int           // asks counts the questions for people that are open in it.
}

// line draws the row at a place in the list.
func (d *drawer) line(list []uint32, at int, over style.Style) string {
	i := list[at]
	r := d.c.Snap.Row(i)
	d.Reset(d.w, over)
	_, marked := slices.BinarySearch(d.p.marks, i)
	switch {
	case d.p.comments[i] != "":
		d.Left(d.th.Mark, commentSign, markWidth)
	case marked:
		d.Left(d.th.Mark, "◆", markWidth)
	default:
		d.Space(markWidth)
	}
	if d.cols.n > 0 {
		d.Right(d.th.Dim, number(r.N), d.cols.n)
		d.Space(1)
	}
	if d.cols.time > 0 {
		before := int64(0)
		if at > 0 {
			before = d.c.Snap.Row(list[at-1]).T
		}
		d.Right(d.th.Dim, d.c.When(r.T, before), d.cols.time)
		d.Space(1)
	}
	d.spot = d.spotOf(list, at)
	if r.Kind == session.RowTrip {
		d.tripRow(i, r)
		return d.String()
	}
	if d.spot.below {
		d.Space(min(indentWidth, d.cols.text))
	}
	d.Left(d.tint(r), signOf(r), signWidth)
	d.Space(1)
	d.rest(i, r)
	return d.String()
}

// tripRow writes a request's head.
func (d *drawer) tripRow(i uint32, r session.Row) {
	t := d.tripLine(i)
	tint, sign := t.sign(d.th)
	d.Left(tint, sign, signWidth)
	d.Space(1)
	style, time := d.tripTime(&t)
	d.textAndComment(i, d.cols.text+room(d.cols.size), func(w int) { d.trip(i, &t, w) })
	d.cell(d.th.Dim, tripName(d.c.Snap, i), d.cols.id)
	d.cell(style, time, d.cols.latency)
	d.severity(t.severity())
}

// cell writes a column, where it is shown.
func (d *drawer) cell(style style.Style, text string, width int) {
	if width > 0 {
		d.Space(1)
		d.Right(style, text, width)
	}
}

// severity writes the column of the findings.
func (d *drawer) severity(sev session.Severity) {
	switch style, text := d.th.Severity(sev); {
	case d.cols.sev == 0:
	case sev == session.NoSeverity:
		d.Space(2)
	default:
		d.Space(1)
		d.Left(style, text, 1)
	}
}

// rest writes what the row is about, and its numbers. Where it has none, the
// text takes their place.
func (d *drawer) rest(i uint32, r session.Row) {
	id, idCol := format.Visible([]byte(d.c.Snap.ID(r)), idWidth), d.cols.id
	style, latency := d.latency(i, r)
	w, numbers := d.cols.text, id != "" || latency != ""
	if !numbers {
		w += room(d.cols.id) + room(d.cols.latency)
	}
	if numbers && r.Way != session.Crossed {
		// An id of ours says less than how the frame went.
		w, idCol = w+room(idCol), 0
	}
	if !sized(r.Kind) {
		w += room(d.cols.size)
	}
	if d.spot.below {
		w -= min(indentWidth, w)
	}
	d.textAndComment(i, w, func(w int) { d.text(i, r, w) })
	if numbers {
		d.cell(d.th.Dim, id, idCol)
		d.cell(style, latency, d.cols.latency)
	}
	if sized(r.Kind) {
		style := d.th.Dim
		if limit := d.limits(r).MaxLine; limit > 0 && int64(r.Len) >= limit/2 && r.Stream != session.Stderr {
			style = share(d.th, int64(r.Len), limit)
		}
		d.cell(style, format.Size(int64(r.Len)), d.cols.size)
	}
	d.severity(r.Sev)
}

// sized reports whether the length of rows of that kind is a size to show.
func sized(k session.RowKind) bool { return !k.Event() || k == session.RowTripEnd }

// room is what a column takes with the cell before it.
func room(width int) int {
	if width == 0 {
		return 0
	}
	return width + 1
}

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

// text writes what a row is about: method and target, a text, or an event.
func (d *drawer) text(i uint32, r session.Row, w int) {
	if d.spot.strays {
		w = d.part(d.th.Accent, tripName(d.c.Snap, d.spot.trip), w)
	}
	words := ""
	if wordless(d.c.Snap, r) {
		x, ok := d.p.texts.of(i)
		if words = x.text; !ok && hasBody(r.Kind) {
			words = "…"
		}
	}
	switch r.Kind {
	case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
		if isLog(d.c.Snap, r) {
			d.log(r, words, w)
			return
		}
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
		d.event(r, words, w)
	case session.RowTripEnd, session.RowTrip, session.RowTripResponse:
		d.event(r, format.Trip(d.c.Snap, i), w)
	}
}

// message writes method and target, and what an error says.
func (d *drawer) message(i uint32, r session.Row, words string, w int) {
	style := d.th.Text
	if r.Kind == session.RowNotification || r.Kind == session.RowResult || r.Flags&session.FlagProbe != 0 {
		style = d.th.Dim
	}
	method := format.Visible([]byte(d.c.Snap.Name(r.Method)), w)
	target := format.Visible([]byte(d.c.Snap.Name(r.Target)), w)
	if r.Kind == session.RowBatch && method != "" {
		target = "…"
	}
	left := d.part(style, method, w)
	left = d.part(d.th.Strong, target, left)
	left = d.part(d.th.Warning, wayWord(r), left)
	left = d.standing(i, r, left)
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
func (d *drawer) part(style style.Style, text string, w int) int {
	if text == "" || w <= 0 {
		return w
	}
	n := min(w, cells.Width(text))
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
	note := fmt.Sprintf("unfinished line, %d %% of %s", percent, format.Size(limit))
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
		words = format.Visible([]byte(strings.TrimSpace(d.c.Snap.Name(r.Method)+"  "+d.c.Snap.Name(r.Target))), w)
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

// latency is how long a request took; of one that waits, how long it has waited
// against the timeout in force.
func (d *drawer) latency(i uint32, r session.Row) (style.Style, string) {
	if r.Kind != session.RowRequest && r.Kind != session.RowResult && r.Kind != session.RowError {
		return d.th.Dim, ""
	}
	if ns, ok := d.c.Snap.Latency(i); ok {
		switch {
		case (r.Flags|d.c.Snap.Row(r.Pair).Flags)&session.FlagLate != 0:
			return d.th.Error, format.Duration(ns)
		case r.Kind == session.RowRequest:
			return d.th.Dim, format.Duration(ns)
		}
		return d.th.Text, format.Duration(ns)
	}
	switch {
	case r.Kind != session.RowRequest:
		return d.th.Dim, ""
	case r.Flags&session.FlagCancelled != 0:
		if c := d.conn(r); c != nil && c.Ours && r.Stream == session.C2S && r.Flags&session.FlagLate != 0 {
			return d.th.Error, "timed out"
		}
		return d.th.Dim, "cancelled"
	case r.Flags&session.FlagLost != 0:
		return d.th.Warning, "lost"
	case !d.c.Live:
		return d.th.Dim, "no answer"
	}
	return d.waiting(r)
}
