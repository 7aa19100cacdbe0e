package http

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// The media types that a server answers with.
const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// head judges the head of a response: at once if it is an event stream, else when the
// body has ended.
func (c *httpConn) head(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	if t.judged || x.Response == nil {
		return
	}
	if t.judged = true; x.Response.Ours {
		if x.Response.Status >= 500 && isMCP(t, x) {
			reportSilence(ev, t, r)
		}
		return // No server sent it.
	}
	switch method := x.Request.Method; {
	case method == "OPTIONS":
		preflight(ev, t, r)
		return
	case method == "POST" && t.isMessage() && t.old:
		c.oldPost(ev, t, r)
	case method == "POST" && t.isMessage():
		c.post(ev, t, r)
	case method == "GET":
		c.get(ev, t, r)
	case method == "DELETE" && t.session != nil:
		c.deleted(ev, t, r)
	}
	length := 0
	for _, f := range x.Response.Fields {
		length += len(f.Name) + len(": \r\n") + len(f.Value)
	}
	if length > 16<<10 {
		report(ev, t, r, longHead, "the header fields of the response to %s have %d bytes: Node reads 16384, Python's h11 65536", t.name(), length)
	}
	exposed(ev, t, r)
	c.authorized(ev, t, r)
}

// end takes the end of a round trip.
func (c *httpConn) end(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	switch {
	case x.Response == nil:
		if !left(x) && isMCP(t, x) {
			reportSilence(ev, t, r)
		}
	case x.Stream:
		c.closed(ev, t, r)
	default:
		c.issued(ev, t, r)
		c.head(ev, t, r)
	}
	if t.isRequest() && x.Response != nil && !x.Response.Ours {
		coded(ev, t, r)
	}
	notJSON(ev, t, r)
	c.streams.given(ev, t)
	if x.Response != nil && !x.Response.Ours {
		c.session.seen(ev, t)
	}
}

// notJSON judges the body of a request. That it was meant for MCP shows in the header.
func notJSON(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	q := x.Request
	meant := t.old || t.session != nil || has(q, "MCP-Protocol-Version") || accepts(fieldOf(q, "Accept"), typeEvents)
	if t.partly && fieldOf(q, "Content-Length") != strconv.FormatInt(x.Bytes[session.C2S], 10) {
		return // It was not read to its end.
	}
	if t.spoilt == "" || x.Gap || q.Method != "POST" || !meant || q.MediaType() != typeJSON || has(q, "Content-Encoding") {
		return
	}
	report(ev, t, r, requestNotJSON, "the body of %s is not valid JSON: %s", t.name(), t.spoilt)
}

// isMCP reports whether a request is a message, or asks for a stream of them.
func isMCP(t *trip, x *session.Trip) bool {
	return t.isMessage() || x.Request.Method == "GET" && accepts(fieldOf(x.Request, "Accept"), typeEvents)
}

// post judges the response to a message.
func (c *httpConn) post(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	res := x.Response
	if lack := lacks(x.Request); lack != "" && res.Status != 406 {
		report(ev, t, r, accept, "%s: the client's Accept %s", t.name(), lack)
	}
	if media := x.Request.MediaType(); media != typeJSON {
		report(ev, t, r, requestContentType, "%s: the client's Content-Type is %s", t.name(), orNone(media))
	}
	c.codes(ev, t, r)
	switch status := res.Status; {
	case status == 406:
		notAcceptable(ev, t, r)
	case status >= 300 && status < 400:
		c.redirected(ev, t, r)
	case status == 429:
		c.limited(ev, t, r)
	case c.sessionRefused(ev, t, r):
	case status >= 500:
		c.pace.retryAfter(ev, t)
		failed(ev, t, r)
	case res.MediaType() == "text/html" && status != 401 && !isObject(t.text):
		c.page(ev, t, r)
	case status >= 400:
		c.refused(ev, t, r)
	case x.Why == "client" && t.ours && t.isRequest() && !t.done() && !x.Gap && !x.Stream && x.EndT-x.ReqT >= rule.TimeoutOf(ev.Conn, t.method)*9/10:
		size := "bytes"
		if n := fieldOf(res, "Content-Length"); n != "" {
			size = "of " + rule.Short([]byte(n)) + " bytes"
		}
		advise(ev, t, r, jsonBodyShape, "write all of the body, and end it: with as many bytes as Content-Length says, or the last chunk",
			"the body of the response to %s did not end within %s: %d %s came", t.name(), rule.FormatDuration(x.EndT-x.ResT), x.Bytes[session.S2C], size)
	case x.Gap || left(x):
	case t.isRequest():
		c.result(ev, t, r)
	case status != 202 || x.Bytes[session.S2C] > 0:
		how := strconv.Itoa(status)
		if status == 202 {
			how = "202 with a body"
		}
		report(ev, t, r, notificationStatus, "%s was answered %s, must be 202 without a body", t.name(), how)
	}
}

// orNone returns a value for display.
func orNone(value string) string {
	if value == "" {
		return "absent"
	}
	return rule.Short([]byte(value))
}

// lacks says what an Accept lacks that must list both types; empty = nothing.
func lacks(e *session.HTTPEvent) string {
	value := fieldOf(e, "Accept")
	json, events := accepts(value, typeJSON), accepts(value, typeEvents)
	switch {
	case !has(e, "Accept"):
		return "is absent, and must list " + typeJSON + " and " + typeEvents
	case !json && !events:
		return "lacks " + typeJSON + " and " + typeEvents + ", it is " + rule.Short([]byte(value))
	case !json:
		return "lacks " + typeJSON
	case !events:
		return "lacks " + typeEvents
	}
	return ""
}

// result judges the response to a request that was accepted.
func (c *httpConn) result(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	media := x.Response.MediaType()
	switch status := x.Response.Status; {
	case x.Err != "" && x.Bytes[session.S2C] == 0 && !strings.HasPrefix(x.Err, session.NotDecoded):
		f := jsonBodyShape.At(ev, "the body of the response to %s cannot be read: %s", t.name(), rule.Whole(x.Err))
		f.Hint, f.Fault, f.Breaks = "find out what breaks it off or spoils its chunks: the server, or a proxy in front of it", session.Nobody, nil
		r.Report(f.AtRow(t.Row))
	case status == 202, status == 204, !x.Stream && x.Bytes[session.S2C] == 0:
		f := request202.At(ev, "%s was answered %d without a response in it", t.name(), status)
		r.Report(f)
	case media != typeJSON && media != typeEvents:
		how := "without a Content-Type"
		if media != "" {
			how = "with the type " + rule.Short([]byte(media))
		}
		report(ev, t, r, contentType, "%s was answered %s%s", t.name(), how, said(t))
	case media == typeJSON:
		c.shape(ev, t, r)
	}
	c.cached(ev, t, r)
	if t.retry != "" && t.era == mcp.Modern {
		if how := fromCache(x.Response); how != "" {
			report(ev, t, r, cacheServedRetry, "%s, which has %s, was answered from a cache (%s)", t.name(), t.retry, how)
		}
	}
	if t.mismatch != "" && t.answer.results > 0 {
		report(ev, t, r, mismatchAccepted, "%s was answered although %s", t.name(), t.mismatch)
	}
	c.badRevision(ev, t, r)
}

// coded judges whether the body of a response has the content coding that its head names.
// Clients take a body with a coding that they do not know as it is.
func coded(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	named := fieldOf(x.Response, "Content-Encoding")
	unknown := listed(named, func(coding string) bool {
		return !slices.Contains([]string{"gzip", "x-gzip", "deflate", "br", "zstd"}, strings.ToLower(coding))
	})
	if unknown || x.Why != "eof" {
		return
	}
	_, wrong, failed := strings.Cut(x.Err, session.CopyOfResponse)
	// A body that came as it is, and has a message, has no coding.
	plain := t.answer.messages > 0 && x.Bytes[session.S2C] == ev.HTTP.Received
	switch {
	case plain && (failed || x.Response.Coding == ""):
		report(ev, t, r, contentEncoding, "the response to %s has Content-Encoding: %s, and a body without it", t.name(), rule.Short([]byte(named)))
	case strings.HasSuffix(wrong, "invalid header"), strings.HasSuffix(wrong, "magic number mismatch"):
		report(ev, t, r, contentEncoding, "the body of the response to %s cannot be decoded: %s", t.name(), rule.Short([]byte(wrong)))
	case wrong == "unexpected EOF" && t.syntax != jsonrpc.Complete && t.answer.messages == 0 && x.Response.MediaType() == typeJSON:
		report(ev, t, r, contentEncoding, "the body of the response to %s ends before its content coding does", t.name())
	}
}

// shape judges the body of a response in JSON.
func (c *httpConn) shape(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	if _, coded := x.Response.Field("Content-Encoding"); coded && (x.Response.Coding == "" || strings.HasPrefix(x.Err, session.NotDecoded)) {
		return
	}
	v := c.revision(ev, t)
	list := bytes.HasPrefix(bytes.TrimSpace(t.text), []byte("["))
	cut := x.Why == "server" || x.Why == "reset" || x.Why == "timeout"
	switch {
	case list && (v == mcp.V2 || v == mcp.NoVersion):
	case list:
		report(ev, t, r, jsonBodyShape, "%s was answered with a list, must be one object", t.name())
	case t.syntax == jsonrpc.Trailing:
		report(ev, t, r, jsonBodyShape, "%s was answered with more text after the response", t.name())
	case t.syntax == jsonrpc.Incomplete && (cut || x.Why == "eof" && has(x.Response, "Content-Length")):
		how, hint := "was cut off", "find out what cut it off: the server, a proxy in front of it, or a timeout"
		if !cut {
			how, hint = "ends within the message", "write the whole object, and count its bytes in Content-Length"
		}
		f := jsonBodyShape.At(ev, "the body of the response to %s %s: %s", t.name(), how, rule.Excerpt(t.text))
		if f.Hint = hint; cut {
			f.Fault, f.Breaks = session.Nobody, nil
		}
		r.Report(f.AtRow(t.Row))
	case t.syntax != jsonrpc.Complete && isEvents(t.text):
		advise(ev, t, r, jsonBodyShape, "answer with Content-Type: "+typeEvents, "%s was answered with an event stream and the type %s", t.name(), typeJSON)
	case t.syntax == jsonrpc.Complete && cut && x.Why != "timeout":
		advise(ev, t, r, jsonBodyShape, "end the body, with as many bytes as Content-Length says, or the last chunk: clients take it for cut off",
			"the body of the response to %s was cut off after the message", t.name())
	case bytes.IndexByte(t.text[:min(len(t.text), 4)], 0) >= 0:
		advise(ev, t, r, jsonBodyShape, "encode the body as UTF-8, without a byte order mark", "the body of the response to %s is UTF-16, must be UTF-8", t.name())
	case t.syntax != jsonrpc.Complete:
		report(ev, t, r, jsonBodyShape, "%s was answered with a body that is not valid JSON: %s", t.name(), rule.Excerpt(t.text))
	case t.answer.messages == 0:
		hint := jsonBodyShape.Text().Hint
		if isObject(t.text) && !bytes.Contains(t.text, []byte("jsonrpc")) && !ev.Conn.ServerLegacy && !ev.Conn.ServerModern {
			hint = "look at the path of the URL: another API seems to answer at " + rule.Short([]byte(pathOf(x.Request.Target)))
		}
		advise(ev, t, r, jsonBodyShape, hint, "%s was answered with JSON that is not a JSON-RPC response: %s", t.name(), rule.Excerpt(t.text))
	}
}

// isObject reports whether a body begins as a JSON object does.
func isObject(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// isEvents reports whether a body begins as an event stream does.
func isEvents(text []byte) bool {
	name, _, ok := bytes.Cut(text, []byte(":"))
	switch string(name) {
	case "data", "event", "id", "retry", "":
		return ok
	}
	return false
}

// refused judges a 4xx.
func (c *httpConn) refused(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	c.mirror.refused(t)
	if status := x.Response.Status; status == 400 || status == 404 || status == 405 {
		c.refusedPost = true
	}
	if status := x.Response.Status; t.era == mcp.Modern && t.what == request && (status == 400 || status == 404) && t.answer.errors == 0 && ev.Conn.ServerModern && !x.Gap {
		report(ev, t, r, errorBodyMissing, "%s was answered %d without a JSON-RPC error%s", t.name(), status, said(t))
	}
}

// codes judges the status of a JSON-RPC error in the modern era.
func (c *httpConn) codes(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Trip
	if t.era != mcp.Modern || t.answer.errors == 0 || x.Stream {
		return
	}
	must := 0
	switch code := t.answer.code; {
	case code == mcp.MethodNotFound && t.method == mcp.ServerDiscover: // Each modern server has it: this one is legacy.
	case code == mcp.MethodNotFound:
		must = 404
	case code == mcp.HeaderMismatch, code == mcp.MissingCapability, code == mcp.UnsupportedVersion, code == mcp.InvalidParams && t.bare:
		must = 400
	}
	if must != 0 && x.Response.Status != must {
		f := errorStatus.At(ev, "%s was answered with the error %d and status %d, must be %d", t.name(), t.answer.code, x.Response.Status, must)
		r.Report(f.Keyed(strconv.FormatInt(t.answer.code, 10)))
	}
}

// answered takes a message of a response's body.
func (c *httpConn) answered(ev *session.Event, t *trip, r session.Reporter) {
	m, f := ev.Message, ev.Frame
	x := f.Trip
	if !rule.IsMessage(m) {
		if name := framing.EventFields(f.Syntax).Name; x.Stream && !t.old && (name == "" || name == "message") {
			report(ev, t, r, dataNotJSON, "an event of %s is not a JSON-RPC message: %s", t.name(), rule.Excerpt(f.Head))
		}
		return
	}
	t.answer.messages++
	c.onStream(ev, t, r)
	if !m.Kind.Response() {
		return
	}
	if m.Kind == jsonrpc.Error {
		t.answer.errors++
		t.answer.code, _ = m.Field(jsonrpc.ErrorCode).Int()
		t.answer.text, _ = m.Field(jsonrpc.ErrorMessage).Unquoted()
		t.answer.text = t.answer.text[:min(len(t.answer.text), maxText)]
	} else {
		t.answer.results++
		t.answer.private = t.answer.private || m.Field(jsonrpc.ResultCacheScope).Is("private")
	}
	t.answer.last = ev.T
	if x.Request.Method == "POST" && t.isMessage() && !t.old {
		c.match(ev, t, r)
	}
	c.mirror.answered(ev, t, r)
}

// match judges which request a response answers.
func (c *httpConn) match(ev *session.Event, t *trip, r session.Reporter) {
	m, x := ev.Message, ev.Frame.Trip
	own, usable := rule.HashID(m.ID.Raw)
	for i := range t.asks {
		a := &t.asks[i]
		if usable && (a.id == own || a.id == own^rule.StringMark) {
			a.answered = true
			return
		}
	}
	refused := x.Response != nil && x.Response.Status >= 400
	switch {
	case refused && t.method == mcp.ServerDiscover && !ev.Conn.ServerModern: // older servers do not know it
		t.asks[0].answered = true
	case t.many || !t.isRequest() || t.what == batch && !usable:
	case m.Kind == jsonrpc.Error && (refused || !usable):
		t.asks[0].answered = true
		if !refused {
			return // null-response-id
		}
		f := errorID.At(ev, "%s, with the id %s, was answered %d and an error with the id %s", t.name(), rule.Short([]byte(t.id)), x.Response.Status, idText(m))
		if !rule.UsableID(&m.ID) {
			f.Severity, f.Key = session.Info, "null"
		}
		if rule.UsableID(&m.ID) || readBody(t, x) {
			r.Report(f)
		}
	case usable:
		c.stray(ev, t, own, r)
	}
}

// idText returns an id for display.
func idText(m *jsonrpc.Message) string {
	if !m.ID.Present() {
		return "absent"
	}
	return rule.RawText(&m.ID)
}

// stray reports a response on the round trip of another request.
func (c *httpConn) stray(ev *session.Event, t *trip, id uint64, r session.Reporter) {
	m := ev.Message
	f := wrongExchange.At(ev, "%s, with the id %s, was answered with the response to id %s", t.name(), rule.Short([]byte(t.id)), rule.RawText(&m.ID))
	if other := c.waits(id, t); other != nil {
		f.Message = fmt.Sprintf("the response to id %s came on the POST of %s (id %s)", rule.RawText(&m.ID), t.name(), rule.Short([]byte(t.id)))
		if c.legacy(ev, t) {
			f.Severity = session.Warning
		}
	} else if owner := c.history.waits(c, id); owner != nil && owner.session != nil && t.session != nil && owner.session.Hash != t.session.Hash {
		f.Key = "session"
		f.Message = fmt.Sprintf("the response for id %s of %s came on %s", rule.RawText(&m.ID), nick(owner.session), nick(t.session))
	}
	r.Report(f)
}

// drop takes a request of another round trip that needs no response on its own.
func (c *httpConn) drop(id uint64) {
	if t := c.waits(id, nil); t != nil {
		for i := range t.asks {
			t.asks[i].dropped = t.asks[i].dropped || t.asks[i].id == id
		}
	}
}

// waits returns the round trip of this connection, other than not, that has an
// unanswered request with an id; nil if there is none.
func (c *httpConn) waits(id uint64, not *trip) *trip {
	for _, t := range c.trips {
		for i := range t.asks {
			if a := &t.asks[i]; t != not && a.id == id && !a.answered {
				return t
			}
		}
	}
	return nil
}

// cached judges the Cache-Control of a result.
func (c *httpConn) cached(ev *session.Event, t *trip, r session.Reporter) {
	control := strings.ToLower(fieldOf(ev.Trip.Response, "Cache-Control"))
	if t.answer.private && t.era == mcp.Modern && (strings.Contains(control, "public") || strings.Contains(control, "s-maxage")) {
		report(ev, t, r, cacheConflict, "the result of %s has cacheScope private and Cache-Control: %s", t.name(), rule.Short([]byte(control)))
	}
}

// badRevision judges that a server accepted a header that names no revision.
func (c *httpConn) badRevision(ev *session.Event, t *trip, r session.Reporter) {
	named := fieldOf(ev.Trip.Request, "MCP-Protocol-Version")
	if count(ev.Trip.Request, "MCP-Protocol-Version") > 1 {
		return // It has taken one of them.
	}
	if _, err := time.Parse(time.DateOnly, named); named == "" || err == nil || strings.HasPrefix(named, "DRAFT") || t.answer.results == 0 {
		return
	}
	if v := c.revision(ev, t); v >= mcp.V3 {
		report(ev, t, r, versionHeaderCode, "%s was answered although its MCP-Protocol-Version is %s", t.name(), rule.Excerpt([]byte(named)))
	}
}

// fromCache returns the header field by which a response says that a cache has given it,
// and the server was not asked; empty = none does.
func fromCache(e *session.HTTPEvent) string {
	for _, f := range e.Fields {
		hit := false
		switch strings.ToLower(f.Name) {
		case "age": // RFC 9111 §5.1. Some caches add Age: 0 to what they pass on.
			seconds, err := strconv.ParseUint(strings.TrimSpace(f.Value), 10, 31)
			hit = err == nil && seconds > 0
		case "cache-status": // RFC 9211 §2.1
			hit = listed(f.Value, func(item string) bool {
				_, params, _ := strings.Cut(item, ";")
				for p := range strings.SplitSeq(params, ";") {
					if p = strings.TrimSpace(p); p == "hit" || p == "hit=?1" {
						return true
					}
				}
				return false
			})
		case "x-cache":
			hit = listed(f.Value, func(item string) bool {
				word, _, _ := strings.Cut(item, " ")
				return strings.EqualFold(word, "hit")
			})
		case "cf-cache-status":
			switch strings.ToUpper(strings.TrimSpace(f.Value)) {
			case "HIT", "STALE", "UPDATING":
				hit = true
			}
		}
		if hit {
			return rule.Short([]byte(f.Name + ": " + f.Value))
		}
	}
	return ""
}

// listed reports whether an item of a list with commas is as wanted.
func listed(list string, is func(item string) bool) bool {
	for item := range strings.SplitSeq(list, ",") {
		if is(strings.TrimSpace(item)) {
			return true
		}
	}
	return false
}
