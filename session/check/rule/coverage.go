package rule

import (
	"encoding/json"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxSeen is how many messages of one frame bring events: session keeps no more
// of a batch, so the rest is unknown here.
const maxSeen = 64

// Coverage records which streams could not be read completely, so that no side is
// accused of not having sent something.
type Coverage struct {
	unread [2]bool
	first  bool // first: the first message of a round trip was seen,
	begun  bool // begun: and it is one with which a client begins.
}

// Note records a frame that could not be read, and how a connection of HTTP begins. It
// ignores all other events.
func (c *Coverage) Note(ev *session.Event) {
	if ev.Kind == session.MessageSeen && !c.first && ev.Frame.Trip != nil && ev.Frame.Stream == session.C2S {
		c.first, c.begun = true, Begins(ev)
	}
	if ev.Kind != session.FrameSeen || ev.Frame.Text.Emitted == 1 {
		return
	}
	f := ev.Frame
	if f.Stream != session.Stderr && !f.Part && (f.Text.Emitted > maxSeen || f.Text.Emitted == 0 && f.Text.Syntax != jsonrpc.Empty) {
		c.unread[f.Stream] = true
	}
}

// Reads reports whether everything seen of a stream could be read, without gaps.
func (c *Coverage) Reads(ev *session.Event, stream session.Stream) bool {
	return !c.unread[stream] && !ev.Conn.Gaps[stream]
}

// Sees reports whether all that a stream carried from its beginning is known.
func (c *Coverage) Sees(ev *session.Event, stream session.Stream) bool {
	return c.Reads(ev, stream) && (ev.Conn.Started || c.begun)
}

// Begins reports whether a message is one with which a client begins. A connection of
// HTTP that has another one first is in the middle of its session.
func Begins(ev *session.Event) bool {
	return ev.Method != nil && (ev.Method.Name == mcp.Initialize || ev.Method.Name == mcp.ServerDiscover) || HasModernMeta(ev.Message)
}

// SpanText returns the text of a value in the event's message, nil if the
// recording does not hold all of it.
func SpanText(ev *session.Event, span jsonrpc.Span) []byte { return span.In(ev.Frame.Whole) }

// FieldText returns the text of a captured value, nil if not all of it is
// known.
func FieldText(ev *session.Event, v *jsonrpc.Value) []byte {
	if v.Present() && v.Whole() {
		return v.Raw
	}
	return SpanText(ev, v.Span)
}

// Object is a decoded JSON object whose members are still text. nil is no
// object.
type Object map[string]json.RawMessage

// ParseObject decodes the text of an object, and reports false for any other
// value. Keys are compared exactly; of duplicate keys the last one counts.
func ParseObject(text []byte) (Object, bool) {
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	var o Object
	if json.Unmarshal(text, &o) != nil {
		return nil, false
	}
	return o, true
}

// Object returns the member of that name if it is an object.
func (o Object) Object(key string) (Object, bool) { return ParseObject(o[key]) }

// Has reports whether there is a member of that name, even null.
func (o Object) Has(key string) bool {
	_, ok := o[key]
	return ok
}

// Text returns the member of that name if it is a string.
func (o Object) Text(key string) (string, bool) {
	raw := o[key]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// Flag reports whether the member of that name is true.
func (o Object) Flag(key string) bool { return string(o[key]) == "true" }

// IsAnswer reports whether a message is the response that its request waited
// for.
func IsAnswer(ev *session.Event) bool {
	return ev.Exchange != nil && (ev.Match == session.MatchAnswer || ev.Match == session.MatchLate)
}

// ByClient reports whether a message is the client's own: neither injected by
// wiretea's user nor sent by hand with wiretea as the client.
func ByClient(ev *session.Event) bool {
	return ev.Frame.Stream == session.C2S && ev.Frame.Way != session.WayOut && !ev.Conn.Ours
}

// IsNew reports whether a request begins a new exchange.
func IsNew(ev *session.Event) bool {
	return ev.Match == session.MatchNew || ev.Match == session.MatchReused || ev.Match == session.MatchClash
}

// HasModernMeta reports whether a request has metadata that only 2026-07-28 knows.
func HasModernMeta(m *jsonrpc.Message) bool {
	return m.Field(jsonrpc.MetaProtocolVersion).Present() || m.Field(jsonrpc.MetaCapabilities).Present() ||
		m.Field(jsonrpc.MetaClientInfo).Present()
}

// InitializedMisnomers are wrong names for notifications/initialized.
var InitializedMisnomers = []string{"initialized", "notification/initialized", "notifications/initialize"}

// IsModern reports whether the connection is in the modern era.
func IsModern(ev *session.Event) bool { return ev.Conn.Phase == session.PhaseModern }

// OverHTTP reports whether a frame or a message is in the body of a round trip.
func OverHTTP(ev *session.Event) bool { return ev.Frame != nil && ev.Frame.Trip != nil }

// Refused reports whether a message is in the body of a response of HTTP that refuses its
// request: its error may be about the request of HTTP, and have no id or another one.
func Refused(ev *session.Event) bool {
	return OverHTTP(ev) && ev.Frame.Stream == session.S2C && ev.Frame.Trip.Response != nil && ev.Frame.Trip.Response.Status >= 400
}

// Replayed reports whether a message may have come before: it is on a stream that the
// client resumed.
func Replayed(ev *session.Event) bool {
	if !OverHTTP(ev) || ev.Frame.Stream != session.S2C {
		return false
	}
	_, ok := ev.Frame.Trip.Request.Field("Last-Event-Id")
	return ok
}

// ByUser reports whether a client message was sent by wiretea's user.
func ByUser(ev *session.Event) bool { return ev.Frame.Stream == session.C2S && !ByClient(ev) }

// ByHand reports whether a request was composed by wiretea's user, so that its
// faults are not the client's.
func ByHand(ev *session.Event) bool {
	return ev.Conn.Ours || ev.Exchange != nil && ev.Exchange.Way == session.WayOut || ev.Frame != nil && ev.Frame.Way == session.WayOut
}

// WholeName reports whether a target is a complete name.
func WholeName(target string) bool { return target != "" && target != "…" && len(target) < 256 }
