package redact_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"wiretea/recorder/redact"
)

// TestGuardMark checks that a copy without secrets says that it is one, that it is
// another session, and that nobody can act on the original through it. A copy that was
// edited to say otherwise is marked again.
func TestGuardMark(t *testing.T) {
	const body = `{"k":"f","n":1,"t":5,"d":"c2s","y":"q","id":"1","m":"ping","len":40,"b":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n"
	for name, more := range map[string]string{"": "", "unmarked": `,"redacted":false`} {
		file := `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"0123456789abcdef","tool":"t","t0":"2026-11-20T10:00:00Z","mode":"run","tr":"stdio","cmd":["s"],"sock":"/run/s.sock","via":"v"` + more + "}\n" + body
		out, _ := redacted(t, []byte(file), redact.Options{})
		line, _, _ := bytes.Cut(out, []byte("\n"))
		var header map[string]any
		if err := json.Unmarshal(line, &header); err != nil {
			t.Fatal(err)
		}
		if header["redacted"] != true || bytes.Count(line, []byte(`"redacted"`)) != 1 {
			t.Errorf("%s: the header does not say that the copy is redacted: %s", name, line)
		}
		if header["sid"] == "0123456789abcdef" || header["sock"] != nil || header["via"] != nil {
			t.Errorf("%s: the copy passes for the session: %s", name, line)
		}
	}
}
