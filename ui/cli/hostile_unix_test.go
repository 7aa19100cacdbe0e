//go:build unix

package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/ui/cli/term"
)

// A stranger fills files with what a terminal, a shell, a browser or a spreadsheet would
// obey, with lines that look like ours, and with a secret for each place.
type stranger struct {
	secrets map[string]string // secrets are the places by the secret.
	plant   bool              // plant: the texts have secrets.
}

// orders are what would be obeyed.
const orders = "=cmd|' /C calc'!A0 \x1b[31m\u009b2J\u202e\x1b]0;PWNED\a\x1b]52;c;UFdORUQ=\a\x1b[201~\r\b$(touch PWNED)`touch PWNED`\nwiretea: PWNED\n```\n</script><script>PWNED()</script>\"><img src=x onerror=PWNED()>"

func (s *stranger) value(place string) string {
	text := orders + "e" + strings.Repeat("\u0301", 20)
	if !s.plant {
		return text
	}
	secret := secretOf(place)
	s.secrets[secret] = place
	return text + " " + secret + " "
}

var tokens = regexp.MustCompile("ghp_[0-9A-Za-z]{36}")

// secretOf is a token of a known format that belongs to a place.
func secretOf(place string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	sum := sha256.Sum256([]byte(place))
	more := sha256.Sum256(sum[:])
	token := "ghp_"
	for _, b := range append(sum[:], more[:4]...) {
		token += string(letters[int(b)%len(letters)])
	}
	return token
}

// TestHostileRecordings gives every command that reads recordings one with such a text in
// every place, over stdio and HTTP. None runs, hangs, or paints anything; and what is
// made to be shared has no secret in it.
func TestHostileRecordings(t *testing.T) {
	if raceEnabled {
		t.Skip("a command after the other, of which each runs under the detector elsewhere: four minutes")
	}
	t.Setenv("HOME", t.TempDir())
	plainTerminal(t)
	here, beside := t.TempDir(), t.TempDir()
	t.Chdir(here)
	t.Run("commands", func(t *testing.T) {
		for _, transport := range []string{"stdio", "http"} {
			for _, plant := range []bool{false, true} {
				name := fmt.Sprintf("%s, secrets %t", transport, plant)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := &stranger{map[string]string{}, plant}
					dir := filepath.Join(beside, name)
					if err := os.Mkdir(dir, 0o700); err != nil {
						t.Fatal(err)
					}
					http := transport == "http"
					text := string(recordertest.Hostile(http, http, s.value))
					thin := filepath.Join(beside, "thin "+name+recorder.Suffix)
					writeFile(t, thin, string(recordertest.Hostile(true, false, s.value)))
					file, out := filepath.Join(dir, "20261120-100000-x-1"+recorder.Suffix), filepath.Join(dir, "out")
					writeFile(t, file, text)
					writeFile(t, filepath.Join(here, name+recorder.Suffix), text) // for what completes names
					policy := filepath.Join(dir, "policy.toml")
					writeFile(t, policy, "default = \"allow\"\n")
					for _, words := range recordingCommands() {
						if plant && !shares(words) {
							continue
						}
						args := filled(words, file, dir, out)
						if slices.Contains(words, "--merged") {
							if transport != "stdio" {
								continue // The merge has been tried with it.
							}
							args[len(args)-1] = thin
						}
						if http && sharesForm(words) && (plant || words[0] != "check") {
							args[slices.Index(args, file)] = thin
						}
						if i := slices.Index(args, "policy.toml"); i >= 0 {
							args[i] = policy
						}
						s.try(t, words, args, out)
					}
					if found := filesIn(t, dir); len(found) != 2 {
						t.Errorf("there are the files %q", found)
					}
				})
			}
		}
	})
	if found := filesIn(t, here); len(found) != 4 {
		t.Errorf("the current folder has the files %q", found)
	}
}

// try runs a command and holds what it says to what is promised: at a terminal where
// nothing is planted, and in a pipe. In a pipe what is made to be shared runs with planted
// texts alone, which are the others with a secret behind each.
func (s *stranger) try(t *testing.T, words, args []string, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readTime)
	defer cancel()
	if !s.plant && words[0] != "mock" {
		shown, _ := atTerminal(t, args...)
		unpainted(t, words, shown)
		uncrowded(t, words, shown)
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	if shares(words) && !s.plant {
		return
	}
	var got outcome
	if words[0] == "mock" {
		got = wiretea(t, "", args...) // It ends as the recorded server did, its process.
	} else {
		got = inProcess(ctx, args...)
	}
	if text, err := os.ReadFile(out); err == nil {
		got.out += string(text)
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	switch {
	case ctx.Err() != nil:
		t.Errorf("%q did not end", words)
	case got.code < term.ExitFine || got.code > term.ExitTimeout && words[0] != "mock", strings.Contains(got.err, "internal error"):
		t.Errorf("%q: %d %s", words, got.code, got.err)
	}
	if words[0] != "mock" { // Its stderr is the recorded server's.
		unpainted(t, words, got.err)
		forged(t, words, got)
	}
	if shares(words) {
		for _, secret := range tokens.FindAllString(got.out+got.err, -1) {
			if place := s.secrets[secret]; place != "" {
				t.Errorf("%q leaks %s", words, place)
			}
		}
	}
}

// uncrowded fails where more combining characters reach a terminal's cell than letters
// need.
func uncrowded(t *testing.T, words []string, shown string) {
	t.Helper()
	if strings.Contains(shown, strings.Repeat("\u0301", 9)) {
		t.Errorf("%q: more than eight combining characters in a cell", words)
	}
}

// forged fails where a text becomes a line of ours, or a part of a page.
func forged(t *testing.T, words []string, got outcome) {
	t.Helper()
	if strings.HasPrefix(got.err, "wiretea: PWNED") || strings.Contains(got.err, "\nwiretea: PWNED") {
		t.Errorf("%q: a text is a line of its own on stderr: %q", words, got.err)
	}
	switch {
	case slices.Contains(words, "html"):
		for _, bad := range []string{"<script>PWNED", "<img src=x"} {
			if strings.Contains(got.out, bad) {
				t.Errorf("%q: %s in a page", words, bad)
			}
		}
	case slices.Contains(words, "csv"):
		for line := range strings.Lines(got.out) {
			for field := range strings.SplitSeq(line, ",") {
				if strings.HasPrefix(strings.TrimPrefix(field, `"`), "=cmd") {
					t.Errorf("%q: a formula in %q", words, line)
					return
				}
			}
		}
	}
}

// shares reports whether the output of a command is made to be given away, or goes to
// the log of a build.
func shares(words []string) bool {
	switch words[0] {
	case "check", "redact", "scan":
		return true
	case "export":
		return !slices.Contains(words, "--with-secrets")
	}
	return false
}

// sharesForm reports whether a command shares in another form what redact and export as JSON
// lines share too, or check as JSON: each has the copy that redact writes, and the same
// findings. What a form adds is there in a recording with fewer members as well.
func sharesForm(words []string) bool {
	return (words[0] == "check" || words[0] == "export" && !slices.Contains(words, "--with-secrets") || slices.Contains(words, "--pattern")) && !slices.ContainsFunc(words, func(word string) bool { return word == "--dir" || word == "json" || word == "jsonl" })
}

// recordingCommands are all commands to which a recording can be given, or a folder of
// them.
func recordingCommands() [][]string {
	return append(readingCommands(),
		[]string{"mock", "FILE"}, []string{"mock", "--healthy", "--on-unmatched", "nearest", "FILE"},
		[]string{"replay", "--no-record", "--keep-going", "FILE", "--", "true"}, []string{"replay", "--no-record", "--json", "--junit", "OUT", "FILE", "--", "true"}, []string{"replay", "FILE"},
		[]string{"policy", "policy.toml", "FILE"},
		[]string{"sessions", "--sessions", "DIR"}, []string{"sessions", "prune", "--dry-run", "--keep", "0", "--older-than", "1s", "--sessions", "DIR"}, []string{"sessions", "rm", "FILE"}, []string{"sessions", "cat", "--sessions", "DIR", "x"},
		[]string{"attach", "--list", "--sessions", "DIR"}, []string{"attach", "--list", "--json", "--sessions", "DIR"}, []string{"attach", "--plain", "--sessions", "DIR"}, []string{"attach", "--send", "ping", "--yes", "--sessions", "DIR", "x"},
		[]string{"diff", "--long", "--strict", "FILE", "FILE"}, []string{"__complete", "sessions", "show", "--sessions", "DIR", ""}, []string{"__complete", "attach", "--sessions", "DIR", ""}, []string{"__complete", "open", ""},
	)
}

// filesIn returns the names in a folder and below it.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}
