package recorder

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/json/lex"
)

// The format's name and versions. A reader takes every file whose minv is not
// above FormatVersion.
const (
	FormatName    = "mcpcap"
	FormatVersion = 2
	stdioVersion  = 1 // stdioVersion is that of a session without round trips.
	minVersion    = 1
)

const (
	maxDepth = 200     // deepest nesting of a body that is stored verbatim
	maxHint  = 256     // longest id, method and target hint, in bytes
	maxRaw   = 1 << 20 // most bytes in one raw record, and most that are held back for a frame
)

// t0Layout is RFC 3339 with all nine digits, so that files sort and compare.
const t0Layout = "2006-01-02T15:04:05.000000000Z"

// appendHeader appends the header's line.
func appendHeader(dst []byte, h *session.Header) []byte {
	dst = append(dst, `{"k":"hdr","fmt":"`+FormatName+`"`...)
	version := int64(stdioVersion)
	if h.Trans == "http" {
		version = FormatVersion
	}
	dst = appendInt(dst, "v", version)
	dst = appendInt(dst, "minv", minVersion)
	dst = appendField(dst, "sid", h.SID)
	dst = appendField(dst, "tool", h.Tool)
	dst = appendField(dst, "t0", h.T0.UTC().Format(t0Layout))
	dst = appendField(dst, "mode", h.Mode)
	dst = appendField(dst, "tr", h.Trans)
	dst = appendField(dst, "name", h.Name)
	dst = appendStrings(dst, "cmd", h.Cmd)
	dst = appendField(dst, "url", h.URL)
	dst = appendField(dst, "cwd", h.Cwd)
	dst = appendStrings(dst, "envk", h.EnvKeys)
	dst = appendStrings(dst, "as", h.As)
	if h.PPID != 0 {
		dst = appendInt(dst, "ppid", int64(h.PPID))
	}
	dst = appendField(dst, "via", h.Via)
	dst = appendField(dst, "sock", h.Sock)
	if h.Part != 0 {
		dst = appendInt(dst, "part", int64(h.Part))
	}
	dst = appendStrings(dst, "members", h.Members)
	dst = appendLimits(dst, &h.Limits)
	return append(dst, '}', '\n')
}

func appendLimits(dst []byte, l *session.Limits) []byte {
	dst = append(dst, `,"lim":{"timeout":`...)
	dst = strconv.AppendInt(dst, int64(l.Timeout), 10)
	if len(l.Timeouts) > 0 {
		sep := `,"timeouts":{`
		for _, method := range slices.Sorted(maps.Keys(l.Timeouts)) {
			dst = append(dst, sep...)
			dst = append(lex.AppendQuote(dst, method), ':')
			dst = strconv.AppendInt(dst, int64(l.Timeouts[method]), 10)
			sep = ","
		}
		dst = append(dst, '}')
	}
	dst = appendInt(dst, "maxline", l.MaxLine)
	dst = appendInts(dst, "lines", l.Lines)
	return append(dst, '}')
}

// appendHead appends what every record but the header begins with.
func appendHead(dst []byte, kind string, n uint64, at origin, t int64) []byte {
	dst = append(dst, `{"k":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","n":`...)
	dst = strconv.AppendUint(dst, n, 10)
	if at.conn != 1 {
		dst = appendInt(dst, "c", int64(at.conn))
	}
	dst = appendInt(dst, "t", t)
	if at.trip != 0 {
		dst = appendInt(dst, "trip", int64(at.trip))
	}
	return dst
}

// appendSyntax appends a field of what is not a message in an event stream, which may be
// empty.
func appendSyntax(dst []byte, name string, text []byte) []byte {
	return lex.AppendQuote(appendName(dst, name), string(text))
}

func appendCut(dst []byte, c session.Cut) []byte {
	dst = strconv.AppendInt(append(dst, '['), int64(c.Off), 10)
	return append(lex.AppendQuote(append(dst, ','), c.Text), ']')
}

// AppendWire appends what a record has of a stream, as it crossed: a frame with what an
// event stream has around it, raw bytes, or the text between events. Other records have
// nothing.
func AppendWire(dst []byte, rec *session.Record) []byte {
	switch rec.Kind {
	case session.RecFrame, session.RecRaw:
		dst = append(dst, rec.Pre...)
		from := 0
		for _, c := range rec.Mid {
			off := min(max(c.Off, from), len(rec.Body))
			dst = append(append(dst, rec.Body[from:off]...), c.Text...)
			from = off
		}
		return append(append(append(dst, rec.Body[from:]...), rec.Post...), rec.Term...)
	case session.RecHTTP:
		return append(dst, rec.HTTP.Text...)
	}
	return dst
}

// An origin is what a record belongs to: a connection and, in HTTP, a round trip of it.
type origin struct{ conn, trip int }

// appendStream appends the first time where it differs, the stream and the way.
func appendStream(dst []byte, t, t1 int64, stream session.Stream, way session.Way) []byte {
	if t1 != t {
		dst = appendInt(dst, "t1", t1)
	}
	dst = append(dst, `,"d":"`...)
	dst = append(dst, stream.String()...)
	dst = append(dst, '"')
	return appendField(dst, "way", way.String())
}

// appendBody appends len, terminator and body, and ends the record. The body is
// stored verbatim where that is asked for, else as text, else in base64.
func appendBody(dst, body, term []byte, verbatim bool) []byte {
	dst = appendLen(dst, len(body), term)
	if verbatim {
		dst = append(dst, verbatimName...)
		dst = append(dst, body...)
		return append(dst, recordEnd...)
	}
	return appendBytes(dst, body)
}

const (
	verbatimName = `,"b":` // verbatimName goes before a body that is stored verbatim.
	recordEnd    = "}\n"
)

// appendLen appends the length of a body and its terminator.
func appendLen(dst []byte, body int, term []byte) []byte {
	dst = appendInt(dst, "len", int64(body))
	if string(term) != "\n" {
		dst = append(dst, `,"e":`...)
		dst = lex.AppendQuoteValid(dst, term)
	}
	return dst
}

// appendBytes appends bytes as text or in base64, and ends the record.
func appendBytes(dst, p []byte) []byte {
	if utf8.Valid(p) {
		dst = append(dst, `,"s":`...)
		dst = lex.AppendQuoteValid(dst, p)
	} else {
		dst = append(dst, `,"x":"`...)
		dst = slices.Grow(dst, base64.StdEncoding.EncodedLen(len(p))+64)
		dst = append(base64.StdEncoding.AppendEncode(dst, p), '"')
	}
	return append(dst, '}', '\n')
}

// appendPath appends an event of what decides on messages.
func appendPath(dst []byte, n uint64, conn int, t int64, ev *session.PathEvent) []byte {
	dst = appendHead(dst, "path", n, origin{conn: conn}, t)
	dst = appendField(dst, "ev", ev.Event)
	dst = appendField(dst, "what", ev.What)
	dst = appendField(dst, "text", ev.Text)
	return append(dst, '}', '\n')
}

// appendRaw appends a raw record. decided is what appendDecided says of it.
func appendRaw(dst []byte, n uint64, at origin, t, t1 int64, stream session.Stream, way session.Way, decided, p []byte) []byte {
	dst = appendHead(dst, "raw", n, at, t)
	dst = appendStream(dst, t, t1, stream, way)
	dst = append(dst, decided...)
	dst = appendInt(dst, "len", int64(len(p)))
	return appendBytes(dst, p)
}

// appendIO appends an event of a stream.
func appendIO(dst []byte, n uint64, conn int, t int64, stream session.Stream, ev *session.IOEvent) []byte {
	dst = appendHead(dst, "io", n, origin{conn: conn}, t)
	dst = appendStream(dst, t, t, stream, session.Crossed)
	dst = appendField(dst, "ev", ev.Event)
	dst = appendField(dst, "side", ev.Side)
	if ev.Bytes != 0 {
		dst = appendInt(dst, "bytes", ev.Bytes)
	}
	return append(dst, '}', '\n')
}

// appendProc appends an event of the process.
func appendProc(dst []byte, n uint64, conn int, t int64, p *session.Proc) []byte {
	dst = appendHead(dst, "proc", n, origin{conn: conn}, t)
	dst = appendField(dst, "ev", p.Event)
	if p.PID != 0 {
		dst = appendInt(dst, "pid", int64(p.PID))
	}
	dst = appendStrings(dst, "fds", p.FDs)
	if p.Event == "exit" {
		dst = appendInt(dst, "code", int64(p.Code))
	}
	dst = appendField(dst, "sig", p.Signal)
	dst = appendField(dst, "by", p.By)
	dst = appendInts(dst, "pids", p.PIDs)
	dst = appendField(dst, "err", p.Err)
	dst = appendField(dst, "why", p.Why)
	return append(dst, '}', '\n')
}

// appendHTTP appends an event of a round trip. Text comes last, as a body does.
func appendHTTP(dst []byte, n uint64, at origin, t int64, ev *session.HTTPEvent) []byte {
	dst = appendHead(dst, "http", n, at, t)
	fields, err := json.Marshal(ev)
	if err != nil {
		panic(err) // Strings and numbers can be marshalled.
	}
	dst = append(append(dst, ','), fields[1:len(fields)-1]...)
	if len(ev.Text) > 0 {
		return appendBytes(appendInt(dst, "len", int64(len(ev.Text))), ev.Text)
	}
	return append(dst, '}', '\n')
}

// appendClock appends the wall time at t.
func appendClock(dst []byte, n uint64, t int64, wall time.Time) []byte {
	dst = appendHead(dst, "clk", n, origin{conn: 1}, t)
	dst = append(dst, `,"wall":"`...)
	dst = wall.UTC().AppendFormat(dst, t0Layout)
	return append(dst, '"', '}', '\n')
}

// appendGap appends that bytes are missing.
func appendGap(dst []byte, n uint64, at origin, t int64, g *session.Gap) []byte {
	dst = appendHead(dst, "gap", n, at, t)
	if g.Stream != session.AnyStream {
		dst = appendStream(dst, t, t, g.Stream, session.Crossed)
	}
	dst = appendInt(dst, "bytes", g.Bytes)
	if g.Lines > 0 {
		dst = appendInt(dst, "lines", g.Lines)
	}
	if g.Frames >= 0 {
		dst = appendInt(dst, "frames", g.Frames)
	}
	dst = appendField(dst, "why", g.Why)
	return append(dst, '}', '\n')
}

// appendEnd appends the last record.
func appendEnd(dst []byte, n uint64, t int64, e *session.End) []byte {
	dst = appendHead(dst, "end", n, origin{conn: 1}, t)
	dst = appendInt(dst, "frames", e.Frames)
	dst = appendInt(dst, "bytes", e.Bytes)
	dst = appendInt(dst, "lost", e.Lost)
	dst = appendField(dst, "why", e.Why)
	return append(dst, '}', '\n')
}

// Pieces of JSON, appended by hand. Each function takes the buffer and returns
// it longer; none allocates but to grow it.

// appendName appends the name of a field behind others: `,"name":`.
func appendName(dst []byte, name string) []byte {
	dst = append(append(dst, ',', '"'), name...)
	return append(dst, '"', ':')
}

// appendInt appends a field with a number: `,"name":1`.
func appendInt(dst []byte, name string, v int64) []byte {
	return strconv.AppendInt(appendName(dst, name), v, 10)
}

// appendField appends a field with a text, and nothing for an empty one.
func appendField(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	return lex.AppendQuote(appendName(dst, name), v)
}

// appendList appends a field with a list, and nothing for an empty one.
func appendList[T any](dst []byte, name string, list []T, item func([]byte, T) []byte) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(appendName(dst, name), '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, v)
	}
	return append(dst, ']')
}

func appendStrings(dst []byte, name string, list []string) []byte {
	return appendList(dst, name, list, lex.AppendQuote)
}

func appendInts[T int | int64](dst []byte, name string, list []T) []byte {
	return appendList(dst, name, list, func(dst []byte, v T) []byte { return strconv.AppendInt(dst, int64(v), 10) })
}
