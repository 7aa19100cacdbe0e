package detail

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/check/compat"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A regard is how known clients take a frame of the server's. The zero regard is
// of no frame.
type regard struct {
	row    uint32 // row is the frame's, known whether it was looked at.
	known  bool
	kind   session.RowKind // kind, flags, len and marks are the row's, as it was looked at.
	flags  session.Flags
	len    uint32
	marks  int
	of     uint32 // of is what the pane was about.
	faults compat.Faults
	done   bool // done: faults are what there is.
}

// lensWindow is how long a frame may be, in bytes, to be looked at; of a longer one
// only the length is judged.
const lensWindow = compat.LongLineBytes + 1<<20

// ensureClients has the frame looked at that a client reads: what the server wrote,
// the row itself or the response to it.
func (p *Pane) ensureClients(c *pane.Context) tea.Cmd {
	row := p.written()
	if row == session.NoRow {
		p.regard = regard{of: p.sub.row}
		return nil
	}
	r := c.Snap.Row(row)
	want := regard{row: row, known: true, kind: r.Kind, flags: r.Flags, len: r.Len, marks: p.marks.count(), of: p.sub.row, faults: p.regard.faults, done: p.regard.done}
	if p.regard == want {
		return nil
	}
	if p.regard.row != row || !p.regard.known {
		want.faults, want.done = 0, false
	}
	p.regard = want
	snap, log := c.Snap, c.Log
	in := contextOf(snap, row, append(p.marks.own[:len(p.marks.own):len(p.marks.own)], p.marks.other...))
	return pane.Work(p, func() pane.Then {
		want.faults = findFaults(snap, log, row, in)
		return func(*pane.Context) tea.Cmd {
			if want.row == p.regard.row && want.of == p.regard.of {
				p.regard.faults, p.regard.done = want.faults, true
				p.sub.tellsClients(want.faults != 0) // The tab comes and goes with it.
				p.sheet.dirty = true
			}
			return nil
		}
	})
}

// written is the row of what the server wrote, or of the client's own
// server/discover that was not answered; NoRow where there is neither.
func (p *Pane) written() uint32 {
	switch {
	case p.sub.row == session.NoRow, p.sub.r.Kind == session.RowGrowing, p.sub.r.Kind == session.RowPart:
		return session.NoRow
	case p.sub.r.Kind == session.RowText && p.sub.trip != session.NoRow: // Of a body that is not a message the clients read the status.
		return session.NoRow
	case p.sub.isEvent(), p.sub.r.Stream == session.Stderr:
		return session.NoRow
	case p.sub.r.Stream == session.S2C:
		return p.sub.row
	case p.sub.resp != session.NoRow:
		return p.sub.resp
	case p.sub.trip != session.NoRow: // That nothing came is told by the status.
		return session.NoRow
	}
	return p.sub.req
}

// contextOf is what is around a frame.
func contextOf(s *session.Snapshot, row uint32, found []session.Finding) compat.Context {
	r := s.Row(row)
	c := compat.Context{
		FromClient:   r.Stream == session.C2S,
		Len:          int64(r.Len),
		Unterminated: r.Flags&session.FlagUnterminated != 0,
		Framed:       r.Kind == session.RowHeader || announced(s, row),
	}
	if conn := s.Conn(int(r.Conn)); conn != nil {
		c.Final = c.Unterminated && conn.StdoutEOF > 0
	}
	if r.Flags&session.FlagJoined != 0 {
		c.Lines, c.Len = 2, 0
	}
	req := s.Row(r.Pair)
	switch r.Kind {
	case session.RowRequest:
		if c.FromClient && s.Name(r.Method) == "server/discover" && r.Pair == session.NoRow {
			c.ProbeExit = r.Flags&session.FlagLost != 0
			c.ProbeSilent = r.Flags&session.FlagLate != 0 && !c.ProbeExit
		}
	case session.RowResult, session.RowError:
		if r.Pair != session.NoRow && req.Pair == row && req.Flags&session.FlagCancelled == 0 {
			c.Answers = s.Name(req.Method)
		}
		for i := range found {
			c.Elsewhere = c.Elsewhere || found[i].Rule == "id-type-mismatch"
		}
	case session.RowNotification:
		c.Token = r.Pair != session.NoRow
	case session.RowText, session.RowBatch, session.RowPart, session.RowHeader, session.RowBlank, session.RowGrowing, session.RowStderr,
		session.RowIO, session.RowProc, session.RowGap, session.RowTrip, session.RowTripResponse, session.RowTripEnd:
	}
	return c
}

// lookBack is how many rows before a frame its header block is looked for.
const lookBack = 16

// announced reports whether a Content-Length header block is before a frame.
func announced(s *session.Snapshot, row uint32) bool {
	r := s.Row(row)
	for i := row; i > 0 && row-i < lookBack; {
		i--
		if before := s.Row(i); before.Stream == r.Stream && before.Conn == r.Conn {
			return before.Kind == session.RowHeader
		}
	}
	return false
}

// findFaults reads the frame and looks for what clients take in different ways. Of
// what cannot be read nothing is said.
func findFaults(s *session.Snapshot, log recorder.Log, row uint32, c compat.Context) compat.Faults {
	if c.FromClient || c.Lines < 2 && c.Len > lensWindow {
		return compat.Find(nil, c)
	}
	body, end, err := Frame(s, log, row)
	if err != nil {
		return 0
	}
	c.CRLF = bytes.HasPrefix(end, []byte("\r\n"))
	return compat.Find(body, c)
}

// taken says that every client takes the frame, where that is so.
func (p *Pane) taken(c *pane.Context, s *sheet) {
	if !p.regard.done || p.regard.faults != 0 || c.Snap.Row(p.regard.row).Stream != session.S2C {
		return
	}
	what := "this"
	if p.regard.row != p.sub.row {
		what = "the response"
	}
	s.line(part{c.Theme.Dim, "  every known client takes " + what}) // under the sign of the line before
}

// clients makes the sheet of what known clients do with the frame.
func (p *Pane) clients(c *pane.Context, s *sheet) {
	th := c.Theme
	what := "this"
	switch r := c.Snap.Row(p.regard.row); {
	case r.Stream == session.C2S:
		what = "the unanswered request " + number(r)
	case p.regard.row != p.sub.row:
		what = "the response " + number(r)
	}
	s.text(th.Strong, 0, "What known clients do with "+what, "")
	for f := range p.regard.faults.All {
		s.text(th.Text, 2, f.Title(), f.Rule())
	}
	s.line()
	for _, v := range p.verdicts() {
		p.verdict(th, s, v)
	}
	s.line()
	s.text(th.Dim, 0, "Measured with these versions.", "")
}

// verdict adds the line of one client.
func (p *Pane) verdict(th *style.Theme, s *sheet, v compat.Verdict) {
	style, sign := OutcomeStyle(th, v.Outcome)
	name := v.Client.Label()
	if s.w < 48 {
		name = v.Client.Short()
	}
	words := v.Outcome.String()
	if v.Outcome == compat.Hangs {
		words = "waits forever"
		if wait := v.Wait(); wait > 0 {
			words = fmt.Sprintf("waits %d s, gives up", int(wait.Seconds()))
		}
	}
	rule := ""
	if v.Outcome > compat.Accepts {
		rule = v.Fault.Rule()
	}
	const nameW = 22
	s.line(part{style, sign + " "}, part{th.Text, cells.Fit(name, min(nameW, max(8, s.w-26)))}, part{style, " " + words}).rule = rule
	note := v.Note
	if several := p.regard.faults&(p.regard.faults-1) != 0; several && v.Outcome > compat.Accepts {
		note = strings.TrimPrefix(note+"; "+v.Fault.Title(), "; ")
	}
	if note != "" {
		s.text(th.Dim, 4, note, rule)
	}
}

// verdicts are what the clients do with the frame.
func (p *Pane) verdicts() [compat.NumClients]compat.Verdict {
	k := p.regard.kind
	return p.regard.faults.Verdicts(k == session.RowResult || k == session.RowError || k == session.RowBatch)
}

// OutcomeStyle returns the style and the sign of what a client does with a fault.
func OutcomeStyle(th *style.Theme, o compat.Outcome) (style.Style, string) {
	switch o {
	case compat.Refuses, compat.Hangs, compat.Disconnects:
		return th.Severity(session.Error)
	case compat.Reports:
		return th.Severity(session.Warning)
	case compat.Skips:
		return th.Dim, "·"
	case compat.Accepts:
		return th.Severity(session.NoSeverity)
	case compat.Unknown:
	}
	return th.Dim, "?"
}

// clientsLabel is the name of the tab, with how many clients break.
func (p *Pane) clientsLabel(name string) string {
	broken := 0
	for _, v := range p.verdicts() {
		if v.Outcome.Breaks() {
			broken++
		}
	}
	if broken == 0 {
		return name
	}
	return name + " ✖" + strconv.Itoa(broken)
}
