package session

import (
	"bytes"
	"cmp"

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
// The client's era and the evidence of the server's era are separate: a server
// that answers a modern request is not necessarily modern.

// eraOfRequest records a client request and returns its era and its revision.
// They are unknown for a probe, which is valid in either era, and as long as
// the era is undecided.
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
		c.ProbeT = cmp.Or(c.ProbeT, max(1, c.a.clock))
		if c.Phase == PhaseNew {
			c.Phase = PhaseProbing
		}
		c.links.probeVersion = string(plain(meta))
		return mcp.UnknownEra, mcp.NoVersion
	case modern && c.Phase == PhaseLegacy:
		v, _ := mcp.ParseVersion(string(plain(meta))) // Both eras on one pipe: the handshake stays in effect.
		return mcp.Modern, v
	case modern:
		c.Phase, c.Era = PhaseModern, mcp.Modern
		if text := plain(meta); string(text) != c.VersionText {
			c.setVersion(string(text))
		}
		if c.Version.Era() == mcp.Legacy {
			c.Version = mcp.NoVersion // A modern request cannot have a legacy revision.
		}
	}
	return c.Era, c.Version
}

// eraOfInjected returns the era and the revision of an injected request, which
// does not change those of the client.
func (c *conn) eraOfInjected(m *jsonrpc.Message) (mcp.Era, mcp.Version) {
	if meta := m.Field(jsonrpc.MetaProtocolVersion); meta.Type == jsonrpc.String {
		v, _ := mcp.ParseVersion(string(plain(meta)))
		return mcp.Modern, v
	}
	return c.Era, c.Version
}

// eraOfAnswer records the evidence in the server's response to x.
func (c *conn) eraOfAnswer(x *Exchange, m *jsonrpc.Message) {
	code, _ := m.Field(jsonrpc.ErrorCode).Int()
	modernError := m.Kind == jsonrpc.Error &&
		(code == mcp.HeaderMismatch || code == mcp.MissingCapability || code == mcp.UnsupportedVersion)
	if m.Field(jsonrpc.ResultType).Present() || modernError {
		c.ServerModern = true
	}
	if x.Way == WayOut {
		return // The client did not send the request.
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

// agreed records the result of initialize. It does not change the era of a
// client that has become modern since.
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

// discovered records the response to a probe. If the client did not wait for
// it, it is only evidence about the server.
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
			return // A server with only legacy revisions: the client sends initialize.
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

// hasModern reports whether the raw text of a list has a modern revision.
func hasModern(list []byte) bool {
	for v := mcp.V5; v <= mcp.LatestModern; v++ {
		if bytes.Contains(list, []byte(`"`+v.String()+`"`)) {
			return true
		}
	}
	return false
}
