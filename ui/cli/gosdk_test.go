package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

// TestGoSDKServers speaks to a server of the official SDK in either era, uses
// all of it, and wants nothing to be found, and a recording of exactly what the
// server itself read and wrote.
func TestGoSDKServers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags        []string
		era, version string
	}{
		"auto":       {nil, "modern", "2026-07-28"},
		"modern":     {[]string{"--era", "modern"}, "modern", "2026-07-28"},
		"legacy":     {[]string{"--era", "legacy"}, "legacy", "2025-11-25"},
		"2025-06-18": {[]string{"--protocol-version", "2025-06-18"}, "legacy", "2025-06-18"},
		"2025-03-26": {[]string{"--protocol-version", "2025-03-26"}, "legacy", "2025-03-26"},
		"2024-11-05": {[]string{"--protocol-version", "2024-11-05"}, "legacy", "2024-11-05"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "session.mcpcap.jsonl")
			args := append([]string{"run", "--plain", "--record", file, "--root", dir}, tt.flags...)
			for _, line := range useOfSDKServer(tt.era) {
				args = append(args, "--send", line)
			}
			live := wiretea(t, "", append(args, "--", "sdkserver", dir)...)
			if live.code != term.ExitFound || strings.Contains(live.err, "wiretea:") { // two calls are answered by an error
				t.Errorf("run: %v", live)
			}
			for stream, capture := range map[string]string{"c2s": "in", "s2c": "out", "stderr": "err"} {
				want, err := os.ReadFile(filepath.Join(dir, capture))
				if err != nil {
					t.Fatal(err)
				}
				if got := inProcess(t.Context(), "export", "--with-secrets", "--dir", stream, file); got.code != term.ExitFine || got.out != string(want) || len(want) == 0 {
					t.Errorf("%s: %d bytes are recorded, %d bytes crossed the wire: %s", stream, len(got.out), len(want), got.err)
				}
			}
			wantHealthy(t, tt.era, tt.version, inProcess(t.Context(), "check", "--json", file), live)

			check := append([]string{"check", "--json", "--call", `echo={"message":"hi"}`, "--call", "work"}, tt.flags...)
			wantHealthy(t, tt.era, tt.version, wiretea(t, "", append(check, "--", "sdkserver", dir)...), outcome{})
		})
	}
}

// useOfSDKServer is everything that server has.
func useOfSDKServer(era string) []string {
	lines := []string{
		"tools/list", "resources/list", "resources/templates/list", "prompts/list",
		`tools/call {"name":"echo","arguments":{"message":"h\u00e9 \ud83c\udf75"}}`,
		`tools/call {"name":"roots","arguments":{}}`,
		`tools/call {"name":"fail","arguments":{}}`,
		`resources/read {"uri":"tea://menu"}`,
		`resources/read {"uri":"tea://pot/2"}`,
		`prompts/get {"name":"offer"}`,
		"no/such/method",
	}
	if era == "legacy" {
		return append(lines, `logging/setLevel {"level":"debug"}`, "ping", `tools/call {"name":"work","arguments":{},"_meta":{"progressToken":7}}`)
	}
	return append(lines, `tools/call {"name":"work","arguments":{},"_meta":{"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"}}`)
}

// wantHealthy wants a report without errors and warnings.
func wantHealthy(t *testing.T, era, version string, got, live outcome) {
	t.Helper()
	var r report.Report
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v\n%v", err, got)
	}
	if got.code != term.ExitFine || r.Summary["error"]+r.Summary["warning"] > 0 || r.Exchanges.Pending > 0 {
		t.Errorf("check: %v\n%v", got, live)
	}
	if r.Era != era || r.ProtocolVersion != version || r.Process.State != "exited" || *r.Process.ExitCode != 0 {
		t.Errorf("era %q, version %q, process %+v", r.Era, r.ProtocolVersion, r.Process)
	}
}
