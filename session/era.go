package session

import (
	"bytes"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// The era of a connection, and of each request:
//
//	NEW ── a request with a modern _meta ──────────────────────► MODERN
//	 │       (server/discover alone decides nothing: PROBING)
//	 ├── PROBING ── a DiscoverResult, an error of a modern server ► MODERN
//	 │           └─ any other error, or none: the client goes on to initialize
//	 └── initialize ─► INITIALIZE ── its result ─────────────────► LEGACY
//
// What the client speaks and what the server showed of itself are kept apart: a
// server that answers a modern request is not modern for that.

// eraOfRequest takes note of a request of the client and returns the era and the
// revision that it is made in. They are unknown for a probe, which is right in
// either, and as long as nothing decided.
func (c *conn) eraOfRequest(m *jsonrpc.Message, method string) (mcp.Era, mcp.Version) {
	meta := m.Field(jsonrpc.MetaProtocolVersion)
	modern := meta.Type == jsonrpc.String
	switch {
	case method == mcp.Initialize:
		if c.Phase != PhaseLegacy {
			c.Phase = PhaseInitialize
			c.Version, c.VersionText = mcp.NoVersion, ""
		}
		c.Era = mcp.Legacy
		return mcp.Legacy, c.Version
	case method == mcp.ServerDiscover && c.Phase != PhaseModern:
		if c.ProbeT == 0 {
			c.ProbeT = max(1, c.a.clock)
		}
		if c.Phase == PhaseNew {
			c.Phase = PhaseProbing
		}
		c.links.probeVersion = string(plain(meta))
		return mcp.UnknownEra, mcp.NoVersion
	case modern && c.Phase == PhaseLegacy:
		v, _ := mcp.ParseVersion(string(plain(meta))) // Both eras on one pipe: the handshake stands.
		return mcp.Modern, v
	case modern:
		c.Phase, c.Era = PhaseModern, mcp.Modern
		if text := plain(meta); string(text) != c.VersionText {
			c.setVersion(string(text))
		}
		if c.Version.Era() == mcp.Legacy {
			c.Version = mcp.NoVersion // A modern request cannot be of a legacy revision.
		}
	}
	return c.Era, c.Version
}

// eraOfInjected returns the era and the revision of a request that the client did
// not send. What the client speaks does not depend on it.
func (c *conn) eraOfInjected(m *jsonrpc.Message) (mcp.Era, mcp.Version) {
	if meta := m.Field(jsonrpc.MetaProtocolVersion); meta.Type == jsonrpc.String {
		v, _ := mcp.ParseVersion(string(plain(meta)))
		return mcp.Modern, v
	}
	return c.Era, c.Version
}

// eraOfAnswer takes note of what an answer of the server to x shows.
func (c *conn) eraOfAnswer(x *Exchange, m *jsonrpc.Message) {
	code, _ := m.Field(jsonrpc.ErrorCode).Int()
	modernError := m.Kind == jsonrpc.Error &&
		(code == mcp.HeaderMismatch || code == mcp.MissingCapability || code == mcp.UnsupportedVersion)
	if m.Field(jsonrpc.ResultType).Present() || modernError {
		c.ServerModern = true
	}
	if x.Way == WayOut {
		return // It was not the client who asked.
	}
	switch x.Method {
	case mcp.Initialize:
		if m.Kind == jsonrpc.Result {
			c.agreed(m)
		}
	case mcp.ServerDiscover:
		c.discovered(x, m, code, modernError)
	}
}

// agreed takes the result of initialize. It decides nothing about a client that
// speaks modern since.
func (c *conn) agreed(m *jsonrpc.Message) {
	c.ServerLegacy = true
	if c.Phase == PhaseModern {
		return
	}
	c.Phase, c.Era = PhaseLegacy, mcp.Legacy
	if v := m.Field(jsonrpc.ResultProtocolVersion); v.Type == jsonrpc.String {
		c.setVersion(string(plain(v)))
	}
}

// discovered takes the answer to a probe. Where the client did not wait for it,
// it only tells about the server.
func (c *conn) discovered(x *Exchange, m *jsonrpc.Message, code int64, modernError bool) {
	c.ProbeDone = true
	listed := hasModern(m.Field(jsonrpc.ErrorSupported).Raw)
	candidate := m.Kind == jsonrpc.Error && code == mcp.CandidateUnsupportedVersion && listed
	switch {
	case m.Kind == jsonrpc.Result && m.Field(jsonrpc.ResultSupported).Present():
		c.ServerModern = true
	case candidate:
		c.ServerModern = true
	case modernError:
		if code == mcp.UnsupportedVersion && !listed {
			return // A server with legacy revisions alone: the client goes on to initialize.
		}
	default:
		c.ServerLegacy = true
		return
	}
	if c.Phase != PhaseProbing {
		return
	}
	c.Phase, c.Era = PhaseModern, mcp.Modern
	if v, ok := mcp.ParseVersion(c.links.probeVersion); ok && v.Era() == mcp.Modern && m.Kind == jsonrpc.Result {
		c.Version, c.VersionText = v, c.links.probeVersion
	}
	x.Era, x.Version = mcp.Modern, c.Version
}

// hasModern reports whether the raw text of a list names a modern revision.
func hasModern(list []byte) bool {
	for v := mcp.V5; v <= mcp.LatestModern; v++ {
		if bytes.Contains(list, []byte(`"`+v.String()+`"`)) {
			return true
		}
	}
	return false
}
