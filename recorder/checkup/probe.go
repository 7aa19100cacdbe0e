package checkup

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"wiretea/recorder/verdict"
	"wiretea/session/client"
	trips "wiretea/session/client/http"
	"wiretea/session/mcp"
)

// exercises are the probes, in the order of the way.
var exercises = []exercise{
	{"path", (*exam).path},
	{"host", (*exam).host},
	{"origin", (*exam).origin},
	{"bind", (*exam).bind},
	{"methods", (*exam).methods},
	{"accept", (*exam).accept},
	{"eras", (*exam).eras},
	{"responses", (*exam).responses},
	{"get stream", (*exam).getStream},
	{"session missing", (*exam).sessionMissing},
	{"session wrong", (*exam).sessionWrong},
	{"session deleted", (*exam).sessionDeleted},
	{"version missing", (*exam).versionMissing},
	{"version wrong", (*exam).versionWrong},
	{"anonymous", (*exam).anonymous},
	{"cors", (*exam).cors},
}

// Probe tries how the server takes what clients and others may send. conn is a connection
// that nothing else is done on, mode the transport that server was spoken to by.
func (d *Doctor) Probe(ctx context.Context, conn *trips.Conn, mode trips.Mode, server client.Server) {
	d.ours[conn.Number()] = true
	version, _ := mcp.ParseVersion(server.Version)
	e := &exam{Doctor: d, conn: conn, version: version, name: server.Version, sse: mode == trips.SSE, list: listOf(&server)}
	if version == mcp.NoVersion {
		e.version = map[mcp.Era]mcp.Version{mcp.Legacy: mcp.LatestLegacy, mcp.Modern: mcp.LatestModern}[server.Era]
	}
	if e.sse {
		e.examine(ctx, streamExercises)
	} else {
		e.examine(ctx, exercises)
	}
	e.authorize(ctx)
}

// listOf is a list that a server declares; empty for none.
func listOf(server *client.Server) string {
	for _, name := range []string{"tools", "prompts", "resources"} {
		if server.Has(name) {
			return name + "/list"
		}
	}
	return ""
}

// path looks whether the endpoint is also at the path with, or without, the slash.
func (e *exam) path(ctx context.Context) error {
	other := sibling(e.remote.URL())
	if other == nil {
		return e.skipped("the path is /")
	}
	if err := e.second(ctx); err != nil {
		return err
	}
	r, err := e.greetAt(ctx, &trips.Request{URL: other})
	if err != nil {
		return err
	}
	switch {
	case r.Accepted():
		return e.passed("%s is served too", other.Path)
	case r.Status/100 == 3:
		return e.passed("%s is redirected by %d to %s", other.Path, r.Status, place(r.Header.Get("Location")))
	}
	return e.passed("%s is not served (%s): clients need %s", other.Path, outcome(r), e.remote.URL().Path)
}

// foreign is a host that no server knows.
const foreign = "evil.example"

// host looks whether a server on this machine is open to DNS rebinding.
func (e *exam) host(ctx context.Context) error {
	if !e.local() {
		return e.skipped("only a server at a loopback address must know its Host")
	}
	if err := e.second(ctx); err != nil {
		return err
	}
	r, err := e.greet(ctx, http.Header{"Host": {foreign}})
	switch {
	case err != nil:
		return err
	case r.Accepted():
		return e.failed(verdict.HostUnchecked.ID, "%s with Host: %s was answered %d", e.word(), foreign, r.Status)
	}
	return e.passed("a foreign one is refused (%s)", outcome(r))
}

// origin looks whether pages of any site may talk to the server.
func (e *exam) origin(ctx context.Context) error {
	if err := e.second(ctx); err != nil {
		return err
	}
	r, err := e.greet(ctx, http.Header{"Origin": {"https://" + foreign}})
	switch {
	case err != nil:
		return err
	case r.Accepted():
		return e.failed(verdict.OriginUnchecked.ID, "%s with Origin: https://%s was answered %d", e.word(), foreign, r.Status)
	case r.Status != http.StatusForbidden && e.version >= mcp.V4 && !e.sse:
		return e.failed(verdict.OriginStatus.ID, "%s with Origin: https://%s was answered %s, must be 403", e.word(), foreign, outcome(r))
	}
	return e.passed("a foreign one is refused (%s)", outcome(r))
}

// bind looks whether a server that is addressed on loopback can be reached by the network
// too.
func (e *exam) bind(ctx context.Context) error {
	if !e.local() || e.reach.Secure {
		return e.skipped("only a server at a loopback address, without TLS, is looked for elsewhere")
	}
	if err := e.second(ctx); err != nil {
		return err
	}
	own, err := e.greet(ctx, nil)
	if err != nil {
		return err
	}
	at := *e.remote.URL()
	for _, addr := range ownAddresses() {
		at.Host = net.JoinHostPort(addr, e.reach.Port)
		if e.remote.Through(&at) != "" {
			continue
		}
		r, err := e.greetAt(ctx, &trips.Request{URL: &at, Header: http.Header{"Host": {e.remote.URL().Host}}})
		if err == nil && r.Accepted() && bytes.Equal(r.Result, own.Result) {
			return e.failed(verdict.BindAll.ID, "the server of %s also answers at %s", e.remote.URL().Host, at.Host)
		}
	}
	if len(ownAddresses()) == 0 {
		return e.skipped("this machine has no address but loopback")
	}
	return e.passed("not reached at the other addresses of this machine")
}

// outside are addresses of this machine on the network.
func ownAddresses() (list []string) {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && len(list) < mostOutside {
			list = append(list, ip.IP.String())
		}
	}
	return list
}

// mostOutside is how many addresses are tried.
const mostOutside = 4

// methods looks what the endpoint answers to methods that MCP does not need there.
func (e *exam) methods(ctx context.Context) error {
	var seen []string
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		r, err := e.ask(ctx, &trips.Request{Method: method, Header: http.Header{mcp.VersionHeader: {e.name}}})
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		seen = append(seen, fmt.Sprintf("%s %s", method, outcome(r)))
	}
	return e.passed("without a session: %s", strings.Join(seen, "; "))
}

// accept looks what types the server wants to be offered.
func (e *exam) accept(ctx context.Context) error {
	if err := e.second(ctx); err != nil {
		return err
	}
	var seen []string
	for _, a := range []struct {
		name   string
		values []string
	}{
		{"only JSON", []string{"application/json"}}, {"only event streams", []string{"text/event-stream"}}, {"*/*", []string{"*/*"}}, {"none", nil},
	} {
		r, err := e.greet(ctx, http.Header{"Accept": a.values})
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if r.Status >= 500 {
			return e.failed("http-server-error", "%s with %s was answered %d", e.word(), acceptWords(a.values), r.Status)
		}
		seen = append(seen, fmt.Sprintf("%s %s", a.name, outcome(r)))
	}
	return e.passed("%s", strings.Join(seen, "; "))
}

func acceptWords(values []string) string {
	if values == nil {
		return "no Accept"
	}
	return "Accept: " + values[0]
}

// eras looks whether the server speaks the other era too.
func (e *exam) eras(ctx context.Context) error {
	era, version := mcp.Modern, mcp.LatestModern
	if e.version.Era() == mcp.Modern {
		era, version = mcp.Legacy, mcp.LatestLegacy
	}
	r, err := e.ask(ctx, &trips.Request{Method: http.MethodPost, Body: e.hello(era, version.String())})
	switch {
	case err != nil:
		return err
	case r.Accepted() && era == mcp.Modern && !client.OffersModern(r.Result):
		return e.passed("%s is not spoken: server/discover names older revisions", era)
	case r.Accepted():
		e.key = r.Header.Get(mcp.SessionHeader)
		return e.passed("both: also %s %s", era, version)
	}
	return e.passed("%s is not spoken (%s)", era, outcome(r))
}
