package process

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// labelW is the width of the labels, the space behind them included.
const labelW = 14

// A sheet is the page under the pen.
type sheet struct {
	style.Sheet
	c  *pane.Context
	th *style.Theme
}

// timeW is the width of a time, the space behind it included.
const timeW = 10

// list writes texts with their times, a line each.
func (s *sheet) list(label string, list []event) {
	for _, ev := range list {
		s.Add(s.Lead(label) + s.th.Dim.Paint(cells.Fit(cells.FitLeft(text.Seconds(ev.t), timeW-2), timeW)) + s.th.Text.Paint(ev.text))
		label = ""
	}
}

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	if c.HTTP() {
		return "sessions", sessionsTitle(c)
	}
	conn := c.Snap.LastConn()
	if conn == nil {
		return "process", ""
	}
	style, sign, words := p.state(c, conn)
	return "process", style.Paint(sign) + " " + c.Theme.Dim.Paint(words)
}

// sheet draws the whole page.
func (p *Pane) sheet(c *pane.Context, w int) []string {
	s := &sheet{Sheet: style.Sheet{Theme: c.Theme, W: w, Label: labelW}, c: c, th: c.Theme}
	s.command()
	s.attached()
	all := c.Snap.Conns()
	for i := len(all) - 1; i >= max(0, len(all)-mostConns); i-- {
		p.conn(s, &all[i], len(all) > 1)
	}
	if n := len(all) - mostConns; n > 0 {
		s.Add("")
		s.Add(" " + s.th.Dim.Paint(fmt.Sprintf("and %s before these", text.Plural(int64(n), "connection"))))
	}
	if len(all) == 0 {
		s.Add(" " + s.th.Dim.Paint("nothing has happened yet"))
	}
	return s.Lines
}

// command writes how the server was started.
func (s *sheet) command() {
	h := s.c.Header
	if h == nil {
		return
	}
	line := text.CommandLine(h.Server())
	if cells.Width(line)+2 <= s.W {
		s.Add(" " + s.th.Strong.Paint(line))
	} else {
		for i, arg := range h.Server() {
			indent := min(s.W-1, 1+3*min(i, 1))
			for _, part := range cells.Hardwrap(text.ShellWord(arg), max(1, s.W-indent-1)) {
				s.Add(cells.Spaces(indent) + s.th.Strong.Paint(part))
			}
		}
	}
	if argv := h.Server(); len(s.c.Snap.Conns()) > 1 && len(argv) == 4 && argv[1] == "demo" { // The tour starts another server each time.
		s.Field("", s.th.Dim, "the command of connection 1")
	}
	s.Field("folder", s.th.Text, text.Visible([]byte(h.Cwd), 0))
	names := make([]string, len(h.EnvKeys))
	for i, name := range h.EnvKeys {
		names[i] = text.Visible([]byte(name), 0)
	}
	if len(names) > 0 {
		s.Field("variables", s.th.Text, strings.Join(names, ", "))
		s.Field("", s.th.Dim, "set for the server; the values are not stored")
	}
	session := h.Mode
	if !h.T0.IsZero() {
		session += ", since " + h.T0.Local().Format("2006-01-02 15:04:05")
	}
	s.Field("session", s.th.Text, text.Visible([]byte(session+", written by "+h.Tool), 0))
}

// attached writes whose session it is, where another process has it.
func (s *sheet) attached() {
	a := s.c.Attached
	if a == nil {
		return
	}
	if a.Tee > 0 {
		label := "tee"
		if s.c.HTTP() {
			label = "proxy"
		}
		s.Field(label, s.th.Text, fmt.Sprintf("pid %d, between the client and the server", a.Tee))
	}
	if a.Client > 0 && !s.c.HTTP() { // Who started a proxy is not its client.
		words := fmt.Sprintf("pid %d", a.Client)
		if a.ClientName != "" {
			words = fmt.Sprintf("%s (pid %d)", a.ClientName, a.Client)
		}
		s.Field("its client", s.th.Text, words)
	}
	if a.Refused != "" && s.c.HTTP() {
		s.Field("control", s.th.Text, "none")
		return
	}
	if a.Refused != "" {
		s.Field("control", s.th.Warning, "⚠ none: "+a.Refused)
		return
	}
	if s.c.HTTP() {
		s.Field("control", s.th.Text, "offered: send requests")
		return
	}
	s.Field("control", s.th.Text, "offered: send requests, cancel them, end the server")
}

// conn writes a connection.
func (p *Pane) conn(s *sheet, sc *session.Conn, several bool) {
	known := p.facts.conns[sc.ID]
	if known == nil {
		known = &conn{handshake: recorder.NewHandshake()}
	}
	style, sign, words := p.state(s.c, sc)
	head := words
	if several {
		head = fmt.Sprintf("connection %d · %s", sc.ID, words)
	}
	s.Add("")
	s.Add(" " + style.Paint(sign) + " " + s.th.Strong.Paint(head))
	if sc.PID > 0 {
		s.Field("pid", s.th.Text, fmt.Sprint(sc.PID))
	}
	s.Field("process", s.th.Text, p.usage.of(s.c, sc).text)
	s.Field("descriptors", s.th.Text, descriptors(known.start.FDs))
	if sc.Started {
		s.Field("started", s.th.Text, cmp.Or(s.c.Clock(sc.StartT), text.Seconds(sc.StartT)+" s"))
		if first := sc.First[session.S2C]; first >= sc.StartT {
			s.Field("first output", s.th.Text, text.Duration(first-sc.StartT)+" after the start")
		}
	}
	s.Field("ended", s.th.Text, ended(sc))
	if len(known.left) > 0 {
		s.Field("left behind", s.th.Warning, "⚠ "+"still running when it ended: "+session.Pids(known.left))
	}
	s.Field("protocol", s.th.Text, protocol(sc, known.handshake))
	s.Field("server", s.th.Text, peer(&known.handshake.Server))
	s.Field("client", s.th.Text, peer(&known.handshake.Client))
	s.traffic(sc)
	s.Field("limits", s.th.Text, limits(sc.Limits))
	label := "events"
	if known.skipped > 0 {
		s.Field(label, s.th.Dim, "… "+text.Plural(int64(known.skipped), "event")+" before these")
		label = ""
	}
	s.list(label, known.events)
	if label = "stderr"; int64(len(known.tail)) < sc.Frames[session.Stderr] {
		label = "last stderr"
	}
	s.list(label, known.tail)
}

// state is the state of a connection with its sign.
func (p *Pane) state(c *pane.Context, sc *session.Conn) (style.Style, string, string) {
	th := c.Theme
	if known := p.facts.conns[sc.ID]; known != nil && known.failed != "" && !sc.Started {
		return th.Error, "✖", "could not be started: " + text.Visible([]byte(known.failed), 0)
	}
	span := ""
	if sc.Started && sc.Exited {
		span = " after " + text.Duration(sc.ExitT-sc.StartT)
	}
	switch {
	case sc.Exited && sc.ExitSig != "":
		sign, style := "✖", th.Error
		if len(sc.Signals) > 0 {
			sign, style = "○", th.Dim
		}
		return style, sign, "ended by " + text.Visible([]byte(sc.ExitSig), 0) + span
	case sc.Exited && sc.ExitCode != 0:
		return th.Error, "✖", fmt.Sprintf("exited with code %d%s", sc.ExitCode, span)
	case sc.Exited:
		return th.Dim, "○", "exited with code 0" + span
	case sc.Ended:
		return th.Dim, "○", "over"
	case !c.Live:
		return th.Dim, "○", "the recording ends while it runs"
	case slices.Contains([]byte("TtZ"), p.usage.of(c, sc).state):
		word, _, _ := strings.Cut(p.usage.text, ",")
		return th.Warning, "⚠", word + ", up " + text.Uptime(c.Now-sc.StartT)
	case sc.Started:
		return th.OK, "●", "running, up " + text.Uptime(c.Now-sc.StartT)
	}
	return th.OK, "●", "connected"
}

// ended says who ended the process.
func ended(sc *session.Conn) string {
	if !sc.Exited {
		return ""
	}
	var signals []string
	for _, sig := range sc.Signals {
		signals = append(signals, text.Visible([]byte(sig.Signal), 0)+" sent by "+text.Visible([]byte(session.Sender(sig.By)), 0))
	}
	switch {
	case len(signals) > 0:
		return strings.Join(signals, ", ")
	case sc.ExitSig != "":
		return "by a signal that was not ours"
	case sc.StdinEOF > 0 && sc.StdinEOF <= sc.ExitT:
		return "by itself, " + text.Duration(sc.ExitT-sc.StdinEOF) + " after its stdin was closed"
	}
	return "by itself, while its stdin was open"
}

func descriptors(kinds []string) string {
	names := [...]string{"stdin", "stdout", "stderr"}
	var parts []string
	for i, kind := range kinds[:min(len(kinds), len(names))] {
		parts = append(parts, names[i]+" "+text.Visible([]byte(kind), 0))
	}
	return strings.Join(parts, ", ")
}

func protocol(sc *session.Conn, h *recorder.Handshake) string {
	var parts []string
	if words := cmp.Or(sc.VersionText, sc.Version.String()); words != "" {
		parts = append(parts, text.Visible([]byte(words), 0))
	}
	if era := sc.Era.String(); era != "" {
		parts = append(parts, era+" era")
	}
	if len(h.Versions) > 0 {
		parts = append(parts, "the server knows "+text.Visible([]byte(strings.Join(h.Versions, " ")), 0))
	}
	return strings.Join(parts, ", ")
}

func peer(p *recorder.Peer) string {
	words := p.String()
	if p.Title != "" && p.Title != p.Name {
		words += " (" + p.Title + ")"
	}
	return text.Visible([]byte(words), 256)
}

// traffic writes what crossed, each way in a line, in columns.
func (s *sheet) traffic(sc *session.Conn) {
	label := "traffic"
	for _, way := range [...]struct {
		stream      session.Stream
		words, noun string
	}{{session.C2S, "→ to the server", "frame"}, {session.S2C, "← from the server", "frame"}, {session.Stderr, "┆ stderr", "line"}} {
		if s.c.HTTP() && way.stream == session.Stderr {
			continue
		}
		n, size := text.Plural(sc.Frames[way.stream], way.noun), text.Size(sc.Bytes[way.stream])
		text := cells.Fit(way.words, 18) + cells.FitLeft(n, 17) + cells.FitLeft(size, 9)
		if s.W-labelW-2 < cells.Width(text) {
			text = way.words + " " + n + ", " + size
		}
		s.Field(label, s.th.Text, text)
		label = ""
	}
	waiting := [...]struct {
		n     int
		words string
	}{{len(sc.Open[session.C2S]), "the server's answer"}, {len(sc.Open[session.S2C]), "the client's answer"}}
	for _, wait := range waiting {
		if wait.n > 0 {
			n := text.Plural(int64(wait.n), "request")
			if wait.n == session.OpenShown {
				n = "at least " + n
			}
			s.Field("waiting", s.th.Warning, n+" for "+wait.words)
		}
	}
}

func limits(l session.Limits) string {
	parts := []string{"answers within " + text.Duration(int64(l.For("")))}
	for _, method := range slices.Sorted(maps.Keys(l.Timeouts)) {
		parts = append(parts, text.Visible([]byte(method), 0)+" "+text.Duration(int64(l.Timeouts[method])))
	}
	if l.MaxLine > 0 {
		parts = append(parts, "lines up to "+text.Size(l.MaxLine))
	}
	return strings.Join(parts, ", ")
}
