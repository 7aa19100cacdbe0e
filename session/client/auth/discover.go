package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	client "wiretea/session/client/http"
	"wiretea/session/mcp"
	trips "wiretea/session/transport/http"
)

const (
	requestLimit = 30 * time.Second // requestLimit is how long one request may take.
	maxBody      = 1 << 20          // maxBody is how much of a body is read, in bytes.
	typeJSON     = "application/json"
)

// A response is what a request brought.
type response struct {
	status int
	text   []byte
}

// outcome says what the response is.
func (r *response) outcome() string {
	text := fmt.Sprint(r.status)
	if phrase := http.StatusText(r.status); phrase != "" {
		text += " " + phrase
	}
	return text
}

// missing reports whether the metadata may be at another place, as clients take it.
func (r *response) missing() bool { return r.status/100 == 4 }

// do makes a request. The error has no more of the URL than may be shown.
func (l *Login) do(ctx context.Context, method string, to *url.URL, header http.Header, body string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, to.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header = header
	q.Header.Set("User-Agent", l.opt.Header.Get("User-Agent"))
	r, err := l.httpc.Do(q)
	if whole, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("%s: %w", client.Place(to), whole.Err)
	}
	return r, err
}

// send makes a request, and reads its response.
func (l *Login) send(ctx context.Context, method string, to *url.URL, header http.Header, body string) (*response, error) {
	r, err := l.do(ctx, method, to, header, body)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("reading the body of %s: %w", client.Place(to), err)
	}
	return &response{status: r.StatusCode, text: text}, nil
}

// own are the header fields of a request to the MCP server.
func (l *Login) own() http.Header {
	h := http.Header{}
	maps.Copy(h, l.opt.Header)
	return h
}

// denied has the server refuse a request without a token, which begins no session, and returns
// the header of its 401; nil if it does not refuse it.
func (l *Login) denied(ctx context.Context) (http.Header, error) {
	h := l.own()
	h.Set("Content-Type", typeJSON)
	h.Set("Accept", typeJSON+", text/event-stream")
	ctx, cancel := context.WithCancel(ctx) // The body may be a stream without an end.
	defer cancel()
	r, err := l.do(ctx, http.MethodPost, l.opt.Server, h, `{"jsonrpc":"2.0","id":"wiretea-login","method":"ping"}`)
	if err != nil {
		return nil, err
	}
	r.Body.Close()
	if r.StatusCode != http.StatusUnauthorized {
		return nil, nil
	}
	return r.Header, nil
}

// An about is what a server says of itself: RFC 9728 §2.
type about struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`

	named bool   // named: there is metadata. Without it the server is its own authorization server, as in 2025-03-26.
	scope string // scope is what the server wants to be asked for.
}

// describe reads the metadata of the server. header is of its 401; nil = it has not sent one.
func (l *Login) describe(ctx context.Context, header http.Header) (*about, error) {
	server := l.opt.Server
	paths, named := mcp.ResourceMetadataPaths(server.EscapedPath()), trips.MetadataURL(header)
	if named != "" {
		paths = []string{named}
	}
	for _, path := range paths {
		at, err := server.Parse(path)
		if err != nil || mcp.OriginOf(at) != mcp.OriginOf(server) {
			return nil, fails("", "the metadata of the server is at %q, which is not at its own origin", path)
		}
		h := l.own()
		h.Set("Accept", typeJSON)
		r, err := l.send(ctx, http.MethodGet, at, h, "")
		if err != nil {
			return nil, err
		}
		if r.status == http.StatusOK {
			a, err := l.adopt(at, r)
			if err != nil {
				return nil, err
			}
			if a.scope = trips.ChallengeScope(header); a.scope == "" {
				a.scope = strings.Join(a.Scopes, " ")
			}
			return a, nil
		}
		if !r.missing() || named != "" {
			return nil, fails("", "%s, the metadata of the server, was answered %s", client.Place(at), r.outcome())
		}
	}
	if header == nil {
		return nil, fails("leave --login away", "the server answers without a token, and has no metadata by which clients log in")
	}
	resource := url.URL{Scheme: server.Scheme, Host: server.Host, Path: server.Path, RawPath: server.RawPath} // A query may have a secret.
	l.resource, l.issuer = resource.String(), mcp.OriginOf(server)
	return &about{scope: trips.ChallengeScope(header)}, nil
}

// adopt takes the metadata of the server, where a client may use it.
func (l *Login) adopt(at *url.URL, r *response) (*about, error) {
	a := &about{named: true}
	if err := json.Unmarshal(r.text, a); err != nil {
		return nil, fails("", "%s was answered 200 without metadata", client.Place(at))
	}
	resource, err := url.Parse(a.Resource)
	switch {
	case err != nil || resource.Host == "":
		return nil, fails("", "the metadata at %s has no resource that is a whole URL", client.Place(at))
	case !covers(resource, l.opt.Server):
		return nil, fails("use the URL that the metadata names, if that is the server's", "the metadata at %s is about %s, and a client must not log in by it at %s", client.Place(at), client.Place(resource), client.Place(l.opt.Server))
	case len(a.Servers) == 0:
		return nil, fails("", "the metadata at %s names no authorization server", client.Place(at))
	}
	l.resource, l.issuer = a.Resource, a.Servers[0]
	l.opt.Say(fmt.Sprintf("%s names the authorization server %s", client.Place(at), l.issuer))
	return a, nil
}

// A server is what an authorization server says of itself: RFC 8414 §2.
type server struct {
	Issuer      string   `json:"issuer"`
	Authorize   string   `json:"authorization_endpoint"`
	Token       string   `json:"token_endpoint"`
	Register    string   `json:"registration_endpoint"`
	Methods     []string `json:"code_challenge_methods_supported"`
	TokenAuth   []string `json:"token_endpoint_auth_methods_supported"`
	SendsIssuer bool     `json:"authorization_response_iss_parameter_supported"`

	authorize, token, register *url.URL // register is nil where clients cannot register.
}

// discover reads the metadata of the authorization server. named: it is the one that the server's
// metadata names.
func (l *Login) discover(ctx context.Context, named bool) (s server, err error) {
	issuer, err := l.reachable("the authorization server", l.issuer)
	if err != nil {
		return s, err
	}
	var lacks []string
	for _, path := range mcp.LoginMetadataPaths(issuer.EscapedPath()) {
		at, err := issuer.Parse(path)
		if err != nil {
			return s, err
		}
		r, err := l.send(ctx, http.MethodGet, at, http.Header{"Accept": {typeJSON}}, "")
		switch {
		case err != nil:
			return s, err
		case r.status == http.StatusOK:
			if json.Unmarshal(r.text, &s) != nil {
				return s, fails("", "%s was answered 200 without metadata", client.Place(at))
			}
			return s, l.check(&s, at, named)
		case !r.missing():
			return s, fails("", "%s was answered %s", client.Place(at), r.outcome())
		}
		lacks = append(lacks, client.Place(at))
	}
	if named {
		return s, fails("", "the authorization server has no metadata at %s", strings.Join(lacks, " or "))
	}
	// [V2] basic/authorization §Fallbacks for Servers without Metadata Discovery.
	s = server{authorize: issuer.JoinPath("/authorize"), token: issuer.JoinPath("/token"), register: issuer.JoinPath("/register")}
	l.opt.Say("neither the server nor its authorization server has metadata: the usual paths of 2025-03-26 are tried")
	return s, nil
}

// check refuses what a client must not use.
func (l *Login) check(s *server, at *url.URL, named bool) (err error) {
	switch {
	case named && s.Issuer != l.issuer:
		return fails("", "the metadata at %s has the issuer %q, but the server names %q: a client must not use it", client.Place(at), s.Issuer, l.issuer)
	case !slices.Contains(s.Methods, "S256"):
		return fails("", "the metadata at %s does not have S256 in code_challenge_methods_supported: a client must refuse to log in", client.Place(at))
	}
	for _, endpoint := range []struct {
		name, text string
		to         **url.URL
	}{{"authorization_endpoint", s.Authorize, &s.authorize}, {"token_endpoint", s.Token, &s.token}, {"registration_endpoint", s.Register, &s.register}} {
		if endpoint.text == "" && endpoint.to == &s.register {
			continue
		}
		if *endpoint.to, err = l.reachable("the "+endpoint.name+" in "+client.Place(at), endpoint.text); err != nil {
			return err
		}
	}
	return nil
}

// reachable is a URL that a secret may be sent to: [V4] basic/authorization §Communication
// Security. What is at the origin of a server without https gets no more than that does.
func (l *Login) reachable(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return nil, fails("", "%s is missing", what)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fails("", "%s, %q, is not a URL of HTTP", what, text)
	case mcp.IsLoopback(u) && !mcp.IsLoopback(l.opt.Server):
		return nil, fails("", "%s, %s, is an address of the machine that uses it, and the server is on another", what, client.Place(u))
	case u.Scheme == "http" && !mcp.IsLoopback(u) && mcp.OriginOf(u) != mcp.OriginOf(l.opt.Server):
		return nil, fails("", "%s, %s, is not at https", what, client.Place(u))
	}
	return u, nil
}

// registered is a client id, and what goes with it: RFC 7591 §3.2.1.
type registered struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
	Method string `json:"token_endpoint_auth_method"` // Method is how the secret is sent; empty = there is none.
}

// oauthError is an error of an authorization server: RFC 6749 §5.2.
type oauthError struct {
	Problem string `json:"error"`
	More    string `json:"error_description"`
}

// register has the client that the user names, else registers one that comes back to a URL:
// RFC 7591.
func (l *Login) register(ctx context.Context, back string) (c registered, err error) {
	if l.opt.Client != "" {
		c = registered{ID: l.opt.Client, Secret: l.opt.Secret}
		return c, c.settle(&l.server)
	}
	if l.server.register == nil {
		return c, fails("register a client there that comes back to "+back+", and name it by --login client=ID", "%s does not register clients", l.issuer)
	}
	body, err := json.Marshal(map[string]any{
		"client_name": "wiretea", "redirect_uris": []string{back}, "application_type": "native",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
	if err != nil {
		return c, err
	}
	at := l.server.register
	r, err := l.send(ctx, http.MethodPost, at, http.Header{"Content-Type": {typeJSON}, "Accept": {typeJSON}}, string(body))
	if err != nil {
		return c, err
	}
	var answer struct {
		registered
		oauthError
	}
	broken := json.Unmarshal(r.text, &answer)
	switch {
	case r.status != http.StatusCreated && r.status != http.StatusOK && answer.Problem != "":
		return c, fails("", "%s does not register wiretea: %s", client.Place(at), described(answer.Problem, answer.More))
	case r.status != http.StatusCreated && r.status != http.StatusOK:
		return c, fails("", "%s does not register wiretea: %s", client.Place(at), r.outcome())
	case broken != nil || answer.ID == "":
		return c, fails("", "%s was answered %s without a client_id", client.Place(at), r.outcome())
	}
	c = answer.registered
	l.opt.Say(fmt.Sprintf("%s registered wiretea as the client %s", client.Place(at), c.ID))
	return c, c.settle(&l.server)
}

// settle chooses how the secret is sent: as the registration says, else as the authorization
// server takes it.
func (c *registered) settle(s *server) error {
	known := []string{"client_secret_basic", "client_secret_post"}
	switch {
	case c.Secret == "":
		c.Method = ""
	case slices.Contains(known, c.Method):
	case c.Method != "" && c.Method != "none":
		return fails("", "the authorization server wants the client to identify by %q, which wiretea cannot do", c.Method)
	case len(s.TokenAuth) == 0 || slices.Contains(s.TokenAuth, known[0]): // RFC 8414 §2
		c.Method = known[0]
	default:
		c.Method = known[1]
	}
	return nil
}
