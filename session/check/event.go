package check

import (
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// isAnswer reports whether a response is one that its request waited for.
func isAnswer(ev *session.Event) bool {
	return ev.Exchange != nil && (ev.Match == session.MatchAnswer || ev.Match == session.MatchLate)
}

// byClient reports whether a message is the client's own, which is not what our
// user puts in, nor what he does by hand as the client.
func byClient(ev *session.Event) bool {
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

// initializedMisnomers are names that are meant to be notifications/initialized.
var initializedMisnomers = []string{"initialized", "notification/initialized", "notifications/initialize"}

// isModern reports whether the connection is in the modern era.
func isModern(ev *session.Event) bool { return ev.Conn.Phase == session.PhaseModern }

// byUser reports whether a message is what people made the client send.
func byUser(ev *session.Event) bool { return ev.Frame.Stream == session.C2S && !byClient(ev) }

// byHand reports whether a request is its user's own: what people compose is no
// fault of the client's.
func byHand(ev *session.Event) bool {
	return ev.Conn.Ours || ev.Exchange != nil && ev.Exchange.Way == session.WayOut || ev.Frame != nil && ev.Frame.Way == session.WayOut
}

// wholeName reports whether a target is a name in full.
func wholeName(target string) bool { return target != "" && target != "…" && len(target) < 256 }
