package cli

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/session/demo"
	"wiretea/ui/cli/term"
)

// demoAt is a behaviour of the demo over HTTP, and what headers its requests had.
func demoAt(t *testing.T, name string, start func(http.Handler) *httptest.Server) (base string, header func() http.Header) {
	t.Helper()
	handler, err := demo.NewHTTP(name, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan http.Header, 1)
	server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case seen <- r.Header:
		default:
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		handler.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, func() http.Header { return <-seen }
}

// quietTLS starts servers with these certificates, or the one of httptest, that do not log
// the handshakes which are to fail.
func quietTLS(certs ...tls.Certificate) func(http.Handler) *httptest.Server {
	return func(h http.Handler) *httptest.Server {
		server := httptest.NewUnstartedServer(h)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		if len(certs) > 0 {
			server.TLS = &tls.Config{Certificates: certs}
		}
		server.StartTLS()
		return server
	}
}

// runWords runs a command, and returns what it wrote.
func runWords(t *testing.T, in string, words ...string) (code int, out, errw string) {
	t.Helper()
	var o, e bytes.Buffer
	code = runMain(t.Context(), words, strings.NewReader(in), &o, &e)
	return code, o.String(), e.String()
}

// TestLog holds that what package http logs of a server, as bytes behind its response, is
// not on stderr.
func TestLog(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(os.Stderr)
	if Main([]string{"version", "--help"}); log.Writer() != io.Discard {
		t.Error("package log writes to stderr")
	}
}

// TestURL holds that a URL may be wherever a server's command does.
func TestURL(t *testing.T) {
	base, _ := demoAt(t, "healthy", httptest.NewServer)
	file := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
	for _, test := range []struct {
		words []string
		wants string
	}{
		{[]string{"call", "tool", "echo", "message=hi", "--text", "-q", "--", base + "/mcp"}, "Echo: hi\n"},
		{[]string{"call", "tool", "echo", "message=hi", "--text", "-q", base + "/mcp"}, "Echo: hi\n"},
		{[]string{"call", "tool", "echo", "message=hi", "--text", "-q", "--era", "legacy", base + "/mcp"}, "Echo: hi\n"},
		{[]string{"run", "--plain", "--record", file, "--send", `tools/call {"name":"echo","arguments":{"message":"hi"}}`, base + "/mcp?key=secret"}, "POST /mcp"},
		{[]string{"check", base + "/mcp"}, "over HTTP"},
		{[]string{"check", "HTTP" + strings.TrimPrefix(base, "http") + "/mcp"}, "over HTTP"},
		{[]string{"check", "--", base + "/mcp"}, "over HTTP"},
		{[]string{"check", "--era", "both", "--call", `echo={"message":"hi"}`, base + "/mcp"}, "over HTTP"},
		{[]string{"replay", file, base + "/mcp"}, "the same"},
		{[]string{"replay", file, "--", base + "/mcp"}, "the same"},
	} {
		if code, out, errw := runWords(t, "", test.words...); code != term.ExitFine || !strings.Contains(out, test.wants) {
			t.Errorf("%q: exit code %d\n%s%s", test.words, code, out, errw)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || bytes.Contains(text, []byte("secret\"")) || !bytes.Contains(text, []byte(`"url":"`+base+`/mcp?key="`)) {
		t.Errorf("%v\n%.500s", err, text)
	}
}

// TestURLOldTransport holds that HTTP+SSE is found, and that nothing else is tried where it
// is asked for.
func TestURLOldTransport(t *testing.T) {
	base, _ := demoAt(t, "healthy", httptest.NewServer)
	for _, flags := range [][]string{nil, {"--transport", "sse"}} {
		file := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
		words := append([]string{"call", "tool", "echo", "message=hi", "--text", "--record", file, base + "/sse"}, flags...)
		if _, out, errw := runWords(t, "", words...); out != "Echo: hi\n" || strings.Contains(errw, "duplicate-response") {
			t.Errorf("%q: %s%s", flags, out, errw)
		}
		recorded, err := os.ReadFile(file)
		if probed := bytes.Contains(recorded, []byte("server/discover")); err != nil || probed != (flags == nil) {
			t.Errorf("%q: %v, probed %v", flags, err, probed)
		}
		// The initialize that was refused before the transport was found is not replayed.
		if code, out, errw := runWords(t, "", "replay", file, base+"/sse"); code != term.ExitFine || !strings.Contains(out, "the same") {
			t.Errorf("replay: exit code %d\n%s%s", code, out, errw)
		}
	}
}

// TestURLEras holds that --era both does not object to a server at a URL that speaks one era
// alone, however it refuses the other one.
func TestURLEras(t *testing.T) {
	refusing := func(status int, body string) func(http.Handler) *httptest.Server {
		return func(next http.Handler) *httptest.Server {
			return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, err := io.ReadAll(r.Body)
				if r.Body = io.NopCloser(bytes.NewReader(text)); err == nil && !bytes.Contains(text, []byte("server/discover")) {
					next.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
		}
	}
	knowing, _ := demoAt(t, "healthy", refusing(200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`))
	unknowing, _ := demoAt(t, "healthy", refusing(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no session"}}`))
	older, _ := demoAt(t, "healthy", refusing(200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2025-11-25"],"capabilities":{},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}`))
	healthy, _ := demoAt(t, "healthy", httptest.NewServer)
	for name, at := range map[string]string{"an error": knowing + "/mcp", "a status": unknowing + "/mcp", "older versions": older + "/mcp", "HTTP+SSE": healthy + "/sse"} {
		code, out, errw := runWords(t, "", "check", "--json", "--no-record", "--era", "both", "--probe", "--ignore", "http-origin-unchecked", "--ignore", "http-host-unchecked", at)
		var r report.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != term.ExitFine || r.Era != "legacy" || len(r.Findings) > 0 || errw != "the server does not speak the modern era\n" {
			t.Errorf("%s: exit code %d, %v\n%s%s", name, code, err, out, errw)
		}
		if s := stepOf(t, &r, "eras"); strings.Contains(s.Text, "both") || s.State != "passed" {
			t.Errorf("%s: %+v", name, s)
		}
		for _, s := range r.Steps {
			if strings.Contains(s.Text, "second client is refused") {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// TestURLRefused holds what is said of a URL that cannot be used, and of a server that
// refuses, in a line and a hint, without what is secret.
func TestURLRefused(t *testing.T) {
	t.Setenv("EMPTY", "")
	login, _ := demoAt(t, "login-page", httptest.NewServer)
	secure, _ := demoAt(t, "healthy", quietTLS())
	for _, test := range []struct {
		words []string
		code  int
		wants string
	}{
		{[]string{"call", "tools", login + "/mcp?key=secret"}, term.ExitServer, "wiretea: connecting: HTTP 200 OK: a web page came in the place of an answer"},
		{[]string{"run", "--plain", login + "/mcp"}, term.ExitServer, "a web page came in the place of an answer"},
		{[]string{"call", "tools", "--token-command", "exit 3", login + "/mcp"}, term.ExitServer, "getting the token: its command: exit status 3"},
		{[]string{"call", "tools", secure + "/mcp"}, term.ExitServer, "the server's certificate is not trusted"},
		{[]string{"call", "tools", "http" + strings.TrimPrefix(secure, "https") + "/mcp"}, term.ExitServer, "HTTP 400 Bad Request"},
		{[]string{"call", "tools", "http://[secret/"}, term.ExitUsage, "the URL cannot be read"},
		{[]string{"call", "tools", "http://127.0.0.1:99999/mcp?key=secret"}, term.ExitUsage, "the port of the URL is 99999, and ports end at 65535"},
		{[]string{"proxy", "http://127.0.0.1:99999/mcp?key=secret"}, term.ExitUsage, "the port of the URL is 99999, and ports end at 65535"},
		{[]string{"run", "--plain", "ws://127.0.0.1/mcp"}, term.ExitUsage, "ws:// is not supported"},
		{[]string{"check", "WSS://127.0.0.1/mcp"}, term.ExitUsage, "wss:// is not supported"},
		{[]string{"proxy", "a=ws://127.0.0.1/mcp"}, term.ExitUsage, "ws:// is not supported"},
		{[]string{"call", "tools", "127.0.0.1:99999/mcp?key=secret"}, term.ExitUsage, "the port of the URL is 99999, and ports end at 65535"},
		{[]string{"call", "tools", strings.TrimPrefix(login, "http://") + "/mcp?key=secret"}, term.ExitServer, "a web page came in the place of an answer"},
		{[]string{"check", strings.TrimPrefix(login, "http://") + "/mcp"}, term.ExitServer, ""},
		{[]string{"call", "tools", "--header", "secret", login}, term.ExitUsage, "--header wants Name: value"},
		{[]string{"call", "tools", "--header", "X: se\ncret", login}, term.ExitUsage, "--header: the value of X has control characters"},
		{[]string{"call", "tools", "--header-env", "X=NO_SUCH_VARIABLE", login}, term.ExitUsage, "--header-env X: the variable NO_SUCH_VARIABLE is not set"},
		{[]string{"call", "tools", "--token-env", "EMPTY", login}, term.ExitUsage, "--token-env: the variable EMPTY is not set"},
		{[]string{"call", "tools", "--transport", "ftp", login}, term.ExitUsage, `unknown transport "ftp"`},
		{[]string{"call", "tools", "--cacert", os.DevNull, login}, term.ExitUsage, "no certificate in "},
		{[]string{"call", "tools", "--proxy", "secret", login}, term.ExitUsage, "--proxy is not a URL"},
		{[]string{"call", "tools", "--proxy", "http://localhost:99999", login}, term.ExitUsage, "the port of the URL is 99999"},
		{[]string{"run", login, "--plain"}, term.ExitUsage, `"--plain" after the URL`},
	} {
		code, out, errw := runWords(t, "", test.words...)
		if code != test.code || !strings.Contains(errw, test.wants) || strings.Contains(out+errw, "secret\"") || strings.Contains(errw, "=secret") {
			t.Errorf("%q: exit code %d\n%s%s", test.words, code, out, errw)
		}
	}
}

// TestURLSecure holds the flags of TLS and of header fields.
func TestURLSecure(t *testing.T) {
	t.Setenv("TOKEN", "env-token")
	t.Setenv("KEY", "env-key")
	var server *httptest.Server
	protocols := make(chan int, 100)
	base, header := demoAt(t, "healthy", func(h http.Handler) *httptest.Server {
		server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			protocols <- r.ProtoMajor
			h.ServeHTTP(w, r)
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		return server
	})
	cacert := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(cacert, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags       []string
		name, value string
	}{
		{[]string{"--insecure"}, "Authorization", ""},
		{[]string{"--cacert", cacert, "--http1"}, "Authorization", ""},
		{[]string{"--cacert", cacert, "--token-env", "TOKEN"}, "Authorization", "Bearer env-token"},
		{[]string{"--insecure", "--token-command", "echo made-token"}, "Authorization", "Bearer made-token"},
		{[]string{"--insecure", "--header", "x-key: given"}, "X-Key", "given"},
		{[]string{"--insecure", "--header-env", "X-Key=KEY"}, "X-Key", "env-key"},
	} {
		file := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
		words := append([]string{"call", "tool", "echo", "message=hi", "--text", "--record", file}, test.flags...)
		if code, out, errw := runWords(t, "", append(words, base+"/mcp")...); code != term.ExitFine || out != "Echo: hi\n" {
			t.Errorf("%q: exit code %d\n%s%s", test.flags, code, out, errw)
			continue
		}
		want := 2
		if slices.Contains(test.flags, "--http1") {
			want = 1
		}
		for len(protocols) > 0 {
			if got := <-protocols; got != want {
				t.Errorf("%q: HTTP/%d", test.flags, got)
			}
		}
		if got := header().Get(test.name); got != test.value {
			t.Errorf("%q: %s is %q", test.flags, test.name, got)
		}
		recorded, err := os.ReadFile(file)
		if secret := strings.TrimPrefix(test.value, "Bearer "); err != nil || secret != "" && bytes.Contains(recorded, []byte(secret)) {
			t.Errorf("%q: %v, or the value is recorded", test.flags, err)
		}
	}
}
