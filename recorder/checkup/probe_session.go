package checkup

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"

	"wiretea/session"
	trips "wiretea/session/client/http"
	"wiretea/session/mcp"
)

// bound begins a session for a probe of sessions. The error says that there are none.
func (e *exam) bound(ctx context.Context) error {
	if e.version.Era() == mcp.Modern {
		return fmt.Errorf("%s has no sessions", e.version)
	}
	if err := e.session(ctx); err != nil {
		return err
	}
	if e.key == "" {
		return fmt.Errorf("the server issues no Mcp-Session-Id")
	}
	return nil
}

// sessionMissing looks what is answered to a request without the session's id.
func (e *exam) sessionMissing(ctx context.Context) error {
	if err := e.bound(ctx); err != nil {
		return err
	}
	r, err := e.ping(ctx, nil, e.in(""))
	switch {
	case err != nil:
		return err
	case r.Accepted():
		return e.passed("a request without Mcp-Session-Id is answered")
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden, r.Status == http.StatusBadRequest:
		return e.passed("a request without Mcp-Session-Id is refused (%s)", outcome(r))
	}
	return e.failed("http-session-required-code", "ping without Mcp-Session-Id was answered %s, should be 400", outcome(r))
}

// sessionWrong looks what is answered in a session that the server does not know: after
// its restart every session is one.
func (e *exam) sessionWrong(ctx context.Context) error {
	if err := e.bound(ctx); err != nil {
		return err
	}
	r, err := e.ping(ctx, nil, e.in(rand.Text()))
	switch {
	case err != nil:
		return err
	case r.Status == http.StatusNotFound:
		return e.passed("an unknown session is answered 404")
	}
	text := "ping in a session that the server never issued was answered %s"
	if !r.Accepted() {
		text += "; clients begin a new session on 404 only"
	}
	_ = e.failed("http-session-expired-code", text, outcome(r))
	// What the specification demands is about sessions that were ended.
	e.found[len(e.found)-1].Severity = session.Warning
	return nil
}

// sessionDeleted looks whether DELETE ends a session.
func (e *exam) sessionDeleted(ctx context.Context) error {
	if err := e.bound(ctx); err != nil {
		return err
	}
	key := e.key
	gone, err := e.remove(ctx)
	switch {
	case err != nil:
		return err
	case gone.Status == http.StatusMethodNotAllowed:
		return e.passed("DELETE is not offered (405)")
	case gone.Status/100 != 2:
		return e.skipped("DELETE was answered %s", outcome(gone))
	}
	r, err := e.ping(ctx, nil, e.in(key))
	switch {
	case err != nil:
		return err
	case r.Accepted():
		return e.failed("http-session-alive-after-delete", "ping was answered in a session that DELETE had ended")
	case r.Status != http.StatusNotFound:
		return e.failed("http-session-expired-code", "ping in a session that DELETE had ended was answered %s, must be 404", outcome(r))
	}
	return e.passed("after DELETE the session is answered 404")
}

// versionMissing looks what is answered to a request without the revision.
func (e *exam) versionMissing(ctx context.Context) error {
	if e.version < mcp.V3 {
		return e.skipped("%s has no MCP-Protocol-Version", e.name)
	}
	r, err := e.revised(ctx, "")
	switch {
	case err != nil:
		return err
	case r.Accepted():
		return e.passed("a request without MCP-Protocol-Version is answered")
	}
	return e.passed("a request without MCP-Protocol-Version is refused (%s)", outcome(r))
}

// unknown is a revision that there was not.
const unknown = "1999-01-01"

// versionWrong looks what is answered to a revision that there was not.
func (e *exam) versionWrong(ctx context.Context) error {
	if e.version < mcp.V3 {
		return e.skipped("%s has no MCP-Protocol-Version", e.name)
	}
	r, err := e.revised(ctx, unknown)
	switch {
	case err != nil:
		return err
	case r.Accepted():
		return e.failed("http-version-header-code", "a request with MCP-Protocol-Version: %s was answered %d, must be 400", unknown, r.Status)
	case r.Status != http.StatusBadRequest:
		return e.failed("http-version-header-code", "a request with MCP-Protocol-Version: %s was answered %s, must be 400", unknown, outcome(r))
	}
	return e.passed("MCP-Protocol-Version: %s is refused (%s)", unknown, outcome(r))
}

// revised makes a request with that revision; empty for none.
func (e *exam) revised(ctx context.Context, version string) (*trips.Response, error) {
	var named []string
	if version != "" {
		named = []string{version}
	}
	if e.version.Era() == mcp.Modern {
		if err := e.second(ctx); err != nil {
			return nil, err
		}
		body := e.hello(mcp.Modern, cmp.Or(version, e.name))
		return e.ask(ctx, &trips.Request{Method: http.MethodPost, Body: body, Header: http.Header{mcp.VersionHeader: named}})
	}
	if err := e.session(ctx); err != nil {
		return nil, err
	}
	h := e.in(e.key)
	if h[mcp.VersionHeader] = nil; named != nil {
		h[mcp.VersionHeader] = named
	}
	return e.ping(ctx, nil, h)
}
