package cli

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/recorder/replay"
	"wiretea/recorder/verdict/report"
	"wiretea/session"
	"wiretea/session/demo"
	"wiretea/ui/cli/term"
)

// quickFaults are the demo's behaviours that need no waiting to show, and do not
// depend on time.
var quickFaults = []string{"healthy", "legacy", "log-line", "pretty", "content-length", "two-on-a-line", "interleaved", "no-last-newline", "blank-lines", "crlf",
	"latin1", "chatty", "result-and-error", "batch", "answers-twice", "string-id", "answers-notification", "cursor-loop", "exit-on-probe", "crash"}

// TestReplayCorpus holds the closing of the circle: a recording served by mock to
// the client that was recorded, and replayed to the server that was recorded, is
// the same again, also where the server misbehaves.
func TestReplayCorpus(t *testing.T) {
	t.Parallel()
	for _, name := range quickFaults {
		t.Run(name, func(t *testing.T) {
			b, ok := demo.Lookup(name)
			if !ok {
				t.Fatal("there is no such server")
			}
			args := []string{"run", "--plain"}
			for _, line := range b.Calls {
				args = append(args, "--send", line)
			}
			closeCircle(t, args, "wiretea", "demo", "--server", name)
		})
	}
}

// TestReplaySDK is TestReplayCorpus for a server of the official SDK, in both eras:
// pages, progress, questions, errors.
func TestReplaySDK(t *testing.T) {
	t.Parallel()
	calls := []string{"tools/call {\"name\":\"echo\",\"arguments\":{\"message\":\"☕\"}}", `tools/call {"name":"work","arguments":{},"_meta":{"progressToken":"w"}}`,
		`tools/call {"name":"roots","arguments":{}}`, `tools/call {"name":"elicit","arguments":{}}`, `tools/call {"name":"sample","arguments":{}}`,
		`tools/call {"name":"fail","arguments":{}}`, `resources/read {"uri":"tea://menu"}`, `resources/read {"uri":"tea://pot/7"}`, `prompts/get {"name":"offer"}`,
		`completion/complete {"ref":{"type":"ref/prompt","name":"offer"},"argument":{"name":"x","value":"A"}}`}
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			args := []string{"run", "--plain", "--era", era, "--root", t.TempDir(), "--sampling", "text:tea", "--elicitation", "decline"}
			for _, line := range calls {
				args = append(args, "--send", line)
			}
			closeCircle(t, args, "sdkserver")
		})
		t.Run(era+" lists", func(t *testing.T) {
			closeCircle(t, []string{"check", "--era", era, "--max-time", "2m"}, "sdkserver")
		})
	}
}

// slowly is what a machine may take that has much else to do.
const slowly = "90s"

// closeCircle records the client that args are with a server, then with mock in the
// server's place, and replays the recording to the server: all three are equal.
func closeCircle(t *testing.T, args []string, server ...string) {
	t.Helper()
	dir := t.TempDir()
	recorded, mocked, replayed := filepath.Join(dir, "a"+recorder.Suffix), filepath.Join(dir, "b"+recorder.Suffix), filepath.Join(dir, "c"+recorder.Suffix)
	args = append(args, "--shutdown-grace", slowly, "--probe-timeout", slowly)
	first := inProcess(t.Context(), slices.Concat(args, []string{"--record", recorded, "--"}, server)...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(first)
		}
	})
	inProcess(t.Context(), slices.Concat(args, []string{"--record", mocked, "--", "wiretea", "mock", "-q", recorded})...)
	a, b := wireOf(t, recorded), wireOf(t, mocked)
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("%s was\n%s\nand is\n%s", wireParts[i], a[i], b[i])
		}
	}
	again := inProcess(t.Context(), slices.Concat([]string{"replay", recorded, "--keep-going", "--record", replayed, "--shutdown-grace", slowly, "--"}, server)...)
	if again.code != term.ExitFine {
		t.Errorf("replayed: %v", again)
	}
	for _, other := range []string{mocked, replayed} {
		// What is found may hang on how slow the machine is.
		if o := inProcess(t.Context(), "diff", "--ignore", "findings,latency", recorded, other); o.code != term.ExitFine {
			t.Errorf("compared: %v", o)
		}
	}
}

var wireParts = [...]string{"c2s", "s2c", "stderr", "the end"}

// wireOf is what crossed the wire in a recording, stream by stream, and how the
// server ended.
func wireOf(t *testing.T, path string) (parts [4]string) {
	t.Helper()
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, stream := range session.Streams {
		var out bytes.Buffer
		if err := export.Bytes(&out, f, export.Part{Stream: stream}); err != nil {
			t.Fatal(err)
		}
		parts[i] = out.String()
	}
	scripts, err := replay.ReadScripts(f, replay.ClientEnd)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		for _, st := range s.Steps {
			if st.Kind == replay.Exited {
				parts[3] += strings.TrimSpace(outcome{code: st.Exit.Code}.String() + st.Exit.Signal)
			}
		}
	}
	return parts
}

// TestReplayFindsTheFix is the repro of a fault, replayed to a server without it:
// the fault is shown as a difference, with its frame.
func TestReplayFindsTheFix(t *testing.T) {
	dir := t.TempDir()
	bug, junitFile := filepath.Join(dir, "bug"+recorder.Suffix), filepath.Join(dir, "report.xml")
	wiretea(t, "", "run", "--plain", "--probe-timeout", slowly, "--record", bug, "--send", `tools/call {"name":"echo","arguments":{"message":"hi"}}`, "--", "wiretea", "demo", "--server", "string-id")
	o := wiretea(t, "", "replay", bug, "--no-record", "--junit", junitFile, "--", "wiretea", "demo", "--server", "legacy")
	want := regexp.MustCompile(`^✖ frame \d+: tools/call echo \("3"\): the message differs\n  \.id\n  − "3"\n  \+ 3\n✖ .*: ended at the first divergence; .*\n$`)
	if o.code != term.ExitFound || !want.MatchString(o.out) {
		t.Errorf("it came to %v", o)
	}
	text, err := os.ReadFile(junitFile)
	if err != nil {
		t.Fatal(err)
	}
	var junit report.JUnit
	if err := xml.Unmarshal(text, &junit); err != nil {
		t.Fatal(err)
	}
	if len(junit.Suites) != 1 || junit.Failures != 1 || junit.Tests != 4 {
		t.Errorf("the report is\n%s", text)
	}
	o = wiretea(t, "", "replay", bug, "--no-record", "--json", "--keep-going", "--ignore-path", ".id", "--", "wiretea", "demo", "--server", "legacy")
	if o.code != term.ExitFine || !strings.Contains(o.out, `"outcome":"same"`) {
		t.Errorf("with ids left out: %v", o)
	}
	o = wiretea(t, "", "replay", bug, "--no-record", "--", "wiretea", "demo", "--server", "crash")
	if o.code != term.ExitServer || !strings.Contains(o.err, "  server: exited with code 3") || !strings.Contains(o.err, "  stderr: RuntimeError: out of tea\n") {
		t.Errorf("of a server that crashes: %v", o)
	}
	o = wiretea(t, "", "replay", bug, "--no-record", "--", "wiretea-no-such-server")
	if o.code != term.ExitServer || !strings.Contains(o.err, "hint:") {
		t.Errorf("of a server that is not there: %v", o)
	}
}
