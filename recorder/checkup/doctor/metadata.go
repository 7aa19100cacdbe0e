package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

// metadataParam is the parameter of a challenge that names the metadata: RFC 9728 §5.1.
var metadataParam = lazy.Regexp{Text: `(?i)[ ,]resource_metadata="?([^",\s]+)`}

// metadata reads the metadata of the protected resource, as a client does that is refused by
// 401: where the challenge names it, else below /.well-known/. The origin of the server is
// the only one that is asked.
func (e *exam) metadata(ctx context.Context) error {
	server := e.remote.URL()
	named := metadataParam.Get().FindStringSubmatch(e.wants)
	places := []string{"/.well-known/oauth-protected-resource" + strings.TrimSuffix(server.EscapedPath(), "/"), "/.well-known/oauth-protected-resource"}
	if named != nil {
		places = []string{named[1]}
	}
	for _, place := range places {
		at, err := url.Parse(place)
		if err != nil || named != nil && at.Host == "" {
			return e.skipped("the 401 names no whole URL: %s", place)
		}
		if at = server.ResolveReference(at); originOf(at) != originOf(server) {
			return e.skipped("%s is of another origin, which is not asked", trips.Place(at))
		}
		at.Fragment = ""
		r, err := e.ask(ctx, &trips.Request{Method: http.MethodGet, URL: at, Anonymous: true, Header: http.Header{"Accept": {"application/json"}}})
		switch {
		case err != nil:
			return err
		case r.Status == http.StatusOK:
			return e.described(at, r)
		case named != nil && (r.Status == http.StatusNotFound || r.Status == http.StatusGone || r.Status == http.StatusMethodNotAllowed):
			return e.failed("prm-missing", "the resource_metadata of the 401, %s, was answered %s", trips.Place(at), outcome(r))
		case named != nil:
			return e.skipped("%s was answered %s", trips.Place(at), outcome(r))
		}
	}
	return e.skipped("the 401 names none, and there is none at %s", strings.Join(places, ", "))
}

// described judges the metadata at a place.
func (e *exam) described(at *url.URL, r *trips.Response) error {
	if !json.Valid(r.Text) || lex.Unquote(lex.Get(r.Text, "resource")) == "" && len(lex.Get(r.Text, "authorization_servers")) == 0 {
		return e.failed("prm-shape", "%s was answered 200 with no metadata (%s)", trips.Place(at), cmp.Or(r.Type, "without a type"))
	}
	resource := lex.Unquote(lex.Get(r.Text, "resource"))
	var servers []string
	for _, item := range lex.Items(lex.Get(r.Text, "authorization_servers")) {
		if login, err := url.Parse(lex.Unquote(item)); err == nil && login.Host != "" {
			servers = append(servers, trips.Place(login))
		}
	}
	about, err := url.Parse(resource)
	switch {
	case err != nil || about.Host == "":
		return e.failed("prm-shape", "the metadata at %s has no resource that is a whole URL", trips.Place(at))
	case len(servers) == 0:
		return e.failed("prm-shape", "the metadata at %s names no authorization server", trips.Place(at))
	case originOf(about) != originOf(e.remote.URL()):
		return e.failed("prm-resource-mismatch", "the metadata at %s is about %s, but its server is %s", trips.Place(at), originOf(about), originOf(e.remote.URL()))
	}
	return e.passed("%s names %s", trips.Place(at), strings.Join(servers, ", "))
}

// originOf is the scheme, host and port of a URL.
func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host
}
