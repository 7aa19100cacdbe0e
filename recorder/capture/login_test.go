package capture_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"wiretea/recorder/capture"
)

// An authority is an authorization server, and the MCP server that it issues tokens for.
type authority struct {
	as, server *httptest.Server
	fromHost   bool // fromHost: the server takes its URL from Host.
	challenges bool // challenges: a 401 names the metadata; else the client looks for it.

	mu     sync.Mutex
	asked  []string          // asked are the resources that tokens were asked for.
	tokens map[string]string // tokens are those that were issued, with their resources.
}

func newAuthority(t *testing.T, fromHost, challenges bool) *authority {
	a := &authority{fromHost: fromHost, challenges: challenges, tokens: map[string]string{}}
	a.as = httptest.NewServer(http.HandlerFunc(a.authorize))
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "hi"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "hi"}}}, nil, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	a.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serve(handler, w, r) }))
	t.Cleanup(a.as.Close)
	t.Cleanup(a.server.Close)
	return a
}

// resource is the server's URL as it believes it to be.
func (a *authority) resource(r *http.Request) string {
	if a.fromHost {
		return "http://" + r.Host + "/mcp"
	}
	return a.server.URL + "/mcp"
}

// serve is the MCP server: its metadata, and what needs a token for it.
func (a *authority) serve(mcp http.Handler, w http.ResponseWriter, r *http.Request) {
	resource := a.resource(r)
	metadata := strings.Replace(resource, "/mcp", "/.well-known/oauth-protected-resource/mcp", 1)
	if r.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
		answer(w, map[string]any{"resource": resource, "authorization_servers": []string{a.as.URL}})
		return
	}
	a.mu.Lock()
	of := a.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	a.mu.Unlock()
	switch {
	case of == resource:
		mcp.ServeHTTP(w, r)
	case a.challenges:
		w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", metadata))
		w.WriteHeader(http.StatusUnauthorized)
	default:
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}
}

// authorize is the authorization server. A code is for the resource that it was asked for.
func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		answer(w, map[string]any{"issuer": a.as.URL, "authorization_endpoint": a.as.URL + "/authorize", "token_endpoint": a.as.URL + "/token",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"}})
	case "/authorize":
		q := r.URL.Query()
		back := url.Values{"code": {"code for " + q.Get("resource")}, "state": {q.Get("state")}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		a.mu.Lock()
		defer a.mu.Unlock()
		resource := r.FormValue("resource")
		a.asked = append(a.asked, resource)
		if r.FormValue("code") != "code for "+resource {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer(w, map[string]any{"access_token": a.token(resource), "token_type": "Bearer", "expires_in": 3600})
	default:
		http.NotFound(w, r)
	}
}

// token issues a token; mu is held.
func (a *authority) token(resource string) string {
	token := fmt.Sprintf("secret-token-%d", len(a.tokens))
	a.tokens[token] = resource
	return token
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // A client that has gone needs no answer.
}

// login is a client that logs in as the specification says, with the checks of the Go SDK. It
// returns the error of its handshake, or of its list of tools.
func login(t *testing.T, endpoint string) error {
	h, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: "client"},
		RedirectURL:         "http://127.0.0.1:1/callback",
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
			if err != nil {
				return nil, err
			}
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			defer res.Body.Close()
			to, err := res.Location()
			if err != nil {
				return nil, err
			}
			return &auth.AuthorizationResult{Code: to.Query().Get("code"), State: to.Query().Get("state")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return use(t, &sdk.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: h, MaxRetries: -1})
}

// use makes a handshake and lists the tools.
func use(t *testing.T, transport sdk.Transport) error {
	c, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.ListTools(t.Context(), nil)
	return err
}

// A bearer sends a token, as a client does that has it in its configuration.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestProxyLogin holds what becomes of a client that logs in by OAuth, with the Go SDK's
// checks, where its server is behind the proxy: it refuses, and the proxy has said why; with
// a server that takes its URL from Host it logs in by --keep-host; and a token in its header
// crosses. No token is recorded in a header.
func TestProxyLogin(t *testing.T) {
	for name, tt := range map[string]struct {
		fromHost, challenges, keepHost, header bool
		random                                 bool
		works                                  bool
	}{
		"from host, kept, random path": {fromHost: true, challenges: true, keepHost: true, random: true},
		"the same, unnamed":            {fromHost: true, keepHost: true, random: true},
		"own URL":                      {challenges: true},
		"own URL, no metadata":         {},
		"own URL, kept host":           {challenges: true, keepHost: true},
		"from host":                    {fromHost: true, challenges: true},
		"from host, kept":              {fromHost: true, challenges: true, keepHost: true, works: true},
		"from host, kept, unnamed":     {fromHost: true, keepHost: true, works: true},
		"own URL, token in headers":    {challenges: true, header: true, works: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t, tt.fromHost, tt.challenges)
			if err := login(t, a.server.URL+"/mcp"); err != nil {
				t.Fatalf("without the proxy: %v", err)
			}
			at, err := url.Parse(a.server.URL + "/mcp")
			if err != nil {
				t.Fatal(err)
			}
			var said lockedBuffer
			record := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
			proxy, err := capture.StartProxy(capture.ProxyConfig{Servers: []capture.ProxyServer{{URL: at}}, KeepHost: tt.keepHost, RandomPath: tt.random, Record: capture.Record{File: record}, Errors: &said})
			if err != nil {
				t.Fatal(err)
			}
			if tt.header {
				a.mu.Lock()
				token := a.token(a.server.URL + "/mcp")
				a.mu.Unlock()
				err = use(t, &sdk.StreamableClientTransport{Endpoint: proxy.URL(""), HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1})
			} else {
				err = login(t, proxy.URL(""))
			}
			if (err == nil) != tt.works {
				t.Errorf("through the proxy: %v", err)
			}
			if told := strings.Count(said.String(), "demands a login by OAuth"); (told == 1) == tt.works || told > 1 {
				t.Errorf("it was said %d times: %s", told, said.String())
			}
			const advice = "wiretea proxy --keep-host --secret-path off URL"
			if advised := strings.Contains(said.String(), advice); advised != (!tt.works && (!tt.keepHost || tt.random)) {
				t.Errorf("the advice: %s", said.String())
			}
			if asked := a.asked; tt.works && !tt.header && asked[len(asked)-1] != proxy.URL("") || !tt.works && len(asked) != 1 {
				t.Errorf("tokens were asked for %q", asked)
			}
			if err := proxy.Close("quit"); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(record); err != nil || bytes.Contains(text, []byte("secret-token")) {
				t.Errorf("%v, the record: %s", err, text)
			}
		})
	}
}

// A lockedBuffer is written and read by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
