package fault

import (
	"cmp"
	"net/textproto"
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/mcp"
)

// What follows are the kinds for HTTP: they act on the round trip that carries a message.

const (
	forbidden       = 403
	notFound        = 404
	tooManyRequests = 429
)

// headed reports whether the head of what carries a message can still be changed.
func headed(m *decide.Message) bool {
	return m.Carrier == decide.Body || m.Carrier == decide.FirstEvent
}

// instead is a response of ours in place of the message.
func instead(m *decide.Message, status int, fields ...session.HTTPField) (decide.Decision, bool) {
	return decide.Decision{Effect: &session.Effect{Status: status, Header: fields, Lasts: true}}, headed(m)
}

func answerStatus(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	return instead(m, v.size)
}

func retryAfter(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	v.time = cmp.Or(v.time, time.Second)
	seconds := (v.time + time.Second - 1) / time.Second
	return instead(m, tooManyRequests, session.HTTPField{Name: "Retry-After", Value: strconv.Itoa(int(seconds))})
}

func challenge(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	why := `error="invalid_token"`
	if v.size == forbidden {
		why = `error="insufficient_scope", scope="wiretea"`
	}
	return instead(m, v.size, session.HTTPField{Name: "WWW-Authenticate", Value: "Bearer " + why})
}

// expireSession applies to the client's messages: a server cannot take back what it said.
func expireSession(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	d := decide.Decision{Effect: &session.Effect{Status: notFound, Expire: true, Lasts: true}}
	return d, m.Stream == session.C2S && m.Method != mcp.Initialize
}

func closeWithin(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	return decide.Decision{Text: m.Body[:len(m.Body)/2], Effect: &session.Effect{End: session.Aborts, Lasts: true}}, true
}

func buffer(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	d, _ := with(m, session.Effect{Buffer: true, Lasts: true})
	return d, m.Carrier == decide.Event || m.Carrier == decide.FirstEvent
}

func setHeader(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	d, _ := with(m, session.Effect{Header: []session.HTTPField{{Name: textproto.CanonicalMIMEHeaderKey(v.name), Value: v.text}}, Lasts: true})
	return d, headed(m)
}
