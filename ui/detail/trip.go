package detail

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A trip is what was read of the round trip of HTTP that the row belongs to.
type trip struct {
	*session.Trip              // nil: nothing was read.
	rows          session.Trip // rows is what the rows said of it then.
	at            int64        // at is when it was read.
	busy          bool
}

// ensureTrip has the records of the round trip read, and again when it has gone on.
func (p *Pane) ensureTrip(c *pane.Context) tea.Cmd {
	t := &p.trip
	row := p.sub.trip
	if p.tab() != httpTab || row == session.NoRow || t.busy {
		return nil
	}
	rows := c.Snap.Trip(row)
	if t.Trip != nil && t.rows == rows {
		if waits := rows.ResponseRow.Kind != session.RowTripResponse && t.Link == nil && c.Now-t.at > int64(time.Second); !waits {
			return nil
		}
	}
	t.busy = true
	log, now := c.Log, c.Now
	return pane.Work(p, func() pane.Then {
		read := trip{Trip: recorder.ReadTrip(context.Background(), log, rows), rows: rows, at: now}
		return func(c *pane.Context) tea.Cmd {
			p.trip, p.sheet.dirty = read, true
			return p.ensureTrip(c)
		}
	})
}

// http makes the sheet of a round trip.
func (p *Pane) http(c *pane.Context, s *sheet) {
	th, t := c.Theme, &p.trip
	if t.Trip == nil || t.Row != p.sub.trip {
		return
	}
	if t.Request == nil {
		s.line(part{th.Warning, "the record cannot be read"})
		return
	}
	p.tripFacts(c, s)
	s.heading(th, "request"+ownWords(t.Request))
	s.head(th, t.Request)
	s.changed(th, "forwarded with", t.Request.Changed)
	switch {
	case t.Response != nil:
		s.heading(th, "response"+ownWords(t.Response))
		s.head(th, t.Response)
		s.changed(th, "forwarded with", t.Response.Changed)
	case t.Err != "":
		s.heading(th, "no response")
		s.text(th.Error, 0, text.Line(t.Err), "")
	case c.Live && !t.rows.Over:
		s.heading(th, "response", part{th.Dim, "  none yet"})
	default:
		s.heading(th, "no response")
	}
	t.timing(c, s)
	t.connection(c, s)
}

// ownWords says that no peer sent a head.
func ownWords(e *session.HTTPEvent) string {
	if e.Ours {
		return " (wiretea's own)"
	}
	return ""
}

// tripFacts adds which round trip it is, and its sizes.
func (p *Pane) tripFacts(c *pane.Context, s *sheet) {
	th, t := c.Theme, &p.trip
	r := t.RequestRow
	words := "  connection " + strconv.Itoa(int(r.Conn))
	if conn := c.Snap.Conn(int(r.Conn)); conn != nil && conn.Session != "" {
		words += ", session #" + text.Line(conn.Session)
	}
	item := s.fact(th, "round trip", part{th.Strong, "t" + strconv.FormatUint(uint64(r.Skip), 10)}, part{th.Dim, words})
	item.row = t.Row
	if e := t.End; e != nil {
		s.fact(th, "bodies", part{th.Text, "→ " + text.Size(e.Sent) + "  ← " + text.Size(e.Received)}, part{th.Dim, t.coding()})
		if e.Why != "eof" && t.Err == "" {
			s.fact(th, "ended", part{th.Warning, endWords(e.Why)})
		}
		for i := range e.Fields {
			s.text(th.Dim, labelWidth, text.Line(e.Fields[i].String()), "")
		}
	}
}

// endWords says how a round trip ended that was cut off.
func endWords(why string) string {
	switch why {
	case "client", "server", "wiretea":
		return "by the " + why + ", before its end"
	case "reset":
		return "the connection was reset"
	case "timeout":
		return "timed out"
	}
	return text.Line(why)
}

// coding says which content codings were removed in the recording.
func (t *trip) coding() string {
	var parts []string
	for _, ev := range []*session.HTTPEvent{t.Request, t.Response} {
		if ev != nil && ev.Coding != "" {
			parts = append(parts, text.Line(ev.Coding)+" of the "+map[string]string{"req": "request", "res": "response"}[ev.Event])
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "  as they crossed: " + strings.Join(parts, ", ")
}

// head adds the head of a request or a response.
func (s *sheet) head(th *style.Theme, ev *session.HTTPEvent) {
	first, _, _ := strings.Cut(ev.Head(), "\n")
	s.text(th.Strong, 0, text.Line(first), "")
	for i := range ev.Fields {
		s.field(th, &ev.Fields[i])
	}
}

// field adds a header field, broken into lines where it is long.
func (s *sheet) field(th *style.Theme, f *session.HTTPField) {
	name, value := text.Line(f.Name)+": ", text.Line(strings.TrimPrefix(f.String(), f.Name+": "))
	valueStyle := th.Text
	if f.Secret != nil {
		valueStyle = th.Accent
	}
	room := max(8, s.w-2*margin)
	if cells.Width(name)+cells.Width(value) <= room {
		s.line(part{th.Key, name}, part{valueStyle, value})
		return
	}
	s.line(part{th.Key, name})
	for _, l := range cells.Wrap(value, max(8, room-2)) {
		s.line(part{"", "  "}, part{valueStyle, l})
	}
}

// changed adds the fields that were forwarded with another value.
func (s *sheet) changed(th *style.Theme, title string, fields []session.HTTPField) {
	if len(fields) == 0 {
		return
	}
	s.line(part{th.Warning, title})
	for i := range fields {
		s.field(th, &fields[i])
	}
}

// timing adds where the time went, a bar for each part.
func (t *trip) timing(c *pane.Context, s *sheet) {
	th, now := c.Theme, c.Now
	if !c.Live {
		now = 0
	}
	list := t.Phases(now)
	if len(list) == 0 {
		return
	}
	begin, end := t.ReqT, list[len(list)-1].To
	s.heading(th, "timing", part{th.Dim, "  " + text.Duration(end-begin)})
	const timeWidth = 10
	w := min(s.w-2*margin-labelWidth-timeWidth-1, 60)
	for _, ph := range list {
		parts := []part{{th.Text, right(text.Duration(ph.To-ph.From), timeWidth)}}
		if w >= 8 && end > begin {
			from, to := bar(ph, begin, end, w)
			parts = append(parts, part{th.Dim, " " + strings.Repeat("·", from)}, part{th.Accent, strings.Repeat("█", to-from)}, part{th.Dim, strings.Repeat("·", w-to)})
		}
		s.fact(th, ph.Name, parts...)
	}
}

// bar is which of w cells a part of the time takes: at least one.
func bar(ph session.TripPhase, begin, end int64, w int) (from, to int) {
	place := func(t int64) int { return int(float64(t-begin) / float64(end-begin) * float64(w)) }
	from = min(place(ph.From), w-1)
	return from, min(w, max(from+1, place(ph.To)))
}

// connection adds the connection that the request took.
func (t *trip) connection(c *pane.Context, s *sheet) {
	l, th := t.Link, c.Theme
	if l == nil {
		return
	}
	how := "  new connection"
	if l.Reused {
		how = "  reused connection"
	}
	s.heading(th, "server", part{th.Dim, how})
	s.fact(th, "address", part{th.Text, text.Line(l.Remote)})
	proto := l.Proto
	if t.Response != nil && t.Response.Proto != "" {
		proto = t.Response.Proto
	}
	if proto != "" {
		s.fact(th, "protocol", part{th.Text, text.Line(proto)})
	}
	cert := l.Cert
	if cert == nil {
		return
	}
	s.fact(th, "TLS", part{th.Text, text.Line(cert.Version)})
	s.fact(th, "certificate", part{th.Text, text.Line(cert.Subject)})
	s.fact(th, "issued by", part{th.Text, text.Line(cert.Issuer)})
	ends := time.Unix(cert.End, 0).UTC()
	if c.Header == nil || c.Header.T0.IsZero() {
		s.fact(th, "valid until", part{th.Text, ends.Format(time.DateOnly)})
		return
	}
	style, words := validity(th, ends.Sub(c.Header.T0.Add(time.Duration(t.ReqT))))
	s.fact(th, "valid until", part{th.Text, ends.Format(time.DateOnly)}, part{style, "  " + words})
}

// soon is how long before its end a certificate is worth a warning.
const soon = 14 * 24 * time.Hour

// validity says how long a certificate was valid when it was seen.
func validity(th *style.Theme, left time.Duration) (style.Style, string) {
	switch days := int64(left / (24 * time.Hour)); {
	case left <= 0:
		return th.Error, "✖ expired when it was seen"
	case left < soon:
		return th.Warning, "⚠ " + text.Plural(days, "day") + " left"
	default:
		return th.Dim, text.Plural(days, "day") + " left"
	}
}

// tripState says in a word how a round trip went.
func tripState(c *pane.Context, row uint32) string {
	th, v := c.Theme, c.Snap.Trip(row)
	words := ""
	switch {
	case v.ResponseRow.Kind == session.RowTripResponse && v.Status == 0:
		words = th.Error.Paint("no response")
	case v.ResponseRow.Kind == session.RowTripResponse && v.ResponseRow.Failed():
		words = th.Error.Paint(strconv.Itoa(v.Status))
	case v.ResponseRow.Flags&session.FlagProbe != 0:
		words = th.Dim.Paint(strconv.Itoa(v.Status))
	case v.ResponseRow.Kind == session.RowTripResponse:
		words = th.OK.Paint(strconv.Itoa(v.Status))
	case c.Live:
		return th.Text.Paint(pane.Spinner(c.Now-v.ReqT) + " " + text.Duration(max(0, c.Now-v.ReqT)))
	default:
		return th.Warning.Paint("no response")
	}
	if v.Over {
		return th.Text.Paint(text.Duration(v.Took())) + th.Dim.Paint(" · ") + words
	}
	if v.Stream {
		words += th.Dim.Paint(" · stream open")
	}
	return words
}

// tripTitle names the request's head: "POST /mcp t4".
func tripTitle(snap *session.Snapshot, row uint32) string {
	r := snap.Row(row)
	return fmt.Sprintf("%s %s t%d", snap.Name(r.Method), snap.Name(r.Target), r.Skip)
}
