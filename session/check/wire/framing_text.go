package wire

import (
	"bytes"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

var jsonrpcKey = []byte(`"jsonrpc"`)

// broken judges a frame that is not one complete JSON value.
func (s *framingStream) broken(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	if f.Stream == session.C2S && ev.Conn.Ours && string(f.Head) == rule.ProbeLine {
		return
	}
	who := f.Stream.Sender()
	switch {
	case f.Text.Syntax == jsonrpc.Empty && f.Text.Defects&jsonrpc.ByteOrderMark != 0:
		r.Report(utf8BOM.At(ev, "%s wrote a byte order mark (EF BB BF)", who))
	case f.Text.Syntax == jsonrpc.Empty:
		s.blank(ev)
	case jsonrpc.IsUTF16(f.Head) || s.utf16 && bytes.IndexByte(f.Head, 0) >= 0:
		s.utf16 = true
		r.Report(invalidUTF8.At(ev, "%s writes text that looks like UTF-16: %s", who, rule.Excerpt(rule.WithoutZeros(f.Head))))
	case isHeaderLine(f.Head):
		s.framedByLength(ev, r)
	case s.half.end(s, ev, r):
	case f.Text.Syntax == jsonrpc.Trailing && rule.StartsMessage(f.Head):
		s.trailing(ev, r)
	case f.Text.Syntax == jsonrpc.Malformed && endsWhole(f.Head) && s.half.take(s, ev, r):
		// The next line tells whether the first message goes on.
	case rule.StartsMessage(f.Head) && bytes.Count(f.Head, jsonrpcKey) > 1, s.torn && isDebris(f.Head):
		s.tear(ev, r)
	case s.half.take(s, ev, r):
	default:
		s.text(ev, r)
	}
}

// endsWhole reports whether a whole message stands at the end of a line that begins another.
func endsWhole(head []byte) bool {
	i := bytes.LastIndex(head, []byte(`{"jsonrpc"`))
	return i > 0 && rule.StartsMessage(head) && jsonrpc.Scan(head[i:], nil).Syntax == jsonrpc.Complete
}

// tear reports two interleaved messages.
func (s *framingStream) tear(ev *session.Event, r session.Reporter) {
	s.torn = true
	r.Report(interleavedWrite.At(ev, "%s interleaved two messages: %s", ev.Frame.Stream.Sender(), rule.Excerpt(ev.Frame.Head)))
}

// isDebris reports whether a line could be the rest of an interleaved message.
func isDebris(head []byte) bool {
	head = bytes.TrimRight(head, " \t")
	return len(head) > 0 && (head[len(head)-1] == '}' || head[len(head)-1] == ']')
}

// trailing judges a line with more text after its first value.
func (s *framingStream) trailing(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	end, first := int64(-1), false
	jsonrpc.Scan(f.Head, func(m *jsonrpc.Message) {
		if end < 0 {
			end, first = m.Off+m.Len, rule.IsMessage(m)
		}
	})
	if end >= 0 && !first {
		s.text(ev, r)
		return
	}
	if end >= 0 && f.Text.Values == 1 && f.Text.Batches == 0 && int64(len(f.Head)) == f.Len {
		rest := f.Head[end:]
		switch syntax := jsonrpc.Scan(rest, nil).Syntax; {
		case !rule.StartsMessage(rest):
			sig, what := named(&behindMessage, rest, rule.Excerpt(bytes.TrimSpace(rest)))
			s.report(ev, r, sig, "%s wrote text after a message on the same line: %s", what)
			return
		case len(f.Term) > 0 && (syntax == jsonrpc.Incomplete || syntax == jsonrpc.Malformed):
			s.tear(ev, r)
			return
		}
	}
	s.noise = nil
	found := multipleMessages.At(ev, "%s wrote %s on one line", f.Stream.Sender(), several(f.Text.Values))
	if bytes.Contains(f.Head, []byte("}\r{")) {
		found.Message += ", with a carriage return between them"
		found.Hint = `end every message with a line feed, "\n", instead of a carriage return`
	}
	r.Report(found)
}

// several describes a number of complete messages.
func several(n int) string {
	if n < 2 {
		return "several messages"
	}
	return fmt.Sprintf("%d messages", n)
}

// Signatures of lines that are parts of messages.
var (
	behindMessage = signature{name: "behind", hint: "end every message with a line feed, and send other text to stderr"}
	beforeMessage = signature{name: "before", hint: "send the text to stderr: the message after it on the line is lost"}
	brokenJSON    = signature{name: "json", hint: "let a JSON library write the whole message"}
	halfJSON      = signature{name: "half", hint: "write each message whole, with one write, and flush it"}
)

// oddities are the bytes that are easily overlooked where they make a line no message.
var oddities = [...]struct{ text, name, hint string }{
	{"\x00", "a NUL byte", "write no NUL byte: it is padding, or the end of a C string"},
	{"\x1b", "an escape sequence (ESC)", "write colours only to a terminal, or turn them off (NO_COLOR=1)"},
	{"NaN", "NaN", "JSON has no NaN: write null, or leave the member out; json.dumps(allow_nan=False) finds it"},
	{"Infinity", "Infinity", "JSON has no Infinity: write null, or leave the member out; json.dumps(allow_nan=False) finds it"},
}

// named describes how a line that is not a message begins.
func named(sig *signature, text []byte, what string) (*signature, string) {
	for i := range oddities {
		if o := &oddities[i]; bytes.HasPrefix(text, []byte(o.text)) {
			return &signature{name: sig.name, hint: o.hint}, o.name + " in " + what
		}
	}
	return sig, what
}

// brokenAt names what makes a frame no JSON.
func brokenAt(f *session.Frame) (*signature, string) {
	return named(&brokenJSON, f.Head[max(0, min(f.Text.BadAt, int64(len(f.Head)))):], around(f.Head, f.Text.BadAt))
}

// text reports a line that is neither JSON nor a part of a message.
func (s *framingStream) text(ev *session.Event, r session.Reporter) {
	head := ev.Frame.Head
	switch {
	case rule.StartsMessage(head) && ev.Frame.Text.Syntax == jsonrpc.Incomplete:
		s.report(ev, r, &halfJSON, "%s wrote half a message: %s", rule.Excerpt(head))
	case rule.StartsMessage(head) && bytes.Contains(head, jsonrpcKey):
		sig, what := brokenAt(ev.Frame)
		s.report(ev, r, sig, "%s wrote a message that is not valid JSON: %s", what)
	case bytes.Contains(head, jsonrpcKey) && signatureOf(head, s.greeted).name != "sse":
		sig, what := named(&beforeMessage, head, rule.Excerpt(head))
		s.report(ev, r, sig, "%s wrote text and a message on one line: %s", what)
	default:
		sig := signatureOf(head, s.greeted)
		if sig.name == traceback && s.trace == nil {
			s.trace = new(cause.Words)
		} else if sig.name == traceback {
			s.traced = s.traced || s.noise != sig || s.trace.Crash(0) != nil
		}
		if sig.generic && s.noise != nil {
			sig = s.noise
		}
		s.report(ev, r, sig, "%s wrote text to "+streamName(ev.Frame.Stream)+": %s", rule.Excerpt(head))
	}
}

// report reports a stray line.
func (s *framingStream) report(ev *session.Event, r session.Reporter, sig *signature, format, what string) {
	s.noise = sig
	s.blanks.drop()
	f := stray(ev, sig, format, what)
	if f.Key == traceback && !s.traced {
		s.explain(ev, &f)
	}
	r.Report(f)
}

// explain has the finding of the first traceback say the exception, once that has come.
func (s *framingStream) explain(ev *session.Event, f *session.Finding) {
	s.trace.AddOutput(ev.T, ev.Frame.Head)
	if said := s.trace.Crash(0); said != nil && isException(said) {
		f.Message = fmt.Sprintf("%s wrote a stack trace to %s, which ends in %s", ev.Frame.Stream.Sender(), streamName(ev.Frame.Stream), rule.Excerpt(said))
		f.Running = true
	}
}

// isException reports whether a line is the last one of a stack trace: a name, or a name
// and a text.
func isException(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(": "))
	return len(name) > 0 && !bytes.ContainsFunc(name, func(r rune) bool { return r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// stray is the finding of a stray line. format has verbs for the writer and the
// text.
func stray(ev *session.Event, sig *signature, format, what string) session.Finding {
	broken := stdoutNotJSON
	if ev.Frame.Stream == session.C2S {
		broken = StdinNotJSON
	}
	f := broken.At(ev, format, ev.Frame.Stream.Sender(), what)
	f.Key = sig.name
	if ev.Frame.Stream == session.S2C {
		f.Hint = sig.hint
		if slices.ContainsFunc(ev.Conn.Signals, func(p session.Proc) bool { return rule.EndsProcess(p.Signal) }) {
			f.Severity, f.Breaks, f.Key = session.Info, nil, "at the end"
		}
	}
	return f
}

// around excerpts the text around an offset.
func around(head []byte, at int64) string {
	const before = 40
	if at <= before || at >= int64(len(head)) {
		return rule.Excerpt(head)
	}
	start := int(at) - before
	for start > 0 && !utf8.RuneStart(head[start]) {
		start--
	}
	return `"…` + rule.Excerpt(head[start:])[1:]
}

// badBytes excerpts the text around the first byte that is not UTF-8, if the
// head contains it: ": …".
func badBytes(head []byte) string {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && utf8.FullRune(head[i:]) {
			return ": " + around(head, int64(i))
		}
		i += n
	}
	return ""
}

// isHeaderLine reports whether a line is a header of the Language Server
// Protocol.
func isHeaderLine(head []byte) bool {
	const length, kind = "content-length:", "content-type:"
	return len(head) >= len(length) && bytes.EqualFold(head[:len(length)], []byte(length)) ||
		len(head) >= len(kind) && bytes.EqualFold(head[:len(kind)], []byte(kind))
}

// blanks are blank lines that wait for the next line: among stray text they
// belong to it.
type blanks struct {
	n           int
	first, last session.Finding
}

// blank holds a blank line back, unless it is among stray text, between the
// parts of Content-Length framing, or the last one of the stream.
func (s *framingStream) blank(ev *session.Event) {
	if s.noise != nil || s.lengths || len(ev.Frame.Term) == 0 {
		return
	}
	s.blanks.last = blankLine.At(ev, "%s wrote a blank line", ev.Frame.Stream.Sender())
	if s.blanks.n == 0 {
		s.blanks.first = s.blanks.last
	}
	s.blanks.n++
}

func (b *blanks) report(r session.Reporter) {
	for i := range b.n {
		if i == 0 {
			r.Report(b.first)
		} else {
			r.Report(b.last)
		}
	}
	b.drop()
}

func (b *blanks) drop() { *b = blanks{} }

// Bounds for the parts of a split message that are held back.
const (
	halfWait  = int64(500 * time.Millisecond)
	halfLines = 8
)

// halfMessage holds back lines that begin a message and do not end it, because
// a later line may complete it.
type halfMessage struct {
	text    []byte            // text is the joined lines, without anything between them.
	lines   []session.Finding // lines are their findings if nothing completes them; empty = nothing is held.
	between bool              // between: something else came between them.
	twice   bool              // twice: a message follows there.
	spoiled bool              // spoiled: other text follows the part of a message on its line; it is held alone.
	bad     int               // bad is where that text is seen not to be JSON.
	due     int64
}

// take handles a line that does not parse, and reports whether it took it: held
// it back, or found that it completes what is held.
func (h *halfMessage) take(s *framingStream, ev *session.Event, r session.Reporter) bool {
	f := ev.Frame
	if f.Body || int64(len(f.Head)) != f.Len || len(h.text)+len(f.Head) > session.HeadSize {
		return false
	}
	if len(h.lines) == 0 {
		h.spoiled = f.Text.Syntax == jsonrpc.Malformed && f.Text.BadAt > 0 && bytes.Contains(f.Head, jsonrpcKey)
		if f.Text.Syntax != jsonrpc.Incomplete && !h.spoiled || !rule.StartsMessage(f.Head) {
			return false
		}
		h.text, h.between, h.bad = append(h.text[:0], f.Head...), false, int(f.Text.BadAt)
		h.due = ev.T + halfWait
		h.hold(ev)
		if h.twice = endsWhole(f.Head); h.twice {
			h.lines[0] = stray(ev, &halfJSON, "%s wrote half a message, and another one behind it: %s", rule.Excerpt(f.Head))
		} else if h.spoiled {
			sig, what := brokenAt(f)
			h.lines[0], s.noise = stray(ev, sig, "%s wrote a message that is not valid JSON: %s", what), sig
			s.blanks.drop()
		}
		r.At(h.due, ev.Conn.ID, session.TimerKey{Rule: interleavedWrite.ID, Num: uint64(f.Stream)})
		return true
	}
	joined := append(h.text[:len(h.text):len(h.text)], f.Head...)
	message := false
	switch jsonrpc.Scan(joined, func(m *jsonrpc.Message) { message = rule.IsMessage(m) }).Syntax {
	case jsonrpc.Complete:
		if !message {
			break
		}
		h.complete(ev, r, joined)
		s.blanks.drop()
		return true
	case jsonrpc.Incomplete:
		if len(h.lines) < halfLines {
			h.text = joined
			h.hold(ev)
			return true
		}
	case jsonrpc.Empty, jsonrpc.Malformed, jsonrpc.Trailing:
	}
	h.between = true
	return false
}

// end handles a line behind a spoiled one, and reports whether it completes the message. If
// not, the spoiled line is reported as it is.
func (h *halfMessage) end(s *framingStream, ev *session.Event, r session.Reporter) bool {
	f := ev.Frame
	if len(h.lines) == 0 || !h.spoiled {
		return false
	}
	switch {
	case h.twice && isDebris(f.Head) && !rule.StartsMessage(f.Head): // Of which of them does not matter.
	case f.Body || int64(len(f.Head)) != f.Len || len(h.text)+len(f.Head) > session.HeadSize || !h.completes(f.Head):
		h.give(r)
		return false
	}
	h.between = true
	h.complete(ev, r, nil)
	s.noise = nil
	return true
}

// mostValid is how many bytes of other text may pass for JSON, as in [2026-11-20 12:00].
const mostValid = 8

// completes reports whether a line is the rest of the message that the spoiled line begins:
// a log line was written between them.
func (h *halfMessage) completes(rest []byte) bool {
	for cut := min(h.bad, len(h.text)); cut > 0 && cut >= h.bad-mostValid; cut-- {
		message := false
		joined := append(h.text[:cut:cut], rest...)
		if jsonrpc.Scan(joined, func(m *jsonrpc.Message) { message = rule.IsMessage(m) }).Syntax == jsonrpc.Complete && message {
			return true
		}
	}
	return false
}

func (h *halfMessage) hold(ev *session.Event) {
	h.lines = append(h.lines, stray(ev, &halfJSON, "%s wrote half a message: %s", rule.Excerpt(ev.Frame.Head)))
}

// complete reports that the event's line completes the message that is held. The end of a
// line of a log looks like any other text of a string: the reader of the finding tells them
// apart.
func (h *halfMessage) complete(ev *session.Event, r session.Reporter, joined []byte) {
	who := ev.Frame.Stream.Sender()
	var found session.Finding
	if !h.between {
		at := len(h.text)
		lines := slices.Concat(joined[:at], []byte("\n"), joined[at:])
		found = embeddedNewline.At(ev, "%s wrote a line feed in the middle of a string: %s", who, around(lines, int64(at)))
		found.Hint = "escape line feeds in strings; if the text before this one is a line of a log, two writers share the stream: send the log elsewhere"
	} else {
		found = interleavedWrite.At(ev, "%s split a message and wrote something else between its halves", who)
	}
	r.Report(found.AtRow(h.lines[0].Row))
	h.lines = h.lines[:0]
	h.text = h.text[:0]
}

// expire gives up waiting after halfWait.
func (h *halfMessage) expire(t int64, r session.Reporter) {
	if t >= h.due {
		h.give(r)
	}
}

// give reports the lines that nothing completed.
func (h *halfMessage) give(r session.Reporter) {
	for i := range h.lines {
		r.Report(h.lines[i])
	}
	h.lines = h.lines[:0]
	h.text = h.text[:0]
}

// repeatedKey returns the first duplicate key in an object of a text, decoded.
// The text may be the beginning of a longer one.
func repeatedKey(text []byte) (string, bool) {
	var (
		open []map[string]bool // open are the keys of each open object; nil for an array.
		key  = false           // key: the next string is a key.
	)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open, key = append(open, map[string]bool{}), true
		case '[':
			open, key = append(open, nil), false
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			key = false
		case ',':
			key = len(open) > 0 && open[len(open)-1] != nil
		case '"':
			end := lex.StringEnd(text, i)
			if key {
				keys := open[len(open)-1]
				name := rule.UnquotedOrRaw(text[i:end])
				if keys[name] {
					return name, true
				}
				keys[name], key = true, false
			}
			i = end - 1
		}
	}
	return "", false
}
