package checkup

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"wiretea/recorder/verdict"
	trips "wiretea/session/client/http"
	"wiretea/session/mcp"
	proxied "wiretea/session/transport/http"
)

// anonymous looks what is answered to who shows no credentials.
func (e *exam) anonymous(ctx context.Context) error {
	r, err := e.greetAt(ctx, &trips.Request{Anonymous: true})
	switch {
	case err != nil:
		return err
	case r.Status == http.StatusUnauthorized:
		e.denied = r.Header
		return e.challenged(r.Header)
	case r.Accepted() && e.reach.Addr != "" && !e.local():
		return e.failed(verdict.NoAuthOpen.ID, "%s without credentials was answered %d by a server on the network", e.word(), r.Status)
	case r.Accepted():
		return e.passed("the server does not require credentials")
	}
	return e.passed("refused (%s)", outcome(r))
}

// challenged looks at a 401.
func (e *exam) challenged(h http.Header) error {
	wants := proxied.Challenges(h)
	if len(wants) == 0 {
		return e.failed(verdict.NoChallenge.ID, "%s was answered 401 without WWW-Authenticate", e.word())
	}
	text := "401, " + wants[0].Scheme
	if proxied.MetadataURL(h) != "" {
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
		e.authorize(ctx)
	case r.Status == http.StatusNotFound, r.Status == http.StatusMethodNotAllowed, r.Type == "text/html", r.Status/100 == 3, r.Type == "application/json" && r.RPC == nil && (r.Status == http.StatusOK || r.Status == http.StatusBadRequest):
		e.examine(ctx, []exercise{{"path", func(e *exam, ctx context.Context) (err error) {
			found, err = e.search(ctx)
			return err
		}}})
	}
	return found
}

// authorize looks at what a client logs in by, where a 401 has been seen. Schemes other than
// Bearer need none of it.
func (e *exam) authorize(ctx context.Context) {
	wants := strings.ToLower(e.denied.Get("WWW-Authenticate"))
	if e.denied == nil || wants != "" && !strings.HasPrefix(wants, "bearer") {
		return
	}
	e.examine(ctx, []exercise{{"metadata", (*exam).metadata}})
	if e.unnamed { // Clients of 2025-03-26, and others that find nothing, try the server itself.
		e.logins = []string{mcp.OriginOf(e.remote.URL())}
	}
	for _, issuer := range e.logins[:min(len(e.logins), maxLogins)] {
		e.examine(ctx, []exercise{{"authorization", func(e *exam, ctx context.Context) error { return e.login(ctx, issuer) }}})
	}
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
	e.denied = r.Header
	return e.challenged(r.Header)
}

// search tries the usual paths. What is served there may be somebody else's, so that it
// gets no credentials.
func (e *exam) search(ctx context.Context) (*url.URL, error) {
	e.bare = true
	base := e.remote.URL()
	bare := strings.TrimSuffix(base.Path, "/")
	var tried []string
	for _, path := range []string{bare, bare + "/", bare + "/mcp", "/mcp", "/mcp/", "/", strings.TrimSuffix(bare, "/mcp") + "/sse", "/sse"} {
		if path == "" || path == base.Path || path == "/" && base.Path == "" || slices.Contains(tried, path) {
			continue
		}
		at := *base
		at.Path, at.RawPath = path, ""
		e.sse = strings.HasSuffix(path, "/sse")
		is, err := e.endpoint(ctx, &at)
		if err != nil {
			return nil, err
		}
		if is {
			_ = e.skipped("no endpoint at %s; %s is one", cmp.Or(base.Path, "/"), path)
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
