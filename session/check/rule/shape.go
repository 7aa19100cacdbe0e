package rule

import (
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/compat"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
)

// Shape returns the type that package shape has for an event's result or params, their
// text, and the revision that they are judged by. The type is nil if it is unknown.
func Shape(ev *session.Event) (*shape.Type, []byte, mcp.Version) {
	v := shapeVersion(ev)
	is, text := typeOf(ev, v)
	return is, SpanText(ev, text), v
}

// shapeVersion returns the revision that the members of an event's message are judged
// by: until a server has shown to be modern, a legacy one.
func shapeVersion(ev *session.Event) mcp.Version {
	v := Version(ev)
	if v.Era() == mcp.Modern && !ev.Conn.ServerModern && ev.Method.Name != mcp.ServerDiscover {
		v = mcp.LatestLegacy
	}
	return v
}

// typeOf returns the type of a message's result or params, nil if it is unknown.
func typeOf(ev *session.Event, v mcp.Version) (*shape.Type, jsonrpc.Span) {
	m, name := ev.Message, ev.Method.Name
	switch m.Kind {
	case jsonrpc.Request:
		if ev.Frame.Stream == session.S2C && ev.Exchange != nil {
			return shape.Params(name, v), objectOnly(m.Params)
		}
	case jsonrpc.Notification:
		return shape.Params(name, v), objectOnly(m.Params)
	case jsonrpc.Result:
		if IsAnswer(ev) {
			return resultType(ev, v), objectOnly(m.Result)
		}
	case jsonrpc.Error, jsonrpc.Invalid:
	}
	return nil, jsonrpc.Span{}
}

// objectOnly returns the place of an object, and none for other values, which the
// rules of the envelope report.
func objectOnly(s jsonrpc.Span) jsonrpc.Span {
	if s.Type != jsonrpc.Object {
		return jsonrpc.Span{}
	}
	return s
}

// resultType returns the type of a result, nil if it is unknown.
func resultType(ev *session.Event, v mcp.Version) *shape.Type {
	m, name := ev.Message, ev.Method.Name
	kind := m.Field(jsonrpc.ResultType)
	isTask := m.Field(jsonrpc.ResultTaskTaskID).Present()
	switch {
	case v.Era() == mcp.Modern && (kind.Is("input_required") || kind.Type != jsonrpc.String && m.Field(jsonrpc.ResultInputRequests).Present()):
		return shape.Named("InputRequiredResult", v)
	case kind.Type == jsonrpc.String && !kind.Is("complete"):
		return nil
	case isTask && v == mcp.V4 && ev.Exchange.Era != mcp.Modern:
		return shape.Named("CreateTaskResult", v)
	case isTask, m.Field(jsonrpc.ResultTaskID).Present() && !strings.HasPrefix(name, "tasks/"):
		return nil
	case name == mcp.ServerDiscover && !kind.Present() && !m.Field(jsonrpc.ResultSupported).Present():
		return nil // Some servers answer every request with an empty result.
	}
	return shape.Result(name, v)
}

// AtMember is At for a fault in a member of the event's result or params, at a place of
// package shape that begins with one of places, or ends with it if that begins with a
// dot. The finding names the clients that were measured to refuse the message because
// of that member.
func (r *Rule) AtMember(ev *session.Event, places []string, format string, args ...any) session.Finding {
	f := r.At(ev, format, args...)
	if f.Fault == session.Server && f.Breaks == nil && ev.Method != nil {
		is, text, v := Shape(ev)
		if first := map[string]mcp.Version{mcp.Initialize: mcp.LatestLegacy, mcp.ServerDiscover: mcp.LatestModern}[ev.Method.Name]; v == mcp.NoVersion && first != v {
			v = first // The answer should have told it.
			is, _ = typeOf(ev, v)
		}
		f.Breaks = refused(ev.Method.Name, v, is, text, places)
	}
	return f
}

// AtPart is AtMember for a fault in one of many parts of a message: text is the part,
// and name the name of its type in package shape.
func (r *Rule) AtPart(ev *session.Event, name string, text []byte, places []string, format string, args ...any) session.Finding {
	f := r.At(ev, format, args...)
	if f.Fault == session.Server && f.Breaks == nil && ev.Method != nil {
		v := shapeVersion(ev)
		f.Breaks = refused(ev.Method.Name, v, shape.Named(name, v), text, places)
	}
	return f
}

// refused returns the names of the clients that refuse a message of a method because of
// faults in a text of that type.
func refused(method string, v mcp.Version, is *shape.Type, text []byte, places []string) []string {
	var judge shape.Judge
	refuse := map[string]bool{}
	for _, f := range judge.Faults(is, text) {
		if at := strings.TrimRight(f.Place, "[]{}"); f.Foreign || !slices.ContainsFunc(places, func(p string) bool { return strings.HasPrefix(at, p) || p[0] == '.' && strings.HasSuffix(at, p) }) {
			continue
		}
		for _, name := range compat.Refuse(v.Era(), method, &f) {
			refuse[name] = true
		}
	}
	var names []string
	for _, known := range mcp.Clients() {
		if refuse[known.Name] {
			names = append(names, known.Name)
		}
	}
	return names
}
