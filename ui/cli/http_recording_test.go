package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session/demo"
	"wiretea/ui/cli/term"
)

// TestHTTPRecording holds that whatever can be done with a recording of a process can be
// done with one of a session over HTTP: it opens, is checked, compared, replayed, cut, copied
// without secrets, and exported in each format, and none of these holds the credentials of
// its requests. TestMockHTTP has it stand in for its server.
func TestHTTPRecording(t *testing.T) {
	const token = "tok-4f9a1c77e2b84d5d"
	t.Setenv("WIRETEA_TEST_TOKEN", token)
	for _, test := range []struct {
		name, path, era string
	}{{"modern", "/mcp", "modern"}, {"legacy", "/mcp", "legacy"}, {"sse", "/sse", "legacy"}} {
		t.Run(test.name, func(t *testing.T) {
			srv, err := demo.Listen()
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			if err := srv.Serve("healthy"); err != nil {
				t.Fatal(err)
			}
			url := strings.TrimSuffix(srv.URL, "/mcp") + test.path
			dir := t.TempDir()
			file := filepath.Join(dir, "session"+recorder.Suffix)
			made := inProcess(t.Context(), "call", "tool", "echo", "message=out of tea", "--era", test.era, "--token-env", "WIRETEA_TEST_TOKEN", "--record", file, url)
			if made.code != term.ExitFine {
				t.Fatal(made)
			}
			do := func(want string, args ...string) string {
				t.Helper()
				o := inProcess(t.Context(), args...)
				if o.code != term.ExitFine || !strings.Contains(o.out+o.err, want) {
					t.Errorf("%q: %v", args, o)
				}
				if strings.Contains(o.out+o.err, token) {
					t.Errorf("%q shows the token", args)
				}
				return o.out
			}
			do(`"target":"echo"`, "open", "--plain", "--json", file)
			do("over HTTP", "check", file)
			do("", "diff", file, file)
			do("", "replay", "--token-env", "WIRETEA_TEST_TOKEN", file, url)
			content, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(content), token) {
				t.Errorf("the recording holds the token: %v", err)
			}
			// The endpoint of HTTP+SSE has the session's id, which the recording has to keep.
			var id string
			if found := regexp.MustCompile(`sessionId=(\w[\w-]{15,})`).FindSubmatch(content); found != nil {
				id = string(found[1])
			}
			if scan := inProcess(t.Context(), "scan", file); (id != "") != (test.name == "sse") || (id != "") != (scan.code == term.ExitFound) {
				t.Errorf("scan finds the id %q: %v", id, scan)
			}
			shared := do(`"ev":"req"`, "redact", file, "-")
			for _, f := range export.Formats {
				out := do("", "export", "--format", f.Name, file)
				if out == "" {
					t.Errorf("the export as %s is empty", f.Name)
				}
				shared += out
			}
			for _, stream := range []string{"c2s", "s2c"} {
				shared += do("out of tea", "export", "--dir", stream, file)
			}
			if id != "" && strings.Contains(shared, id) {
				t.Errorf("what is shared holds the session's id %s", id)
			}
		})
	}
}
