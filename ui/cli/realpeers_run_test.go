//go:build realpeers

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestRealPeerServers speaks to servers of the official TypeScript and Python SDKs in
// either era, as TestGoSDKServers does to the Go SDK's: nothing is found but what the
// SDK does wrong every time, and the recording is equal to a capture at the server.
func TestRealPeerServers(t *testing.T) {
	for _, server := range sdkServers {
		if server.name == "everything" || server.name == "go" {
			continue // TestRealPeers and TestGoSDKServers
		}
		for flag, era := range map[string]string{"auto": "modern", "modern": "modern", "legacy": "legacy"} {
			if !server.modern && flag == "modern" {
				continue
			}
			if !server.modern {
				era = "legacy"
			}
			t.Run(server.name+"/"+flag, func(t *testing.T) {
				t.Parallel()
				dir, ends := t.TempDir(), t.TempDir()
				file := filepath.Join(dir, "session.mcpcap.jsonl")
				args := []string{"run", "--plain", "--era", flag, "--shutdown-grace", patience.String(), "--record", file, "--root", dir}
				for _, line := range useOfSDKServer(era) {
					if line = strings.ReplaceAll(line, `{"name":"offer"}`, `{"name":"offer","arguments":{"guest":"Ada"}}`); server.has(line) {
						args = append(args, "--send", line)
					}
				}
				live := wiretea(t, "", append(append(args, "--", "witness", ends), server.argv(t)...)...)
				if live.code != term.ExitFound || complains(live) { // some calls are answered by an error
					t.Errorf("run: %v", live)
				}
				for stream, name := range map[string]string{"c2s": "in", "s2c": "out", "stderr": "err"} {
					if got, want := recorded(t, file, stream), readFile(t, filepath.Join(ends, "1"), name); got != want || want == "" {
						t.Errorf("%s: %d bytes are recorded, %d bytes passed at the server", stream, len(got), len(want))
					}
				}
				if how := readFile(t, filepath.Join(ends, "1"), "how"); how != "exit status 0\n" {
					t.Errorf("the server ended with %s", how)
				}
				server.checkSilent(t, era, []string{file})

				checked := filepath.Join(dir, "checked.mcpcap.jsonl")
				args = []string{"check", "--json", "--era", flag, "--shutdown-grace", patience.String(), "--max-time", patience.String(), "--record", checked, "--call", `echo={"message":"hi"}`, "--call", "work", "--"}
				got := wiretea(t, "", append(args, server.argv(t)...)...)
				if _, err := os.Stat(checked); err != nil {
					t.Fatal(err, got)
				}
				server.checkSilent(t, era, []string{checked})
			})
		}
	}
}

// complains says whether wiretea itself has something to say, but for a server that is slow
// to start, and for a refusal: the Go SDK answers an unknown method with a status of HTTP.
func complains(o outcome) bool {
	return slices.ContainsFunc(strings.Split(o.err, "\n"), func(line string) bool {
		return strings.Contains(line, "wiretea:") && !strings.Contains(line, "the server may still be starting") && !strings.Contains(line, "no/such/method: HTTP 400")
	})
}

// has says whether the server knows what the line asks for: the Python SDKs' servers
// know no log levels.
func (server sdkPeer) has(line string) bool {
	return !strings.HasPrefix(server.name, "py") || !strings.HasPrefix(line, "logging/")
}
