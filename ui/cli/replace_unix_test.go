//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
)

// TestNobodyReplaces gives every command that writes a file that the user names one that
// must stay as it is: the file of a live session, its own input under other names, and,
// without --force, what is at the end of a link.
func TestNobodyReplaces(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	good := recordDemo(t, "legacy", "ping")
	server := []string{"--", "wiretea", "demo", "--server", "legacy"}
	writers := map[string]struct {
		args   []string // args hold IN, the recording, and OUT, the file to write.
		source bool     // source: IN is read.
	}{
		"export":         {[]string{"export", "--format", "text", "-o", "OUT", "IN"}, true},
		"export bytes":   {[]string{"export", "--dir", "s2c", "-o", "OUT", "IN"}, true},
		"redact":         {[]string{"redact", "IN", "OUT"}, true},
		"replay --junit": {append([]string{"replay", "IN", "--no-record", "--junit", "OUT"}, server...), true},
		"replay":         {append([]string{"replay", "IN", "--record", "OUT"}, server...), true},
		"run":            {append([]string{"run", "--plain", "--send", "ping", "--record", "OUT"}, server...), false},
		"call":           {append([]string{"call", "ping", "--record", "OUT"}, server...), false},
		"check's lock":   {append([]string{"check", "--no-record", "--tools-lock", "OUT"}, server...), false},
		"check":          {append([]string{"check", "--record", "OUT"}, server...), false},
	}
	for name, w := range writers {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in, live := filepath.Join(dir, "in.mcpcap.jsonl"), filepath.Join(dir, "live.mcpcap.jsonl")
			writeFile(t, in, string(good))
			sink, err := recorder.Create(live, false)
			if err != nil {
				t.Fatal(err)
			}
			defer sink.Close()
			writeFile(t, live, string(good)) // sink holds the lock of a writer.
			other, hard, soft, liveLink := filepath.Join(dir, "other"), filepath.Join(dir, "hard"), filepath.Join(dir, "soft"), filepath.Join(dir, "livelink")
			writeFile(t, other, "precious")
			for link, to := range map[string]string{soft: in, liveLink: live, filepath.Join(dir, "link"): other} {
				if err := os.Symlink(to, link); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Link(in, hard); err != nil {
				t.Fatal(err)
			}
			targets := map[string][]bool{live: {false, true}, liveLink: {false, true}, other: {false}, filepath.Join(dir, "link"): {false}, filepath.Join(dir, "none", "out.mcpcap.jsonl"): {false, true}}
			if w.source {
				for _, same := range []string{in, hard, soft, filepath.Join(dir, "..", filepath.Base(dir), "in.mcpcap.jsonl")} {
					targets[same] = []bool{false, true}
				}
			}
			before := contents(t, dir)
			for out, forces := range targets {
				for _, force := range forces {
					var args []string
					for _, a := range w.args {
						args = append(args, strings.Replace(strings.Replace(a, "OUT", out, 1), "IN", in, 1))
					}
					if force {
						args = append([]string{args[0], "--force"}, args[1:]...)
					}
					got := wiretea(t, "", args...)
					if got.code != term.ExitUsage {
						t.Errorf("%q: %v", args, got)
					}
					if after := contents(t, dir); after != before {
						t.Fatalf("%q changed the folder from\n%s\nto\n%s", args, before, after)
					}
				}
			}
		})
	}
}

// contents is what a folder holds.
func contents(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(e.Type().String() + " " + e.Name() + " " + string(text[:min(len(text), 300)]) + "\n")
	}
	return all.String()
}
