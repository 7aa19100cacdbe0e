package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/recorder/inventory"
	"wiretea/recorder/recordertest"
	"wiretea/recorder/replay"
	"wiretea/recorder/verdict/report"
	"wiretea/session/clientconfig"
	"wiretea/ui/cli/term"
)

// readingCommands are all commands that read a recording, in the forms that take
// different ways through it. FILE is the recording, DIR its folder, OUT a name that is
// free.
func readingCommands() [][]string {
	commands := [][]string{
		{"open", "--plain", "FILE"},
		{"open", "--json", "FILE"},
		{"open", "--plain", "--filter", `b~"a" | lat>1ms is:error -d:err rule:stdout-not-json`, "FILE"},
		{"export", "--dir", "c2s", "--with-secrets", "FILE"},
		{"export", "--dir", "s2c", "FILE"},
		{"export", "--dir", "s2c", "--end", "client", "--with-secrets", "FILE"},
		{"export", "--dir", "stderr", "FILE"},
		{"redact", "FILE", "-"},
		{"redact", "--path", "..token", "--pattern", "[0-9]+", "FILE", "OUT"},
		{"scan", "FILE"},
		{"scan", "--json", "FILE"},
		{"diff", "FILE", "FILE"},
		{"diff", "--json", "FILE", "FILE"},
		{"sessions", "ls", "--sessions", "DIR"},
		{"sessions", "ls", "--json", "--sessions", "DIR"},
		{"sessions", "show", "FILE"},
		{"sessions", "show", "--json", "FILE"},
		{"sessions", "cat", "FILE"},
		{"sessions", "repair", "--out", "OUT", "FILE"},
		{"check", "--line-steps", "10B", "--timeout", "1ms", "FILE"},
	}
	for _, name := range report.Formats() {
		commands = append(commands, []string{"check", "--format", name, "FILE"})
	}
	for _, name := range export.Names() {
		commands = append(commands, []string{"export", "--format", name, "FILE"}, []string{"export", "--format", name, "--with-secrets", "--notes", "FILE"}, []string{"export", "--format", name, "--with-secrets", "--filter", "is:error | a", "FILE"})
	}
	for _, name := range report.MergedFormats() {
		commands = append(commands, []string{"check", "--merged", "--format", name, "FILE", "FILE"})
	}
	for _, name := range export.MergedNames() {
		commands = append(commands, []string{"export", "--merged", "--format", name, "FILE", "FILE"}, []string{"export", "--merged", "--format", name, "--with-secrets", "--notes", "-o", "OUT", "FILE", "FILE"})
	}
	return commands
}

// readEverywhere runs commands that read a recording on one, all of them or every
// nth: none panics, hangs, or returns an exit code that it has not.
func readEverywhere(t *testing.T, content []byte, first, nth int) {
	dir := t.TempDir()
	file := filepath.Join(dir, "20261120-100000-x-1.mcpcap.jsonl")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, words := range readingCommands() {
		if i%nth != first {
			continue
		}
		out := filepath.Join(dir, "out", string(rune('a'+i)))
		args := filled(words, file, dir, out)
		if slices.Contains(words, "--notes") && !slices.ContainsFunc(words, func(w string) bool { return w == "text" || w == "html" || w == "md" }) {
			args = slices.DeleteFunc(args, func(w string) bool { return w == "--notes" })
		}
		readOnce(t, args)
	}
	ctx, cancel := context.WithTimeout(t.Context(), readTime)
	defer cancel()
	mockOnce(ctx, t, file)
	home := inventory.NewFinder(dir, clientconfig.Place{})
	home.All(ctx)
	_ = home.Judge(ctx, file) // Whatever it is, it is an error of the file.
	if inv := home.All(ctx); ctx.Err() != nil || len(inv.Live)+len(inv.Recordings) == 0 {
		t.Errorf("home: %v, %d recordings", ctx.Err(), len(inv.Recordings))
	}
}

// filled returns the words of a reading command with its placeholders replaced.
func filled(words []string, file, dir, out string) []string {
	args := slices.Clone(words)
	for i, word := range args {
		switch word {
		case "FILE":
			args[i] = file
		case "DIR":
			args[i] = dir
		case "OUT":
			args[i] = out
		}
	}
	return args
}

// mockOnce serves a recording as mock does, which then may end as the recorded server
// did: by a signal.
func mockOnce(ctx context.Context, t *testing.T, path string) {
	f, err := recorder.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for _, end := range []replay.End{replay.ClientEnd, replay.ServerEnd} {
		scripts, err := replay.ReadScripts(f, end)
		if err != nil {
			continue
		}
		if _, err := (replay.Mock{Unmatched: replay.Nearest}).Serve(ctx, scripts, strings.NewReader(onePing), io.Discard, io.Discard); err != nil {
			t.Errorf("mock: %v", err)
		}
	}
	if m, err := replay.NewHTTPMock(replay.Mock{}, f); err == nil {
		m.Path()
	}
}

const onePing = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"

// readTime is after how long a command that reads one of these files hangs. The slowest
// takes 3 s on an idle machine, under the race detector.
const readTime = 5 * time.Minute

func readOnce(t *testing.T, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readTime)
	defer cancel()
	var out, errw bytes.Buffer
	code := runMain(ctx, args, strings.NewReader(onePing), &out, &errw)
	switch {
	case ctx.Err() != nil:
		t.Errorf("%q did not end", args)
	case code < term.ExitFine || code > term.ExitTimeout:
		t.Errorf("%q: exit code %d\n%s", args, code, errw.String())
	case strings.Contains(errw.String(), "internal error"), strings.Contains(errw.String(), "panic"):
		t.Errorf("%q:\n%s", args, errw.String())
	}
}

// TestReading reads made-up recordings with every command that reads recordings.
func TestReading(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for seed := range uint64(6) {
		readEverywhere(t, recordertest.Random(seed), 0, 1)
	}
}

// FuzzReading reads made-up recordings, and lines that a fuzzer makes up, with the
// commands that read recordings, each time another part of them.
func FuzzReading(f *testing.F) {
	f.Setenv("HOME", f.TempDir())
	f.Setenv("XDG_STATE_HOME", "")
	for seed := range uint64(4) {
		f.Add(seed, []byte{})
	}
	f.Add(uint64(9), []byte(`{"k":"f","n":900,"t":9,"d":"err","s":"[`+strings.Repeat(`{\"id\":1,\"method\":\"a\"},`, 65)+`{}]"}`))
	f.Fuzz(func(t *testing.T, seed uint64, lines []byte) {
		const parts = 12
		readEverywhere(t, append(recordertest.Random(seed), lines...), int(seed/7%parts), parts)
	})
}
