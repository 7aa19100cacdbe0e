package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wiretea/ui/cli/term"
)

// browser is a browser of a person who agrees to all: it gets a URL and follows its redirects.
func browser(url string) int {
	r, err := http.Get(url)
	if err != nil {
		return 1
	}
	r.Body.Close()
	return 0
}

// TestLogin holds that --login logs in by OAuth before the session begins, that a refused token
// is renewed during it, and that no secret of it is recorded or printed.
func TestLogin(t *testing.T) {
	t.Setenv("BROWSER", "browser")
	var mu sync.Mutex
	issued, uses := 0, 0 // uses are the requests with the newest token, of which each has two.
	base, _ := demoAt(t, "healthy", func(healthy http.Handler) (server *httptest.Server) {
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := func(members map[string]any) { _ = json.NewEncoder(w).Encode(members) }
			mu.Lock()
			defer mu.Unlock()
			switch r.URL.Path {
			case "/.well-known/oauth-protected-resource/mcp":
				answer(map[string]any{"resource": server.URL + "/mcp", "authorization_servers": []string{server.URL}})
			case "/.well-known/oauth-authorization-server":
				answer(map[string]any{
					"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
					"registration_endpoint": server.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
				})
			case "/register":
				answer(map[string]any{"client_id": "dynamic"})
			case "/authorize":
				http.Redirect(w, r, r.FormValue("redirect_uri")+"?code=code-secret&state="+r.FormValue("state"), http.StatusFound)
			case "/token":
				issued, uses = issued+1, 0
				answer(map[string]any{"access_token": fmt.Sprint("token-secret-", issued), "token_type": "Bearer", "refresh_token": "refresh-secret"})
			default:
				if uses++; uses > 2 || r.Header.Get("Authorization") != fmt.Sprint("Bearer token-secret-", issued) {
					w.Header().Set("WWW-Authenticate", "Bearer")
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				healthy.ServeHTTP(w, r)
			}
		}))
		return server
	})
	file := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
	code, out, errw := runWords(t, "", "call", "tool", "echo", "message=hi", "--text", "--era", "legacy", "--login", "auto", "--record", file, base+"/mcp")
	if code != term.ExitFine || out != "Echo: hi\n" || !strings.Contains(errw, "\nwiretea: logged in, with a refresh token\n") {
		t.Errorf("exit code %d\n%s%s", code, out, errw)
	}
	if issued < 2 {
		t.Error("no token was renewed")
	}
	recorded, err := os.ReadFile(file)
	if err != nil || bytes.Contains(recorded, []byte("-secret")) || strings.Contains(errw, "-secret") || !bytes.Contains(recorded, []byte(`"--login","auto"`)) {
		t.Errorf("%v\n%s\n%s", err, errw, recorded)
	}
}
