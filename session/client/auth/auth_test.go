package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A world is an MCP server at /mcp and its authorization server below /as, at one origin. A
// test changes its answers.
type world struct {
	*httptest.Server
	open     bool // open: the MCP server demands no login.
	moved    bool // moved: the metadata of the MCP server is where a redirect leads.
	header   http.Header
	resource map[string]any
	as       map[string]any
	client   map[string]any // client is the answer to the registration.
	back     url.Values     // back replaces parameters of the answer in the browser; empty values leave them away.
	tokens   []map[string]any

	asked     url.Values        // asked is the authorization request.
	forms     []url.Values      // forms are the token requests.
	basic     []string          // basic are the users of the token requests.
	registers []json.RawMessage // registers are the registrations.
	foreign   []string          // foreign are requests to the authorization server that have the user's header fields.
}

func newWorld(t *testing.T) *world {
	w := &world{
		client: map[string]any{"client_id": "dynamic"}, back: url.Values{},
		tokens: []map[string]any{{"access_token": "first", "token_type": "bearer", "expires_in": 3600, "refresh_token": "again-1", "scope": "read"}},
	}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	w.header = http.Header{"Www-Authenticate": {`Bearer error="invalid_token", scope="read write", resource_metadata="` + w.URL + `/.well-known/oauth-protected-resource/mcp"`}}
	w.resource = map[string]any{"resource": w.URL + "/mcp", "authorization_servers": []string{w.URL + "/as"}, "scopes_supported": []string{"all"}}
	w.as = map[string]any{
		"issuer": w.URL + "/as", "authorization_endpoint": w.URL + "/as/authorize?tenant=1", "token_endpoint": w.URL + "/as/token", "registration_endpoint": w.URL + "/as/register",
		"code_challenge_methods_supported": []string{"plain", "S256"},
	}
	return w
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	answer := func(status int, body any) {
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		_ = json.NewEncoder(rw).Encode(body)
	}
	path := strings.Replace(r.URL.Path, "/oauth-authorization-server/as", "/as", 1)
	if strings.Contains(path, "/as") && r.Header.Get("X-Tenant") != "" {
		w.foreign = append(w.foreign, path)
	}
	switch {
	case path == "/mcp" && w.open:
		answer(http.StatusOK, map[string]any{})
	case path == "/mcp":
		for name, values := range w.header {
			rw.Header()[name] = values
		}
		rw.WriteHeader(http.StatusUnauthorized)
	case path == "/moved" || path == "/.well-known/oauth-protected-resource/mcp" && w.resource != nil && !w.moved:
		answer(http.StatusOK, w.resource)
	case path == "/.well-known/oauth-protected-resource/mcp" && w.moved:
		http.Redirect(rw, r, "/moved", http.StatusFound)
	case path == "/.well-known/as" && w.as != nil:
		answer(http.StatusOK, w.as)
	case path == "/as/register" || path == "/register":
		var body json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&body)
		w.registers = append(w.registers, body)
		status := http.StatusCreated
		if w.client["error"] != nil {
			status = http.StatusBadRequest
		}
		answer(status, w.client)
	case path == "/as/authorize" || path == "/authorize":
		w.asked = r.URL.Query()
		back := url.Values{"code": {"the-code"}, "state": {w.asked.Get("state")}}
		for name, values := range w.back {
			if back[name] = values; values[0] == "" {
				delete(back, name)
			}
		}
		http.Redirect(rw, r, w.asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case path == "/as/token" || path == "/token":
		_ = r.ParseForm()
		w.forms = append(w.forms, r.PostForm)
		user, secret, _ := r.BasicAuth()
		w.basic = append(w.basic, user+":"+secret)
		t := w.tokens[min(len(w.forms), len(w.tokens))-1]
		status := http.StatusOK
		if t["error"] != nil {
			status = http.StatusBadRequest
		}
		answer(status, t)
	default:
		http.NotFound(rw, r)
	}
}

// begin logs in, with a browser that does what the authorization server says.
func (w *world) begin(t *testing.T, change func(*Options)) (l *Login, said string, err error) {
	t.Helper()
	at, _ := url.Parse(w.URL + "/mcp")
	var lines []string
	opt := Options{
		Server: at, Header: http.Header{"User-Agent": {"wiretea/test"}, "X-Tenant": {"acme"}}, Say: func(text string) { lines = append(lines, text) },
		Open: func(to string, _ int) {
			r, err := http.Get(to)
			if err != nil {
				t.Error(err)
				return
			}
			r.Body.Close()
		},
	}
	if change != nil {
		change(&opt)
	}
	l, err = Begin(t.Context(), opt)
	return l, strings.Join(lines, "\n"), err
}

// TestLogin holds that all that a client must send is sent, and to nobody else.
func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.tokens = append(w.tokens, map[string]any{"access_token": "second", "token_type": "Bearer", "expires_in": "60"})
	l, said, err := w.begin(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Token(t.Context(), ""); got != "first" || err != nil {
		t.Error(got, err)
	}
	if len(w.registers) != 1 || !strings.Contains(string(w.registers[0]), `"application_type":"native"`) || !strings.Contains(string(w.registers[0]), w.asked.Get("redirect_uri")) {
		t.Errorf("registered with %s", w.registers)
	}
	verifier := w.forms[0].Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	for name, pair := range map[string][2]string{
		"challenge":                 {w.asked.Get("code_challenge"), base64.RawURLEncoding.EncodeToString(sum[:])},
		"method":                    {w.asked.Get("code_challenge_method"), "S256"},
		"scope of the challenge":    {w.asked.Get("scope"), "read write"},
		"resource":                  {w.asked.Get("resource"), w.URL + "/mcp"},
		"resource of the token":     {w.forms[0].Get("resource"), w.URL + "/mcp"},
		"client":                    {w.asked.Get("client_id"), "dynamic"},
		"client of the token":       {w.forms[0].Get("client_id"), "dynamic"},
		"redirect_uri":              {w.forms[0].Get("redirect_uri"), w.asked.Get("redirect_uri")},
		"code":                      {w.forms[0].Get("code"), "the-code"},
		"query of the endpoint":     {w.asked.Get("tenant"), "1"},
		"no secret":                 {w.basic[0], ":"},
		"what the person was told":  {said[strings.LastIndex(said, "\n")+1:], `logged in for 1h0m, with a refresh token, for the scope "read"`},
		"no field for other server": {fmt.Sprint(w.foreign), "[]"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
		}
	}
	if len(verifier) < 43 {
		t.Errorf("the verifier has %d characters", len(verifier))
	}
	for _, secret := range []string{"the-code", "first", "again-1", verifier} {
		if strings.Contains(said, secret) {
			t.Errorf("%q was said", secret)
		}
	}
	// A refused token is renewed once for all that had it.
	for range 2 {
		if got, err := l.Token(t.Context(), "first"); got != "second" || err != nil {
			t.Error(got, err)
		}
	}
	if f := w.forms[1:]; len(f) != 1 || f[0].Get("grant_type") != "refresh_token" || f[0].Get("refresh_token") != "again-1" || f[0].Get("resource") != w.URL+"/mcp" {
		t.Errorf("renewed by %v", f)
	}
	w.tokens = append(w.tokens, map[string]any{"error": "invalid_grant"})
	var refused *Error
	if _, err := l.Token(t.Context(), "second"); !errors.As(err, &refused) || refused.Hint != "log in again" || w.forms[2].Get("refresh_token") != "again-1" {
		t.Error(err)
	}
}

// TestLoginWays holds the ways that servers of other revisions and other clients take.
func TestLoginWays(t *testing.T) {
	for name, test := range map[string]struct {
		world  func(*world)
		change func(*Options)
		holds  func(*world) bool
	}{
		"a challenge without a place": {func(w *world) { w.header = nil }, nil, func(w *world) bool { return w.asked.Get("scope") == "all" }},
		"no challenge but metadata":   {func(w *world) { w.open = true }, nil, func(w *world) bool { return w.asked.Get("scope") == "all" }},
		"no scope":                    {func(w *world) { w.header = nil; delete(w.resource, "scopes_supported") }, nil, func(w *world) bool { return !w.asked.Has("scope") }},
		"2025-03-26 without metadata": {func(w *world) { w.header, w.resource = nil, nil }, nil, func(w *world) bool {
			return w.asked.Get("resource") == w.URL+"/mcp" && len(w.registers) == 1
		}},
		"a secret in the URL":         {func(w *world) { w.header, w.resource = nil, nil }, func(o *Options) { o.Server.RawQuery = "key=secret" }, func(w *world) bool { return w.asked.Get("resource") == w.URL+"/mcp" }},
		"a resource above the server": {func(w *world) { w.resource["resource"] = w.URL + "/" }, nil, func(w *world) bool { return w.asked.Get("resource") == w.URL+"/" }},
		"a scope of the user's":       {nil, func(o *Options) { o.Scope = "mine" }, func(w *world) bool { return w.asked.Get("scope") == "mine" }},
		"a client of the user's": {func(w *world) { delete(w.as, "registration_endpoint") }, func(o *Options) { o.Client, o.Secret = "given", "se:cret" }, func(w *world) bool {
			return w.basic[0] == "given:se%3Acret" && !w.forms[0].Has("client_id") && w.registers == nil
		}},
		"a secret in the form": {func(w *world) { w.as["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"} }, func(o *Options) { o.Client, o.Secret = "given", "secret" },
			func(w *world) bool { return w.forms[0].Get("client_secret") == "secret" && w.basic[0] == ":" }},
		"a secret that the registration gives": {func(w *world) {
			w.client = map[string]any{"client_id": "dynamic", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"}
		}, nil, func(w *world) bool { return w.forms[0].Get("client_secret") == "s" }},
		"an issuer in the answer": {func(w *world) {
			w.back.Set("iss", w.URL+"/as")
			w.as["authorization_response_iss_parameter_supported"] = true
		}, nil, func(*world) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if test.world != nil {
				test.world(w)
			}
			if _, _, err := w.begin(t, test.change); err != nil || !test.holds(w) {
				t.Errorf("%v; asked %v, forms %v, basic %v", err, w.asked, w.forms, w.basic)
			}
		})
	}
}

// TestLoginRefused holds that what a client must refuse is refused, before a code or a token
// is used, and that the error says what it is.
func TestLoginRefused(t *testing.T) {
	for name, test := range map[string]struct {
		world  func(*world)
		says   string
		tokens int // tokens is how many token requests are made.
	}{
		"metadata of another server":   {func(w *world) { w.resource["resource"] = "https://other.example/mcp" }, "is about https://other.example/mcp", 0},
		"metadata of another endpoint": {func(w *world) { w.resource["resource"] = w.URL + "/mcp2" }, "must not log in by it", 0},
		"metadata at another origin": {func(w *world) {
			w.header = http.Header{"Www-Authenticate": {`Bearer resource_metadata="https://other.example/metadata"`}}
		}, "not at its own origin", 0},
		"metadata behind a redirect":              {func(w *world) { w.moved = true }, "was answered 302", 0},
		"no authorization server":                 {func(w *world) { delete(w.resource, "authorization_servers") }, "names no authorization server", 0},
		"another issuer":                          {func(w *world) { w.as["issuer"] = w.URL + "/as/" }, "a client must not use it", 0},
		"no PKCE":                                 {func(w *world) { delete(w.as, "code_challenge_methods_supported") }, "does not have S256", 0},
		"no metadata of the authorization server": {func(w *world) { w.as = nil }, "has no metadata at " /* … */, 0},
		"a token endpoint that is not encrypted":  {func(w *world) { w.as["token_endpoint"] = "http://other.example/token" }, "token_endpoint in", 0},
		"no token endpoint":                       {func(w *world) { delete(w.as, "token_endpoint") }, "is missing", 0},
		"no registration":                         {func(w *world) { delete(w.as, "registration_endpoint") }, "does not register clients", 0},
		"a refused registration":                  {func(w *world) { w.client = map[string]any{"error": "invalid_redirect_uri"} }, "does not register wiretea: invalid_redirect_uri", 0},
		"a person who refuses": {func(w *world) {
			w.back = url.Values{"code": {""}, "error": {"access_denied"}, "error_description": {"no"}}
		}, "refuses: access_denied: no", 0},
		"an answer of another issuer":  {func(w *world) { w.back.Set("iss", "https://other.example") }, `of the issuer "https://other.example"`, 0},
		"an answer without its issuer": {func(w *world) { w.as["authorization_response_iss_parameter_supported"] = true }, "has no iss", 0},
		"an answer without a code":     {func(w *world) { w.back.Set("code", "") }, "neither a code nor an error", 0},
		"a refused code":               {func(w *world) { w.tokens = []map[string]any{{"error": "invalid_grant", "error_description": "used"}} }, "refuses to give a token: invalid_grant: used", 1},
		"a token of another type":      {func(w *world) { w.tokens[0]["token_type"] = "mac" }, `of the type "mac"`, 1},
		"no token":                     {func(w *world) { w.tokens = []map[string]any{{}} }, "without an access_token", 1},
		"no login":                     {func(w *world) { w.open, w.resource = true, nil }, "answers without a token", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.world(w)
			_, said, err := w.begin(t, nil)
			var refused *Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.says) || strings.Contains(refused.Hint, "--login-") || len(w.forms) != test.tokens || strings.Contains(said, "logged in") {
				t.Errorf("%v; said %q, %d token requests", err, said, len(w.forms))
			}
		})
	}
}

// TestForeignAnswer holds that an answer with another state is not taken, that the right one is
// taken once, and that the waiting ends with ctx.
func TestForeignAnswer(t *testing.T) {
	w := newWorld(t)
	var statuses []int
	l, _, err := w.begin(t, func(o *Options) {
		o.Open = func(to string, _ int) {
			at, _ := url.Parse(to)
			back := at.Query().Get("redirect_uri")
			for _, state := range []string{"", "wrong", at.Query().Get("state"), at.Query().Get("state")} {
				r, err := http.Get(back + "?code=the-code&state=" + state)
				if err != nil {
					t.Error(err)
					return
				}
				r.Body.Close()
				statuses = append(statuses, r.StatusCode)
			}
			if r, err := http.Get(strings.TrimSuffix(back, callbackPath) + "/other?state=" + at.Query().Get("state")); err != nil || r.StatusCode != http.StatusNotFound {
				t.Error(r, err)
			}
		}
	})
	if err != nil || l.token.Access != "first" || !slices.Equal(statuses, []int{400, 400, 200, 400}) {
		t.Error(err, statuses)
	}
	ctx, cancelCause := context.WithCancelCause(t.Context())
	cancel := func() { cancelCause(errors.New("as a signal does it")) }
	at, _ := url.Parse(w.URL + "/mcp")
	if _, err := Begin(ctx, Options{Server: at, Say: func(string) {}, Open: func(string, int) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestUnreachable holds that the error of a request has no secret of the URL.
func TestUnreachable(t *testing.T) {
	w := newWorld(t)
	at, _ := url.Parse(strings.Replace(w.URL, "//", "//ann:secret@", 1) + "/mcp?key=secret")
	w.Close()
	if _, err := Begin(t.Context(), Options{Server: at}); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), w.URL+"/mcp?key=") {
		t.Error(err)
	}
}

// TestReachable holds what a secret may be sent to.
func TestReachable(t *testing.T) {
	for _, test := range []struct {
		server, to string
		fine       bool
	}{
		{"https://a.example/mcp", "https://b.example/token", true},
		{"https://a.example/mcp", "http://b.example/token", false},
		{"https://a.example/mcp", "http://a.example/token", false},
		{"https://a.example/mcp", "https://127.0.0.1/token", false},
		{"https://a.example/mcp", "http://localhost:8080/token", false},
		{"https://a.example/mcp", "javascript:alert(1)", false},
		{"https://a.example/mcp", "file:///etc/passwd", false},
		{"https://a.example/mcp", "", false},
		{"http://localhost:3000/mcp", "http://127.0.0.1:9000/token", true},
		{"http://localhost:3000/mcp", "https://b.example/token", true},
		{"http://localhost:3000/mcp", "http://b.example/token", false},
		{"http://lan.example/mcp", "http://lan.example/token", true},
	} {
		server, _ := url.Parse(test.server)
		l := Login{opt: Options{Server: server}}
		if u, err := l.reachable("the token_endpoint", test.to); (err == nil) != test.fine || err == nil && u.String() != test.to {
			t.Errorf("%s from %s: %v, %v", test.to, test.server, u, err)
		}
	}
}
