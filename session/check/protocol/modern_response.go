package protocol

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// answer judges a response of the server.
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

// accident judges a response of a server that has shown nothing modern.
func (c *modernConn) accident(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	if x.Way == session.WayOut || ev.Conn.Ours || x.Method == mcp.ServerDiscover || ev.Message.Kind == jsonrpc.Error && !ev.Conn.ServerLegacy {
		return
	}
	r.Report(modernRequestToLegacyServer.At(ev, "%s is a modern request, but nothing shows that the server is modern", rule.NameOf(x)).AtRow(x.Req))
}

// refused judges an error for a revision.
func (c *modernConn) refused(ev *session.Event, r session.Reporter) {
	x, m := ev.Exchange, ev.Message
	if m.Kind != jsonrpc.Error || x.Era == mcp.Legacy {
		return
	}
	code, _ := m.Field(jsonrpc.ErrorCode).Int()
	supported, requested := m.Field(jsonrpc.ErrorSupported), m.Field(jsonrpc.ErrorRequested)
	switch {
	case code == mcp.UnsupportedVersion && supported.Type != jsonrpc.Array:
		r.Report(unsupportedVersionShape.At(ev, "the error for %s does not list the supported revisions", rule.NameOf(x)))
	case code == mcp.UnsupportedVersion && requested.Type != jsonrpc.String:
		r.Report(unsupportedVersionShape.At(ev, "the error for %s does not name the requested revision", rule.NameOf(x)))
	case code == mcp.CandidateUnsupportedVersion && supported.Type == jsonrpc.Array:
		r.Report(unsupportedVersionShape.At(ev, "the error for %s has the code of a release candidate, %d", rule.NameOf(x), code).Graded(session.Info).Keyed("candidate"))
	}
	if code == mcp.UnsupportedVersion && x.Way != session.WayOut && ev.T-x.ReqT < probePatient && onlyModern(rule.FieldText(ev, supported)) {
		c.refusedT = max(1, ev.T)
	}
}

// onlyModern reports whether a list has modern revisions and no legacy one.
func onlyModern(list []byte) bool {
	var names []string
	if json.Unmarshal(list, &names) != nil {
		return false
	}
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		v, ok := mcp.ParseVersion(name)
		return !ok || v.Era() != mcp.Modern
	})
}

// discovered judges the response to server/discover.
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
		return // Some servers answer every request with an empty result; they are not modern.
	}
	switch {
	case supported.Type != jsonrpc.Array:
		r.Report(discoverShape.AtMember(ev, []string{"DiscoverResult.supportedVersions"}, "supportedVersions in the result of server/discover is %s", rule.TypeName(supported.Type)))
	case caps.Type != jsonrpc.Object:
		r.Report(discoverShape.AtMember(ev, []string{"DiscoverResult.capabilities"}, "capabilities in the result of server/discover is %s", rule.TypeName(caps.Type)))
	}
	meta := lex.Get(rule.SpanText(ev, m.Result), "_meta")
	switch {
	case m.Field(jsonrpc.ResultMetaServerInfo).Present(), meta != nil && jsonrpc.TypeOf(meta) != jsonrpc.Object:
	case m.Field(jsonrpc.ResultServerInfo).Present():
		r.Report(discoverShape.At(ev, "serverInfo is at the top of the result of server/discover, as in release candidates").Graded(session.Info).Keyed("candidate"))
	default:
		r.Report(missingServerInfo.At(ev, "the result of server/discover has no serverInfo in its _meta"))
	}
}

// tellUndiscovered reports that a modern server does not implement
// server/discover, once it is known to be modern.
func (c *modernConn) tellUndiscovered(r session.Reporter) {
	if c.undiscovered != nil && c.worked && c.undiscovered.Rule != "" {
		r.Report(*c.undiscovered)
		c.undiscovered.Rule = "" // It is reported.
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
			r.Report(missingCapabilityErrorShape.At(ev, "the error for %s does not name the required capabilities", rule.NameOf(x)))
		}
	case code == mcp.CandidateHeaderMismatch, code == mcp.CandidateMissingCapability, code == mcp.CandidateUnsupportedVersion:
	case code == mcp.ResourceNotFound, code == mcp.URLElicitation, code < mcp.UnsupportedVersion && code >= -32099:
		r.Report(reservedErrorCode.At(ev, "the error for %s has the code %d", rule.NameOf(x), code).Keyed(strconv.FormatInt(code, 10)))
	case code <= -32000 && code >= -32019:
		r.Report(reservedErrorCode.At(ev, "the error for %s has the code %d, from a range kept for existing uses", rule.NameOf(x), code).Graded(session.Info).Keyed("older"))
	}
}

// cacheable are the methods whose results have cache hints.
var cacheable = []string{mcp.ServerDiscover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourcesTemplatesList, mcp.ResourcesRead}

// result judges a result of a modern server.
func (c *modernConn) result(ev *session.Event, r session.Reporter, n noted) {
	x, m := ev.Exchange, ev.Message
	kind := m.Field(jsonrpc.ResultType)
	switch {
	case !kind.Present():
		r.Report(missingResultType.AtMember(ev, []string{".resultType"}, "the result of %s has no resultType", rule.NameOf(x)).Keyed(methodKey(ev)))
		return
	case kind.Type != jsonrpc.String:
		r.Report(unknownResultType.AtMember(ev, []string{".resultType"}, "resultType in the result of %s is %s", rule.NameOf(x), rule.TypeName(kind.Type)))
		return
	case kind.Is("complete"):
	case !kind.Is("input_required") && !kind.Is("task") && !n.extensions:
		r.Report(unknownResultType.AtMember(ev, []string{".resultType"}, "the result of %s is of the type %s", rule.NameOf(x), rule.RawText(kind)))
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

// hints judges the cache hints of a result.
func (c *modernConn) hints(ev *session.Event, r session.Reporter, n noted) {
	x, m := ev.Exchange, ev.Message
	ttl, scope := m.Field(jsonrpc.ResultTTL), m.Field(jsonrpc.ResultCacheScope)
	var missing []string
	if !ttl.Present() {
		missing = append(missing, "ttlMs")
	}
	if !scope.Present() {
		missing = append(missing, "cacheScope")
	}
	if missing != nil {
		r.Report(missingCacheHints.AtMember(ev, []string{".ttlMs", ".cacheScope"}, "the result of %s has no %s", rule.NameOf(x), strings.Join(missing, " and no ")).Keyed(x.Method))
	}
	bad := func(member, format string, args ...any) {
		r.Report(badCacheHint.AtMember(ev, []string{member}, format, args...).Keyed(x.Method))
	}
	if ttl.Present() && !isDuration(ttl) {
		bad(".ttlMs", "ttlMs in the result of %s is %s", rule.NameOf(x), rule.RawText(ttl))
	}
	if !scope.Present() {
		return
	}
	if !scope.Is("public") && !scope.Is("private") {
		bad(".cacheScope", "cacheScope in the result of %s is %s", rule.NameOf(x), rule.RawText(scope))
		return
	}
	own, _ := scope.Unquoted()
	if before, known := c.scopes[n.page]; known && n.page != (page{}) && before != own {
		bad(".cacheScope", "cacheScope of a page of %s is %s, and was %s before", x.Method, own, before)
	}
	if next := m.Field(jsonrpc.ResultNextCursor); next.Type == jsonrpc.String && len(c.scopes) < maxScopes {
		rule.Put(&c.scopes, page{x.Method, rule.CursorOf(next)}, own)
	}
}

// isDuration reports whether a value is a non-negative integer.
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
		c.tools = nil // A page is not a complete list.
		return
	}
	before := c.tools
	c.tools = nil
	for i, tool := range lex.Items(lex.Get(rule.SpanText(ev, m.Result), "tools")) {
		if i == maxOrdered {
			c.tools = nil
			return
		}
		c.tools = append(c.tools, lex.Unquote(lex.Get(tool, "name")))
	}
	if before == nil || slices.Equal(before, c.tools) || !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(c.tools))) {
		return
	}
	r.Report(toolOrderUnstable.At(ev, "%s lists the same %d tools in another order than before", rule.NameOf(ev.Exchange), len(c.tools)))
}
