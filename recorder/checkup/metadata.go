package checkup

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	proxied "wiretea/session/transport/http"
)

// metadata reads the metadata of the protected resource, as a client does that is refused by
// 401: where the challenge names it, else below /.well-known/. The origin of the server is
// the only one that is asked.
func (e *exam) metadata(ctx context.Context) error {
	server := e.remote.URL()
	place := proxied.MetadataURL(e.denied)
	named, places := place != "", []string{place}
	if !named {
		places = mcp.ResourceMetadataPaths(server.EscapedPath())
	}
	for _, place := range places {
		at, err := url.Parse(place)
		if err != nil || named && at.Host == "" {
			return e.skipped("the 401 names no whole URL: %s", place)
		}
		if at = server.ResolveReference(at); mcp.OriginOf(at) != mcp.OriginOf(server) {
			return e.skipped("%s is of another origin, which is not asked", trips.Place(at))
		}
		at.Fragment = ""
		r, err := e.ask(ctx, &trips.Request{Method: http.MethodGet, URL: at, Anonymous: true, Header: http.Header{"Accept": {"application/json"}}})
		switch {
		case err != nil:
			return err
		case r.Status == http.StatusOK:
			return e.described(at, r)
		case named && (r.Status == http.StatusNotFound || r.Status == http.StatusGone || r.Status == http.StatusMethodNotAllowed):
			return e.failed("prm-missing", "the resource_metadata of the 401, %s, was answered %s", trips.Place(at), outcome(r))
		case named:
			return e.skipped("%s was answered %s", trips.Place(at), outcome(r))
		}
	}
	e.unnamed = true
	return e.skipped("the 401 has no resource_metadata, and a GET of %s was not answered 200", strings.Join(places, " or "))
}

// described judges the metadata at a place.
func (e *exam) described(at *url.URL, r *trips.Response) error {
	if !json.Valid(r.Text) || lex.Unquote(lex.Get(r.Text, "resource")) == "" && len(lex.Get(r.Text, "authorization_servers")) == 0 {
		return e.failed("prm-shape", "%s was answered 200 with no metadata (%s)", trips.Place(at), cmp.Or(r.Type, "without a type"))
	}
	resource := lex.Unquote(lex.Get(r.Text, "resource"))
	var servers, names []string
	for _, item := range lex.Items(lex.Get(r.Text, "authorization_servers")) {
		if login, err := url.Parse(lex.Unquote(item)); err == nil && login.Host != "" {
			servers, names = append(servers, lex.Unquote(item)), append(names, trips.Place(login))
		}
	}
	about, err := url.Parse(resource)
	switch {
	case err != nil || about.Host == "":
		return e.failed("prm-shape", "the metadata at %s has no resource that is a whole URL", trips.Place(at))
	case len(servers) == 0:
		return e.failed("prm-shape", "the metadata at %s names no authorization server", trips.Place(at))
	case mcp.OriginOf(about) != mcp.OriginOf(e.remote.URL()):
		return e.failed("prm-resource-mismatch", "the metadata at %s is about %s, but its server is %s", trips.Place(at), mcp.OriginOf(about), mcp.OriginOf(e.remote.URL()))
	}
	e.logins = servers
	return e.passed("%s names %s", trips.Place(at), strings.Join(names, ", "))
}
