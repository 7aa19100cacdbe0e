package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"wiretea/session/mcp"
)

// Options say at what server a person logs in, and how. Server, Open and Say must be set.
type Options struct {
	Server *url.URL    // Server is the endpoint.
	Header http.Header // Header goes with the requests to the MCP server.

	Client string // Client is the client id; empty = wiretea registers itself.
	Secret string // Secret is the client's; empty = it has none, or gets one as it registers.
	Scope  string // Scope is what is asked for, with spaces between; empty = what the server names.
	Port   int    // Port is where the browser comes back to; 0 = any that is free.

	Transport http.RoundTripper // Transport is nil for the usual one.

	// Open shows a URL to the person, in a browser, which comes back to that port of this machine.
	Open func(url string, port int)

	Say func(text string) // Say is told each step that has ended, a line each.
}

// PersonLimit is how long a person may take to log in.
const PersonLimit = 5 * time.Minute

// An Error is why there is no token.
type Error struct {
	Err  error
	Hint string // Hint is what may help; empty = nothing is known to.
}

// Error implements error.
func (e *Error) Error() string { return "logging in: " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// fails returns an Error.
func fails(hint, format string, args ...any) error {
	return &Error{Hint: hint, Err: fmt.Errorf(format, args...)}
}

// A Login is where somebody has logged in. Several goroutines may use it.
type Login struct {
	opt      Options
	httpc    http.Client
	resource string // resource is the server, as its metadata names it.
	issuer   string // issuer is the authorization server's URL, as the server names it.
	server   server
	client   registered

	mu    sync.Mutex
	token token
}

// Begin logs in. It returns when the person has done so in the browser. A server that demands
// no login is an *Error as all else is, but for the end of ctx, whose Err it returns.
func Begin(ctx context.Context, opt Options) (*Login, error) {
	l := &Login{opt: opt, httpc: http.Client{
		Transport:     opt.Transport,
		Timeout:       requestLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := l.begin(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, ours := errors.AsType[*Error](err); !ours {
			err = &Error{Err: err}
		}
		return nil, err
	}
	return l, nil
}

func (l *Login) begin(ctx context.Context) error {
	denied, err := l.denied(ctx)
	if err != nil {
		return err
	}
	about, err := l.describe(ctx, denied)
	if err != nil {
		return err
	}
	if l.server, err = l.discover(ctx, about.named); err != nil {
		return err
	}
	back, err := listen(l.opt.Port)
	if err != nil {
		return fails("choose another port, by --login port=N", "listening for the browser: %w", err)
	}
	defer back.close()
	if l.client, err = l.register(ctx, back.url); err != nil {
		return err
	}
	verifier := rand.Text() + rand.Text() // RFC 7636 §4.1 wants 43 characters at least.
	code, err := l.ask(ctx, back, cmp.Or(l.opt.Scope, about.scope), verifier)
	if err != nil {
		return err
	}
	l.token, err = l.exchange(ctx, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {back.url}, "code_verifier": {verifier}})
	if err != nil {
		return err
	}
	l.opt.Say("logged in" + l.token.terms())
	return nil
}

// ask has the person log in, and returns the code: RFC 6749 §4.1, RFC 7636, RFC 8707, RFC 9207.
func (l *Login) ask(ctx context.Context, back *callback, scope, verifier string) (string, error) {
	at := *l.server.authorize
	q := at.Query()
	state := rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	for name, value := range map[string]string{
		"response_type": "code", "client_id": l.client.ID, "redirect_uri": back.url, "state": state, "scope": scope, "resource": l.resource,
		"code_challenge": base64.RawURLEncoding.EncodeToString(challenge[:]), "code_challenge_method": "S256",
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	at.RawQuery = q.Encode()
	back.expect(state) // It may come back before Open returns.
	l.opt.Open(at.String(), back.port)
	ctx, cancel := context.WithTimeoutCause(ctx, PersonLimit, fails("", "nobody logged in within %v", PersonLimit))
	defer cancel()
	answer, err := back.wait(ctx)
	if err != nil {
		return "", context.Cause(ctx)
	}
	// Nothing of an answer of another issuer may be used, nor shown: [V5] basic/authorization
	// §Authorization Response Validation.
	switch iss, sent := answer.Get("iss"), answer.Has("iss"); {
	case sent && l.server.Issuer != "" && iss != l.server.Issuer:
		return "", fails("", "the answer in the browser is of the issuer %q, not of %q", iss, l.server.Issuer)
	case !sent && l.server.SendsIssuer:
		return "", fails("", "the answer in the browser has no iss, although the metadata of %s says that it has one", l.issuer)
	}
	if problem := answer.Get("error"); problem != "" {
		return "", fails("", "the authorization server refuses: %s", described(problem, answer.Get("error_description")))
	}
	code := answer.Get("code")
	if code == "" {
		return "", fails("", "the answer in the browser has neither a code nor an error")
	}
	return code, nil
}

// described is an error of OAuth with its description: RFC 6749 §5.2.
func described(problem, more string) string {
	if more != "" {
		return problem + ": " + more
	}
	return problem
}

// Token returns the token; it has the signature of an Options.Token of session/client/http.
// Another one is fetched where the current one is the one that was refused, if the authorization
// server gave the means for that.
func (l *Login) Token(ctx context.Context, refused string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if refused != l.token.Access {
		return l.token.Access, nil
	}
	if l.token.Refresh == "" {
		return "", fails("log in again", "the token is refused, and the authorization server gave no refresh token")
	}
	fresh, err := l.exchange(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {l.token.Refresh}})
	if err != nil {
		return "", err
	}
	fresh.Refresh = cmp.Or(fresh.Refresh, l.token.Refresh)
	l.token = fresh
	return fresh.Access, nil
}

// covers reports whether a protected resource is the server, or what the server is a part of.
func covers(resource, server *url.URL) bool {
	path := strings.TrimSuffix(resource.EscapedPath(), "/")
	return mcp.OriginOf(resource) == mcp.OriginOf(server) && strings.HasPrefix(server.EscapedPath()+"/", path+"/")
}
