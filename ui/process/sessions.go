package process

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A column of the table of sessions.
type column struct {
	head  string
	width int
	need  int  // need is when it is left out: the greatest first.
	left  bool // left: it is written from the left.
	text  func(p *Pane, c *pane.Context, sc *session.Conn) string
}

// sessionColumns are the columns in their order.
var sessionColumns = []column{
	{"c", 4, 0, false, func(_ *Pane, _ *pane.Context, sc *session.Conn) string { return strconv.Itoa(sc.ID) }},
	{"session", 9, 5, true, func(_ *Pane, _ *pane.Context, sc *session.Conn) string { return shortName(sc) }},
	{"client", 18, 2, true, func(p *Pane, _ *pane.Context, sc *session.Conn) string { return peer(&p.shake(sc.ID).Client) }},
	{"version", 10, 4, true, func(_ *Pane, _ *pane.Context, sc *session.Conn) string { return version(sc) }},
	{"era", 6, 8, true, func(_ *Pane, _ *pane.Context, sc *session.Conn) string { return sc.Era.String() }},
	{"trips", 7, 3, false, func(_ *Pane, _ *pane.Context, sc *session.Conn) string { return text.Count(sc.Trips) }},
	{"streams", 7, 6, false, func(_ *Pane, _ *pane.Context, sc *session.Conn) string { return some(sc.OpenStreams) }},
	{"waiting", 7, 7, false, func(_ *Pane, _ *pane.Context, sc *session.Conn) string {
		return some(len(sc.Open[session.C2S]) + len(sc.Open[session.S2C]))
	}},
	{"age", 8, 9, false, func(_ *Pane, c *pane.Context, sc *session.Conn) string { return lasted(c, sc) }},
	{"idle", 8, 1, false, func(p *Pane, c *pane.Context, sc *session.Conn) string { return p.idle(c, sc) }},
}

// some is a count that is not shown where it is 0.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return text.Count(int64(n))
}

// shortName is the short name of a connection's session.
func shortName(sc *session.Conn) string {
	if sc.Session == "" {
		return ""
	}
	return "#" + text.Visible([]byte(sc.Session), 8)
}

func version(sc *session.Conn) string {
	return text.Visible([]byte(cmp.Or(sc.VersionText, sc.Version.String())), 20)
}

// shake is what the two sides of a connection say of themselves.
func (p *Pane) shake(id int) *recorder.Handshake {
	if known := p.facts.conns[id]; known != nil {
		return known.handshake
	}
	return recorder.NewHandshake()
}

// span is when the first and the latest byte of a connection came; false where none did.
func span(sc *session.Conn) (first, last int64, ok bool) {
	first, last = -1, -1
	for s := session.C2S; s <= session.S2C; s++ {
		if t := sc.First[s]; t >= 0 && (first < 0 || t < first) {
			first = t
		}
		last = max(last, sc.LastT[s])
	}
	return first, last, first >= 0
}

// lasted is how long a connection is there: until now, or until its latest byte.
func lasted(c *pane.Context, sc *session.Conn) string {
	first, last, ok := span(sc)
	if !ok {
		return ""
	}
	if c.Live && !sc.Ended {
		last = max(last, c.Now)
	}
	return text.Duration(last - first)
}

// idle is for how long nothing has come, comments of event streams included; empty where it
// is over.
func (p *Pane) idle(c *pane.Context, sc *session.Conn) string {
	e := p.ends[sc.ID]
	_, last, ok := span(sc)
	if !ok || !c.Live || sc.Ended || e.over() {
		return ""
	}
	return text.Duration(max(0, c.Now-max(last, sc.TripT)) / 1e8 * 1e8)
}

// stateWidth is the width of the last column: how a session stands.
const stateWidth = 8

// fitColumns chooses the columns for lines of w cells, and widens the client's.
func fitColumns(w int) []column {
	cols := slices.Clone(sessionColumns)
	left := func() int {
		n := w - 3 - stateWidth
		for _, col := range cols {
			n -= col.width + 1
		}
		return n
	}
	for len(cols) > 1 && left() < 0 {
		worst := slices.MaxFunc(cols, func(a, b column) int { return cmp.Compare(a.need, b.need) })
		cols = slices.DeleteFunc(cols, func(col column) bool { return col.head == worst.head })
	}
	if at := slices.IndexFunc(cols, func(col column) bool { return col.head == "client" }); at >= 0 {
		cols[at].width += min(max(0, left()), 22)
	}
	return cols
}

// sessionLine writes a line of the table; nil writes the heads.
func (p *Pane) sessionLine(c *pane.Context, l *style.Line, cols []column, sc *session.Conn) string {
	th, look := c.Theme, c.Theme.Text
	stand, sign, word := th.Dim, " ", "state"
	if sc != nil {
		stand, sign, word = p.standing(c, sc)
	} else {
		look = th.Dim
	}
	l.Space(1)
	l.Left(stand, sign, 1)
	l.Space(1)
	for _, col := range cols {
		text := col.head
		if sc != nil {
			text = col.text(p, c, sc)
		}
		if col.left {
			l.Left(look, text, col.width)
		} else {
			l.Right(look, text, col.width)
		}
		l.Space(1)
	}
	l.Left(stand, word, stateWidth)
	return l.String()
}

// latest returns the i-th connection from the latest one.
func latest(s *session.Snapshot, i int) *session.Conn {
	all := s.Conns()
	if i < 0 || i >= len(all) {
		return nil
	}
	return &all[len(all)-1-i]
}

// Heights in lines.
const (
	cardLeast = 6 // the list keeps so many lines beside what is said of the selected session
	headLeast = 14
)

// viewSessions draws the page of a session over HTTP: what it is connected to, its MCP
// sessions, the latest first, and what is known of the one selected.
func (p *Pane) viewSessions(c *pane.Context, w, h int, focus bool) []string {
	n := len(c.Snap.Conns())
	head := &sheet{Sheet: style.Sheet{Theme: c.Theme, W: w, Label: labelW}, c: c, th: c.Theme}
	if h >= headLeast {
		head.command()
		head.attached()
		head.Add("")
	}
	lines := head.Lines
	if len(lines)+cardLeast > h {
		lines = nil
	}
	if n == 0 {
		return cells.Lines(append(lines, "  "+c.Theme.Dim.Paint("no request yet")), w, h)
	}
	p.list.At = min(p.list.At, n-1)
	card := p.card(c, latest(c.Snap, p.list.At), w)
	room := h - len(lines) - 1
	if len(card)+min(n, cardLeast) > room {
		card = card[:max(0, min(len(card), room-min(n, cardLeast)))]
	}
	cols := fitColumns(w)
	if h > 1 {
		lines = append(lines, p.sessionLine(c, style.NewLine(w, ""), cols, nil))
	}
	p.above = len(lines)
	from, to := p.list.Fit(n, max(1, h-len(lines)-len(card)))
	for i := from; i < to; i++ {
		lines = append(lines, p.sessionLine(c, style.NewLine(w, c.Theme.Over(i == p.list.At, focus)), cols, latest(c.Snap, i)))
	}
	return cells.Fill(append(lines, card...), w, h)
}

// card is what is known of the selected session.
func (p *Pane) card(c *pane.Context, sc *session.Conn, w int) []string {
	s := &sheet{Sheet: style.Sheet{Theme: c.Theme, W: w, Label: labelW}, c: c, th: c.Theme}
	look, sign, _ := p.standing(c, sc)
	shake := p.shake(sc.ID)
	s.Add("")
	s.Add(" " + look.Paint(sign) + " " + s.th.Strong.Paint(fmt.Sprintf("connection %d %s", sc.ID, shortName(sc))))
	s.Field("session", s.th.Text, p.fate(c, sc))
	s.Field("protocol", s.th.Text, protocol(sc, shake))
	s.Field("server", s.th.Text, peer(&shake.Server))
	s.Field("client", s.th.Text, peer(&shake.Client))
	s.Field("round trips", s.th.Text, fmt.Sprintf("%s, %d open, %s open", text.Count(sc.Trips), sc.OpenTrips, text.Plural(int64(sc.OpenStreams), "stream")))
	s.traffic(sc)
	s.Field("limits", s.th.Text, limits(sc.Limits))
	return s.Lines
}

// openSession shows the rows of the selected session in traffic.
func (p *Pane) openSession(c *pane.Context) tea.Cmd {
	sc := latest(c.Snap, p.list.At)
	if sc == nil {
		return nil
	}
	return tea.Batch(pane.Tell(pane.SetFilterMsg{Text: fmt.Sprintf("c:%d", sc.ID)}), pane.Tell(pane.FocusMsg{Pane: keys.Traffic}))
}

// clickSession selects a session, twice shows its rows.
func (p *Pane) clickSession(c *pane.Context, m pane.ClickMsg) tea.Cmd {
	at, ok := p.list.Line(m.Y - p.above)
	if !ok {
		return nil
	}
	p.list.At = at
	if m.Double {
		return p.openSession(c)
	}
	return nil
}

// sessionsTitle counts the sessions and what is open in them.
func sessionsTitle(c *pane.Context) string {
	all := c.Snap.Conns()
	streams, trips := 0, int64(0)
	for i := range all {
		streams += all[i].OpenStreams
		trips += all[i].Trips
	}
	words := text.Plural(int64(len(all)), "connection") + " · " + text.Plural(trips, "round trip")
	if streams > 0 {
		words += " · " + text.Plural(int64(streams), "stream") + " open"
	}
	return c.Theme.Dim.Paint(words)
}
