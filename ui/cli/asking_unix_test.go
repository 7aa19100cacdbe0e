//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// TestScreenAsks holds that what a server asks is answered on the screen, in
// either era: a form, a URL, what a model would say, the roots.
func TestScreenAsks(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "asks.mcpcap.jsonl")
			p := onScreen(t, nil, "wiretea", "run", "--record", file, "--era", era, "--", "wiretea", "demo", "--server", "healthy")
			see(t, p, "● live")
			ask := func(tool, shows string) {
				t.Helper()
				if err := p.Typed(":send tools/call {\"name\":\"" + tool + "\"}\r"); err != nil {
					t.Fatal(err)
				}
				see(t, p, shows)
				see(t, p, "enter answers") // the request's row has its words earlier
			}
			ask("order", "Which tea would you like?")
			see(t, p, "⚠")
			pressAll(t, p, "enter")
			see(t, p, "who it is for")
			pressAll(t, p, "down", "down", "A", "d", "a")
			see(t, p, "Ada")
			pressAll(t, p, "ctrl+s")
			see(t, p, "answered: Which tea")
			see(t, p, "Your order")
			ask("pay", "https://tea.example.com/pay?order=42")
			pressAll(t, p, "enter")
			see(t, p, "d decline")
			pressAll(t, p, "d")
			see(t, p, "You said: decline.")
			ask("think", "Write one line about tea.")
			pressAll(t, p, "enter")
			see(t, p, "the model's answer")
			if err := p.Typed("Leaves fall"); err != nil {
				t.Fatal(err)
			}
			see(t, p, "Leaves fall")
			pressAll(t, p, "ctrl+s")
			see(t, p, "wiretea says: Leaves")
			if err := p.Typed(":send tools/call {\"name\":\"roots\"}\r"); err != nil { // no box opens
				t.Fatal(err)
			}
			see(t, p, "got the current folder")
			see(t, p, `{"roots":[{"uri"`)
			if err := p.Typed(":loglevel warning\r"); err != nil {
				t.Fatal(err)
			}
			see(t, p, "level warning and above")
			if err := p.Typed(`:send tools/call {"name":"log","arguments":{"level":"error","text":"the kettle is cold"}}` + "\r"); err != nil {
				t.Fatal(err)
			}
			see(t, p, "✖ error")
			pressAll(t, p, "ctrl+c", "y")
			if code := left(t, p); code != term.ExitFine {
				t.Errorf("exit code %d", code)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`{"tea":"green","cups":1,"name":"Ada","milk":false}`, `{"action":"decline"}`, `"text":"Leaves fall"`, `{"roots":[{"uri":"file://`} {
				if !strings.Contains(string(text), want) {
					t.Errorf("%s did not cross the wire", want)
				}
			}
			if found := findingsOf(t, file); found != 0 {
				t.Errorf("%d findings", found)
			}
		})
	}
}

// findingsOf counts the errors and warnings of a recording.
func findingsOf(t *testing.T, path string) int64 {
	t.Helper()
	src, err := capture.OpenRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for src.Reading() {
		<-src.Wake()
	}
	totals := src.Snapshot().Totals()
	return totals.Findings[session.Error] + totals.Findings[session.Warning]
}

// TestScreenProgress holds that the progress of a call shows on its row.
func TestScreenProgress(t *testing.T) {
	t.Parallel()
	p := onScreen(t, nil, runHealthy...)
	see(t, p, "● live")
	if err := p.Typed(`:send tools/call {"name":"slow","arguments":{"seconds":60,"steps":100}}` + "\r"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "▰▱▱▱▱▱▱▱ ")
	pressAll(t, p, "ctrl+c", "y")
	left(t, p)
}
