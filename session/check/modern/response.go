package modern

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// answer judges an answer of the server.
func (c *modernConn) answer(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	n := c.take(ev, x)
	switch x.Method {
	case mcp.Initialize:
		if m.Kind == jsonrpc.Result && x.Way != session.WayOut {
			c.agreed, c.undiscovered = true, nil
		}
		return
	case mcp.ServerDiscover:
		c.discovered(ev, r, n)
	}
	if n.bare || c.agreed || c.overflow {
		return
	}
	c.refused(ev, r)
	if x.Era != mcp.Modern || !rule.IsModern(ev) || rule.Version(ev).Era() != mcp.Modern {
		return
	}
	if !ev.Conn.ServerModern {
		c.accident(ev, r)
		return
	}
	if m.Kind == jsonrpc.Error {
		c.failure(ev, r)
		return
	}
	if m.Result.Type == jsonrpc.Object {
		c.result(ev, r, n)
	}
}

// accident judges an answer of a server that has shown nothing modern.
func (c *modernConn) accident(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	if x.Way == session.WayOut || ev.Conn.Ours || x.Method == mcp.ServerDiscover || ev.Message.Kind == jsonrpc.Error && !ev.Conn.ServerLegacy {
		return
	}
	f := modernRequestToLegacyServer.At(ev, "%s is a modern request, and nothing shows that the server is modern", rule.NameOf(x))
	f.Row, f.N = x.Req, x.ReqN
	f.Last = f.Row
	r.Report(f)
}

// refused judges the refusal of a revision.
func (c *modernConn) refused(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	if m.Kind != jsonrpc.Error || x.Era == mcp.Legacy {
		return
	}
	code, _ := m.Field(jsonrpc.ErrorCode).Int()
	supported, requested := m.Field(jsonrpc.ErrorSupported), m.Field(jsonrpc.ErrorRequested)
	switch {
	case code == mcp.UnsupportedVersion && supported.Type != jsonrpc.Array:
		r.Report(unsupportedVersionShape.At(ev, "the error to %s does not list the revisions that are supported", rule.NameOf(x)))
	case code == mcp.UnsupportedVersion && requested.Type != jsonrpc.String:
		r.Report(unsupportedVersionShape.At(ev, "the error to %s does not name the revision that was asked for", rule.NameOf(x)))
	case code == mcp.CandidateUnsupportedVersion && supported.Type == jsonrpc.Array:
		f := unsupportedVersionShape.At(ev, "the error to %s has the code of a release candidate, %d", rule.NameOf(x), code)
		f.Severity, f.Key = session.Info, "candidate"
		r.Report(f)
	}
	if code == mcp.UnsupportedVersion && x.Way != session.WayOut && ev.T-x.ReqT < probePatient && onlyModern(rule.FieldText(ev, supported)) {
		c.refusedT = max(1, ev.T)
	}
}

// onlyModern reports whether a list names modern revisions and no legacy one.
func onlyModern(list []byte) bool {
	var names []string
	if json.Unmarshal(list, &names) != nil {
		return false
	}
	found := false
	for _, name := range names {
		v, ok := mcp.ParseVersion(name)
		if !ok || v.Era() != mcp.Modern {
			return false
		}
		found = true
	}
	return found
}

// discovered judges the answer to server/discover.
func (c *modernConn) discovered(ev *session.Event, r session.Reporter, n noted) {
	m := ev.Message
	if m.Kind == jsonrpc.Error {
		code, _ := m.Field(jsonrpc.ErrorCode).Int()
		if code == mcp.MethodNotFound && !n.bare && !c.agreed && c.undiscovered == nil &&
			(ev.Conn.Phase == session.PhaseProbing || rule.IsModern(ev)) {
			f := discoverNotImplemented.At(ev, "the server answers modern requests, and does not know server/discover")
			c.undiscovered = &f
			c.tellUndiscovered(r)
		}
		return
	}
	supported, caps := m.Field(jsonrpc.ResultSupported), m.Field(jsonrpc.ResultCapabilities)
	if m.Result.Type != jsonrpc.Object || !supported.Present() && !m.Field(jsonrpc.ResultType).Present() {
		return // Some servers answer everything with an empty result; they are not modern.
	}
	switch {
	case supported.Type != jsonrpc.Array:
		r.Report(discoverShape.At(ev, "supportedVersions in the result of server/discover is %s", rule.TypeName(supported.Type)))
	case caps.Type != jsonrpc.Object:
		r.Report(discoverShape.At(ev, "capabilities in the result of server/discover is %s", rule.TypeName(caps.Type)))
	}
	switch {
	case m.Field(jsonrpc.ResultMetaServerInfo).Present():
	case m.Field(jsonrpc.ResultServerInfo).Present():
		f := discoverShape.At(ev, "serverInfo stands at the top of the result of server/discover, as in release candidates")
		f.Severity, f.Key = session.Info, "candidate"
		r.Report(f)
	default:
		r.Report(missingServerInfo.At(ev, "the result of server/discover has no serverInfo in its _meta"))
	}
}

// tellUndiscovered reports that a modern server does not know server/discover,
// once it is known to be modern.
func (c *modernConn) tellUndiscovered(r session.Reporter) {
	if c.undiscovered != nil && c.worked && c.undiscovered.Rule != "" {
		r.Report(*c.undiscovered)
		c.undiscovered.Rule = "" // It is said.
	}
}

// failure judges an error of a modern server.
func (c *modernConn) failure(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	code, ok := m.Field(jsonrpc.ErrorCode).Int()
	switch {
	case !ok:
	case code == mcp.MissingCapability:
		if m.Field(jsonrpc.ErrorRequired).Type != jsonrpc.Object {
			r.Report(missingCapabilityErrorShape.At(ev, "the error to %s does not name the capabilities that it needs", rule.NameOf(x)))
		}
	case code == mcp.CandidateHeaderMismatch, code == mcp.CandidateMissingCapability, code == mcp.CandidateUnsupportedVersion:
	case code == mcp.ResourceNotFound, code == mcp.URLElicitation, code < mcp.UnsupportedVersion && code >= -32099:
		f := reservedErrorCode.At(ev, "the error to %s has the code %d", rule.NameOf(x), code)
		f.Key = strconv.FormatInt(code, 10)
		r.Report(f)
	case code <= -32000 && code >= -32019:
		f := reservedErrorCode.At(ev, "the error to %s has the code %d, of a range that is left to older programs", rule.NameOf(x), code)
		f.Severity, f.Key = session.Info, "older"
		r.Report(f)
	}
}

// cacheable are the methods whose results have hints for caches.
var cacheable = []string{mcp.ServerDiscover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourcesTemplatesList, mcp.ResourcesRead}

// result judges a result of a modern server.
func (c *modernConn) result(ev *session.Event, r session.Reporter, n noted) {
	x, m := ev.Exchange, ev.Message
	kind := m.Field(jsonrpc.ResultType)
	switch {
	case !kind.Present():
		f := missingResultType.At(ev, "the result of %s has no resultType", rule.NameOf(x))
		f.Key = x.Method
		if ev.Method == nil {
			f.Key = ""
		}
		r.Report(f)
		return
	case kind.Type != jsonrpc.String:
		r.Report(unknownResultType.At(ev, "resultType in the result of %s is %s", rule.NameOf(x), rule.TypeName(kind.Type)))
		return
	case kind.Is("complete"):
	case !kind.Is("input_required") && !kind.Is("task") && !n.extensions:
		r.Report(unknownResultType.At(ev, "the result of %s is of the type %s", rule.NameOf(x), rule.RawText(kind)))
		return
	default:
		return
	}
	if x.Method != mcp.ServerDiscover && x.Way != session.WayOut {
		c.worked = true
		c.tellUndiscovered(r)
	}
	if slices.Contains(cacheable, x.Method) {
		c.hints(ev, r, n)
	}
	if x.Method == mcp.ToolsList {
		c.order(ev, r, n)
	}
}

// hints judges what a result says to caches.
func (c *modernConn) hints(ev *session.Event, r session.Reporter, n noted) {
	x, m := ev.Exchange, ev.Message
	ttl, scope := m.Field(jsonrpc.ResultTTL), m.Field(jsonrpc.ResultCacheScope)
	missing := ""
	switch {
	case !ttl.Present() && !scope.Present():
		missing = "ttlMs and cacheScope"
	case !ttl.Present():
		missing = "ttlMs"
	case !scope.Present():
		missing = "cacheScope"
	}
	if missing != "" {
		f := missingCacheHints.At(ev, "the result of %s has no %s", rule.NameOf(x), missing)
		f.Key = x.Method
		r.Report(f)
	}
	bad := func(format string, args ...any) {
		f := badCacheHint.At(ev, format, args...)
		f.Key = x.Method
		r.Report(f)
	}
	if ttl.Present() && !isDuration(ttl) {
		bad("ttlMs in the result of %s is %s", rule.NameOf(x), rule.RawText(ttl))
	}
	if !scope.Present() {
		return
	}
	if !scope.Is("public") && !scope.Is("private") {
		bad("cacheScope in the result of %s is %s", rule.NameOf(x), rule.RawText(scope))
		return
	}
	own, _ := scope.Unquoted()
	if before, known := c.scopes[n.page]; known && n.page != (page{}) && before != own {
		bad("cacheScope of a page of %s is %s, and was %s before", x.Method, own, before)
	}
	if next := m.Field(jsonrpc.ResultNextCursor); next.Type == jsonrpc.String && len(c.scopes) < maxScopes {
		if c.scopes == nil {
			c.scopes = make(map[page]string)
		}
		c.scopes[page{x.Method, rule.CursorOf(next)}] = own
	}
}

// isDuration reports whether a value is a whole number from 0.
func isDuration(v *jsonrpc.Value) bool {
	if v.Type != jsonrpc.Number || !v.Whole() {
		return v.Type == jsonrpc.Number
	}
	n, err := strconv.ParseFloat(string(v.Raw), 64)
	return err == nil && n >= 0 && n == math.Trunc(n)
}

// order judges whether the same tools are listed in the same order.
func (c *modernConn) order(ev *session.Event, r session.Reporter, n noted) {
	m := ev.Message
	if m.Field(jsonrpc.ResultNextCursor).Present() || n.page != (page{}) {
		c.tools = nil // A page is no list.
		return
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	before := c.tools
	c.tools = nil
	if text := rule.SpanText(ev, m.Result); text == nil || json.Unmarshal(text, &list) != nil || len(list.Tools) > maxOrdered {
		return
	}
	for _, t := range list.Tools {
		c.tools = append(c.tools, t.Name)
	}
	if before == nil || slices.Equal(before, c.tools) || !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(c.tools))) {
		return
	}
	r.Report(toolOrderUnstable.At(ev, "%s lists the same %d tools in another order than before", rule.NameOf(ev.Exchange), len(c.tools)))
}
