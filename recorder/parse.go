package recorder

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
)

// What can be wrong with a line.
var (
	errNoObject = errors.New("the line is not a JSON object")
	errNoKind   = errors.New("the record has no kind")
	errField    = errors.New("a field that the record needs is missing or has the wrong type")
	errLength   = errors.New("the body does not have the length that the record says")
)

// A parser reads records from lines. It reuses its memory: what a record's Body
// and Term point to is valid until the next line, and as long as the line.
type parser struct {
	body, term []byte
}

// parts are the fields of a frame or raw record, as raw text; nil = absent.
type parts struct {
	kind, n, conn, in, t, t1, trip, stream, length, term, way, of, by, again []byte
	pre, mid, post                                                           []byte
	verbatim, text, base64                                                   []byte
}

// parse reads one line, without its line feed, into rec. Off and Size are the
// caller's.
func (p *parser) parse(line []byte, rec *session.Record) error {
	*rec = session.Record{}
	var f parts
	if !f.read(line) {
		return errNoObject
	}
	rec.Kind = kindOf(f.kind)
	if f.kind == nil {
		return errNoKind
	}
	if rec.Kind == session.RecHTTP && f.trip == nil {
		rec.Kind = session.RecUnknown
	}
	if !f.common(rec) && rec.Kind != session.RecUnknown && rec.Kind != session.RecHeader {
		return errField
	}
	switch rec.Kind {
	case session.RecFrame, session.RecRaw:
		return p.bytes(&f, rec)
	case session.RecUnknown:
		return nil
	case session.RecHTTP:
		return p.http(line, &f, rec)
	}
	return parseEvent(line, &f, rec)
}

// kindOf is the kind of the raw text of "k".
func kindOf(k []byte) session.RecordKind {
	switch string(k) {
	case `"f"`:
		return session.RecFrame
	case `"raw"`:
		return session.RecRaw
	case `"io"`:
		return session.RecIO
	case `"http"`:
		return session.RecHTTP
	case `"proc"`:
		return session.RecProc
	case `"clk"`:
		return session.RecClock
	case `"gap"`:
		return session.RecGap
	case `"hdr"`:
		return session.RecHeader
	case `"end"`:
		return session.RecEnd
	case `"path"`:
		return session.RecPath
	case `"over"`:
		return session.RecOver
	}
	return session.RecUnknown
}

// read finds the fields. The body that our own writer puts last is found by its
// length, without looking at it.
func (f *parts) read(line []byte) bool {
	i := lex.SkipSpace(line, 0)
	if i >= len(line) || line[i] != '{' {
		return false
	}
	i = lex.SkipSpace(line, i+1)
	for {
		if f.readLast(line, i) {
			return true
		}
		key, value, next := lex.OneMember(line, i)
		if next < 0 {
			return false
		}
		f.set(key[1:len(key)-1], value)
		if next = lex.SkipSpace(line, next); next >= len(line) {
			return false
		}
		if line[next] != ',' {
			return line[next] == '}' && lex.SkipSpace(line, next+1) == len(line)
		}
		i = lex.SkipSpace(line, next+1)
	}
}

// VerbatimAt returns where the body of a record begins in the record's line, if the body is
// stored verbatim as the last member and rec.Body is that part of line; else 0.
func VerbatimAt(rec *session.Record, line []byte) int {
	at := len(line) - len("}") - len(rec.Body)
	if len(rec.Body) == 0 || at <= len(verbatimName) || &line[at] != &rec.Body[0] || string(line[at-len(verbatimName):at]) != verbatimName {
		return 0
	}
	return at
}

// readLast takes the rest of the line for the verbatim body, where it has the
// right length and looks like one value.
func (f *parts) readLast(line []byte, i int) bool {
	if len(line)-i < len(`"b":0}`) || string(line[i:i+4]) != `"b":` || line[len(line)-1] != '}' {
		return false
	}
	body := line[i+4 : len(line)-1]
	if n, ok := asInt(f.length); !ok || n != int64(len(body)) || bytes.IndexByte(body, 0) >= 0 {
		return false
	}
	switch first, last := body[0], body[len(body)-1]; first {
	case '{':
		if last != '}' {
			return false
		}
	case '[':
		if last != ']' {
			return false
		}
	default:
		return false
	}
	f.verbatim = body
	return true
}

func (f *parts) set(key, value []byte) {
	switch string(key) {
	case "k":
		f.kind = value
	case "n":
		f.n = value
	case "c":
		f.conn = value
	case "in":
		f.in = value
	case "t":
		f.t = value
	case "trip":
		f.trip = value
	case "pre":
		f.pre = value
	case "mid":
		f.mid = value
	case "post":
		f.post = value
	case "t1":
		f.t1 = value
	case "d":
		f.stream = value
	case "len":
		f.length = value
	case "e":
		f.term = value
	case "way":
		f.way = value
	case "of":
		f.of = value
	case "by":
		f.by = value
	case "again":
		f.again = value
	case "b":
		f.verbatim = value
	case "s":
		f.text = value
	case "x":
		f.base64 = value
	}
}

// common fills in what every record has, and reports whether that was possible.
func (f *parts) common(rec *session.Record) bool {
	if in, ok := asInt(f.in); ok && in > 0 && in <= session.MaxMembers {
		rec.In = int(in)
	}
	n, okN := asInt(f.n)
	t, okT := asInt(f.t)
	conn, okC := int64(1), true
	if f.conn != nil {
		conn, okC = asInt(f.conn)
	}
	if f.trip != nil {
		trip, ok := asInt(f.trip)
		okC = okC && ok && trip >= 0 && trip <= 1<<30
		rec.Trip = int(trip)
	}
	rec.N, rec.T, rec.T1, rec.Conn, rec.Again = uint64(n), t, t, int(conn), f.again != nil
	okC = okC && (conn > 0 || conn == 0 && rec.Kind == session.RecGap) && conn <= 1<<30
	return okN && okT && okC && n >= 0
}

// bytes fills in a frame or raw bytes.
func (p *parser) bytes(f *parts, rec *session.Record) error {
	stream, ok := session.ParseStream(asWord(f.stream))
	if !ok {
		return errField
	}
	rec.Stream, rec.Way = stream, parseWay(f.way)
	if f.t1 != nil {
		if rec.T1, ok = asInt(f.t1); !ok {
			return errField
		}
	}
	if of, ok := asInt(f.of); ok && of > 0 {
		rec.Of = uint64(of)
	}
	if f.by != nil {
		rec.By = lex.Unquote(f.by)
	}
	if rec.Body, ok = p.decode(f); !ok {
		return errField
	}
	if f.length != nil {
		if n, ok := asInt(f.length); !ok || n != int64(len(rec.Body)) {
			return errLength
		}
	}
	if rec.Kind == session.RecRaw {
		return nil
	}
	if f.pre != nil || f.post != nil {
		return f.event(rec)
	}
	rec.Term = lineFeed
	if f.term != nil {
		if rec.Term, ok = asBytes(f.term, p.term); !ok {
			return errField
		}
		if len(rec.Term) > 0 {
			p.term = rec.Term[:0]
		}
	}
	return nil
}

var lineFeed = []byte("\n")

// event fills in what an event stream has around a message.
func (f *parts) event(rec *session.Record) error {
	var ok1, ok2 bool
	rec.Pre, ok1 = asSyntax(f.pre)
	rec.Post, ok2 = asSyntax(f.post)
	if !ok1 || !ok2 {
		return errField
	}
	for _, item := range lex.Items(f.mid) {
		var cut session.Cut
		for i, v := range lex.Items(item) {
			if off, ok := asInt(v); i == 0 && ok {
				cut.Off = int(off)
			} else {
				cut.Text = lex.Unquote(v)
			}
		}
		rec.Mid = append(rec.Mid, cut)
	}
	return nil
}

// asSyntax returns the text of a field that may be absent.
func asSyntax(v []byte) ([]byte, bool) {
	if v == nil {
		return nil, true
	}
	return asBytes(v, nil)
}

// decode returns the body in whichever form it is stored.
func (p *parser) decode(f *parts) ([]byte, bool) {
	switch {
	case f.verbatim != nil:
		return f.verbatim, true
	case f.text != nil:
		if len(f.text) < 2 || f.text[0] != '"' {
			return nil, false
		}
		inner := f.text[1 : len(f.text)-1]
		if bytes.IndexByte(inner, '\\') < 0 {
			return inner, true
		}
		body, ok := lex.AppendUnescaped(p.body[:0], inner)
		p.body = body
		return body, ok
	case f.base64 != nil:
		if len(f.base64) < 2 || f.base64[0] != '"' {
			return nil, false
		}
		body, err := base64.StdEncoding.AppendDecode(p.body[:0], f.base64[1:len(f.base64)-1])
		p.body = body
		return body, err == nil
	}
	return nil, false
}

// asWord returns a short string without escapes, without allocating for the
// words that the format has.
func asWord(v []byte) string {
	switch string(v) {
	case `"c2s"`:
		return "c2s"
	case `"s2c"`:
		return "s2c"
	case `"err"`:
		return "err"
	}
	return ""
}

func parseWay(v []byte) session.Way {
	switch string(v) {
	case `"in"`:
		return session.WayIn
	case `"out"`:
		return session.WayOut
	}
	return session.Crossed
}

// parseEvent fills in a record that holds no bytes of a stream. Such records are rare.
// Fields of the wrong type are left zero; whether a header is one that we can read is
// checkHeader's business.
func parseEvent(line []byte, f *parts, rec *session.Record) (err error) {
	if rec.Kind == session.RecGap && f.stream == nil {
		rec.Stream = session.AnyStream
	} else if rec.Kind == session.RecIO || rec.Kind == session.RecGap {
		var ok bool
		if rec.Stream, ok = session.ParseStream(asWord(f.stream)); !ok {
			return errField
		}
	}
	switch rec.Kind {
	case session.RecHeader:
		var h session.Header
		h, err = unmarshal(line, h)
		h.T0 = h.T0.UTC()
		rec.Conn, rec.Header = 1, &h
	case session.RecIO:
		rec.IO, err = unmarshal(line, rec.IO)
	case session.RecProc:
		rec.Proc, err = unmarshal(line, rec.Proc)
	case session.RecPath:
		rec.Path, err = unmarshal(line, rec.Path)
	case session.RecGap:
		rec.Gap, err = unmarshal(line, session.Gap{Stream: rec.Stream, Frames: -1})
	case session.RecEnd:
		rec.End, err = unmarshal(line, rec.End)
	case session.RecClock:
		var clock struct {
			Wall time.Time `json:"wall"`
		}
		clock, err = unmarshal(line, clock)
		if rec.Wall = clock.Wall.UTC(); rec.Wall.IsZero() {
			return errField
		}
	}
	return err
}

// http fills in an event of a round trip.
func (p *parser) http(line []byte, f *parts, rec *session.Record) (err error) {
	var ev session.HTTPEvent
	if ev, err = unmarshal(line, ev); err != nil {
		return err
	}
	ev.Conn, rec.HTTP = rec.Conn, &ev
	if f.length == nil {
		return nil
	}
	text, ok := p.decode(f)
	if ev.Text = bytes.Clone(text); !ok {
		return errField
	}
	return nil
}

// unmarshal reads the fields of a record into v.
func unmarshal[T any](line []byte, v T) (T, error) {
	err := json.Unmarshal(line, &v)
	if mismatch := (*json.UnmarshalTypeError)(nil); err == nil || errors.As(err, &mismatch) {
		return v, nil
	}
	return v, errField
}

// asInt reads an integer written as one.
func asInt(v []byte) (int64, bool) {
	neg := len(v) > 0 && v[0] == '-'
	if neg {
		v = v[1:]
	}
	if len(v) == 0 || len(v) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// asBytes decodes a string. Without escapes the result aliases v, else it is
// appended to scratch[:0].
func asBytes(v, scratch []byte) ([]byte, bool) {
	if len(v) < 2 || v[0] != '"' {
		return nil, false
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') < 0 {
		return v, true
	}
	return lex.AppendUnescaped(scratch[:0], v)
}
