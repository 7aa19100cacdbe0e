//go:build unix

package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wiretea/session/client"
	"wiretea/ui/cli/term"
)

// TestCallRepeats measures, and counts what was answered by an error.
func TestCallRepeats(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	o := wiretea(t, "", "call", "tool", "echo", "message=hi", "--repeat", "50", "--parallel", "4", "--json", "--record", file, "--", "wiretea", "demo", "--server", "healthy")
	var m client.Latencies
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
		!strings.HasPrefix(o.err, "wiretea: server exited with code 7, ") {
		t.Errorf("%v", o)
	}
}

// TestCallLongAnswer prints an answer that is too long for the client's memory
// from the record.
func TestCallLongAnswer(t *testing.T) {
	t.Parallel()
	const size = 34603008 + len("{\"tools\":[],\"filling\":\"\"}\n")
	o := wiretea(t, "", "call", "tools/list", "--era", "legacy", "--quiet", "--no-record", "--", "sh", "-c", `IFS= read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
IFS= read -r line; IFS= read -r line
printf '{"jsonrpc":"2.0","id":2,"result":{"tools":[],"filling":"'; head -c `+"34603008"+` /dev/zero | tr '\0' x; echo '"}}'
while IFS= read -r line; do :; done`)
	if o.code != term.ExitFound || len(o.out) != size || !strings.HasPrefix(o.out, `{"tools":[],"filling":"xxx`) || !strings.HasSuffix(o.out, "xxx\"}\n") {
		t.Errorf("exit code %d, %d bytes, stderr %s", o.code, len(o.out), o.err)
	}
}
