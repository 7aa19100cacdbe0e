package traffic

import (
	"slices"
	"strconv"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A spot is how a row of the list belongs to a round trip of HTTP.
type spot struct {
	trip  uint32 // trip is the row of the request's head, session.NoRow for none.
	below bool   // below: the row belongs to a request in the list that is not folded, and is indented.
	of    string // of names its round trip or connection where the line above belongs to another one.
}

// spotOf says how the row at a place in the list belongs to a round trip.
func (d *drawer) spotOf(list []uint32, at int) spot {
	w := spot{trip: d.c.Snap.TripRow(list[at])}
	if w.trip == session.NoRow {
		return w
	}
	if r := d.c.Snap.Row(list[at]); at > 0 && d.c.Snap.Row(list[at-1]).Conn != r.Conn && !d.p.opens(d.c, list, at) {
		w.of = "c" + strconv.Itoa(int(r.Conn)) // Connections take turns.
	}
	if w.trip == list[at] || d.p.folds.folded(d.c.Snap, w.trip) {
		return w
	}
	if _, w.below = slices.BinarySearch(list[:at], w.trip); w.below && d.c.Snap.TripRow(list[at-1]) != w.trip {
		w.of = tripName(d.c.Snap, w.trip)
	}
	return w
}

// indentWidth is by how many cells the rows of a round trip are indented.
const indentWidth = 2

// tripName is a round trip's number as a line names it.
func tripName(s *session.Snapshot, trip uint32) string {
	return "t" + strconv.FormatUint(uint64(s.Row(trip).Skip), 10)
}

// A tripLine is what the line of a request's head says.
type tripLine struct {
	session.Trip
	carries bool // carries: the request has a body.
	folded  bool
}

// tripLine looks up what the line of a request's head says.
func (d *drawer) tripLine(i uint32) tripLine {
	return tripLine{d.c.Snap.Trip(i), carried(d.c.Snap, i) != session.NoRow, d.p.folds.folded(d.c.Snap, i)}
}

// sign is a sign for whether the round trip is folded, and whether it failed.
func (t *tripLine) sign(th *style.Theme) (style.Style, string) {
	sign := "▾"
	switch {
	case !t.carries && !t.Stream:
		sign = "◇"
	case t.folded:
		sign = "▸"
	}
	if t.failed() {
		return th.Error, sign + "✖"
	}
	return th.Dim, sign + " "
}

// failed reports whether a round trip has no response, or one that says that the request
// failed.
func (t *tripLine) failed() bool {
	return t.answered() && t.ResponseRow.Failed()
}

// answered reports whether there is a response, or none will come.
func (t *tripLine) answered() bool { return t.ResponseRow.Kind == session.RowTripResponse }

// trip writes a request's head in w cells: what was asked for and how it was answered.
func (d *drawer) trip(i uint32, t *tripLine, w int) {
	s, r := d.c.Snap, t.RequestRow
	_, status := d.status(t)
	kept, name := 2+cells.Width(status), ""
	if d.cols.width(colID) == 0 {
		name = tripName(s, i)
		kept += 2 + len(name)
	}
	method := text.Visible([]byte(s.Name(r.Method)), w)
	n := min(w, cells.Width(method))
	d.Left(d.th.Text, method, n)
	d.Space(min(1, w-n))
	left := max(0, w-n-1)
	left = d.cut(d.th.Strong, text.Visible([]byte(s.Name(r.Target)), w), left-kept, left)
	left = d.part(d.th.Dim, name, left)
	left = d.answer(i, t, left)
	d.Space(left)
}

// posted writes in what request a message went, and how that was answered, before the message:
// where there is little room only what went wrong. It returns how many cells are left.
func (d *drawer) posted(i uint32, t *tripLine, w int) (left int) {
	left = w
	fine := t.answered() && t.Status/100 == 2 && t.ResponseRow.Flags&session.FlagLost == 0
	method := text.Visible([]byte(d.c.Snap.Name(t.RequestRow.Method)), w)
	switch waits := !t.answered() && d.c.Live; {
	case w < roomyText && (fine || waits):
	case waits:
		left = d.part(d.th.Dim, method, left)
	default:
		n := min(left, cells.Width(method)+1)
		d.Left(d.th.Dim, method, n)
		left = d.answer(i, t, left-n)
	}
	d.indent += w - left
	return left
}

// status is how a request was answered.
func (d *drawer) status(t *tripLine) (style.Style, string) {
	switch {
	case !t.answered() && d.c.Live:
		return d.th.Dim, "waiting"
	case !t.answered():
		return d.th.Warning, "no response"
	case t.Status == 0:
		return d.th.Error, "no response"
	}
	return t.style(d.th), strconv.Itoa(t.Status)
}

// answer writes the status of a response, and what is remarkable of it.
func (d *drawer) answer(i uint32, t *tripLine, left int) int {
	look, status := d.status(t)
	left = d.part(look, status, left)
	switch x, ok := d.p.texts.of(i); {
	case !t.answered():
		return left
	case t.Status == 0:
		if ok {
			left = d.part(d.th.Error, x.text, left)
		}
		return left
	}
	if t.Stream && !t.carries {
		left = d.part(d.th.Dim, "stream", left)
	}
	if t.ResponseRow.Flags&session.FlagLost != 0 {
		left = d.part(d.th.Warning, "cut off", left)
	}
	return left
}

// style is the style of the status code.
func (t *tripLine) style(th *style.Theme) style.Style {
	switch {
	case t.failed():
		return th.Error
	case t.Status >= 400:
		return th.Warning
	case t.Status >= 300:
		return th.Accent
	}
	return th.OK
}

// tripTime is how long a round trip took, or has lasted.
func (d *drawer) tripTime(t *tripLine) (style.Style, string) {
	switch {
	case t.Over:
		return d.th.Dim, text.Duration(t.Took())
	case !d.c.Live:
		return d.th.Dim, ""
	}
	ns := max(0, d.c.Now-t.RequestRow.T)
	return d.th.Text, pane.Spinner(ns) + " " + running(ns)
}

// severity is the worst finding of the heads, and of the end of the stream where that is folded
// away.
func (t *tripLine) severity() session.Severity {
	sev := max(t.RequestRow.Sev, t.ResponseRow.Sev)
	if t.folded {
		sev = max(sev, t.EndRow.Sev)
	}
	return sev
}

// pairOf is the row that belongs to a row, session.NoRow for none: of an HTTP request the
// end of its stream.
func pairOf(s *session.Snapshot, row uint32) uint32 {
	r := s.Row(row)
	if r.Kind == session.RowRequest {
		return s.ResponseTo(row)
	}
	if r.Kind != session.RowTrip || r.Pair == session.NoRow {
		return r.Pair
	}
	if end := s.Row(r.Pair).Pair; end != row {
		return end
	}
	return session.NoRow
}
