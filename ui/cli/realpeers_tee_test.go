//go:build realpeers

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/recorder/verdict/report"
	"wiretea/session"
)

// peerPath is a path in the folder that .ci/real-peers fills.
func peerPath(t *testing.T, names ...string) string {
	t.Helper()
	dir := os.Getenv("WIRETEA_PEERS")
	if dir == "" {
		t.Fatal("WIRETEA_PEERS must name the folder with the installed peers; .ci/real-peers installs them")
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// A sdkPeer is a program written with an official SDK: a client, which does a plan,
// or a server.
type sdkPeer struct {
	name   string
	argv   func(t *testing.T) []string
	modern bool                      // modern peers speak 2026-07-28, besides the legacy era.
	only   bool                      // only: it refuses the legacy era, or lacks what the plan uses there.
	plan   func(era string) peerPlan // plan uses a server.
	faults []sdkFault                // faults are what the server's SDK does wrong every time.
}

// A sdkFault is a finding: its rule, and what its message says.
type sdkFault struct{ rule, says string }

// noSuchTea is a resource that is not found, with an error code of the server's own;
// badEcho is the call that the plans make with wrong arguments, on purpose.
var (
	noSuchTea = sdkFault{"resource-not-found-code", `resources/read of the missing resource "tea://no"`}
	badEcho   = sdkFault{"arguments-mismatch", `calling "echo": arguments.message is a number`}
	// What a handler of version 1 of the Python SDK raises is answered with the error code
	// 0, an unknown resource too.
	pyFaults = []sdkFault{noSuchTea, {"error-code-zero", "the response to resources/read"}}
)

func script(names ...string) func(t *testing.T) []string {
	return func(t *testing.T) []string {
		switch names[0] {
		case "node":
			return append([]string{"node", peerPath(t, names[1])}, names[2:]...)
		case "sdkclient", "sdkserver", "sdkhttpserver":
			return names
		case "rmcp":
			lens := peerPath(t, "target", "debug", "lens")
			if _, err := os.Stat(lens); err != nil {
				t.Skip("rmcp was not built: ", err)
			}
			return []string{lens}
		}
		return append([]string{peerPath(t, names[0], "bin", "python"), "-W", "ignore", peerPath(t, names[1])}, names[2:]...)
	}
}

// sdkClients are the clients, by the name of their SDK and the era that they are told
// to speak: auto asks the server first. The Go SDK's modern does so too.
var sdkClients = []sdkPeer{
	{name: "ts1 legacy", argv: script("node", "ts1.mjs")},
	{name: "ts2 legacy", argv: script("node", "ts2.mjs")},
	{name: "ts2 modern", argv: script("node", "ts2.mjs"), modern: true, only: true},
	{name: "ts2 auto", argv: script("node", "ts2.mjs"), modern: true},
	{name: "go legacy", argv: script("sdkclient")},
	{name: "go modern", argv: script("sdkclient"), modern: true},
	{name: "py1 legacy", argv: script("py1", "client.py")},
	{name: "py2 legacy", argv: script("py2", "client.py")},
	{name: "py2 auto", argv: script("py2", "client.py"), modern: true},
}

var sdkServers = []sdkPeer{
	{name: "everything", argv: func(t *testing.T) []string {
		return []string{peerPath(t, "node_modules", ".bin", "mcp-server-everything")}
	}, plan: everythingPlan, faults: []sdkFault{noSuchTea}},
	{name: "go", argv: script("sdkserver"), modern: true, plan: teaPlan},
	{name: "ts2", argv: script("node", "server.mjs"), modern: true, plan: teaPlan},
	{name: "py1", argv: script("py1", "server.py"), plan: unleveledPlan, faults: pyFaults},
	{name: "py2", argv: script("py2", "server.py"), modern: true, plan: unleveledPlan},
}

// era is what the two speak together.
func (client sdkPeer) era(server sdkPeer) string {
	if client.modern && server.modern {
		return "modern"
	}
	return "legacy"
}

// meets says whether a pair is tried: every client with the first two servers, and
// with the others those of another language or of the other era.
func (client sdkPeer) meets(server sdkPeer) bool {
	switch {
	case client.only && !server.modern:
		return false
	case server.name == "everything", server.name == "go":
		return true
	}
	return client.modern == server.modern
}

// sdkAnswers are what a client made of a plan.
type sdkAnswers struct {
	Closing float64         `json:"closing"` // Closing is how long the close took, in ms.
	Answers json.RawMessage `json:"answers"`
	stderr  string
}

// play lets the client do the plan with a server, in the plan's folder.
func (client sdkPeer) play(t *testing.T, plan string, server []string) sdkAnswers {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	_, era, _ := strings.Cut(client.name, " ")
	argv := append(append(client.argv(t), era, plan, "--"), server...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = filepath.Dir(plan)
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, &errw)
	}
	p := sdkAnswers{stderr: errw.String()}
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, &out)
	}
	return p
}

// TestRealPeerTee lets the clients of the official SDKs talk to servers, with a tee
// between them and without. The answers are the same, the recording is equal to
// what was captured at both ends, the end is passed on, and a healthy conversation
// yields no error and no warning.
func TestRealPeerTee(t *testing.T) {
	for _, server := range sdkServers {
		for _, client := range sdkClients {
			if !client.meets(server) {
				continue
			}
			t.Run(server.name+"/"+client.name, func(t *testing.T) {
				t.Parallel()
				plan := server.plan(client.era(server)).write(t)
				want := client.play(t, plan, server.argv(t))

				if server.name == "go" { // once for each client: its own descriptors, and no witness
					dir := t.TempDir()
					tee := append([]string{"wiretea", "tee", "--record", filepath.Join(dir, "session.mcpcap.jsonl"), "--"}, server.argv(t)...)
					wantSame(t, "behind the tee", client.play(t, plan, tee), want)
					server.checkSilent(t, client.era(server), recordings(t, dir))
				}

				ends := t.TempDir()
				file := filepath.Join(ends, "session.mcpcap.jsonl")
				outer, inner := filepath.Join(ends, "client"), filepath.Join(ends, "server")
				for _, folder := range []string{outer, inner} {
					if err := os.Mkdir(folder, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				tee := append([]string{"witness", outer, "wiretea", "tee", "--record", file, "--", "witness", inner}, server.argv(t)...)
				wantSame(t, "behind the tee and two witnesses", client.play(t, plan, tee), want)
				files := recordings(t, ends)
				for i, file := range files {
					n := fmt.Sprint(i + 1)
					compareEnds(t, file, filepath.Join(outer, n), filepath.Join(inner, n), i == len(files)-1)
				}
				server.checkSilent(t, client.era(server), files)
			})
		}
	}
}

// wantSame wants the same answers, and the same lines of stderr: their order is the
// server's, not the same twice where it works at several things. Witnesses compare
// the bytes.
func wantSame(t *testing.T, where string, got, want sdkAnswers) {
	t.Helper()
	if !bytes.Equal(got.Answers, want.Answers) {
		at := 0
		for at < min(len(got.Answers), len(want.Answers)) && got.Answers[at] == want.Answers[at] {
			at++
		}
		around := func(s []byte) []byte { return s[max(0, at-200):min(len(s), at+200)] }
		t.Errorf("%s:\n…%s…\nwithout:\n…%s…", where, around(got.Answers), around(want.Answers))
	}
	lines := func(s string) []string {
		return slices.Sorted(strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' }))
	}
	if !slices.Equal(lines(got.stderr), lines(want.stderr)) {
		t.Errorf("%s, stderr:\n%s\nwithout:\n%s", where, got.stderr, want.stderr)
	}
}

// recordings are the session files in a folder, in the order of their making: a
// client that probes the server starts it twice.
func recordings(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.mcpcap.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("nothing is recorded", err)
	}
	slices.SortFunc(files, func(a, b string) int { return len(b) - len(a) }) // session-2 before session
	slices.Reverse(files)
	return files
}

// compareEnds wants the recording to be what was captured at both ends, and the
// server to have seen the signals and the client the end.
func compareEnds(t *testing.T, file, client, server string, session bool) {
	t.Helper()
	for stream, name := range map[string]string{"c2s": "in", "s2c": "out", "stderr": "err"} {
		sent, received := readFile(t, client, name), readFile(t, server, name)
		if got := recorded(t, file, stream); got != sent || got != received || session && got == "" {
			t.Errorf("%s: %d bytes are recorded, %d bytes passed at the client's end, %d at the server's", stream, len(got), len(sent), len(received))
		}
	}
	// A signal of the client may come when the server is just ending by itself: a probe is
	// killed at once, a slow server in the end. TestRealPeerKills looks at signals.
	if was, is := readFile(t, server, "how"), readFile(t, client, "how"); session && was != is && !strings.Contains(is, "came") {
		t.Errorf("the server's end:\n%s\nthe client saw:\n%s", was, is)
	}
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkSilent wants the recordings to be healthy, but for what the SDK does wrong
// every time, and the last to be in an era.
func (server sdkPeer) checkSilent(t *testing.T, era string, files []string) {
	t.Helper()
	for i, file := range files {
		got := inProcess(t.Context(), "check", "--json", file)
		var r report.Report
		if err := json.Unmarshal([]byte(got.out), &r); err != nil {
			t.Fatalf("%v\n%v", err, got)
		}
		for _, f := range r.Findings {
			if f.Severity != "info" && !server.errs(f) && !slowEnd(t, file, f) {
				t.Errorf("check finds %+v", f)
			}
		}
		if i == len(files)-1 && (r.Era != era || r.Exchanges.Total == 0) {
			t.Errorf("check: era %q, want %q\n%v", r.Era, era, got)
		}
	}
}

// errs says whether the server's SDK is known to do what was found, or the plan does it.
func (server sdkPeer) errs(f report.Finding) bool {
	return slices.ContainsFunc(append(slices.Clone(server.faults), badEcho), func(known sdkFault) bool {
		return f.Rule == known.rule && strings.HasPrefix(f.Message, known.says)
	})
}

// slowEnd says whether the finding is that the server was long in ending, and the
// recording proves it. An interpreter takes 0.1 s to 0.4 s, and more where much else
// runs on the machine. That the tee takes no time of its own is TestRealPeerEnd's.
func slowEnd(t *testing.T, file string, f report.Finding) bool {
	t.Helper()
	if f.Rule != "server-ignores-eof" {
		return false
	}
	var asked, exited int64
	for _, r := range recording(t, file) {
		switch {
		case r.Kind == session.RecIO && r.Stream == session.C2S && asked == 0:
			asked = r.T
		case r.Kind == session.RecProc && r.Proc.Event == "exit":
			exited = r.T
		}
	}
	took := time.Duration(exited - asked)
	t.Logf("the server took %v to end", took)
	return asked > 0 && took > 1900*time.Millisecond // 2 s, and clients may be ahead of us
}
