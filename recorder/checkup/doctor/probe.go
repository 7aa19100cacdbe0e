package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"wiretea/recorder/verdict"
	"wiretea/session"
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
		return
	}
	e.examine(ctx, exercises)
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
	for _, addr := range outside() {
		at.Host = net.JoinHostPort(addr, e.reach.Port)
		if e.remote.Through(&at) != "" {
			continue
		}
		r, err := e.greetAt(ctx, &trips.Request{URL: &at, Header: http.Header{"Host": {e.remote.URL().Host}}})
		if err == nil && r.Accepted() && bytes.Equal(r.Result, own.Result) {
			return e.failed(verdict.BindAll.ID, "the server of %s also answers at %s", e.remote.URL().Host, at.Host)
		}
	}
	if len(outside()) == 0 {
		return e.skipped("this machine has no address but loopback")
	}
	return e.passed("not reached at the other addresses of this machine")
}

// outside are addresses of this machine on the network.
func outside() (list []string) {
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
	case r.Accepted():
		e.key = r.Header.Get(mcp.SessionHeader)
		return e.passed("both: also %s %s", era, version)
	}
	return e.passed("%s is not spoken (%s)", era, outcome(r))
}

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
	r, err := e.ping(ctx, e.in(""))
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
	r, err := e.ping(ctx, e.in(rand.Text()))
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
	r, err := e.ping(ctx, e.in(key))
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
	return e.ping(ctx, h)
}

// anonymous looks what is answered to who shows no credentials.
func (e *exam) anonymous(ctx context.Context) error {
	r, err := e.greetAt(ctx, &trips.Request{Anonymous: true})
	switch {
	case err != nil:
		return err
	case r.Status == http.StatusUnauthorized:
		return e.challenged(r.Header)
	case r.Accepted() && e.reach.Addr != "" && !e.local():
		return e.failed(verdict.NoAuthOpen.ID, "%s without credentials was answered %d by a server on the network", e.word(), r.Status)
	case r.Accepted():
		return e.passed("no credentials are wanted")
	}
	return e.passed("refused (%s)", outcome(r))
}

// challenged looks at a 401.
func (e *exam) challenged(h http.Header) error {
	wants := strings.Join(h.Values("WWW-Authenticate"), ", ")
	if wants == "" {
		return e.failed(verdict.NoChallenge.ID, "%s was answered 401 without WWW-Authenticate", e.word())
	}
	scheme, _, _ := strings.Cut(wants, " ")
	text := "401, " + scheme
	if strings.Contains(wants, "resource_metadata=") {
		text += " with resource_metadata"
	}
	return e.passed("%s", text)
}

// page is the origin that the usual inspector in a browser has.
const page = "http://localhost:6274"

// cors looks whether a page in a browser may connect.
func (e *exam) cors(ctx context.Context) error {
	wanted := []string{"content-type"}
	switch {
	case e.sse:
	case e.version.Era() == mcp.Modern:
		wanted = append(wanted, "mcp-protocol-version", "mcp-method", "mcp-name")
	default:
		wanted = append(wanted, "mcp-protocol-version", "mcp-session-id")
	}
	if e.remote.Credentials() {
		wanted = append(wanted, "authorization")
	}
	r, err := e.ask(ctx, &trips.Request{Method: http.MethodOptions, Anonymous: true, Header: http.Header{
		"Origin": {page}, "Access-Control-Request-Method": {http.MethodPost}, "Access-Control-Request-Headers": {strings.Join(wanted, ",")},
	}})
	switch {
	case err != nil:
		return err
	case r.Status >= 300 || r.Header.Get("Access-Control-Allow-Origin") == "":
		return e.skipped("the preflight of %s is not granted (%s): pages in browsers cannot connect", page, outcome(r))
	}
	names, lacks := strings.ToLower(strings.Join(r.Header.Values("Access-Control-Allow-Headers"), ",")), []string{}
	for _, name := range wanted {
		if !listed(names, name) && (name == "authorization" || !listed(names, "*")) {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		return e.failed("cors-allow-headers", "the preflight request from %q may not send %s", page, strings.Join(lacks, ", "))
	}
	granted := r.Status
	if hidden, err := e.hidden(ctx); err != nil || hidden {
		if hidden {
			err = e.failed("cors-expose-headers", "the page %q may not read the Mcp-Session-Id of a response", page)
		}
		return err
	}
	return e.passed("the preflight of %s is granted (%d)", page, granted)
}

// hidden reports whether a page gets a session whose id it may not read.
func (e *exam) hidden(ctx context.Context) (bool, error) {
	r, err := e.greet(ctx, http.Header{"Origin": {page}})
	if err != nil || e.key == "" || r.Header.Get("Access-Control-Allow-Origin") == "" {
		return false, err
	}
	names := strings.ToLower(strings.Join(r.Header.Values("Access-Control-Expose-Headers"), ","))
	wildcard := r.Header.Get("Access-Control-Allow-Credentials") != "true" && listed(names, "*")
	return !wildcard && !listed(names, "mcp-session-id"), nil
}

// listed reports whether a list with commas has a word.
func listed(list, word string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(part string) bool { return strings.TrimSpace(part) == word })
}

// Refused looks closer where the handshake was refused by HTTP: what credentials are
// wanted, or whether the endpoint is at one of the usual paths. It returns that URL, nil
// if there is none. failed is how the handshake failed.
func (d *Doctor) Refused(ctx context.Context, conn *trips.Conn, failed error) (found *url.URL) {
	r := refusal(failed)
	if r == nil {
		return nil
	}
	d.ours[conn.Number()] = true
	e := &exam{Doctor: d, conn: conn, version: mcp.LatestLegacy, name: mcp.LatestLegacy.String()}
	switch {
	case r.Status == http.StatusUnauthorized:
		e.examine(ctx, []exercise{{"credentials", (*exam).credentials}})
	case r.Status == http.StatusNotFound, r.Status == http.StatusMethodNotAllowed, r.Type == "text/html", r.Status/100 == 3:
		e.examine(ctx, []exercise{{"path", func(e *exam, ctx context.Context) (err error) {
			found, err = e.search(ctx)
			return err
		}}})
	}
	return found
}

// credentials looks what credentials are wanted.
func (e *exam) credentials(ctx context.Context) error {
	r, err := e.greet(ctx, nil)
	switch {
	case err != nil:
		return err
	case r.Status != http.StatusUnauthorized:
		return e.skipped("not refused the second time: %s", outcome(r))
	}
	return e.challenged(r.Header)
}

// search tries the usual paths. What is served there may be somebody else's, so that it
// gets no credentials.
func (e *exam) search(ctx context.Context) (*url.URL, error) {
	e.bare = true
	base := e.remote.URL()
	bare := strings.TrimSuffix(base.Path, "/")
	var tried []string
	for _, path := range []string{bare, bare + "/", bare + "/mcp", "/mcp", "/mcp/", "/"} {
		if path == "" || path == base.Path || path == "/" && base.Path == "" || slices.Contains(tried, path) {
			continue
		}
		at := *base
		at.Path, at.RawPath = path, ""
		is, err := e.endpoint(ctx, &at)
		if err != nil {
			return nil, err
		}
		if is {
			_ = e.skipped("nothing at %s; %s is an endpoint", cmp.Or(base.Path, "/"), path)
			e.step.State, e.step.Rule = verdict.Failed, verdict.NoHandshake.ID
			return &at, nil
		}
		tried = append(tried, path)
	}
	return nil, e.skipped("no endpoint at %s either", strings.Join(tried, ", "))
}

// endpoint reports whether a URL is one, in either era.
func (e *exam) endpoint(ctx context.Context, at *url.URL) (bool, error) {
	for _, v := range []mcp.Version{mcp.LatestLegacy, mcp.LatestModern} {
		e.version, e.name = v, v.String()
		r, err := e.greetAt(ctx, &trips.Request{URL: at})
		if err != nil || r.Accepted() {
			return err == nil, err
		}
	}
	return false, nil
}
