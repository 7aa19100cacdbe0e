package plain

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
)

// A Printer prints a session as it grows. Its methods are called from one
// goroutine.
type Printer struct {
	Out    io.Writer
	Log    recorder.Log   // Log is where bodies are read.
	Filter *filter.Filter // Filter selects rows; nil = all.
	Colour bool           // Colour allows SGR sequences.
	JSON   bool           // JSON prints one object a row instead of a line for people.

	next    uint32                       // next is the first row not looked at.
	growing []uint32                     // growing are rows before next that had not ended.
	found   int                          // found counts the findings taken.
	waiting map[uint32][]session.Finding // waiting are those not printed yet, by row.
	bodies  *recorder.Bodies             // bodies reads read, which is the latest Log.
	read    recorder.Log
	out     *bufio.Writer
	err     error

	beside             string // beside is what the next line says of the round trip's head; empty for nothing.
	head               uint32 // head is the row of the latest such head.
	answered, streamed uint32 // answered and streamed are the latest round trips whose response's head is beside a message, by the row of their request + 1: with a JSON body, with a stream.
}

// Print prints what is new in the snapshot. Rows that may still change wait for
// a later one, unless last is set: then everything is printed. It returns the
// first error of Out.
func (p *Printer) Print(s *session.Snapshot, last bool) error {
	if p.out == nil {
		p.out = bufio.NewWriterSize(p.Out, 64<<10)
	}
	p.take(s)
	p.growing = slices.DeleteFunc(p.growing, func(i uint32) bool {
		if !last && unsettled(s.Row(i)) {
			return false
		}
		p.row(s, i)
		return true
	})
	for n := uint32(s.Len()); p.next < n; p.next++ {
		if !last && unsettled(s.Row(p.next)) {
			p.growing = append(p.growing, p.next)
			continue
		}
		if !last && !p.JSON && early(s, p.next) {
			break
		}
		p.row(s, p.next)
	}
	p.late()
	if err := p.out.Flush(); p.err == nil {
		p.err = err
	}
	return p.err
}

// unsettled reports whether what a row is may still change.
func unsettled(r session.Row) bool { return r.Kind == session.RowGrowing }

func (p *Printer) row(s *session.Snapshot, i uint32) {
	if !p.selects(s, i) {
		return
	}
	if p.JSON {
		p.write(p.rowJSON(s, i))
		return
	}
	joined := p.joined(s, i)
	if joined && p.beside != "" {
		p.head = i // Its findings follow the line that it is on.
		return
	}
	if !joined {
		p.write(p.line(s, i))
	}
	p.findings(i)
	p.findings(p.head)
}

// selects reports whether the filter lets a row through.
func (p *Printer) selects(s *session.Snapshot, i uint32) bool {
	if p.Filter == nil {
		return true
	}
	verdict := p.Filter.Meta(s, i)
	return verdict == filter.Yes || verdict == filter.Body && p.Filter.Match(s, i, p.body(s.Row(i), 0))
}

// body reads the first max bytes of a row's body, or all of it with 0. What
// cannot be read is nothing: the line is printed without it. The result is valid until
// the next call.
func (p *Printer) body(r session.Row, max int64) []byte {
	max = cmp.Or(max, int64(r.Len))
	if p.bodies == nil || p.read != p.Log {
		p.bodies, p.read = recorder.NewBodies(p.Log), p.Log
	}
	body, err := p.bodies.Read(r, max)
	if err != nil {
		return nil
	}
	return body
}

func (p *Printer) write(line string) {
	if p.err != nil {
		return
	}
	if _, err := p.out.WriteString(line); err != nil {
		p.err = err
		return
	}
	p.err = p.out.WriteByte('\n')
}

// colour is an SGR parameter. Signs and words say the same without it.
type colour string

const (
	bold   colour = "1"
	faint  colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	blue   colour = "34"
	purple colour = "35"
	cyan   colour = "36"
)

func (p *Printer) paint(c colour, text string) string { return paint(p.Colour, c, text) }

func (p *Printer) dim(text string) string { return paint(p.Colour, faint, text) }

func paint(on bool, c colour, text string) string {
	if !on || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[m"
}

// tint colours the direction: what the client's side asks, what the server's
// side asks, and what went wrong.
func (p *Printer) tint(r session.Row, text string) string {
	switch {
	case r.Failed() || r.Kind == session.RowText || r.Kind == session.RowGrowing:
		return p.paint(red, text)
	case r.Kind == session.RowRequest && r.Stream == session.S2C:
		return p.paint(purple, text)
	case r.Stream == session.C2S:
		return p.paint(cyan, text)
	}
	return p.paint(green, text)
}

func severityColour(sev session.Severity) colour {
	switch sev {
	case session.Error:
		return red
	case session.Warning:
		return yellow
	case session.Info, session.NoSeverity:
	}
	return blue
}

// rowObject is one row for programs. Absent members are empty.
type rowObject struct {
	N       uint32  `json:"n"`
	Seconds float64 `json:"t"`
	Conn    uint16  `json:"connection"`
	Stream  string  `json:"stream"`
	Way     string  `json:"way,omitempty"` // Way is that of the session file: out for injected, in for taken out.
	By      string  `json:"by,omitempty"`  // By is who decided what became of the frame.
	Kind    string  `json:"kind"`
	Method  string  `json:"method,omitempty"`
	Target  string  `json:"target,omitempty"`
	ID      string  `json:"id,omitempty"`
	Pair    uint32  `json:"pair,omitempty"`
	Latency float64 `json:"latencyMs,omitempty"`
	Size    uint32  `json:"size"`
	Worst   string  `json:"worst,omitempty"`
	Text    string  `json:"text,omitempty"`
}

func (p *Printer) rowJSON(s *session.Snapshot, i uint32) string {
	r := s.Row(i)
	o := rowObject{
		N: r.N, Seconds: float64(r.T) / 1e9, Conn: r.Conn, Stream: r.Stream.String(), Way: r.Way.String(), By: p.by(r), Kind: r.Kind.String(),
		Method: s.Name(r.Method), Target: s.Name(r.Target), ID: s.ID(r), Size: r.Len, Worst: r.Sev.String(),
	}
	if r.Pair != session.NoRow {
		o.Pair = s.Row(r.Pair).N
	}
	if ns, ok := s.Latency(i); ok {
		o.Latency = float64(ns) / 1e6
	}
	if r.Kind == session.RowText || r.Kind == session.RowStderr {
		o.Text = string(p.body(r, 4*excerpt))
	}
	line, err := json.Marshal(o)
	if err != nil {
		return "{}"
	}
	return string(line)
}
