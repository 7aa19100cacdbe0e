package wire

import (
	"bytes"
	"fmt"

	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/check/compat"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// framingConn judges how the streams of a connection are encoded and cut.
//
// One fault causes one finding. A frame of the client or the server has at most
// one of these, the first that applies:
//
//	text in UTF-16                                  invalid-utf8
//	a Content-Length header                         content-length-framing
//	white space                                     blank-line; nothing amid stray text
//	a message, then more on the line                multiple-messages-per-line, interleaved-write, or stdout-not-json for text
//	the stream ends inside it                       unterminated-final-message; nothing where the server was killed or crashed
//	two messages begun in it, or their debris       interleaved-write
//	half a message that a later line completes      interleaved-write, or embedded-newline where nothing stands between
//	what does not parse                             stdout-not-json, stdin-not-json
//	JSON that is not a message                         json-not-message
//	a byte order mark                               utf8-bom
//	bytes that are not UTF-8                        invalid-utf8
//	several lines                                   embedded-newline
//	no line feed for 500 ms, no line feed at the end  missing-newline, unterminated-final-message
//
// Encoding comes first because a wrong one explains all others. These are
// reported in addition, on lines that are messages: crlf-line-ending,
// lone-surrogate, duplicate-json-key and line-too-long.
type framingConn struct {
	streams   [2]framingStream // by C2S and S2C
	misplaced []misplaced
	half      *session.Finding // half is half a message at the end of stdout, until the exit of the process shows why it was cut.
}

// framingStream is the state of one stream between frames.
type framingStream struct {
	greeted bool         // greeted: a message came on it.
	lengths bool         // lengths: it has Content-Length headers.
	utf16   bool         // utf16: it is written in UTF-16.
	torn    bool         // torn: two messages were interleaved and no complete one has come since.
	noise   *signature   // noise is the kind of the latest stray lines; nil after a message.
	trace   *cause.Words // trace reads the first traceback; nil before it.
	traced  bool         // traced: the first traceback is over.
	blanks  blanks
	half    halfMessage
	tail    *session.Finding // tail is the finding of a message without a line feed, if the stream ends after it.
	stalled rule.RowMark     // stalled is the frame that was reported for its missing line feed.
	grown   rule.RowMark     // grown is the frame that was reported for its length while it grew.
	judged  rule.RowMark     // judged is the frame whose first message was seen.
	strange rule.RowMark     // strange is the frame that was reported as not a message.
}

// Check implements session.Checker.
func (conn *framingConn) Check(ev *session.Event, r session.Reporter) {
	switch ev.Kind {
	case session.FrameSeen, session.FrameGrew, session.FrameStalled, session.MessageSeen:
		switch {
		case ev.Frame.Way == session.WayOut: // wiretea wrote it.
		case ev.Frame.Trip != nil:
			conn.body(ev, r)
		case ev.Frame.Stream != session.Stderr:
			conn.frame(ev, r)
		case ev.Kind == session.FrameSeen:
			conn.stderr(ev, r)
		}
	case session.IOSeen:
		if (ev.IO.Event == "eof" || ev.IO.Event == "closed") && ev.Stream != session.Stderr {
			conn.streams[ev.Stream].end(ev, r)
		}
	case session.Timer:
		switch ev.Timer.Rule {
		case interleavedWrite.ID:
			conn.streams[ev.Timer.Num&1].half.expire(ev.T, r)
		case stderrHasProtocol.ID:
			conn.reportMisplaced(ev, r)
		}
	case session.ConnEnded:
		for i := range conn.streams {
			conn.streams[i].settle(r)
		}
		conn.reportMisplaced(ev, r)
		conn.reportHalf(ev, r)
	}
}

// body judges a message in a body of HTTP, which is not cut into lines. What a body must
// be is judged by the rules for HTTP.
func (conn *framingConn) body(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	if ev.Kind != session.MessageSeen || f.Text.Syntax != jsonrpc.Complete || !rule.IsMessage(ev.Message) {
		return
	}
	if ev.Message.Defects&(jsonrpc.LoneSurrogate|jsonrpc.DuplicateKey) != 0 {
		reportDefects(ev, r)
	}
	if !conn.streams[f.Stream].judged.Put(f.Row) {
		return
	}
	reportDepth(ev, r)
	faults := f.Text.Defects & (jsonrpc.ByteOrderMark | jsonrpc.InvalidUTF8)
	if f.Stream == session.S2C && f.Trip.Stream {
		faults &= jsonrpc.ByteOrderMark // sse-not-utf8 reports the other one.
	}
	if faults != 0 {
		encoding(ev, r)
	}
}

// reportDepth reports a message that is nested too deep.
func reportDepth(ev *session.Event, r session.Reporter) {
	if f := ev.Frame; f.Text.Depth > compat.DeepLevels {
		r.Report(deepNesting.At(ev, "%s nests %d levels of arrays and objects in %s", f.Stream.Sender(), f.Text.Depth, rule.Describe(ev)))
	}
}

// frame judges a frame of stdin or stdout, or a message in it.
func (conn *framingConn) frame(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	s := &conn.streams[f.Stream]
	switch ev.Kind {
	case session.FrameGrew:
		s.grew(ev, r)
	case session.FrameStalled:
		if rule.HoldsMessage(f) && s.stalled.Put(f.Row) {
			r.Report(missingNewline.At(ev, "%s wrote a complete message and no line feed after it", f.Stream.Sender()))
		}
	case session.MessageSeen:
		if f.Text.Syntax == jsonrpc.Complete {
			s.message(ev, r)
		}
		if len(conn.misplaced) > 0 {
			conn.unmisplace(ev)
		}
	case session.FrameSeen:
		switch {
		case f.Part:
		case f.Header:
			s.framedByLength(ev, r)
		case f.Text.Syntax == jsonrpc.Complete:
			s.complete(ev, r)
		case s.stalled.Is(f.Row):
		case f.Text.Syntax == jsonrpc.Incomplete && cutOff(f):
			conn.cutOff(ev)
		default:
			s.broken(ev, r)
		}
	}
}

// cutOff reports whether the stream ended inside a message.
func cutOff(f *session.Frame) bool { return len(f.Term) == 0 && (f.Body || rule.StartsMessage(f.Head)) }

// cutOff stores half a message at the end of a stream. If the client's stream ends like
// that, the reason is unknown: it may have been killed.
func (conn *framingConn) cutOff(ev *session.Event) {
	switch {
	case ev.Frame.Stream == session.C2S && !ev.Conn.Ours:
		f := unterminatedFinal.At(ev, "stdin ended in the middle of a message: %s", rule.Excerpt(ev.Frame.Head))
		f.Severity, f.Fault = session.Info, session.Nobody
		f.Hint = "the client was ended, or closed the stream, while it wrote"
		conn.streams[session.C2S].tail = &f
	case ev.Frame.Stream == session.S2C:
		f := unterminatedFinal.At(ev, "stdout ended in the middle of a message: %s", rule.Excerpt(ev.Frame.Head))
		conn.half = &f
	}
}

// reportHalf reports half a message at the end of stdout if the server exited
// normally. A crash or a kill explains it and is reported instead.
func (conn *framingConn) reportHalf(ev *session.Event, r session.Reporter) {
	if c := ev.Conn; conn.half != nil && c.StdoutEOF != 0 && c.Exited && c.ExitCode == 0 && unharmed(c) {
		r.Report(*conn.half)
	}
}

// unharmed reports whether nothing is known to have killed the server.
func unharmed(c *session.Conn) bool { return c.ExitSig == "" && len(c.Signals) == 0 }

// end judges what was held back when the stream ends. A message without its
// line feed, or half a message of the client, is reported only here: neither a recording that breaks off, nor a
// reader that went away, nor a kill is a fault of the writer.
func (s *framingStream) end(ev *session.Event, r session.Reporter) {
	s.settle(r)
	peace := unharmed(ev.Conn)
	if ev.Stream == session.C2S {
		peace = !ev.Conn.Exited
	}
	if s.tail != nil && peace {
		r.Report(*s.tail)
	}
	s.tail = nil
}

// settle reports what was held back because of what might have followed.
func (s *framingStream) settle(r session.Reporter) {
	s.blanks.report(r)
	s.half.give(r)
}

// complete judges a frame that is one JSON value, independent of its messages.
func (s *framingStream) complete(ev *session.Event, r session.Reporter) {
	s.half.between = true
	if ev.Frame.Text.Emitted == 0 && rule.Version(ev) != mcp.V2 {
		r.Report(JSONNotMessage.At(ev, "%s wrote an empty list", ev.Frame.Stream.Sender()))
	}
	s.length(ev, r)
}

// message judges a frame once its messages are known.
func (s *framingStream) message(ev *session.Event, r session.Reporter) {
	f, m := ev.Frame, ev.Message
	if !rule.IsMessage(m) {
		// In a batch that is not allowed, one invalid element adds no
		// information.
		if (m.Elem <= 0 || rule.Version(ev) == mcp.V2) && s.strange.Put(f.Row) {
			s.blanks.drop()
			r.Report(notMessage(ev))
		}
		return
	}
	if s.blanks.n > 0 {
		s.blanks.report(r)
	}
	s.greeted, s.torn, s.noise = true, false, nil
	if m.Defects&(jsonrpc.LoneSurrogate|jsonrpc.DuplicateKey) != 0 {
		reportDefects(ev, r)
	}
	if !s.judged.Put(f.Row) {
		return
	}
	reportDepth(ev, r)
	faults := f.Text.Defects & (jsonrpc.ByteOrderMark | jsonrpc.InvalidUTF8)
	if faults != 0 || f.Lines > 1 || len(f.Term) != 1 {
		s.wrapping(ev, r)
	}
}

// wrapping judges the encoding and the end of a frame with messages.
func (s *framingStream) wrapping(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	who := f.Stream.Sender()
	switch {
	case f.Text.Defects&(jsonrpc.ByteOrderMark|jsonrpc.InvalidUTF8) != 0:
		encoding(ev, r)
	case f.Lines > 1:
		r.Report(embeddedNewline.At(ev, "%s spread one message over %d lines", who, f.Lines))
	case len(f.Term) == 0 && !f.Body && !s.stalled.Is(f.Row):
		found := unterminatedFinal.At(ev, "%s closed the stream without a line feed after the last message", who)
		s.tail = &found
	}
	if string(f.Term) == "\r\n" {
		r.Report(crlf(ev))
	}
}

// encoding reports a message that is not plain UTF-8.
func encoding(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	if f.Text.Defects&jsonrpc.ByteOrderMark != 0 {
		found := utf8BOM.At(ev, "%s wrote a byte order mark (EF BB BF) before a message", f.Stream.Sender())
		if f.Trip != nil {
			found.Breaks = nil // What decodes a body removes it in many clients, as fetch does.
		}
		r.Report(found)
		return
	}
	found := invalidUTF8.At(ev, "%s wrote bytes that are not UTF-8%s", f.Stream.Sender(), badBytes(f.Head))
	if rule.Version(ev) < mcp.V2 {
		found.Severity = session.Warning
	}
	r.Report(found)
}

// crlf is the finding of a line that ends with CR LF. It may be reported for
// every frame, so it formats nothing.
func crlf(ev *session.Event) session.Finding {
	if ev.Frame.Stream == session.C2S {
		return crlfEnding.At(ev, "client ends its lines with CR LF")
	}
	return crlfEnding.At(ev, "server ends its lines with CR LF")
}

// reportDefects reports defects of a message's JSON text.
func reportDefects(ev *session.Event, r session.Reporter) {
	who, what := ev.Frame.Stream.Sender(), rule.Describe(ev)
	if ev.Message.Defects&jsonrpc.LoneSurrogate != 0 {
		r.Report(loneSurrogate.At(ev, "%s wrote half a surrogate pair in %s", who, what))
	}
	if ev.Message.Defects&jsonrpc.DuplicateKey != 0 {
		key := "a key"
		if name, ok := repeatedKey(ev.Frame.Head); ok {
			key = "the key " + rule.Excerpt([]byte(name))
		}
		r.Report(duplicateKey.At(ev, "%s wrote %s twice in one object of %s", who, key, what))
	}
}

// notMessage is the finding of a value that is not a message.
func notMessage(ev *session.Event) session.Finding {
	f, m := ev.Frame, ev.Message
	who, where := f.Stream.Sender(), streamName(f.Stream)
	what := rule.Excerpt(f.Head)
	if f.Lines > 1 {
		what = fmt.Sprintf("a value over %d lines", f.Lines)
	}
	if m.Elem > 0 {
		return JSONNotMessage.At(ev, "%s sent a batch whose element %d is not a message", who, m.Elem)
	}
	if m.Type == jsonrpc.Object && rule.LogKey(m.UnknownKey) {
		found := JSONNotMessage.At(ev, "%s wrote a log object to %s: %s", who, where, what).Keyed("log")
		found.Hint = "send the logger's output to stderr (pino: destination 2, zap: OutputPaths, slog: os.Stderr)"
		return found
	}
	found := JSONNotMessage.At(ev, "%s wrote JSON that is not a message to %s: %s", who, where, what)
	if m.Type == jsonrpc.String && bytes.Contains(f.Head, []byte(`\"jsonrpc\"`)) {
		found.Hint = "the message was turned into JSON twice: serialize it once"
	}
	return found
}

// streamName returns the usual name of a stream.
func streamName(s session.Stream) string {
	switch s {
	case session.C2S:
		return "stdin"
	case session.S2C:
		return "stdout"
	}
	return "stderr"
}

// framedByLength reports header blocks. wiretea as the client writes them only
// if its user asks for it.
func (s *framingStream) framedByLength(ev *session.Event, r session.Reporter) {
	s.lengths = true
	if f := ev.Frame; f.Stream != session.C2S || !ev.Conn.Ours {
		r.Report(contentLengthFraming.At(ev, "%s frames its messages with headers: %s", f.Stream.Sender(), rule.Excerpt(f.Head)))
	}
}
