package detail

import (
	"testing"
	"time"

	"wiretea/session"
)

// TestCallLineClient holds that a line makes the client that was seen: what was
// chosen for it goes along, and who was asked is asked again.
func TestCallLineClient(t *testing.T) {
	all := []string{"--era", "modern", "--framing", "content-length", "--client-info", "other/7", "--capabilities", `{"roots":{}}`,
		"--sampling", "text:hi there", "--elicitation", "ask", "--root", "/a b", "--root", "/c", "--log-level", "debug"}
	const carried = `--framing content-length --client-info other/7 --capabilities '{"roots":{}}' --sampling 'text:hi there' --root '/a b' --root /c`
	for name, c := range map[string]struct {
		h                session.Header
		version, message string
		asked            []string
		want             string
	}{
		"chosen": {session.Header{As: all}, "2026-07-28", `{"id":1,"method":"tools/list"}`, nil,
			`wiretea call tools/list --protocol-version 2026-07-28 ` + carried + ` --log-level debug -- server`},
		"asked": {session.Header{As: []string{"--sampling", "ask", "--elicitation", "ask", "--root", "ask"}}, "2025-11-25", `{"id":1,"method":"tools/list"}`,
			[]string{"elicitation/create", "roots/list", "ping"}, `wiretea call tools/list --protocol-version 2025-11-25 --elicitation ask --root ask -- server`},
		"not asked": {session.Header{As: []string{"--sampling", "ask", "--elicitation", "ask", "--root", "ask"}}, "2025-11-25", `{"id":1,"method":"tools/list"}`,
			nil, `wiretea call tools/list --protocol-version 2025-11-25 -- server`},
		"a level of its own": {session.Header{As: all[16:]}, "2026-07-28", `{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}}`, nil,
			`wiretea call tools/list '{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}' --protocol-version 2026-07-28 -- server`},
		"a version was asked for": {session.Header{As: []string{"--era", "legacy", "--protocol-version", "2025-06-18"}}, "2024-11-05", `{"id":1,"method":"ping"}`, nil,
			`wiretea call ping --protocol-version 2025-06-18 -- server`},
		"no version is known": {session.Header{As: []string{"--era", "legacy"}}, "", `{"id":1,"method":"ping"}`, nil,
			`wiretea call ping --era legacy -- server`},
		"a version nobody published": {session.Header{As: []string{"--era", "legacy"}}, "1999-01-01", `{"id":1,"method":"ping"}`, nil,
			`wiretea call ping --era legacy -- server`},
		"a version that nobody published was asked for": {session.Header{As: []string{"--era", "modern", "--protocol-version", "2030-01-01", "--log-level", "info"}}, "2026-07-28", `{"id":1,"method":"tools/list"}`, nil,
			`wiretea call tools/list --era modern --protocol-version 2030-01-01 --log-level info -- server`},
		"a greeting": {session.Header{As: []string{"--era", "legacy", "--protocol-version", "2025-06-18", "--framing", "content-length"}}, "2025-06-18", `{"id":1,"method":"initialize"}`, nil,
			`wiretea call initialize --framing content-length -- server`},
		"limits": {session.Header{Limits: session.Limits{Timeout: time.Minute, Timeouts: map[string]time.Duration{"ping": 90 * time.Second, "initialize": 20 * time.Second}}}, "", `{"id":1,"method":"ping"}`, nil,
			`wiretea call ping --timeout 1m30s -- server`},
		"usual limits": {session.Header{Limits: session.DefaultLimits()}, "", `{"id":1,"method":"ping"}`, nil,
			`wiretea call ping -- server`},
		"a variable": {session.Header{EnvKeys: []string{"API_KEY"}, Cwd: "/srv"}, "", `{"id":1,"method":"ping"}`, nil,
			`wiretea call ping --cwd /srv --env API_KEY -- server`},
	} {
		c.h.Mode, c.h.Cmd = "run", []string{"server"}
		if got := CallLine(&c.h, c.version, []byte(c.message), c.asked); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
