package protocol

import (
	"bytes"
	"cmp"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// initialize judges the client's request.
func (c *lifecycleConn) initialize(ev *session.Event, r session.Reporter) {
	if c.asked && rule.ByClient(ev) && !rule.OverHTTP(ev) { // Over HTTP it begins another session.
		r.Report(duplicateInitialize.At(ev, "%s was sent a second time on this connection", rule.NameOf(ev.Exchange)))
	}
	c.asked, c.refused = true, false
	for _, f := range c.early {
		r.Report(f) // The connection has a handshake.
	}
	c.early = nil
	m := ev.Message
	version, caps, info := m.Field(jsonrpc.ParamProtocolVersion), m.Field(jsonrpc.ParamCapabilities), m.Field(jsonrpc.ParamClientInfo)
	c.wanted, _ = version.Unquoted()
	c.client = rule.CapabilitiesOf(rule.FieldText(ev, caps), mcp.ClientSide)
	if !rule.ByClient(ev) {
		return
	}
	if t := m.Params.Type; t == jsonrpc.Object || t == jsonrpc.Absent {
		c.fields(ev, r, mcp.Initialize, "clientInfo", version, caps, info)
	}
	if v, ok := mcp.ParseVersion(c.wanted); ok && v.Era() == mcp.Modern {
		r.Report(modernVersionInInitialize.At(ev, "initialize requests %s, which has no initialize", v))
	}
	draft(ev, r, c.wanted)
}

// fields judges the required members of initialize or its result.
func (c *lifecycleConn) fields(ev *session.Event, r session.Reporter, what, who string, version, caps, info *jsonrpc.Value) {
	var wrong, renames []string
	in := rule.SpanText(ev, cmp.Or(ev.Message.Result, ev.Message.Params))
	for i, v := range []*jsonrpc.Value{version, caps, info} {
		if v.Type == [...]jsonrpc.Type{jsonrpc.String, jsonrpc.Object, jsonrpc.Object}[i] {
			continue
		}
		name := [...]string{"protocolVersion", "capabilities", who}[i]
		there, hint := rule.Instead(in, name)
		if wrong = append(wrong, name+" is "+rule.TypeName(v.Type)+there); hint != "" {
			renames = append(renames, hint)
		}
	}
	if decoded, ok := rule.ParseObject(rule.FieldText(ev, info)); ok {
		for _, key := range []string{"name", "version"} {
			if _, ok := decoded.Text(key); !ok {
				wrong = append(wrong, who+"."+key+" is "+rule.MemberType(decoded, key))
			}
		}
	}
	if wrong != nil {
		f := initializeMissingField.AtMember(ev, []string{"InitializeResult.", "Implementation."}, "in %s %s", what, strings.Join(wrong, ", "))
		f.Hint = cmp.Or(strings.Join(renames, "; "), f.Hint)
		r.Report(f)
	}
}

// draft reports a draft revision.
func draft(ev *session.Event, r session.Reporter, version string) {
	if strings.HasPrefix(version, "DRAFT-") || version == mcp.V0.String() {
		r.Report(draftVersion.At(ev, "%s names the revision %s", rule.Writer(ev), rule.Short([]byte(version))))
	}
}

// revisionInMeta judges the revision in a request's _meta.
func (c *lifecycleConn) revisionInMeta(ev *session.Event, r session.Reporter) {
	if version, ok := ev.Message.Field(jsonrpc.MetaProtocolVersion).Unquoted(); ok && rule.ByClient(ev) {
		draft(ev, r, version)
	}
}

// answer judges responses that belong to the handshake.
func (c *lifecycleConn) answer(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	switch {
	case x.Method == mcp.Initialize && x.Sender == session.C2S:
		if m.Kind == jsonrpc.Result {
			c.accepted(ev, r)
		} else {
			c.declined(ev, r)
		}
	case x.Method == mcp.Ping && x.Era == mcp.Legacy:
		c.pong(ev, r)
	case x.Method == mcp.ServerDiscover && m.Kind == jsonrpc.Result && m.Field(jsonrpc.ResultSupported).Present() && !c.agreed:
		c.server = rule.CapabilitiesOf(rule.FieldText(ev, m.Field(jsonrpc.ResultCapabilities)), mcp.ServerSide)
	case m.Kind == jsonrpc.Error:
		c.unimplemented(ev, r)
	case m.Kind == jsonrpc.Result && x.Sender == session.C2S:
		c.unannounced(ev, r)
	}
}

// accepted judges the result of initialize.
func (c *lifecycleConn) accepted(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	if m.Result.Type != jsonrpc.Object {
		return
	}
	version, caps, info := m.Field(jsonrpc.ResultProtocolVersion), m.Field(jsonrpc.ResultCapabilities), m.Field(jsonrpc.ResultServerInfo)
	c.fields(ev, r, "the result of initialize", "serverInfo", version, caps, info)
	answered, ok := version.Unquoted()
	if ok {
		c.revision(ev, r, answered)
	}
	if x.Way == session.WayOut {
		return // wiretea's user sent the request.
	}
	c.agreed = true
	c.server = rule.CapabilitiesOf(rule.FieldText(ev, caps), mcp.ServerSide)
	wanted, known := mcp.ParseVersion(c.wanted)
	got, published := mcp.ParseVersion(answered)
	c.newer = known && published && got > wanted && got.Era() == mcp.Legacy
}

// revision judges the revision in the server's answer.
func (c *lifecycleConn) revision(ev *session.Event, r session.Reporter, answered string) {
	draft(ev, r, answered)
	v, published := mcp.ParseVersion(answered)
	switch {
	case published && v.Era() == mcp.Modern:
		r.Report(versionAnswerUnknown.At(ev, "initialize is answered with %s, which has no initialize", v))
	case published || strings.HasPrefix(answered, "DRAFT-"):
	case answered == c.wanted:
		r.Report(versionAnswerUnknown.At(ev, "the server echoes %s, a revision that does not exist", rule.Excerpt([]byte(answered))))
	default:
		r.Report(versionAnswerUnknown.At(ev, "the server answers %s, a revision that does not exist", rule.Excerpt([]byte(answered))))
	}
}

// declined judges an error response to initialize.
func (c *lifecycleConn) declined(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	if x.Way != session.WayOut && !c.agreed {
		c.asked, c.refused = false, true
	}
	if c.wanted == "" || ev.Conn.ServerModern || m.Field(jsonrpc.ErrorSupported).Present() && namesModern(rule.FieldText(ev, m.Field(jsonrpc.ErrorSupported))) {
		return
	}
	text := bytes.ToLower(m.Field(jsonrpc.ErrorMessage).Raw)
	about := bytes.Contains(text, []byte("protocol version")) || bytes.Contains(text, []byte("protocolversion")) ||
		bytes.Contains(text, []byte("version")) && bytes.Contains(text, []byte("support"))
	if about && !namesModern(text) && !namesModern(rule.SpanText(ev, m.Error)) {
		r.Report(versionRefusedWithError.At(ev, "initialize with %s is answered with the error %s", rule.Excerpt([]byte(c.wanted)), rule.RawText(m.Field(jsonrpc.ErrorMessage))))
	}
}

// namesModern reports whether a text names a modern revision.
func namesModern(text []byte) bool {
	for v := mcp.V5; v <= mcp.LatestModern; v++ {
		if bytes.Contains(text, []byte(v.String())) {
			return true
		}
	}
	return false
}

// pong judges the response to a ping.
func (c *lifecycleConn) pong(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	if x.Sender == session.S2C && (ev.Conn.Ours || ev.Frame.Way == session.WayOut) {
		return
	}
	if m.Kind == jsonrpc.Error {
		// A status of HTTP that refuses the request is about its session or header.
		refused := ev.Frame.Trip != nil && ev.Frame.Trip.Response != nil && ev.Frame.Trip.Response.Status >= 400
		if x.Cancel == 0 && !refused {
			r.Report(pingBadResult.At(ev, "%s is answered with the error %s", rule.NameOf(x), rule.RawText(m.Field(jsonrpc.ErrorMessage))).Keyed("error"))
		}
		return
	}
	decoded, ok := rule.ParseObject(rule.SpanText(ev, m.Result))
	if !ok {
		return
	}
	delete(decoded, "_meta") // Any result may have these two.
	delete(decoded, "resultType")
	if len(decoded) > 0 {
		r.Report(pingBadResult.At(ev, "the answer to %s is not empty: %s", rule.NameOf(x), rule.Excerpt(rule.SpanText(ev, m.Result))))
	}
}
