package check

import (
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// answers reports whether a response is one that its request waited for.
func answers(ev *session.Event) bool {
	return ev.Exchange != nil && (ev.Match == session.MatchAnswer || ev.Match == session.MatchLate)
}

// clients reports whether a message is the client's own, which is not what our
// user puts in, nor what he does by hand as the client.
func clients(ev *session.Event) bool {
	return ev.Frame.Stream == session.C2S && ev.Frame.Way != session.WayOut && !ev.Conn.Ours
}

// isNew reports whether a request begins an exchange of its own.
func isNew(ev *session.Event) bool {
	return ev.Match == session.MatchNew || ev.Match == session.MatchReused || ev.Match == session.MatchClash
}

// hasModernMeta reports whether a request has metadata that only 2026-07-28 knows.
func hasModernMeta(m *jsonrpc.Message) bool {
	return m.Field(jsonrpc.MetaProtocolVersion).Present() || m.Field(jsonrpc.MetaCapabilities).Present() ||
		m.Field(jsonrpc.MetaClientInfo).Present()
}

// wrongInitialized are names that are meant to be notifications/initialized.
var wrongInitialized = []string{"initialized", "notification/initialized", "notifications/initialize"}

// modern reports whether the connection is in the modern era.
func modern(ev *session.Event) bool { return ev.Conn.Phase == session.PhaseModern }

// composed reports whether a message is what people made the client send.
func composed(ev *session.Event) bool { return ev.Frame.Stream == session.C2S && !clients(ev) }

// byHand reports whether a request is its user's own: what people compose is no
// fault of the client's.
func byHand(ev *session.Event) bool {
	return ev.Conn.Ours || ev.Exchange != nil && ev.Exchange.Way == session.WayOut || ev.Frame != nil && ev.Frame.Way == session.WayOut
}

// whole reports whether a target is a name in full.
func whole(target string) bool { return target != "" && target != "…" && len(target) < 256 }
