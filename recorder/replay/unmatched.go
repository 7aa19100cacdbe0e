package replay

import (
	"cmp"
	"fmt"
	"strconv"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// unmatched answers a request that no recorded one is left for. at is a recorded
// one that was not answered then, -1 = none; known says that there were some with
// the same parameters.
func (m *mock) unmatched(live *Message, msg *jsonrpc.Message, body []byte, key uint64, at int32, known bool) {
	params := msg.Params.In(body)
	greets := live.Method == mcp.Initialize || live.Method == mcp.ServerDiscover
	if greets || m.cfg.Unmatched == Nearest {
		near := m.match.latest(key, m.cfg.Healthy)
		if near < 0 {
			near = m.match.nearest(live, params, m.cfg.Healthy)
		}
		if near >= 0 {
			if !greets {
				m.note("%s: not recorded, or no answer left: answered as frame %d", describe(live), m.frameOf(near))
			}
			m.matched(near, msg)
			return
		}
	}
	if live.Method == mcp.Ping || m.cfg.Unmatched == Empty && !greets {
		result := "{}"
		if live.Modern {
			result = `{"resultType":"complete"}`
		}
		if live.Method != mcp.Ping {
			m.note("%s: not recorded, or no answer left: an empty result", describe(live))
		}
		m.say(string(jsonrpc.AppendAnswer(nil, live.ID, false, []byte(result))))
		return
	}
	code, why, data := m.refusal(live, params, key, at, known)
	if m.script.lacks() {
		why += "; the recording lacks a part of the session"
	}
	m.note("%s: %s", describe(live), why)
	m.say(string(jsonrpc.AppendError(nil, string(msg.ID.Raw), code, "wiretea mock: "+why, []byte(data))))
}

// refusal says why a request cannot be answered.
func (m *mock) refusal(live *Message, params []byte, key uint64, at int32, known bool) (code int64, why, data string) {
	s := m.script
	switch {
	case live.Method == mcp.Initialize && s.Era == mcp.Modern:
		data = `{"supported":[` + strconv.Quote(s.spoken()) + `]}`
		return mcp.UnsupportedVersion, "the recording is of a modern session (" + s.spoken() + "), which has no initialize request: it cannot serve a client of the legacy era", data
	case live.Method == mcp.ServerDiscover:
		return mcp.MethodNotFound, "the recording is of a session that began with " + cmp.Or(opens(s), "nothing") + ": it has no server/discover", ""
	case m.match.otherEra(live) && live.Modern:
		data = `{"supported":[` + strconv.Quote(s.spoken()) + `]}`
		return mcp.UnsupportedVersion, "the recording has " + live.Method + " of the legacy era only (" + s.spoken() + "): a request of the modern era cannot be served from it", data
	case m.match.otherEra(live):
		return mcp.InvalidParams, "the recording has " + live.Method + " of the modern era only (" + s.spoken() + "): a request without its _meta cannot be served from it", ""
	case at >= 0:
		return mcp.InternalError, fmt.Sprintf("the recorded server never answered this (frame %d)", m.frameOf(at)), ""
	case known:
		last := m.match.latest(key, false)
		return mcp.InternalError, fmt.Sprintf("the recorded answers to this are used up, the last one was to frame %d; --on-unmatched nearest repeats it", m.frameOf(last)), ""
	case len(m.match.methods[live.Method]) == 0:
		return mcp.MethodNotFound, "the recording has no " + live.Method, ""
	}
	if near := m.match.nearest(live, params, false); near >= 0 {
		return mcp.InternalError, fmt.Sprintf("not recorded with these parameters; the nearest is frame %d, which --on-unmatched nearest answers with", m.frameOf(near)), ""
	}
	return mcp.InternalError, "the recording has no " + describe(live), ""
}

// spoken is the version of the recorded session.
func (s *Script) spoken() string {
	switch {
	case s.Version != "":
		return s.Version
	case s.Era == mcp.Modern:
		return mcp.LatestModern.String()
	}
	return mcp.LatestLegacy.String()
}

func (m *mock) frameOf(msg int32) uint64 { return m.script.Steps[m.script.Messages[msg].Step].N }

// say writes an answer of our own.
func (m *mock) say(message string) {
	if _, err := m.out.WriteString(message + "\n"); err != nil {
		m.fail(fmt.Errorf("writing to the client: %w", err))
	}
}

// describe is a request in a few words.
func describe(m *Message) string {
	if m.Target != "" {
		return m.Method + " " + m.Target
	}
	return m.Method
}

// targetOf is the tool, prompt or uri that a live message acts on.
func targetOf(method string, m *jsonrpc.Message) string {
	row, ok := mcp.Lookup(method)
	if !ok {
		return ""
	}
	f, ok := session.TargetField(m, row)
	if !ok {
		return ""
	}
	return string(unquoted(m.Field(f)))
}
