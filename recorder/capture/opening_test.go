package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
)

// An opening is what is expected of one.
type opening struct {
	server int
	client string
}

// TestOpening holds what a session tells at its begin, whole or still growing.
func TestOpening(t *testing.T) {
	t.Parallel()
	hdr := `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"0123","tool":"t","t0":"2026-11-20T10:00:00Z","mode":"tee","tr":"stdio","cmd":["x"],"ppid":0}`
	start := `{"k":"proc","n":1,"t":1,"ev":"start","pid":4711}`
	frame := func(n int, body string) string {
		return fmt.Sprintf(`{"k":"f","n":%d,"t":%d,"d":"c2s","y":"q","id":"1","len":%d,"b":%s}`, n, n, len(body), body)
	}
	legacy := frame(2, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude\u001b-ai","version":"1"}}}`)
	modern := frame(2, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cursor","version":"1"}}}}`)
	stderr := `{"k":"f","n":2,"t":2,"d":"err","len":1,"s":"x"}`
	for name, c := range map[string]struct {
		lines []string
		want  opening
	}{
		"legacy":      {[]string{hdr, start, legacy}, opening{4711, "claude\x1b-ai"}},
		"modern":      {[]string{hdr, start, modern}, opening{4711, "cursor"}},
		"not yet":     {[]string{hdr, start}, opening{4711, ""}},
		"not started": {[]string{hdr}, opening{}},
		"talks first": {append([]string{hdr, start}, strings.Split(strings.Repeat(stderr+"\n", 50)+legacy, "\n")...), opening{4711, "claude\x1b-ai"}},
		"nothing":     {nil, opening{}},
	} {
		path := filepath.Join(t.TempDir(), "s"+recorder.Suffix)
		if err := os.WriteFile(path, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if live := Inspect(recorder.Info{Path: path}); (opening{live.Server, live.Client}) != c.want {
			t.Errorf("%s: got %+v, want %+v", name, live, c.want)
		}
	}
	if got := Inspect(recorder.Info{Path: filepath.Join(t.TempDir(), "gone")}); got.Server != 0 || got.Client != "" {
		t.Errorf("of no file: %+v", got)
	}
	if got := (LiveSession{Info: recorder.Info{Header: &session.Header{PPID: 1}}, Client: "c"}).ClientName(); got != "c" {
		t.Errorf("the name that the client gives itself: %q", got)
	}
}
