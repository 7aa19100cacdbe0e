//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"wiretea/ui/cli/term"
)

// TestCallRepeats measures, and counts what was answered by an error.
func TestCallRepeats(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	o := wiretea(t, "", "call", "tool", "echo", "message=hi", "--repeat", "50", "--parallel", "4", "--json", "--record", file, "--", "wiretea", "demo", "--server", "healthy")
	var m latencies
	if err := json.Unmarshal([]byte(o.out), &m); err != nil || o.code != term.ExitFine {
		t.Fatalf("%v: %v", err, o)
	}
	if m.Requests != 50 || m.Parallel != 4 || m.Errors != 0 || m.Missing != 0 || m.Min <= 0 || m.Rate <= 0 ||
		m.Min > m.P50 || m.P50 > m.P95 || m.P95 > m.P99 || m.P99 > m.Max {
		t.Errorf("%+v", m)
	}
	calls := 0
	for _, body := range requestsIn(t, file).bodies {
		if strings.Contains(string(body), `"method":"tools/call"`) {
			calls++
		}
	}
	if calls != 50 {
		t.Errorf("%d calls crossed the wire", calls)
	}

	o = wiretea(t, "", "call", "no/such", "--repeat", "3", "--no-record", "--", "wiretea", "demo", "--server", "healthy")
	want := regexp.MustCompile(`^no/such · 3 answers, 1 at once\n +min +p50 +p95 +p99 +max +rate +errors\n( +[0-9.,]+ (ns|µs|ms|s)){5} +[0-9.,]+/s +3\n$`)
	if o.code != term.ExitFound || !want.MatchString(o.out) {
		t.Errorf("%v", o)
	}

	// A server that goes away ends it, and what was measured is kept.
	o = wiretea(t, "", "call", "tools/list", "--era", "legacy", "--repeat", "10", "--no-record", "--", "sh", "-c", `IFS= read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
IFS= read -r line; IFS= read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'; IFS= read -r line; exit 7`)
	if o.code != term.ExitServer || !strings.HasPrefix(o.out, "tools/list · 1 answer, 1 at once · 9 not made or not answered\n") ||
		!strings.HasPrefix(o.err, "wiretea: the server exited with code 7 before it answered tools/list (id 3)\n") {
		t.Errorf("%v", o)
	}
}

// TestCallLongAnswer prints an answer that is too long for the client's memory
// from the record.
func TestCallLongAnswer(t *testing.T) {
	t.Parallel()
	const size = 33 << 20
	o := wiretea(t, "", "call", "tools/list", "--era", "legacy", "--quiet", "--no-record", "--", "sh", "-c", `IFS= read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
IFS= read -r line; IFS= read -r line
printf '{"jsonrpc":"2.0","id":2,"result":{"tools":[],"filling":"'; head -c `+"34603008"+` /dev/zero | tr '\0' x; echo '"}}'
while IFS= read -r line; do :; done`)
	if o.code != term.ExitFound || len(o.out) < size || !strings.HasPrefix(o.out, `{"tools":[],"filling":"xxx`) || !strings.HasSuffix(o.out, "xxx\"}\n") {
		t.Errorf("exit code %d, %d bytes, stderr %s", o.code, len(o.out), o.err)
	}
}

// TestWriteTable draws lists of things that servers should not send.
func TestWriteTable(t *testing.T) {
	for _, tt := range []struct{ key, items, want string }{
		{"tools", `[]`, "no tools\n"},
		{"resourceTemplates", `[]`, "no resource templates\n"},
		{"tools", `[{"name":"a\u001b[2J","description":"one\ntwo"}]`, "a␛[2J\n    one\n"},
		{"tools", `[5,{"name":7},{"inputSchema":{"$ref":"#"}}]`, "\n\n\n"},
		{"tools", `[{"name":"測試","description":"日本語日本語日本語日本語日本語日本語日本語","inputSchema":{"properties":{"b":{"type":"string"},"a":{"type":["integer","null"]}},"required":["b"]}}]`,
			"測試  b=<string> [a=<integer or null>]\n    日本語日本語日本語日本語日本語日本語…\n"},
		{"prompts", `[{"name":"p","title":"T","arguments":[{"name":"x","required":true},{"name":"y"}]}]`, "p  x= [y=]\n    T\n"},
		{"resources", `[{"uri":"a://b","name":"B","mimeType":"text/plain"}]`, "a://b  text/plain\n    B\n"},
	} {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(tt.items), &items); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeTable(&b, tt.key, items, 42, false); err != nil || b.String() != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s%v", tt.items, b.String(), tt.want, err)
		}
	}
}
