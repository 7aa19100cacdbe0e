package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder/export"
	"wiretea/recorder/redact/redacttest"
	"wiretea/ui/cli/term"
)

// plantedFile is a recording with fifty kinds of secret, and the secrets.
func plantedFile(t *testing.T) (file string, secrets []string) {
	t.Helper()
	content, secrets := redacttest.Session()
	file = filepath.Join(t.TempDir(), "planted.mcpcap.jsonl")
	writeFile(t, file, string(content))
	return file, secrets
}

// leaks are the secrets that are in a text, written in any of the ways that forms
// write them.
func leaks(text string, secrets []string) (left []string) {
	plain := strings.ReplaceAll(text, `\`, "")
	for _, s := range secrets {
		quoted, _ := json.Marshal(s)
		if strings.Contains(text, s) || strings.Contains(text, strings.Trim(string(quoted), `"`)) || strings.Contains(plain, strings.ReplaceAll(s, `\`, "")) {
			left = append(left, s)
		}
	}
	return left
}

// TestExportsHoldNoSecret: no form, and nothing that is said beside it, gives a
// secret away; with --with-secrets it does.
func TestExportsHoldNoSecret(t *testing.T) {
	t.Parallel()
	content, secrets := redacttest.Session()
	exportsHoldNoSecret(t, string(content), secrets, false)
}

// TestHTTPExportsHoldNoSecret is the same for messages in bodies of HTTP.
func TestHTTPExportsHoldNoSecret(t *testing.T) {
	t.Parallel()
	content, secrets := redacttest.Session()
	exportsHoldNoSecret(t, tripOf(string(content)), secrets, true)
}

// TestFolderMissing writes into a folder that does not exist: the error names the file and
// the folder as they were given.
func TestFolderMissing(t *testing.T) {
	file, _ := plantedFile(t)
	for _, args := range [][]string{{"export", file, "-o"}, {"redact", file}} {
		got := inProcess(t.Context(), append(args, "none/x.html")...)
		want := "wiretea: writing none/x.html: the folder none does not exist\n  hint: create it, or name a file elsewhere\n"
		if got.code != term.ExitUsage || !strings.HasSuffix(got.err, want) {
			t.Errorf("%q: %v", args, got)
		}
	}
}

// tripOf is the recording with its messages in the bodies of one round trip.
func tripOf(recording string) string {
	lines := strings.SplitAfter(strings.Replace(recording, `"tr":"stdio"`, `"tr":"http","url":"http://localhost/mcp"`, 1), "\n")
	for i, line := range lines[1:] {
		if strings.Contains(line, `"d":"c2s"`) || strings.Contains(line, `"d":"s2c"`) {
			lines[i+1] = strings.Replace(line, `,"d":`, `,"trip":1,"d":`, 1)
		}
	}
	head := `{"k":"http","n":0,"t":0,"trip":1,"ev":"req","method":"POST","url":"/mcp","fields":[{"n":"Authorization","v":"Bearer","secret":{"len":40,"hash":"00ff00ff"}}]}` + "\n"
	return lines[0] + head + strings.Join(lines[1:], "")
}

// withDecisions is a recording in which a policy stopped each call.
func withDecisions(recording string) string {
	return strings.ReplaceAll(recording, `"d":"c2s","y":"q"`, `"d":"c2s","way":"in","by":"policy: no-tools","y":"q"`)
}

// sharedForms are the commands whose output is made to be given away, by the ending of a
// file that has it.
func sharedForms(file string, http bool) map[string][]string {
	forms := map[string][]string{
		"copy.mcpcap.jsonl": {"redact", file, "-"},
		"scan.txt":          {"scan", "--all", file}, "scan.json": {"scan", "--json", file},
	}
	for _, f := range export.Formats {
		if f.Name != "curl" || http {
			forms["export"+f.Ending] = []string{"export", "--format", f.Name, file}
		}
	}
	for _, stream := range []string{"c2s", "s2c", "stderr"} {
		forms[stream+".txt"] = []string{"export", "--dir", stream, file}
	}
	return forms
}

func exportsHoldNoSecret(t *testing.T, content string, secrets []string, http bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "planted.mcpcap.jsonl")
	writeFile(t, file, withDecisions(content))
	for _, args := range sharedForms(file, http) {
		got := inProcess(t.Context(), args...)
		if want := map[bool]int{true: term.ExitFound}[args[0] == "scan"]; got.code != want || got.out == "" {
			t.Errorf("%q: %v", args[:len(args)-1], got)
		}
		if left := leaks(got.out+got.err, secrets); len(left) > 0 {
			t.Errorf("%q gives away %q", args[:len(args)-1], left)
		}
		if args[0] != "export" {
			continue
		}
		if said := "replaced "; !strings.Contains(got.err, said) {
			t.Errorf("%q does not say what was replaced: %s", args, got.err)
		}
		kept := inProcess(t.Context(), append(args, "--with-secrets")...)
		if csv := args[2] == "csv"; len(leaks(kept.out, secrets)) == 0 && !csv && args[2] != "text" || strings.Contains(kept.err, "replaced") {
			t.Errorf("%q --with-secrets keeps none: %s", args, kept.err)
		}
	}
}

// TestExactBytes: with secrets a stream is exact; where none was it is exact without
// the flag too.
func TestExactBytes(t *testing.T) {
	file, _ := plantedFile(t)
	kept := inProcess(t.Context(), "export", "--dir", "stderr", "--with-secrets", file)
	if want := "login with plain secret 0 of password, then with basicPassword1 and quo\"ted\\slash\n"; !strings.HasPrefix(kept.out, want) {
		t.Errorf("%.200q, want %q", kept.out, want)
	}
	clean := filepath.Join(t.TempDir(), "clean.mcpcap.jsonl")
	writeFile(t, clean, `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2026-11-20T10:00:00Z"}`+"\n"+`{"k":"f","n":1,"t":1,"d":"s2c","e":"\r\n","len":24,"s":"{  \"id\": 1.0, \"id\":  1 }"}`+"\n")
	got := inProcess(t.Context(), "export", "--dir", "s2c", clean)
	if got.code != term.ExitFine || got.out != "{  \"id\": 1.0, \"id\":  1 }\r\n" || got.err != "" {
		t.Errorf("%v", got)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.mcpcap.jsonl")
	content, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, damaged, string(content)+"no record\n")
	got = inProcess(t.Context(), "export", "--dir", "s2c", damaged)
	if got.code != term.ExitFound || got.out != "{  \"id\": 1.0, \"id\":  1 }\r\n" || !strings.Contains(got.err, "the recording is not complete") {
		t.Errorf("damaged: %v", got)
	}
}

func TestRedactFile(t *testing.T) {
	file, secrets := plantedFile(t)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"out.mcpcap.jsonl", "out.mcpcap.jsonl.gz", "out.mcpcap.jsonl.zst"} {
		out := filepath.Join(dir, name)
		got := inProcess(t.Context(), "redact", file, out)
		if got.code != term.ExitFine || !strings.Contains(got.err, "replaced ") || !strings.Contains(got.err, "  GitHub token ") {
			t.Fatalf("%v", got)
		}
		info, err := os.Stat(out)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		if scan := inProcess(t.Context(), "scan", out); scan.code != term.ExitFine || scan.out != "" {
			t.Errorf("scan: %v", scan)
		}
		if plain := inProcess(t.Context(), "export", "--format", "jsonl", out); len(leaks(plain.out, secrets)) > 0 || strings.Count(plain.out, "\n") < 100 {
			t.Errorf("%s: %v", name, leaks(plain.out, secrets))
		}
		if again := inProcess(t.Context(), "redact", file, out); again.code != term.ExitUsage || !strings.Contains(again.err, "--force") {
			t.Errorf("over what is there: %v", again)
		}
	}
	if got := inProcess(t.Context(), "redact", "--force", file, file); got.code != term.ExitUsage || !strings.Contains(got.err, "is the original") {
		t.Errorf("over itself: %v", got)
	}
	if got := inProcess(t.Context(), "redact", file, ""); got.code != term.ExitUsage || !strings.Contains(got.err, "the name of the output is empty") {
		t.Errorf("without a name: %v", got)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the original was changed: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestSameFindings: redacting accuses nobody, and hides nobody.
func TestSameFindings(t *testing.T) {
	file, _ := plantedFile(t)
	out := filepath.Join(t.TempDir(), "out.mcpcap.jsonl")
	if got := inProcess(t.Context(), "redact", file, out); got.code != term.ExitFine {
		t.Fatal(got)
	}
	rules := func(file string) (all []string) {
		var report struct {
			Findings []struct {
				Rule  string
				Frame int
			}
		}
		if err := json.Unmarshal([]byte(inProcess(t.Context(), "check", "--json", file).out), &report); err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			all = append(all, f.Rule)
		}
		return all
	}
	if was, is := strings.Join(rules(file), " "), strings.Join(rules(out), " "); was != is || was == "" {
		t.Errorf("findings %s, were %s", is, was)
	}
}

func TestExportUsage(t *testing.T) {
	file, _ := plantedFile(t)
	for says, args := range map[string][]string{
		"unknown format":                  {"--format", "pdf"},
		"--filter does not go with bytes": {"--dir", "s2c", "--filter", "m:ping"},
		"go with bytes":                   {"--dir", "s2c", "--format", "har"},
		"--notes goes with":               {"--notes", "--format", "csv"},
		"unknown stream":                  {"--dir", "up"},
		"unknown end":                     {"--dir", "s2c", "--end", "middle"},
		"--path":                          {"--path", "x"},
		"--pattern":                       {"--pattern", "("},
		"filter: ":                        {"--filter", "lat>"},
		"is the original":                 {"-o", file, "--force"},
		"none does not exist":             {"-o", filepath.Join(file, "..", "none", "x.html")},
	} {
		if got := inProcess(t.Context(), append(append([]string{"export"}, args...), file)...); got.code != term.ExitUsage || !strings.Contains(got.err, says) || got.out != "" {
			t.Errorf("%q: %v\nwant %q", args, got, says)
		}
	}
	for name, begins := range map[string]string{"x.html": "<!doctype html>", "x.md": "## ", "x.har": `{"log":`, "x.csv": "n,", "x.txt": "● ", "x": "● ", "x.jsonl": `{"jsonrpc"`} {
		out := filepath.Join(t.TempDir(), name)
		got := inProcess(t.Context(), "export", "-o", out, file)
		text, err := os.ReadFile(out)
		if got.code != term.ExitFine || err != nil || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s: %v %v %.60q", name, got, err, text)
		}
	}
}
