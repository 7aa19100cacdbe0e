package traffic

import (
	"slices"
	"strconv"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A spot is how a row of the list belongs to a round trip of HTTP.
type spot struct {
	trip   uint32 // trip is the row of the request's head, session.NoRow for none.
	below  bool   // below: the row belongs to a request in the list, and is indented.
	strays bool   // strays: the line above belongs to another round trip, so that the row names its own.
}

// spotOf says how the row at a place in the list belongs to a round trip.
func (d *drawer) spotOf(list []uint32, at int) spot {
	w := spot{trip: d.c.Snap.TripRow(list[at])}
	if w.trip == session.NoRow || w.trip == list[at] {
		return w
	}
	_, w.below = slices.BinarySearch(list[:at], w.trip)
	w.strays = w.below && d.c.Snap.TripRow(list[at-1]) != w.trip
	return w
}

// indentWidth is by how many cells the rows of a round trip are indented.
const indentWidth = 2

// tripName is a round trip's number as a line names it.
func tripName(s *session.Snapshot, trip uint32) string {
	return "t" + strconv.FormatUint(uint64(s.Row(trip).Skip), 10)
}

// ahead is how many rows behind a request's head its messages are looked for.
const ahead = 64

// A carried is what the rows behind a request's head say of its round trip.
type carried struct {
	any   bool   // any: there are messages, or the end of a stream.
	first uint32 // first is the first row with a method, session.NoRow for none.
	sev   session.Severity
}

// carries looks at the rows behind a request's head.
func carries(s *session.Snapshot, trip uint32) carried {
	c := carried{first: session.NoRow}
	for i := trip + 1; i < min(trip+ahead, uint32(s.Len())); i++ {
		r := s.Row(i)
		if s.TripRow(i) != trip || r.Kind == session.RowTripResponse {
			continue
		}
		c.any, c.sev = true, max(c.sev, r.Sev)
		if c.first == session.NoRow && !r.Kind.Event() && s.Name(r.Method) != "" {
			c.first = i
		}
	}
	return c
}

// A tripLine is what the line of a request's head says.
type tripLine struct {
	session.TripView
	carried
	folded bool
}

// tripLine looks up what the line of a request's head says.
func (d *drawer) tripLine(i uint32) tripLine {
	return tripLine{d.c.Snap.Trip(i), carries(d.c.Snap, i), d.p.folds.folded(d.c.Snap, i)}
}

// sign is a sign for whether the round trip is folded, and whether it failed.
func (t *tripLine) sign(th *style.Theme) (style.Style, string) {
	sign := "▾"
	switch {
	case !t.any:
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
	return t.answered() && t.Response.Failed()
}

// answered reports whether there is a response, or none will come.
func (t *tripLine) answered() bool { return t.Response.Kind == session.RowTripResponse }

// keptForMessage is how many cells the line of a request's head keeps for its answer and what it
// carries, where that is shown.
const keptForMessage = 30

// trip writes a request's head in w cells: what was asked for and how it was answered;
// of one that is folded also what it carries.
func (d *drawer) trip(i uint32, t *tripLine, w int) {
	s, r := d.c.Snap, t.Request
	_, status := d.status(t)
	kept, name := 2+cells.Width(status), ""
	if d.cols.width(colID) == 0 {
		name = tripName(s, i)
		kept += 2 + len(name)
	}
	message := t.folded && t.first != session.NoRow
	if message {
		kept = keptForMessage
	}
	method := format.Visible([]byte(s.Name(r.Method)), w)
	n := min(w, cells.Width(method))
	d.Left(d.th.Text, method, n)
	d.Space(min(1, w-n))
	left := max(0, w-n-1)
	if path := format.Visible([]byte(s.Name(r.Target)), w); !message || cells.Width(path)+2+kept <= left {
		left = d.cut(d.th.Strong, path, left-kept, left)
	}
	left = d.part(d.th.Dim, name, left)
	left = d.answer(i, t, left)
	if len(s.Conns()) > 1 { // They take turns.
		left = d.part(d.th.Dim, "c"+strconv.Itoa(int(r.Conn)), left)
	}
	if message {
		m := s.Row(t.first)
		left = d.part(d.th.Text, format.Visible([]byte(s.Name(m.Method)), left), left)
		left = d.part(d.th.Strong, format.Visible([]byte(s.Name(m.Target)), left), left)
	}
	d.Space(left)
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
	if t.Stream {
		left = d.part(d.th.Dim, "stream", left)
	}
	if t.Response.Flags&session.FlagLost != 0 {
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
		return d.th.Dim, format.Duration(t.Took)
	case !d.c.Live:
		return d.th.Dim, ""
	}
	ns := max(0, d.c.Now-t.Request.T)
	return d.th.Text, pane.Spinner(ns) + " " + running(ns)
}

// severity is the worst finding of what the line stands for.
func (t *tripLine) severity() session.Severity {
	sev := max(t.Request.Sev, t.Response.Sev)
	if t.folded {
		sev = max(sev, t.carried.sev)
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
