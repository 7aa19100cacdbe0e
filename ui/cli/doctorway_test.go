package cli

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/session/json/lex"
	"wiretea/ui/cli/term"
)

// TestDoctorWay holds what step fails, and what the first line says, where nothing that
// speaks MCP is reached.
func TestDoctorWay(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	healthy, _ := demoAt(t, "healthy", httptest.NewServer)
	secure, _ := demoAt(t, "healthy", quietTLS())
	login, _ := demoAt(t, "login-page", httptest.NewServer)
	redirect, _ := demoAt(t, "redirect", httptest.NewServer)
	of := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	circle := of(func(w http.ResponseWriter, r *http.Request) {
		to := map[bool]string{false: r.URL.Path + "/", true: strings.TrimSuffix(r.URL.Path, "/")}[strings.HasSuffix(r.URL.Path, "/")]
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	files := of(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotImplemented)
		_, _ = io.WriteString(w, "<html><title>Error response</title></html>")
	})
	away := of(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://login.example"+r.URL.Path)
		w.WriteHeader(http.StatusFound)
	})
	proxied := of(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) })
	refusing := of(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Unauthorized"}}`, lex.Get(body, "id"))
	})
	stripped := of(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"Mcp-Method is missing"}}`, lex.Get(body, "id"))
	})
	bare := of(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	challenge := of(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://a.example/x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	metadata := func(status int, text string) string {
		var s *httptest.Server
		s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/meta" && status != 0 {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, strings.ReplaceAll(text, "SELF", s.URL))
				return
			}
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/meta", scope="a"`)
			if status == 0 {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			if w.WriteHeader(http.StatusUnauthorized); r.Header.Get("Authorization") != "" {
				t.Errorf("%s got credentials", r.URL.Path)
			}
		}))
		t.Cleanup(s.Close)
		return s.URL + "/mcp"
	}
	const refused = "no handshake: HTTP 401 Unauthorized: the server requires authentication (Bearer"
	for name, tt := range map[string]struct {
		url, step, text, first string
		state                  string // state is failed where it is empty.
		fault                  string // fault is that of the failed handshake; nobody where it is empty.
	}{
		"nobody listens":  {url: "http://" + closed.Addr().String() + "/mcp", step: "tcp", text: "nothing listens there", first: "server/discover #2 got no response: connection refused at " + closed.Addr().String()},
		"no TLS":          {url: "https" + strings.TrimPrefix(healthy, "http") + "/mcp", step: "tls", text: "the server does not speak TLS there", first: "server/discover #2 got no response: tls: first record does not look like a TLS handshake → the server does not speak TLS at that port"},
		"not trusted":     {url: secure + "/mcp", step: "tls", text: "the server's certificate is not trusted", first: "server/discover #2 got no response: tls: failed to verify certificate: x509: certificate signed by unknown authority → use a certificate of a known authority"},
		"a TLS port":      {url: "http" + strings.TrimPrefix(secure, "https") + "/mcp", step: "handshake", text: "HTTP 400 Bad Request", first: "no handshake: initialize: HTTP 400 Bad Request: the server speaks TLS there; the body says: Client sent an HTTP request to an HTTPS server. → use https://"},
		"another path":    {url: healthy, step: "path", text: "no endpoint at /; /mcp is one", first: "no handshake: initialize: HTTP 404 Not Found: nothing is served at the path /; the body says: Nothing is here. The endpoint is /mcp. → an MCP server answers at " + healthy + "/mcp"},
		"a login page":    {url: login + "/mcp", step: "handshake", text: "a web page came", first: `server/discover #2 was answered 200 with an HTML page: Sign in`},
		"a redirect away": {url: away + "/mcp", step: "redirect", text: "302 from /mcp to https://login.example/mcp", first: "POST /mcp was redirected by 302 to https://login.example/mcp → give the client the final URL; if"},
		"a redirect":      {url: redirect + "/mcp", step: "redirect", text: "301 from /mcp to /mcp/", first: "POST /mcp was redirected by 301 to /mcp/ → give the client the URL"},
		"a circle":        {url: circle + "/mcp", step: "redirect", text: "308 from /mcp to /mcp/, 308 from /mcp/ to /mcp", first: "POST /mcp/ was redirected by 308 to /mcp, which redirects back (5 times) → correct the redirects"},
		"a file server":   {url: files + "/mcp", step: "handshake", text: "HTTP 501", first: "server/discover #2 was answered 501 after ", fault: "server"},
		"no challenge":    {url: bare + "/mcp", step: "credentials", text: "401 without WWW-Authenticate", first: "no handshake: HTTP 401 Unauthorized: the server requires authentication"},
		"a challenge":     {url: challenge + "/mcp", step: "credentials", text: "401, Bearer with resource_metadata", state: "passed", first: "no handshake: HTTP 401 Unauthorized: the server requires authentication (Bearer)"},
		"metadata afar":   {url: challenge + "/mcp", step: "metadata", text: "https://a.example/x is of another origin, which is not asked", state: "skipped", first: refused},
		"metadata":        {url: metadata(200, `{"resource":"SELF/mcp","authorization_servers":["SELF"]}`), step: "metadata", text: "/meta names http://127.0.0.1:", state: "passed", first: refused},
		"metadata lost":   {url: metadata(404, `{}`), step: "metadata", text: "/meta, was answered 404", first: refused},
		"metadata failed": {url: metadata(500, `{}`), step: "metadata", text: "/meta was answered 500", state: "skipped", first: refused},
		"no metadata":     {url: metadata(0, ""), step: "metadata", text: "the 401 has no resource_metadata, and a GET of /.well-known/oauth-protected-resource/mcp or ", state: "skipped", first: refused},
		"bare metadata":   {url: metadata(200, `{"resource":"SELF/mcp"}`), step: "metadata", text: "names no authorization server", first: refused},
		"not metadata":    {url: metadata(200, `<html>`), step: "metadata", text: "/meta was answered 200 with no metadata (application/json)", first: refused},
		"others' data":    {url: metadata(200, `{"resource":"https://b.example/mcp","authorization_servers":["https://login.example"]}`), step: "metadata", text: "is about https://b.example, but its server is http://127.0.0.1", first: refused},
		"a proxy asks":    {url: proxied + "/mcp", step: "handshake", text: "HTTP 407", first: "no handshake: HTTP 407 Proxy Authentication Required: the server, or a proxy in front of it, requires authentication as to a proxy"},
		"no mirrors":      {url: stripped + "/mcp", step: "handshake", text: "Mcp-Method is missing", first: "no handshake: error -32020: Mcp-Method is missing → look for a proxy in front of the server"},
		"no credentials":  {url: refusing + "/mcp", step: "handshake", text: "Unauthorized", first: "no handshake: initialize: error -32001: Unauthorized → credentials may be missing or wrong: ", fault: "server"},
	} {
		t.Run(name, func(t *testing.T) {
			r, code := checked(t, tt.url)
			s := stepOf(t, &r, tt.step)
			if want := cmp.Or(tt.state, "failed"); code != term.ExitServer || s.State != want || !strings.Contains(s.Text, tt.text) || !strings.HasPrefix(r.Diagnosis, tt.first) {
				t.Errorf("exit code %d, %q, %+v", code, r.Diagnosis, s)
			}
			for _, f := range r.Findings {
				if want := cmp.Or(tt.fault, "nobody"); f.Rule == "no-handshake" && f.Fault != want {
					t.Errorf("the failed handshake is the fault of %s, want %s", f.Fault, want)
				}
			}
		})
	}
}

// TestDoctorSilent holds what is said of a server that takes requests and answers none.
func TestDoctorSilent(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not noticed
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	r, code := checked(t, "--timeout", "300ms", s.URL+"/mcp")
	if code != term.ExitTimeout || !strings.Contains(r.Diagnosis, " unanswered for ") || !strings.Contains(r.Diagnosis, "→ read the server's log") || strings.Contains(r.Diagnosis, "stdio") {
		t.Errorf("exit code %d, %q", code, r.Diagnosis)
	}
}

// TestDoctorCertificate holds what is said of a certificate that is trusted: how long it
// is valid, and that it expires soon.
func TestDoctorCertificate(t *testing.T) {
	for left, state := range map[time.Duration]string{5*24*time.Hour + time.Hour: "failed", 60 * 24 * time.Hour: "passed"} {
		cert, file := certificate(t, time.Now().Add(left-100*24*time.Hour), time.Now().Add(left))
		base, _ := demoAt(t, "healthy", quietTLS(cert))
		r, code := checked(t, "--cacert", file, base+"/mcp")
		s := stepOf(t, &r, "tls")
		if s.State != state || !strings.HasPrefix(s.Text, "TLS 1.3, ") || (code == term.ExitFine) != (state == "passed") {
			t.Errorf("%v left: exit code %d, %+v", left, code, s)
		}
		if soon := strings.HasPrefix(r.Diagnosis, "the server's certificate expires on "); soon != (state == "failed") {
			t.Errorf("%v left: %q", left, r.Diagnosis)
		}
	}
}

// certificate is one for 127.0.0.1 that signs itself, and the file that it is trusted by.
func certificate(t *testing.T, from, to time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, file
}
