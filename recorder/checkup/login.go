package checkup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"wiretea/recorder/verdict"
	"wiretea/session/check/rule"
	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// maxLogins is how many authorization servers of one server are asked.
const maxLogins = 3

// login reads the metadata of an authorization server, at the places where a client looks for
// it and in their order. It is asked without credentials, and only if its URL is https, or if
// it and the server are on this machine. Where the server names none, the server itself is
// asked, which need not be one.
func (e *exam) login(ctx context.Context, issuer string) error {
	at, err := url.Parse(issuer)
	switch {
	case err != nil: // The metadata is read with those that can be parsed.
		return err
	case mcp.IsLoopback(at) && !mcp.IsLoopback(e.remote.URL()):
		return e.skipped("%s is an address of the machine that uses it, and is not asked", trips.Place(at))
	case at.Scheme == "http" && !mcp.IsLoopback(at) && !e.unnamed:
		return e.failed(verdict.LoginInsecure.ID, "the authorization server %s is not at https, and is not asked", trips.Place(at))
	case at.Scheme != "http" && at.Scheme != "https":
		return e.skipped("%s is not a URL of HTTP", trips.Place(at))
	}
	var lacks []string
	for _, path := range mcp.LoginMetadataPaths(at.EscapedPath()) {
		place := (&url.URL{Scheme: at.Scheme, Host: at.Host}).JoinPath(path)
		// Fields that the flags set are for the server alone.
		r, err := e.ask(ctx, &trips.Request{Method: http.MethodGet, URL: place, Anonymous: true, Header: http.Header{"Accept": {"application/json"}, "Host": nil, "Origin": nil}})
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", trips.Place(place), err)
		case r.Status == http.StatusOK:
			return e.judge(place, issuer, r)
		case r.Status != http.StatusNotFound && r.Status != http.StatusMethodNotAllowed && r.Status != http.StatusGone:
			return e.skipped("%s was answered %s", trips.Place(place), outcome(r))
		}
		lacks = append(lacks, trips.Place(place))
	}
	if e.unnamed {
		return e.skipped("the server has no metadata of an authorization server at %s either", strings.Join(lacks, " or "))
	}
	return e.failed(verdict.LoginMissing.ID, "the authorization server %s has no metadata at %s", trips.Place(at), strings.Join(lacks, " or "))
}

// judge judges the metadata of an authorization server, at a place.
func (e *exam) judge(at *url.URL, issuer string, r *trips.Response) error {
	place := trips.Place(at)
	if !json.Valid(r.Text) || !strings.HasPrefix(strings.TrimSpace(string(r.Text)), "{") {
		return e.failed(verdict.LoginShape.ID, "%s was answered 200 with no metadata (%s)", place, cmp.Or(r.Type, "without a type"))
	}
	var lacks, plain []string
	for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint", "response_types_supported"} {
		if v := lex.Get(r.Text, name); len(v) == 0 || string(v) == "null" {
			lacks = append(lacks, name)
		}
	}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
		if u, err := url.Parse(lex.Unquote(lex.Get(r.Text, name))); err == nil && u.Scheme == "http" && !mcp.IsLoopback(u) {
			plain = append(plain, name)
		}
	}
	named := lex.Unquote(lex.Get(r.Text, "issuer"))
	var wrong, by []string
	fails := func(id, format string, args ...any) {
		wrong, by = append(wrong, fmt.Sprintf(format, args...)), append(by, id)
		_ = e.failed(id, "the metadata at %s %s", place, wrong[len(wrong)-1])
	}
	if lacks != nil {
		fails(verdict.LoginShape.ID, "lacks %s", strings.Join(lacks, ", "))
	}
	if named != "" && named != issuer && !e.unnamed {
		fails(verdict.LoginIssuer.ID, `has the issuer "%s", but the server names "%s"`, rule.Short([]byte(named)), rule.Short([]byte(issuer)))
	}
	if plain != nil {
		fails(verdict.LoginInsecure.ID, "has a URL at http:// as its %s", strings.Join(plain, ", "))
	}
	if !protects(r.Text) {
		fails(verdict.LoginNoPKCE.ID, "does not have S256 in code_challenge_methods_supported")
	}
	if wrong != nil {
		e.step.Rule, e.step.Text = by[0], fmt.Sprintf("the metadata at %s %s", place, strings.Join(wrong, "; "))
		return nil
	}
	return e.passed("the metadata at %s is complete; %s", place, registration(r.Text))
}

// protects reports whether metadata says that PKCE is supported, by S256.
func protects(metadata []byte) bool {
	for _, item := range lex.Items(lex.Get(metadata, "code_challenge_methods_supported")) {
		if lex.Unquote(item) == "S256" {
			return true
		}
	}
	return false
}

// registration says how a client that the authorization server does not know gets a client id.
func registration(metadata []byte) string {
	documents := string(lex.Get(metadata, "client_id_metadata_document_supported")) == "true"
	dynamic := len(lex.Get(metadata, "registration_endpoint")) > 0
	switch {
	case documents && dynamic:
		return "clients identify by a metadata document, or register dynamically"
	case documents:
		return "clients identify by a metadata document, and cannot register dynamically"
	case dynamic:
		return "clients register dynamically"
	}
	return "clients cannot register, and must be given a client id"
}
