package cli

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestBadFiles opens and checks files that are not session files, or not readable by this version.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	good := recordDemo(t, "legacy", "ping")
	header, rest, _ := strings.Cut(string(good), "\n")
	for name, tt := range map[string]struct {
		content string // content of the file; "" with folder or missing set.
		says    string // says is a regular expression for what is said on stderr.
	}{
		"missing":     {"", "no such file or directory"},
		"folder":      {"", "is a folder"},
		"empty":       {"", "it is empty"},
		"line feed":   {"\n", "not a session file"},
		"png":         {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01", "not a session file"},
		"elf":         {"\x7fELF\x02\x01\x01\x00\x00\x00\x00", "binary"},
		"text":        {"Dear diary,\ntoday I wrote a server.\n", "not a JSON record"},
		"other json":  {`{"level":30,"msg":"hi"}` + "\n", "not a header record"},
		"har":         {"{\n  \"log\": {\n    \"version\": \"1.2\"\n", "not a header record"},
		"gzip":        {"\x1f\x8b\x08\x00\x00\x00\x00\x00", "compressed"},
		"garbage":     {string(garbage(1 << 20)), "not a session file"},
		"no feed":     {string(bytes.Repeat([]byte("x"), 1<<20)), "not a session file"},
		"no header":   {rest, "is its beginning cut off"},
		"torn header": {header[:len(header)/2], "not a session file"},
		"newer":       {strings.Replace(string(good), `"minv":1`, `"minv":99`, 1), "version 99 .* knows 2"},
		"other format": {strings.Replace(string(good), `"fmt":"mcpcap"`, `"fmt":"pcap"`, 1),
			`of format "pcap"`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			switch name {
			case "missing":
			case "folder":
				if err := os.Mkdir(file, 0o700); err != nil {
					t.Fatal(err)
				}
			default:
				writeFile(t, file, tt.content)
			}
			for _, args := range [][]string{{"check"}, {"open", "--plain"}, {"export", "--dir", "s2c"}} {
				got := inProcess(t.Context(), append(args, file)...)
				line, hint, _ := strings.Cut(got.err, "\n")
				if got.code != term.ExitUsage || !regexp.MustCompile("^wiretea: .*"+tt.says).MatchString(line) || strings.Count(hint, "\n") > 1 {
					t.Errorf("%q: %v\nwant one line that says %q", args, got, tt.says)
				}
				if got.out != "" {
					t.Errorf("%q wrote %q", args, got.out)
				}
			}
		})
	}
}

// TestDamagedLines reads a file in which some lines are not records: what is
// left is shown, and the damage is said.
func TestDamagedLines(t *testing.T) {
	good := recordDemo(t, "legacy", "ping")
	lines := strings.SplitAfter(string(good), "\n")
	lines[2] = string(garbage(40)) + "\n"
	file := filepath.Join(t.TempDir(), "damaged")
	writeFile(t, file, strings.Join(lines, ""))
	for _, args := range [][]string{{"check"}, {"open", "--plain"}} {
		got := inProcess(t.Context(), append(args, file)...)
		if got.code > term.ExitFound || !regexp.MustCompile(`^wiretea: .*damaged lines? skipped, the first at byte \d+: `).MatchString(got.err) {
			t.Errorf("%q: %v", args, got)
		}
	}
}

// TestCutFiles reads a healthy session and a crash cut off around the end of each record,
// and at every seventh byte elsewhere. What is there is shown, what is torn is said, and nobody is accused because the
// file breaks off.
func TestCutFiles(t *testing.T) {
	t.Parallel()
	for behaviour, worst := range map[string]int{"legacy": term.ExitFine, "crash": term.ExitFound} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			whole := recordDemo(t, behaviour, "tools/call {\"name\":\"echo\"}")
			file := filepath.Join(t.TempDir(), "cut")
			writeFile(t, file, string(whole))
			header := bytes.IndexByte(whole, '\n')
			for cut, n := len(whole), 0; cut >= 0; cut-- {
				if around := whole[max(0, cut-3):min(len(whole), cut+3)]; !bytes.Contains(around, []byte("\n")) && cut%7 != 0 {
					continue
				}
				n++
				if err := os.Truncate(file, int64(cut)); err != nil {
					t.Fatal(err)
				}
				command := []string{"check"}
				if n%2 == 0 {
					command = []string{"open", "--plain"}
				}
				got := inProcess(t.Context(), append(command, file)...)
				torn := cut > 0 && whole[cut-1] != '\n'
				switch {
				case cut < header:
					if got.code != term.ExitUsage || !strings.Contains(got.err, "not a session file") {
						t.Fatalf("cut at %d: %v", cut, got)
					}
				case got.code > worst, cut > header && torn != strings.Contains(got.err, "torn off"):
					t.Fatalf("cut at %d, torn %v: %v", cut, torn, got)
				}
			}
		})
	}
}

// recordDemo returns the session file of a demo server that was sent a line.
func recordDemo(t *testing.T, behaviour, line string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.mcpcap.jsonl")
	wiretea(t, "", "run", "--plain", "--record", file, "--era", "legacy", "--send", line, "--", "wiretea", "demo", "--server", behaviour)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// inProcess runs the program in this process: for commands that start nothing.
func inProcess(ctx context.Context, args ...string) outcome {
	var out, errw bytes.Buffer
	code := runMain(ctx, args, strings.NewReader(""), &out, &errw)
	return outcome{code, out.String(), errw.String()}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// garbage returns n random bytes, the same each time.
func garbage(n int) []byte {
	var seed [32]byte
	b := make([]byte, n)
	_, _ = rand.NewChaCha8(seed).Read(b) // never fails
	return b
}
