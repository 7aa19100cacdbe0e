package rule

import (
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

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
