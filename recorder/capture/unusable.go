package capture

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/exchange"
	"wiretea/session/check/rule"
	"wiretea/session/check/wire"
	"wiretea/session/client"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

const (
	// unusableAfter is how long a usable answer may still follow one that no client
	// can use.
	unusableAfter = time.Second

	// inertAfter is how long a server may be silent within a line, and after a message
	// that shows that it will not answer.
	inertAfter = 4 * time.Second
)

// A doubt is about requests whose answer may have come in a form that no client can
// use.
type doubt struct {
	conn   int
	row    uint32  // row is the line that raised it,
	at     int64   // and at when that came, in nanoseconds of the session.
	id     string  // id is the request's id as raw text; empty: any request of before.
	loose  []int64 // loose, without an id, are the times of all answers that name no request.
	grace  time.Duration
	still  bool            // still: it is void once the server has written more.
	length bool            // length: the server frames with Content-Length.
	rules  []string        // rules are those that can be its cause; nil = any at the row.
	says   session.Finding // says is the cause where no rule has judged the row.
}

// maxDoubts is how many requests that wait are looked for in a line, and how many
// answers that name no request are remembered.
const maxDoubts = 16

// An answerWatch is a checker that raises doubts. It expects the connections of a
// Run, which follow each other.
type answerWatch struct {
	raise func(*doubt) // raise is called by the analysis, and returns at once.
	pulls *text        // pulls is Run.pulls.

	conn     int
	row      uint32           // row is the latest line with a doubt,
	about    string           // and about the request that it was about; empty = any.
	cause    rule.Unsolicited // cause is what else an answer without an id may answer.
	loose    []int64
	headers  [2]bool // headers: that side frames with Content-Length.
	answered bool    // answered: a request of the connection was.
}

// Check implements session.Checker.
func (w *answerWatch) Check(ev *session.Event, _ session.Reporter) {
	f := ev.Frame
	if f == nil || ev.Conn == nil {
		return
	}
	if w.conn != ev.Conn.ID {
		*w = answerWatch{raise: w.raise, pulls: w.pulls, conn: ev.Conn.ID, row: session.NoRow}
		w.pulls.set("")
	}
	switch ev.Kind {
	case session.FrameSeen:
		w.line(ev)
		if f.Stream != session.Stderr && !f.Part && (f.Text.Syntax != jsonrpc.Complete || f.Text.Emitted == 0) {
			w.cause.Frame(f)
		}
	case session.FrameGrew:
		w.line(ev)
		w.cause.Grew(f)
	case session.MessageSeen:
		if f.Stream == session.S2C {
			w.message(ev)
		}
		if f.Stream != session.Stderr {
			w.cause.Message(ev)
		}
	default:
	}
}

// line looks for an answer in a line that is not JSON, that is on stderr, or that
// has not ended.
func (w *answerWatch) line(ev *session.Event) {
	f, open := ev.Frame, ev.Conn.Open[session.C2S]
	grew := ev.Kind == session.FrameGrew
	switch {
	case f.Header:
		if w.headers[f.Stream] = true; f.Stream == session.S2C && !w.answered {
			w.doubt(ev, doubt{grace: unusableAfter, length: true, rules: []string{wire.ContentLengthFraming.ID}, says: wire.ContentLengthFraming.At(ev, "server frames its messages with Content-Length")})
		}
		return
	case f.Stream == session.C2S, len(open) == 0, f.Body, f.Part && !grew:
		return
	case f.Stream == session.Stderr:
		w.misplaced(ev)
		return
	case !grew && !unreadable(f):
		return
	}
	body := f.Whole
	if body == nil {
		body = f.Head
	}
	latest, goesOn := open[len(open)-1].ID, f.Row == w.row
	if goesOn && latest == w.about {
		return
	}
	if body = plainJSON(body); !goesOn && !isAnswer(body) {
		return
	}
	d := doubt{grace: unusableAfter, says: wire.StdoutNotJSON.At(ev, "server wrote an answer that is not JSON: %s", rule.Excerpt(body))}
	if grew {
		d = doubt{grace: inertAfter, still: true, rules: []string{}, says: wire.InterleavedWrite.At(ev, "server began its answer and has not ended it: %s", rule.Excerpt(body))}
	}
	if goesOn { // Every answer that follows is a part of the same line.
		d.id = latest
		w.doubt(ev, d)
		return
	}
	for _, x := range open[:min(len(open), maxDoubts)] {
		if names(body, x.ID) {
			d.id = x.ID
			w.doubt(ev, d)
			return
		}
	}
	if _, named := member(body, "id"); grew && !named && len(open) == 1 {
		d.id = latest // some servers write the id last
		w.doubt(ev, d)
	}
}

// unreadable reports whether a line holds no message that a client can read.
func unreadable(f *session.Frame) bool {
	switch f.Text.Syntax {
	case jsonrpc.Malformed, jsonrpc.Incomplete:
		return true
	case jsonrpc.Complete:
		return bytes.HasPrefix(bytes.TrimSpace(f.Head), []byte{'"'})
	default:
		return false
	}
}

// plainJSON is a text without what UTF-16, and JSON within a string, add to it.
func plainJSON(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{0}, nil), []byte{'\\'}, nil)
}

// misplaced looks for an answer on stderr. A log may well have an id and a result;
// an answer has a version too.
func (w *answerWatch) misplaced(ev *session.Event) {
	f := ev.Frame
	if ev.Kind != session.FrameSeen {
		return
	}
	w.pulls.set(puller(string(f.Head), w.pulls.get()))
	if f.Text.Syntax != jsonrpc.Complete {
		return
	}
	jsonrpc.Scan(f.Head, func(m *jsonrpc.Message) {
		if i := indexOf(ev.Conn, m); i >= 0 && m.Kind.Response() && m.Version.Is("2.0") {
			w.doubt(ev, doubt{id: string(m.ID.Raw), grace: unusableAfter,
				says: wire.StderrHasProtocol.At(ev, "server wrote the answer to stderr: %s", rule.Excerpt(f.Head))})
		}
	})
}

// indexOf returns which of the client's open requests has the id of a message; -1 =
// none has.
func indexOf(c *session.Conn, m *jsonrpc.Message) int {
	return slices.IndexFunc(c.Open[session.C2S], func(x *session.Exchange) bool { return m.ID.Present() && x.ID == string(m.ID.Raw) })
}

// message looks at what a server sent.
func (w *answerWatch) message(ev *session.Event) {
	m, open := ev.Message, ev.Conn.Open[session.C2S]
	at := indexOf(ev.Conn, m)
	switch m.Kind {
	case jsonrpc.Invalid:
		if at >= 0 && rule.IsMessage(m) {
			w.doubt(ev, doubt{id: open[at].ID, grace: unusableAfter, rules: []string{wire.ResponseEmpty.ID},
				says: wire.ResponseEmpty.At(ev, "server sent a response without result and error")})
		}
	case jsonrpc.Result, jsonrpc.Error:
		switch ev.Match {
		case session.MatchNone, session.MatchOrphan:
			w.nameless(ev)
		case session.MatchAnswer, session.MatchLate, session.MatchCancelled:
			w.answered = true
		default:
		}
	case jsonrpc.Request:
		switch echo := at >= 0 && open[at].Method == methodOf(m); {
		case echo && !w.answered:
			w.doubt(ev, doubt{id: open[at].ID, grace: inertAfter, still: true, rules: []string{},
				says: session.Finding{Message: "server sends back what it reads", Hint: "start an MCP server; this command repeats its input"}})
		case len(open) == 1 && ev.Conn.Phase == session.PhaseModern && ev.Conn.ForHuman(&session.Exchange{Sender: session.S2C, Method: methodOf(m)}):
			w.doubt(ev, doubt{id: open[0].ID, grace: inertAfter, still: true,
				says: session.Finding{Message: "server asks by a request, which protocol 2026-07-28 forbids: " + methodOf(m), Hint: "return the question in a result of the type input_required"}})
		}
	case jsonrpc.Notification:
	}
}

// methodOf is a message's method; empty where it has none.
func methodOf(m *jsonrpc.Message) string {
	method, _ := m.Method.Unquoted()
	return method
}

// nameless looks at an answer that names no request of ours, unless something else
// than a request may have caused it: a notification, or bytes that are not a message.
func (w *answerWatch) nameless(ev *session.Event) {
	m := ev.Message
	sent := w.cause.Side[session.C2S]
	code, _ := m.Field(jsonrpc.ErrorCode).Int()
	recent := sent.Pending && ev.T-sent.Notification <= int64(2*time.Second)
	switch {
	case ev.Match == session.MatchOrphan:
	case sent.Unreadable > 0,
		recent && m.Kind == jsonrpc.Result && m.Result.Len <= int64(len("{}")),
		w.cause.Of(ev) == rule.ByNotification && code != mcp.ParseError:
		return
	}
	if w.loose = append(w.loose, ev.T); len(w.loose) > maxDoubts {
		w.loose = w.loose[1:]
	}
	says := wire.NullResponseID.At(ev, "server sent an answer without the id of a request")
	if m.Kind == jsonrpc.Error {
		says.Message += ": " + rule.RawText(m.Field(jsonrpc.ErrorMessage))
	}
	w.doubt(ev, doubt{loose: slices.Clone(w.loose), grace: unusableAfter, says: says,
		rules: []string{wire.NullResponseID.ID, wire.InvalidIDType.ID, exchange.OrphanResponse.ID}})
}

// doubt raises a doubt at the event's line. A server that frames with Content-Length
// may not have read what was sent in lines, and is not doubted for anything else.
func (w *answerWatch) doubt(ev *session.Event, d doubt) {
	if w.headers[session.S2C] && !w.headers[session.C2S] && !w.answered && !d.length {
		return
	}
	d.conn, d.row, d.at = ev.Conn.ID, ev.Frame.Row, ev.T
	w.row, w.about = d.row, d.id
	w.raise(&d)
}

// isAnswer reports whether a text looks like an answer: an object with a result or an
// error, and without a method before it.
func isAnswer(text []byte) bool {
	method, _ := member(text, "method")
	result, _ := member(text, "result")
	failed, _ := member(text, "error")
	return max(len(result), len(failed)) > len(method)
}

// names reports whether a text that looks like an answer has that id. Where it has
// several, the one before the result counts, else the last.
func names(text []byte, id string) bool {
	value, ok := member(text, "id")
	if result, _ := member(text, "result"); len(result) > len(value) {
		if last := bytes.LastIndex(value, []byte(`id`)); last > 0 {
			if own, is := member(append([]byte{'{'}, value[last-1:]...), "id"); is {
				value = own
			}
		}
	}
	id = strings.Trim(id, `"`)
	value = bytes.TrimLeft(value, `"'`)
	if !ok || id == "" || !bytes.HasPrefix(value, []byte(id)) {
		return false
	}
	rest := value[len(id):]
	return len(rest) == 0 || bytes.IndexByte([]byte(`"', }`), rest[0]) >= 0
}

// member returns what follows a key and its colon inside of braces, in a text that
// need not be JSON: the key may be quoted by any quotes, or by none.
func member(text []byte, key string) (value []byte, ok bool) {
	for from := bytes.IndexByte(text, '{'); from >= 0; {
		i := bytes.Index(text[from:], []byte(key))
		if i < 0 {
			return nil, false
		}
		at := from + i
		from = at + len(key)
		if at == 0 || bytes.IndexByte([]byte(`"'{, `), text[at-1]) < 0 {
			continue
		}
		rest := bytes.TrimLeft(bytes.TrimLeft(text[from:], `"'`), " ")
		if len(rest) > 0 && rest[0] == ':' {
			return bytes.TrimLeft(rest[1:], " "), true
		}
	}
	return nil, false
}

// errLengths is the cause of a handshake that ended because the server frames its
// messages with Content-Length, and answers no lines.
var errLengths = errors.New("the server frames its messages with Content-Length")

// weigh ends, after the grace of a doubt, the waits that it is about.
func (r *Run) weigh(d *doubt) {
	time.AfterFunc(d.grace, func() {
		r.mu.Lock()
		c, conn, abort := r.opened, r.conn, r.abort
		r.mu.Unlock()
		if c == nil || conn == nil || conn.Number() != d.conn {
			return
		}
		s := r.Snapshot()
		if at := s.Conn(d.conn); d.still && (at == nil || at.LastT[session.S2C] > d.at) {
			return
		}
		waiting := r.doubted(c, d)
		if len(waiting) == 0 {
			return
		}
		cause := d.finding(s)
		failed := func(w client.Waiting) error {
			return &client.UnusableError{Method: w.Method, ID: w.ID, Cause: cause}
		}
		switch {
		case !d.length:
			for _, w := range waiting {
				c.Fail(w.ID, failed(w))
			}
		case abort == nil || r.framing() == client.ContentLength: // it was answered, or will be
		case r.framing() == client.AutoFraming:
			abort(errLengths)
		default:
			abort(failed(waiting[0]))
		}
	})
}

// doubted returns the requests of c that a doubt is about and that still wait.
func (r *Run) doubted(c *client.Client, d *doubt) []client.Waiting {
	var about []client.Waiting
	for _, w := range c.Waiting() {
		m, known := mcp.Lookup(w.Method)
		if before := int64(w.Sent.Sub(r.began)) <= d.at; before && (d.id == w.ID || d.id == "" && !(known && m.Unbounded)) {
			about = append(about, w)
		}
	}
	if d.loose == nil || len(about) == 0 {
		return about
	}
	// As long as more requests wait than such answers came, one may have its own.
	since := int64(about[0].Sent.Sub(r.began))
	if n := len(d.loose) - slices.IndexFunc(append(d.loose, d.at), func(t int64) bool { return t >= since }); n < len(about) {
		return nil
	}
	return about
}

// finding is the cause of a doubt: what a rule has found at its line, else what it
// says itself.
func (d *doubt) finding(s *session.Snapshot) session.Finding {
	best := session.Finding{}
	for _, f := range s.RowFindings(d.row) {
		if fits := d.rules == nil || slices.Contains(d.rules, f.Rule); fits && f.Severity > best.Severity {
			best = f
		}
	}
	if best.Rule == "" {
		best = session.Finding{Message: d.says.Message, Hint: d.says.Hint}
	}
	return best
}

func (r *Run) framing() client.Framing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frames
}

// greet makes the handshake, and has it end where the server cannot answer it.
func (r *Run) greet(ctx context.Context, c *client.Client) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	r.setAbort(abort)
	defer r.setAbort(nil)
	return c.Handshake(ctx)
}

func (r *Run) setAbort(abort context.CancelCauseFunc) {
	r.mu.Lock()
	r.abort = abort
	r.mu.Unlock()
}
