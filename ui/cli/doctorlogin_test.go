package cli

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestDoctorLoginProbed holds that --probe looks at the login of a server that has taken the
// credentials of the flags.
func TestDoctorLoginProbed(t *testing.T) {
	base, _ := demoAt(t, "healthy", func(healthy http.Handler) (server *httptest.Server) {
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Header.Get("Authorization") == "Bearer secret":
				healthy.ServeHTTP(w, r)
			case r.URL.Path == "/meta":
				_, _ = io.WriteString(w, `{"resource":"`+server.URL+`/mcp","authorization_servers":["`+server.URL+`/login"]}`)
			case strings.HasPrefix(r.URL.Path, "/.well-known/"), strings.HasPrefix(r.URL.Path, "/login/"):
				w.WriteHeader(http.StatusNotFound)
			default:
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+server.URL+`/meta"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
		}))
		return server
	})
	r, _ := checked(t, "--probe", "--header", "Authorization: Bearer secret", base+"/mcp")
	if s := stepOf(t, &r, "metadata"); s.State != "passed" {
		t.Errorf("%+v", s)
	}
	if s := stepOf(t, &r, "authorization"); s.Rule != "asm-missing" || !strings.Contains(s.Text, "/login/.well-known/openid-configuration") {
		t.Errorf("%+v", s)
	}
}

// TestDoctorLoginUnnamed holds that a server without metadata of its own is asked for that of
// an authorization server, which it need not have.
func TestDoctorLoginUnnamed(t *testing.T) {
	for text, state := range map[string]string{
		`{"issuer":"SELF/","authorization_endpoint":"SELF/a","token_endpoint":"SELF/t","response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}`: "passed", "": "skipped",
	} {
		var server *httptest.Server
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/.well-known/oauth-authorization-server" && text != "":
				_, _ = io.WriteString(w, strings.ReplaceAll(text, "SELF", server.URL))
			case strings.HasPrefix(r.URL.Path, "/.well-known/"):
				w.WriteHeader(http.StatusNotFound)
			default:
				w.Header().Set("WWW-Authenticate", "Bearer")
				w.WriteHeader(http.StatusUnauthorized)
			}
		}))
		r, _ := checked(t, server.URL+"/mcp")
		server.Close()
		if s := stepOf(t, &r, "authorization"); s.State != state || !strings.Contains(s.Text, server.URL+"/.well-known/oauth-authorization-server") {
			t.Errorf("%+v", s)
		}
		if len(r.Findings) != 1 {
			t.Errorf("%+v", r.Findings)
		}
	}
}

// TestDoctorLogin holds what is said of the authorization server that the metadata of a server
// names, where it is looked for, and that it gets nothing that is meant for the server.
func TestDoctorLogin(t *testing.T) {
	const (
		name     = "/.well-known/oauth-authorization-server"
		openID   = "/.well-known/openid-configuration"
		members  = `"authorization_endpoint":"ASM/authorize","token_endpoint":"ASM/token","response_types_supported":["code"]`
		pkce     = `"code_challenge_methods_supported":["plain","S256"]`
		complete = `{"issuer":"ASM",` + members + `,` + pkce + `}`
	)
	for title, tt := range map[string]struct {
		issuer string            // issuer is what the server names; ASM where it is empty.
		files  map[string]string // files are what the authorization server has.
		status int               // status is that of what it does not have; 404 where it is 0.
		state  string            // state is passed where it is empty.
		text   string
		rules  []string
		asked  []string // asked are the paths of the requests that it got.
	}{
		"complete":          {files: map[string]string{name: complete}, text: "/oauth-authorization-server is complete; clients cannot register, and must be given a client id", asked: []string{name}},
		"dynamic":           {files: map[string]string{name: `{"registration_endpoint":"ASM/register",` + complete[1:]}, text: "; clients register dynamically", asked: []string{name}},
		"documents":         {files: map[string]string{name: `{"client_id_metadata_document_supported":true,` + complete[1:]}, text: "; clients identify by a metadata document, and cannot", asked: []string{name}},
		"OpenID":            {files: map[string]string{openID: complete}, text: "/openid-configuration is complete", asked: []string{name, openID}},
		"a path":            {issuer: "ASM/a", files: map[string]string{name + "/a": strings.Replace(complete, "ASM", "ASM/a", 1)}, text: "/oauth-authorization-server/a is complete", asked: []string{name + "/a"}},
		"a path, OpenID":    {issuer: "ASM/a/", files: map[string]string{"/a" + openID: strings.Replace(complete, "ASM", "ASM/a/", 1)}, text: "/a/.well-known/openid-configuration is complete", asked: []string{name + "/a", openID + "/a", "/a" + openID}},
		"none":              {state: "failed", text: "the authorization server ASM has no metadata at ASM" + name + " or ASM" + openID, rules: []string{"asm-missing"}, asked: []string{name, openID}},
		"not told":          {status: 403, state: "skipped", text: name + " was answered 403", asked: []string{name}},
		"a page":            {files: map[string]string{name: "<html>"}, state: "failed", text: name + " was answered 200 with no metadata (text/html", rules: []string{"asm-shape"}, asked: []string{name}},
		"a part":            {files: map[string]string{name: `{"issuer":"ASM","token_endpoint":null,` + pkce + `}`}, state: "failed", text: " lacks authorization_endpoint, token_endpoint, response_types_supported", rules: []string{"asm-shape"}, asked: []string{name}},
		"another issuer":    {issuer: "ASM/", files: map[string]string{name: complete}, state: "failed", text: ` has the issuer "ASM", but the server names "ASM/"`, rules: []string{"asm-issuer-mismatch"}, asked: []string{name}},
		"no PKCE":           {files: map[string]string{name: `{"issuer":"ASM",` + members + `}`}, state: "failed", text: " does not have S256 in code_challenge_methods_supported", rules: []string{"asm-no-pkce"}, asked: []string{name}},
		"plain PKCE":        {files: map[string]string{name: strings.Replace(complete, `,"S256"`, "", 1)}, state: "failed", text: " does not have S256", rules: []string{"asm-no-pkce"}, asked: []string{name}},
		"plain text":        {files: map[string]string{name: strings.Replace(complete, "ASM/token", "http://login.example/token", 1)}, state: "failed", text: " has a URL at http:// as its token_endpoint", rules: []string{"asm-insecure"}, asked: []string{name}},
		"several faults":    {issuer: "ASM/", files: map[string]string{name: `{"issuer":"ASM",` + members + `}`}, state: "failed", text: `but the server names "ASM/"; does not have S256`, rules: []string{"asm-issuer-mismatch", "asm-no-pkce"}, asked: []string{name}},
		"afar, without TLS": {issuer: "http://login.example", state: "failed", text: "the authorization server http://login.example is not at https, and is not asked", rules: []string{"asm-insecure"}},
		"not HTTP":          {issuer: "ftp://login.example", state: "skipped", text: "ftp://login.example is not a URL of HTTP"},
	} {
		t.Run(title, func(t *testing.T) {
			var asked []string
			var login *httptest.Server
			fill := func(text string) string { return strings.ReplaceAll(text, "ASM", login.URL) }
			login = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path)
				if r.Method != http.MethodGet || r.Header.Get("Authorization")+r.Header.Get("X-Key")+r.Header.Get("Origin") != "" || "http://"+r.Host != login.URL {
					t.Errorf("%s %s %s %v", r.Method, r.Host, r.URL, r.Header)
				}
				text, is := tt.files[r.URL.Path]
				if !is {
					w.WriteHeader(cmp.Or(tt.status, http.StatusNotFound))
				}
				_, _ = io.WriteString(w, fill(text))
			}))
			defer login.Close()
			var server *httptest.Server
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/meta" {
					_, _ = io.WriteString(w, `{"resource":"`+server.URL+`/mcp","authorization_servers":["`+fill(cmp.Or(tt.issuer, "ASM"))+`"]}`)
					return
				}
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+server.URL+`/meta"`)
				w.WriteHeader(http.StatusUnauthorized)
			}))
			defer server.Close()
			r, _ := checked(t, "--header", "Authorization: Bearer secret", "--header", "X-Key: secret", "--header", "Host: mcp.example", "--header", "Origin: https://page.example", server.URL+"/mcp")
			s := stepOf(t, &r, "authorization")
			if s.State != cmp.Or(tt.state, "passed") || !strings.Contains(s.Text, fill(tt.text)) {
				t.Errorf("%+v", s)
			}
			var rules []string
			for _, f := range r.Findings {
				if strings.HasPrefix(f.Rule, "asm-") {
					if rules = append(rules, f.Rule); f.Fault != "nobody" {
						t.Errorf("%s is the fault of %s", f.Rule, f.Fault)
					}
				}
			}
			if !slices.Equal(rules, tt.rules) || !slices.Equal(asked, tt.asked) {
				t.Errorf("rules %q, asked %q", rules, asked)
			}
			if !strings.HasPrefix(r.Diagnosis, "no handshake: HTTP 401") {
				t.Errorf("first line %q", r.Diagnosis)
			}
		})
	}
}
