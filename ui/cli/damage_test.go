package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/export"
	"wiretea/recorder/recordertest"
	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

// TestDamageIsTold damages a line of a recording, and then its end, with and without
// secrets elsewhere: each command that judges or converts recordings says so in what it
// writes, in every format, and those that judge do in their exit codes.
func TestDamageIsTold(t *testing.T) {
	var whole strings.Builder
	if err := recordertest.Generate(&whole, recordertest.Options{Frames: 40, Faults: -1}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	lines := strings.SplitAfter(strings.TrimSuffix(whole.String(), "\n"), "\n")
	secret := strings.Replace(lines[2], "listening on stdio", "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789 on", 1)
	secret = regexp.MustCompile(`,"len":\d+`).ReplaceAllString(secret, "")
	for name, spoil := range map[string]func(lines []string){
		"damaged":              func(lines []string) { lines[9] = lines[9][:len(lines[9])/2] + "\n" },
		"damaged, with secret": func(lines []string) { lines[9], lines[2] = "garbage\n", secret },
		"everything": func(lines []string) {
			copy(lines[1:], strings.SplitAfter(strings.Repeat("garbage\n", len(lines)-1), "\n"))
		},
		"incomplete": func(lines []string) {
			at := regexp.MustCompile(`"n":\d+,"t":\d+`)
			lines[9] = `{"k":"gap",` + at.FindString(lines[9]) + `,"d":"s2c","bytes":4444,"why":"disk"}` + "\n"
			last := len(lines) - 1
			lines[last] = `{"k":"end",` + at.FindString(lines[last]) + `,"frames":40,"bytes":9000,"lost":4444,"why":"eof"}` + "\n"
		},
		"torn":              func(lines []string) { lines[len(lines)-1] = lines[len(lines)-1][:20] },
		"torn, with secret": func(lines []string) { lines[len(lines)-1], lines[2] = `{"k"`, secret },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "20261120-100000-x-1.mcpcap.jsonl")
			spoiled := append([]string{}, lines...)
			spoil(spoiled)
			writeFile(t, file, strings.Join(spoiled, ""))
			told(t, file, strings.SplitN(name, ",", 2)[0])
			copied := file + ".copy.mcpcap.jsonl"
			if got := inProcess(t.Context(), "redact", file, copied); got.code != term.ExitFine {
				t.Fatal(got)
			}
			told(t, copied, strings.SplitN(name, ",", 2)[0])
		})
	}
}

// told holds that every command tells of the damage of a file.
func told(t *testing.T, file, damage string) {
	t.Helper()
	words, worst := []string{"of the recording cannot be read", "recording-damaged", "of the recording is not a record"}, term.ExitFound
	switch damage {
	case "torn":
		words, worst = []string{"the recording ends within a record", "recording-torn"}, term.ExitFine
	case "incomplete":
		words = []string{"could not be recorded", "recording-incomplete"}
	}
	says := func(want int, args ...string) {
		t.Helper()
		got := inProcess(t.Context(), append(args, file)...)
		found := got.code == term.ExitFound && args[0] == "export" && strings.Contains(got.err, words[0])
		for _, w := range words {
			found = found || strings.Contains(got.out, w)
		}
		if !found || got.code != want && args[0] != "export" {
			t.Errorf("%q does not tell of the damage: %v", args, got)
		}
	}
	for _, name := range report.Formats() {
		says(worst, "check", "--format", name)
		says(worst, "check", "--format", name) // An index changes nothing.
	}
	for _, name := range export.Names() {
		if name == "curl" {
			continue // It is not a session over HTTP.
		}
		says(term.ExitFine, "export", "--format", name)
		says(term.ExitFine, "export", "--format", name, "--with-secrets")
	}
	says(term.ExitFine, "open", "--plain")
	says(term.ExitFine, "sessions", "show")
	says(term.ExitFine, "sessions", "show", "--json")
	says(term.ExitFine, "diff", file)
	if got := inProcess(t.Context(), "diff", "--json", file, file); !regexp.MustCompile(`"(damagedLines|tornBytes|lost)": [1-9]`).MatchString(got.out) {
		t.Errorf("diff does not tell of the damage: %v", got)
	}
	if damage != "everything" {
		replayed(t, file, words[0])
	}
	if damage == "incomplete" {
		list := inProcess(t.Context(), "sessions", "ls", "--sessions", filepath.Dir(file))
		if !strings.Contains(list.out, "4.4 kB not recorded") {
			t.Errorf("the list does not tell of the loss: %v", list)
		}
	}
	if strings.Contains(file, ".copy.") || damage == "incomplete" {
		return // What it lacks cannot hold a secret.
	}
	for _, args := range [][]string{{"scan"}, {"scan", "--json"}} {
		if got := inProcess(t.Context(), append(args, file)...); got.code != term.ExitFound || !strings.Contains(got.out+got.err, map[bool]string{true: `"kind":"unreadable"`, false: "could not be read and may contain secrets"}[len(args) > 1]) {
			t.Errorf("%q passes: %v", args, got)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// replayed holds that replay and mock tell of what a recording lacks, in each format.
func replayed(t *testing.T, file, words string) {
	t.Helper()
	junit := filepath.Join(t.TempDir(), "junit.xml")
	for _, args := range [][]string{{}, {"--json", "--junit", junit}} {
		got := inProcess(t.Context(), slices.Concat([]string{"replay", "--no-record"}, args, []string{file, "--", "true"})...)
		if !strings.Contains(got.out, words) {
			t.Errorf("replay %q does not tell of the damage: %v", args, got)
		}
	}
	if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), `<property name="missing" value="`) {
		t.Errorf("%s, %v", text, err)
	}
	var out, errw bytes.Buffer
	runMain(t.Context(), []string{"mock", "--quiet", file}, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`+"\n"), &out, &errw)
	if !strings.Contains(out.String(), "the recording lacks a part of the session") || !strings.Contains(errw.String(), words) {
		t.Errorf("mock does not tell of the damage: %s, %s", &out, &errw)
	}
}
