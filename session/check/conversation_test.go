package check

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/session/framing"
)

// A conversation is what testdata tells of a session: one entry a line.
//
//	12ms s2c {"jsonrpc":"2.0","id":1,"result":{}}    that text and a line feed
//	12ms s2c! "{\"id\":1}\r\n" x3                    these bytes, written as Go does, three times over; one chunk
//	12ms c2s/out {"jsonrpc":"2.0",…}                 put in by wiretea; s2c/in: taken out by it
//	12ms c2s/held {"jsonrpc":"2.0",…}                held here, or dropped; c2s/went: it goes on; s2c/denied: it is answered here instead
//	12ms err listening                               a line of stderr
//	12ms io eof s2c server                           io EVENT STREAM SIDE [BYTES]
//	12ms proc start | exit 3 | exit SIGKILL | signal SIGTERM us | orphans 12 13 | failed no such file
//	12ms gap s2c 100 [damage 2]                      bytes that are missing, why, and the lines that this stands for
//	12ms trip 1 POST /mcp @post {"jsonrpc":"2.0",…}  a round trip of HTTP; see parseTrip
//	12ms tick                                        time passes, nothing else
//	12ms end                                         the session file is closed
//
// Times are since the session began and rise strictly, so that a time names its
// entry. Lines that begin with # and empty lines say nothing. A first line
// "limits timeout=5s line=64KiB max=1MiB" sets the limits in force, a line "ours"
// makes wiretea the client.
type conversation struct {
	limits  session.Limits
	mode    string
	entries []entry
	trips   trips
}

// entry is one line, or a part of one. A record of kind RecRaw is a chunk; of kind
// RecUnknown, a tick.
type entry struct {
	at  string // at is its time as written.
	rec session.Record
}

// parseConversation reads the conversation section of a test.
func parseConversation(t testing.TB, text string) *conversation {
	t.Helper()
	c := &conversation{limits: session.DefaultLimits(), mode: "tee"}
	last := int64(-1)
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimLeft(line, " \t"); line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "limits "); ok {
			if err := parseLimits(&c.limits, rest); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			continue
		}
		if line == "ours" {
			c.mode = "run"
			continue
		}
		recs, err := c.parseLine(line)
		if err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		if recs[0].T <= last {
			t.Fatalf("line %d: time does not rise: %s", i+1, line)
		}
		last = recs[0].T
		for _, rec := range recs {
			c.entries = append(c.entries, entry{at: strings.Fields(line)[0], rec: rec})
		}
	}
	return c
}

// parseLine reads a line, which is one record or, of a round trip, several.
func (c *conversation) parseLine(line string) ([]session.Record, error) {
	at, rest, _ := strings.Cut(line, " ")
	if rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "trip "); ok {
		d, err := time.ParseDuration(at)
		if err != nil {
			return nil, fmt.Errorf("reading the time: %w", err)
		}
		return c.trips.parse(int64(d), rest)
	}
	rec, err := parseEntry(line)
	return []session.Record{rec}, err
}

func parseEntry(line string) (session.Record, error) {
	rec := session.Record{Conn: 1}
	at, rest, _ := strings.Cut(line, " ")
	d, err := time.ParseDuration(at)
	if err != nil {
		return rec, fmt.Errorf("reading the time: %w", err)
	}
	rec.T, rec.T1 = int64(d), int64(d)
	word, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	args := strings.Fields(rest)
	switch word {
	case "io":
		rec.Kind = session.RecIO
		return rec, parseIO(&rec, args)
	case "proc":
		rec.Kind = session.RecProc
		return rec, parseProc(&rec.Proc, args)
	case "gap":
		rec.Kind = session.RecGap
		return rec, parseGap(&rec, args)
	case "end":
		rec.Kind = session.RecEnd
		rec.End.Why = "eof"
		return rec, nil
	case "tick":
		return rec, nil
	}
	name, exact := strings.CutSuffix(word, "!")
	name, way, _ := strings.Cut(name, "/")
	switch way {
	case "out":
		rec.Way = session.WayOut
	case "in":
		rec.Way = session.WayIn
	case "held":
		rec.Way, rec.By = session.WayIn, "policy: test"
	case "went", "denied":
		rec.Way, rec.By = session.WayOut, "policy: test; "+way
	}
	stream, ok := session.ParseStream(name)
	if !ok {
		return rec, fmt.Errorf("%q is neither a stream nor an event", word)
	}
	rec.Kind, rec.Stream = session.RecRaw, stream
	rec.Body = []byte(rest + "\n")
	if exact {
		rec.Body, err = parseBytes(rest)
	}
	return rec, err
}

// parseBytes reads a quoted string and how often it is repeated.
func parseBytes(s string) ([]byte, error) {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return nil, fmt.Errorf("reading quoted bytes: %w", err)
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, fmt.Errorf("reading quoted bytes: %w", err)
	}
	times := 1
	if rest := strings.TrimSpace(s[len(quoted):]); rest != "" {
		if times, err = strconv.Atoi(strings.TrimPrefix(rest, "x")); err != nil {
			return nil, fmt.Errorf("reading the repetition: %w", err)
		}
	}
	return bytes.Repeat([]byte(text), times), nil
}

func parseIO(rec *session.Record, args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("io wants EVENT STREAM SIDE")
	}
	stream, ok := session.ParseStream(args[1])
	if !ok {
		return fmt.Errorf("%q is not a stream", args[1])
	}
	rec.Stream = stream
	rec.IO = session.IOEvent{Event: args[0], Side: args[2]}
	if len(args) > 3 {
		n, err := strconv.ParseInt(args[3], 10, 64)
		if err != nil {
			return fmt.Errorf("reading the bytes: %w", err)
		}
		rec.IO.Bytes = n
	}
	return nil
}

func parseProc(p *session.Proc, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("proc wants an event")
	}
	p.Event = args[0]
	args = args[1:]
	switch p.Event {
	case "start":
		p.PID, p.FDs = 4711, []string{"pipe", "pipe", "pipe"}
		return nil
	case "failed":
		p.Err = strings.Join(args, " ")
		return nil
	case "orphans":
		for _, a := range args {
			pid, err := strconv.Atoi(a)
			if err != nil {
				return fmt.Errorf("reading a pid: %w", err)
			}
			p.PIDs = append(p.PIDs, pid)
		}
		return nil
	case "signal":
		if len(args) != 2 {
			return fmt.Errorf("proc signal wants NAME BY")
		}
		p.Signal, p.By = args[0], args[1]
		return nil
	case "exit":
		if len(args) != 1 {
			return fmt.Errorf("proc exit wants a code or a signal")
		}
		code, err := strconv.Atoi(args[0])
		if err != nil {
			code, p.Signal = -1, args[0]
		}
		p.Code = code
		return nil
	}
	return fmt.Errorf("%q is not an event of a process", p.Event)
}

func parseGap(rec *session.Record, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("gap wants STREAM BYTES")
	}
	stream, ok := session.ParseStream(args[0])
	if args[0] == "any" {
		stream, ok = session.AnyStream, true
	}
	if !ok {
		return fmt.Errorf("%q is not a stream", args[0])
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return fmt.Errorf("reading the bytes: %w", err)
	}
	rec.Stream = stream
	rec.Gap = session.Gap{Stream: stream, Bytes: n, Frames: -1, Why: "memory"}
	if len(args) > 2 {
		rec.Gap.Why = args[2]
	}
	if len(args) > 3 {
		if rec.Gap.Lines, err = strconv.ParseInt(args[3], 10, 64); err != nil {
			return fmt.Errorf("reading the lines: %w", err)
		}
	}
	return nil
}

func parseLimits(l *session.Limits, s string) error {
	l.Lines = nil
	for _, field := range strings.Fields(s) {
		name, value, _ := strings.Cut(field, "=")
		if name == "timeout" {
			d, err := time.ParseDuration(value)
			if err != nil {
				return fmt.Errorf("reading the timeout: %w", err)
			}
			l.Timeout = d
			continue
		}
		n, err := parseSize(value)
		if err != nil {
			return err
		}
		switch name {
		case "line":
			l.Lines = append(l.Lines, n)
		case "max":
			l.MaxLine = n
		default:
			return fmt.Errorf("%q is not a limit", name)
		}
	}
	return nil
}

func parseSize(s string) (int64, error) {
	shift := 0
	if rest, ok := strings.CutSuffix(s, "KiB"); ok {
		s, shift = rest, 10
	} else if rest, ok := strings.CutSuffix(s, "MiB"); ok {
		s, shift = rest, 20
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading a size: %w", err)
	}
	return n << shift, nil
}

// raw returns the conversation as a recorder that frames nothing writes it.
func (c *conversation) raw() []session.Record {
	recs := []session.Record{c.header()}
	for _, e := range c.entries {
		recs = append(recs, e.rec)
	}
	return number(recs)
}

// slow is after what time a recorder stops waiting for a line's end and writes
// what there is of it as raw bytes.
const slow = int64(500 * time.Millisecond)

// framed returns the conversation as a recorder writes it: frames as records,
// but lines that are slow or have no end as raw bytes.
func (c *conversation) framed() []session.Record {
	if c.trips != nil {
		return c.recorded()
	}
	var (
		cut    [3]framing.Splitter
		frames []*cutFrame      // frames in the order in which they began.
		open   [3]*cutFrame     // open are the frames that have not ended.
		pieces = [][]cutPiece{} // pieces of each entry.
	)
	add := func(s session.Stream, t int64, p framing.Piece) cutPiece {
		if p.Start {
			open[s] = &cutFrame{t1: t}
			frames = append(frames, open[s])
		}
		f := open[s]
		f.body = append(f.body, p.Data...)
		if p.End {
			f.t, f.ended = t, true
			f.term = bytes.Clone(p.Term)
			open[s] = nil
		}
		return cutPiece{frame: f, data: append(bytes.Clone(p.Data), p.Term...), end: p.End}
	}
	for _, e := range c.entries {
		var these []cutPiece
		emit := func(p framing.Piece) { these = append(these, add(e.rec.Stream, e.rec.T, p)) }
		switch {
		case e.rec.Kind == session.RecRaw:
			cut[e.rec.Stream].Push(e.rec.Body, emit)
		case e.rec.Kind == session.RecIO && e.rec.IO.Event == "eof":
			cut[e.rec.Stream].Flush(emit)
		case e.rec.Kind == session.RecGap:
			for s, f := range open {
				if f != nil && (session.Stream(s) == e.rec.Stream || e.rec.Stream == session.AnyStream) {
					f.torn = true
				}
			}
		}
		pieces = append(pieces, these)
	}
	recs := []session.Record{c.header()}
	for i, e := range c.entries {
		for _, p := range pieces[i] {
			rec := session.Record{Kind: session.RecFrame, Conn: 1, Stream: e.rec.Stream, Way: e.rec.Way, By: e.rec.By, T: e.rec.T, T1: p.frame.t1}
			switch {
			case p.frame.late():
				if len(p.data) == 0 {
					continue
				}
				rec.Kind, rec.T1, rec.Body = session.RecRaw, e.rec.T, p.data
			case p.end:
				rec.Body, rec.Term = p.frame.body, p.frame.term
			default:
				continue
			}
			recs = append(recs, rec)
		}
		if e.rec.Kind != session.RecRaw {
			recs = append(recs, e.rec)
		}
	}
	return number(recs)
}

type cutFrame struct {
	t1, t int64
	ended bool
	torn  bool // torn: bytes of it are missing.
	body  []byte
	term  []byte
}

// late reports whether a recorder cannot write the frame as one.
func (f *cutFrame) late() bool { return !f.ended || f.torn || f.t-f.t1 > slow }

type cutPiece struct {
	frame *cutFrame
	data  []byte
	end   bool
}

func (c *conversation) header() session.Record {
	return session.Record{Kind: session.RecHeader, Header: &session.Header{
		Format: "mcpcap", Version: 1, MinVer: 1, SID: "00", Tool: "wiretea/test",
		Mode: c.mode, Trans: "stdio", Cmd: []string{"server"}, Limits: c.limits,
	}}
}

// number gives the records that a file would have their numbers.
func number(recs []session.Record) []session.Record {
	n := uint64(0)
	held := map[session.Stream]uint64{} // held is what was decided on last, by its stream.
	for i := range recs {
		if k := recs[i].Kind; k != session.RecHeader && k != session.RecUnknown {
			n++
			recs[i].N = n
		}
		switch r := &recs[i]; {
		case r.By == "":
		case r.Way == session.WayIn:
			held[r.Stream] = r.N
		case strings.HasSuffix(r.By, "denied"):
			r.Of = held[r.Stream.Reverse()]
		default:
			r.Of = held[r.Stream]
		}
	}
	return recs
}

// at returns the time at t as the conversation writes it, and "-" where no
// entry has it.
func (c *conversation) at(t int64) string {
	for _, e := range c.entries {
		if e.rec.T == t {
			return e.at
		}
	}
	return "-"
}
