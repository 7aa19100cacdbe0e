package cli

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/session/demo"
	"wiretea/ui/cli/term"
)

// behind is the healthy server of the demo with something in front of it, which answers a
// request or passes it on.
func behind(t *testing.T, front func(next http.Handler, w http.ResponseWriter, r *http.Request)) string {
	base, _ := demoAt(t, "healthy", func(next http.Handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { front(next, w, r) }))
	})
	return base + "/mcp"
}

// without returns a front that removes fields from requests.
func without(names ...string) func(http.Handler, http.ResponseWriter, *http.Request) {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		for _, name := range names {
			r.Header.Del(name)
		}
		next.ServeHTTP(w, r)
	}
}

// checked is the report of check in JSON, and its exit code.
func checked(t *testing.T, words ...string) (r report.Report, code int) {
	t.Helper()
	code, out, errw := runWords(t, "", append([]string{"check", "--json", "--no-record"}, words...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%q: %v\n%s%s", words, err, out, errw)
	}
	fits(t, filepath.Join("..", "..", "docs", "check.schema.json"), out)
	return r, code
}

// stepOf returns the first step of that name.
func stepOf(t *testing.T, r *report.Report, name string) report.Step {
	t.Helper()
	for _, s := range r.Steps {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no step %s in %+v", name, r.Steps)
	return report.Step{}
}

// TestDoctorHealthy holds that a healthy server passes each step, in each era, and that
// nothing is found in the recording of its probes either.
func TestDoctorHealthy(t *testing.T) {
	base, _ := demoAt(t, "healthy", httptest.NewServer)
	for era, skips := range map[string][]string{
		"auto":   {"dns", "tls", "get stream", "session missing", "session wrong", "session deleted"},
		"legacy": {"dns", "tls"},
		"both":   {"dns", "tls", "get stream", "session missing", "session wrong", "session deleted"},
	} {
		file := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
		code, out, errw := runWords(t, "", "check", "--json", "--probe", "--era", era, "--record", file, base+"/mcp")
		var r report.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != term.ExitFine || r.Diagnosis != "" {
			t.Errorf("%s: exit code %d, %v\n%s%s", era, code, err, out, errw)
		}
		for _, s := range r.Steps {
			if want := map[bool]string{true: "skipped", false: "passed"}[slices.Contains(skips, s.Name)]; s.State != want && s.Name != "bind" || s.State == "failed" || s.Text == "" {
				t.Errorf("%s: %+v", era, s)
			}
		}
		if len(r.Steps) < 21 {
			t.Errorf("%s: %d steps", era, len(r.Steps))
		}
		if code, out, _ := runWords(t, "", "check", "--fail-on", "warning", file); code != term.ExitFine {
			t.Errorf("%s: the recording: %s", era, out)
		}
	}
	code, out, _ := runWords(t, "", "check", "--no-record", base+"/mcp")
	if code != term.ExitFine || !strings.Contains(out, "\n✔ handshake") || strings.Contains(out, "cors") {
		t.Errorf("without --probe: %s", out)
	}
}

// A fieldless is a response without a header field.
type fieldless struct {
	http.ResponseWriter
	name string
}

func (f fieldless) WriteHeader(status int) {
	f.Header().Del(f.name)
	f.ResponseWriter.WriteHeader(status)
}

func (f fieldless) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// TestDoctorProbes holds what step fails, and what the first line says, for servers that
// take what they must refuse, or refuse it in a wrong way.
func TestDoctorProbes(t *testing.T) {
	t.Parallel()
	refuses := func(name, value string, status int) func(http.Handler, http.ResponseWriter, *http.Request) {
		return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(name) == value {
				w.WriteHeader(status)
				return
			}
			next.ServeHTTP(w, r)
		}
	}
	for name, tt := range map[string]struct {
		front       func(next http.Handler, w http.ResponseWriter, r *http.Request)
		flags       []string
		step, rule  string
		first       string
		state, text string // state is failed where it is empty.
	}{
		"origin": {
			front: without("Origin"), step: "origin", rule: "http-origin-unchecked",
			first: "server/discover with Origin: https://evil.example was answered 200 → answer 403",
		},
		"origin 400": {
			front: refuses("Origin", "https://evil.example", 400), step: "origin", rule: "http-origin-status",
			first: "server/discover with Origin: https://evil.example was answered 400, must be 403",
		},
		"host": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				r.Host = "localhost"
				next.ServeHTTP(w, r)
			},
			step: "host", rule: "http-host-unchecked", first: "server/discover with Host: evil.example was answered 200 → refuse a Host",
		},
		"version": {
			front: without("Mcp-Protocol-Version"), flags: []string{"--era", "legacy"}, step: "version wrong", rule: "http-version-header-code",
			first: "a request with MCP-Protocol-Version: 1999-01-01 was answered 200, must be 400",
		},
		"immortal session": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodDelete {
					next.ServeHTTP(w, r)
				}
			},
			flags: []string{"--era", "legacy"}, step: "session deleted", rule: "http-session-alive-after-delete",
			first: "ping was answered in a session that DELETE had ended",
		},
		"unknown session": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if id := r.Header.Get("Mcp-Session-Id"); id == "" {
					next.ServeHTTP(w, r)
				} else if rec := httptest.NewRecorder(); r.Method == http.MethodPost {
					next.ServeHTTP(rec, r)
					if rec.Code == http.StatusNotFound {
						rec.Code = http.StatusBadRequest
					}
					w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
					w.WriteHeader(rec.Code)
					_, _ = w.Write(rec.Body.Bytes())
				} else {
					next.ServeHTTP(w, r)
				}
			},
			flags: []string{"--era", "legacy"}, step: "session wrong", rule: "http-session-expired-code",
			first: "ping in a session that DELETE had ended was answered 400, error -32600, must be 404",
		},
		"no session needed": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Protocol-Version") != "" && r.Method == http.MethodPost {
					w.WriteHeader(http.StatusConflict)
					return
				}
				next.ServeHTTP(w, r)
			},
			flags: []string{"--era", "legacy"}, step: "session missing", rule: "http-session-required-code",
			first: "ping without Mcp-Session-Id was answered 409, should be 400",
		},
		"headers of browsers": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodOptions {
					w.Header().Set("Access-Control-Allow-Origin", "*")
					w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
					return
				}
				next.ServeHTTP(w, r)
			},
			step: "cors", rule: "cors-allow-headers", first: `the preflight request from "http://localhost:6274" may not send mcp-protocol-version, mcp-method, mcp-name`,
		},
		"cors session": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(fieldless{w, "Access-Control-Expose-Headers"}, r)
			},
			flags: []string{"--era", "legacy"}, step: "cors", rule: "cors-expose-headers", first: `the page "http://localhost:6274" may not read the Mcp-Session-Id of a response`,
		},
		"GET without a stream": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "application/json")
					return
				}
				next.ServeHTTP(w, r)
			},
			flags: []string{"--era", "legacy"}, step: "get stream", rule: "http-get-status", first: "GET /mcp was answered 200 with the type application/json, must be an event stream or 405",
		},
		"accept": {
			front: refuses("Accept", "*/*", 500), step: "accept", rule: "http-server-error", first: "server/discover with Accept: */* was answered 500",
		},
		"no browsers": {
			front: func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodOptions {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				next.ServeHTTP(w, r)
			},
			step: "cors", state: "skipped", text: "is not granted (405)",
		},
		"one client only": {
			front: func() func(http.Handler, http.ResponseWriter, *http.Request) {
				seen := 0 // the handshake of check, and that of its own probes
				return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
						if seen++; seen > 2 {
							w.WriteHeader(http.StatusBadRequest)
							return
						}
					}
					next.ServeHTTP(w, r)
				}
			}(),
			flags: []string{"--era", "legacy"}, step: "origin", state: "skipped", text: "a second client is refused (400), so that this shows nothing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, code := checked(t, append(tt.flags, "--probe", behind(t, tt.front))...)
			s := stepOf(t, &r, tt.step)
			if r.Exchanges.Total < 1 || r.Exchanges.Pending > 1 || r.Exchanges.Errors > r.Exchanges.Total {
				t.Errorf("%+v", r.Exchanges)
			}
			if tt.state != "" {
				if s.State != tt.state || !strings.Contains(s.Text, tt.text) || code != term.ExitFine {
					t.Errorf("exit code %d, %q, %+v", code, r.Diagnosis, s)
				}
				return
			}
			if s.State != "failed" || s.Rule != tt.rule || !strings.HasPrefix(r.Diagnosis, tt.first) || code != term.ExitFound {
				t.Errorf("exit code %d, %q, %+v", code, r.Diagnosis, s)
			}
			if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
				return f.Rule == tt.rule && f.Fault == "server" && f.Ref+f.Hint != ""
			}) {
				t.Errorf("no finding of %s: %+v", tt.rule, r.Findings)
			}
		})
	}
}

// TestCheckCallRefused holds what mends a request that HTTP refuses in the middle of a session.
func TestCheckCallRefused(t *testing.T) {
	r, _ := checked(t, behind(t, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(string(body), `"tools/list"`) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	}))
	if want := "tools/list: HTTP 401 Unauthorized: the server requires authentication (Bearer) → --login auto logs in"; !strings.HasPrefix(r.Diagnosis, want) {
		t.Errorf("%q, want %q", r.Diagnosis, want)
	}
}

// TestDoctorResponses holds that a server is found out that gives one client what another
// one asked for.
func TestDoctorResponses(t *testing.T) {
	r, code := checked(t, "--era", "legacy", "--probe", behind(t, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		text := strings.Replace(string(body), `"ping"`, `"tools/list"`, 1)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		next.ServeHTTP(w, r)
	}))
	s := stepOf(t, &r, "responses")
	if s.State != "failed" || s.Rule != "http-response-wrong-exchange" || !strings.Contains(s.Text, "of one client was answered with the response to tools/list") || code != term.ExitFound {
		t.Errorf("exit code %d, %+v", code, s)
	}
	if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Rule == s.Rule && f.Message == s.Text }) {
		t.Errorf("no finding: %+v", r.Findings)
	}
}

// TestDoctorOld probes a server of HTTP+SSE that is as it should be, and one that is open to
// any page.
func TestDoctorOld(t *testing.T) {
	base, _ := demoAt(t, "healthy", httptest.NewServer)
	r, code := checked(t, "--probe", base+"/sse")
	for _, name := range []string{"endpoint", "host", "origin", "message", "session wrong", "session over", "eras", "anonymous", "cors"} {
		if s := stepOf(t, &r, name); s.State != "passed" {
			t.Errorf("%+v", s)
		}
	}
	if s := stepOf(t, &r, "endpoint"); s.Text != "messages are posted to /messages" {
		t.Errorf("%+v", s)
	}
	if code != term.ExitFine || len(r.Findings) > 0 {
		t.Errorf("exit code %d, %+v", code, r.Findings)
	}
	open := strings.TrimSuffix(behind(t, without("Origin")), "/mcp") + "/sse"
	r, code = checked(t, "--probe", open)
	if s := stepOf(t, &r, "origin"); s.Rule != "http-origin-unchecked" || code != term.ExitFound || !strings.HasPrefix(r.Diagnosis, "GET with Origin: https://evil.example was answered 200") {
		t.Errorf("exit code %d, %q, %+v", code, r.Diagnosis, s)
	}
}

// TestDoctorRecording holds that no rule judges the probes in the recording.
func TestDoctorRecording(t *testing.T) {
	url := behind(t, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodOptions:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case strings.HasSuffix(r.URL.Path, "/"):
			http.Redirect(w, r, strings.TrimSuffix(r.URL.Path, "/"), http.StatusMovedPermanently)
		default:
			next.ServeHTTP(w, r)
		}
	})
	file := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
	if code, out, _ := runWords(t, "", "check", "--probe", "--record", file, url); code != term.ExitFine {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, _ := runWords(t, "", "check", file); code != term.ExitFine || strings.Contains(out, "both") {
		t.Errorf("the recording: exit code %d\n%s", code, out)
	}
}

// TestDoctorBind holds that a server is found at another address of the machine, if it has
// one.
func TestDoctorBind(t *testing.T) {
	all, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	base, _ := demoAt(t, "healthy", func(h http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.Listener.Close()
		s.Listener = all
		s.Start()
		return s
	})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	r, _ := checked(t, "--probe", "--proxy", "none", "http://127.0.0.1:"+port+"/mcp")
	s := stepOf(t, &r, "bind")
	alone := s.State == "skipped" && s.Text == "this machine has no address but loopback"
	if found := s.State == "failed" && s.Rule == "http-bind-all" && strings.HasPrefix(r.Diagnosis, "the server of 127.0.0.1:"+port+" also answers at "); !found && !alone {
		t.Errorf("%q, %+v", r.Diagnosis, s)
	}
}

// TestDoctorDemo holds that the doctor names the fault of each behaviour of HTTP, with the
// flags that the demo's list says, and that it does so with probes too where none are needed.
func TestDoctorDemo(t *testing.T) {
	t.Parallel()
	for _, b := range demo.Names() {
		if b.OverStdio() {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			server, err := demo.Listen()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Close)
			if err := server.Serve(b.Name); err != nil {
				t.Fatal(err)
			}
			all := [][]string{b.Check}
			if b.Check == nil {
				all = append(all, []string{"--probe"})
			}
			for _, flags := range all {
				r, _ := checked(t, append(slices.Clone(flags), server.URL)...)
				found := slices.IndexFunc(r.Findings, func(f report.Finding) bool { return f.Rule == b.Shows[0] })
				if found < 0 || r.Findings[found].Severity != "info" && !strings.HasPrefix(r.Diagnosis, r.Findings[found].Message) {
					t.Errorf("%q: %q, %+v", flags, r.Diagnosis, r.Findings)
				}
			}
		})
	}
}
