//go:build realpeers

package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/cli/term"
)

// TestRealPeerHTTPServers speaks to the servers by run, call and check with a URL, in
// either era. Nothing is found but what the SDK does wrong every time, and the recording
// has all bodies.
func TestRealPeerHTTPServers(t *testing.T) {
	for _, server := range httpServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			url := server.serve(t)
			for flag, era := range map[string]string{"auto": "modern", "modern": "modern", "legacy": "legacy"} {
				if !server.modern && flag == "modern" || server.only && era == "legacy" {
					continue
				}
				if !server.modern {
					era = "legacy"
				}
				t.Run(flag, func(t *testing.T) { server.drive(t, url, flag, era) })
			}
		})
	}
}

// drive uses all of the server.
func (p httpPeer) drive(t *testing.T, url, flag, era string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "session.mcpcap.jsonl")
	witness, at := witnessHTTP(t, url)
	args := []string{"run", "--plain", "--era", flag, "--record", file, "--root", dir}
	for _, line := range p.lines(era) {
		args = append(args, "--send", line)
	}
	live := wiretea(t, "", append(args, at)...)
	if complains(live) || live.code != term.ExitFine && live.code != term.ExitFound { // some calls are answered by an error
		t.Errorf("run: %v", live)
	}
	var passed []passedTrip
	for _, trip := range witness.trips() {
		passed = append(passed, passedTrip{witnessedTrip{cut: trip.cut, status: trip.status}, trip})
	}
	wantRecorded(t, file, passed)
	p.checkSilent(t, era, []string{file})

	called := filepath.Join(dir, "called.mcpcap.jsonl")
	got := wiretea(t, "", "call", "--era", flag, "--record", called, "tool", "echo", "message=some tea", "--", url)
	if !strings.Contains(got.out, "some tea") || got.code != term.ExitFine {
		t.Errorf("call: %v", got)
	}
	p.checkSilent(t, era, []string{called})

	checked := filepath.Join(dir, "checked.mcpcap.jsonl")
	got = wiretea(t, "", "check", "--era", flag, "--max-time", patience.String(), "--record", checked, "--call", `echo={"message":"hi"}`, url)
	if got.code != term.ExitFine {
		t.Errorf("check: %v", got)
	}
	p.checkSilent(t, era, []string{checked})
}

// lines are what run sends.
func (p httpPeer) lines(era string) (lines []string) {
	if strings.HasPrefix(p.name, "everything") {
		return realPeers[0].sends("")
	}
	for _, line := range useOfSDKServer(era) {
		if line = strings.ReplaceAll(line, `{"name":"offer"}`, `{"name":"offer","arguments":{"guest":"Ada"}}`); p.has(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// wantRecorded wants the recording to have the bodies of all round trips, and of those
// that the client left what it had received.
func wantRecorded(t *testing.T, file string, want []passedTrip) {
	t.Helper()
	trips := map[int]bool{}
	for _, r := range recording(t, file) {
		if r.Kind == session.RecHTTP {
			trips[r.Trip] = true
		}
	}
	if len(trips) != len(want) {
		t.Errorf("%d round trips are recorded, %d passed", len(trips), len(want))
	}
	for trip := range trips {
		sent, body := recordedBody(t, file, trip, "c2s"), recordedBody(t, file, trip, "s2c")
		i := slices.IndexFunc(want, func(w passedTrip) bool { return w.server.sent == sent && w.server.body == body })
		if i < 0 {
			i = slices.IndexFunc(want, func(w passedTrip) bool {
				left := w.client.cut || w.client.status == 0
				return left && w.server.sent == sent && strings.HasPrefix(body, w.client.body) && strings.HasPrefix(w.server.body, body)
			})
		}
		if i < 0 {
			t.Errorf("round trip %d did not pass:\n%.500q\n%.500q", trip, sent, body)
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, w := range want {
		t.Errorf("not recorded:\n%s\n%.500q", w.server.key(), w.server.body)
	}
}

// meetsHTTP says whether a pair is tried: the clients of the legacy era with
// server-everything, those that probe with the Go SDK's server, which answers, and with the
// others those of another language.
func (p sdkPeer) meetsHTTP(server httpPeer) bool {
	sdk, _, _ := strings.Cut(p.name, " ")
	switch {
	case p.only && !server.modern, server.only && !p.modern, server.sse() && p.modern:
		return false
	case server.name == "everything":
		return !p.modern || sdk == "ts2"
	case server.name == "go":
		return p.modern || sdk == "go"
	case server.name == "go stateless":
		return true
	case server.sse():
		return (sdk == "ts1" || sdk == "py1" || sdk == "go") && !strings.HasPrefix(server.name, sdk)
	}
	return p.modern == server.modern && !strings.HasPrefix(server.name, sdk)
}

// TestRealPeerHTTPProxy lets the clients of the official SDKs talk to servers over HTTP,
// with a proxy between them and without, and over stdio with wiretea tee in front. The
// answers are the same, every body is the same at both ends of the proxy and in the
// recording, and a healthy conversation yields no error and no warning.
func TestRealPeerHTTPProxy(t *testing.T) {
	for _, server := range httpServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			url := server.serve(t)
			for _, client := range sdkClients {
				if client.meetsHTTP(server) {
					t.Run(client.name, func(t *testing.T) { server.talk(t, url, client) })
				}
			}
		})
	}
}

// talk lets a client do a plan in all the ways there are.
func (p httpPeer) talk(t *testing.T, url string, client sdkPeer) {
	era := client.era(p.sdkPeer)
	plan := p.plan(era).write(t)
	want := withoutIDs(client.play(t, plan, []string{url}))

	dir := t.TempDir()
	file := filepath.Join(dir, "session.mcpcap.jsonl")
	inner, at := witnessHTTP(t, url)
	at, end := startProxy(t, at, file)
	outer, at := witnessHTTP(t, at)
	wantSame(t, "behind the proxy", withoutIDs(client.play(t, plan, []string{at})), want)
	end()
	wantRecorded(t, file, samePassed(t, outer.trips(), inner.trips()))
	if p.name == "go" && client.modern {
		era = "both" // it answers the probe
	}
	p.checkSilent(t, era, []string{file})

	bridged := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	got := client.play(t, plan, []string{"wiretea", "tee", "--record", bridged, url})
	wantSame(t, "behind tee", withoutStatus(withoutIDs(got)), withoutStatus(want))
	p.checkSilent(t, client.era(p.sdkPeer), recordings(t, filepath.Dir(bridged)))
}

// recordedBody is a body of a recording.
func recordedBody(t *testing.T, file string, trip int, dir string) string {
	t.Helper()
	got := inProcess(t.Context(), "export", "--with-secrets", "--format", "bytes", "--trip", strconv.Itoa(trip), "--dir", dir, file)
	if got.code != term.ExitFine {
		t.Errorf("export: %v", got)
	}
	return got.out
}

var sessionIDs = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// withoutIDs are the answers without the ids of sessions, which server-everything tells.
func withoutIDs(a sdkAnswers) sdkAnswers {
	a.Answers = sessionIDs.ReplaceAll(a.Answers, []byte("ID"))
	return a
}

var statusOfHTTP = regexp.MustCompile(`sending \\"[^"]*\\": (.*?): rejected by transport: Bad Request`)

// withoutStatus are the answers without what the Go SDK says of the status of HTTP.
func withoutStatus(a sdkAnswers) sdkAnswers {
	a.Answers = statusOfHTTP.ReplaceAll(a.Answers, []byte("$1"))
	return a
}
