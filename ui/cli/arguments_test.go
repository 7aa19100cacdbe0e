package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wiretea/ui/cli/term"
)

// TestArgumentsHinted holds that whatever words are behind a command, one line
// says what is wrong and one what to write instead.
func TestArgumentsHinted(t *testing.T) {
	t.Parallel()
	var lines [][]string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		if cmd.Name() != "demo" { // whose words are names that may be
			lines = append(lines, append(path, "no-such-word", "nor-this-one", "nor-that"))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	lines = append(lines, []string{"export"}, []string{"completion", "tcsh"}, []string{"run", "http://localhost:3000/mcp", "word"},
		[]string{"open", "--merged", "--plain", "a", "b"}, []string{"open", "--merged", "a", "b"}, []string{"help", "sessions", "nope"}, []string{"call", "tools/list", "--header", "secret", "--", "https://example.com/mcp"})
	for _, line := range lines {
		if line[0] == "run" && len(line) == 4 || line[0] == "tee" || line[0] == "drill" {
			continue // those words are a server's command
		}
		var out, errw bytes.Buffer
		code := runMain(t.Context(), line, strings.NewReader(""), &out, &errw)
		said := strings.SplitAfter(errw.String(), "\n")
		if n := len(said); code != term.ExitUsage || n < 3 || !strings.HasPrefix(said[n-3], "wiretea: ") || !strings.HasPrefix(said[n-2], "  hint: ") || slices.Contains(line, "--merged") && n > 3 {
			t.Errorf("%q: exit code %d: %s", line, code, &errw)
		}
	}
}

// TestNegativesRefused holds that no flag of any command takes a negative number or
// duration.
func TestNegativesRefused(t *testing.T) {
	t.Parallel()
	var lines [][]string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value := "-1"
			switch kind := f.Value.Type(); {
			case kind == "duration", kind == "[METHOD=]DURATION":
				value = "-1s"
			case !slices.Contains([]string{"int", "int64", "uint64", "float64", "SIZE", "SIZES", "AGE"}, kind):
				return
			}
			lines = append(lines, append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name+"="+value, "a.mcpcap.jsonl"))
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	if len(lines) < 30 {
		t.Fatalf("only %d flags found", len(lines))
	}
	for _, line := range lines {
		flag, value, _ := strings.Cut(line[len(line)-2], "=")
		var out, errw bytes.Buffer
		code := runMain(t.Context(), line, strings.NewReader(""), &out, &errw)
		said := strings.Split(errw.String(), "\n")
		if code != term.ExitUsage || len(said) != 3 || !strings.HasPrefix(said[0], "wiretea: "+flag+": ") || !strings.Contains(said[0], value) || !strings.HasPrefix(said[1], "  hint: ") || strings.Contains(said[0], "whole number") {
			t.Errorf("%q: exit code %d: %s", line, code, &errw)
		}
	}
}

// TestEmptyRecordingName holds that a recording without a name is told of as that.
func TestEmptyRecordingName(t *testing.T) {
	t.Parallel()
	for _, line := range [][]string{{"check", ""}, {"open", "--plain", ""}, {"export", ""}, {"redact", "", "x"}, {"scan", ""}, {"diff", "", ""}, {"mock", ""}, {"replay", "", "--", "true"},
		{"sessions", "show", ""}, {"sessions", "cat", ""}, {"sessions", "rm", ""}, {"sessions", "repair", ""}, {"sessions", "compress", ""}} {
		var out, errw bytes.Buffer
		if code := runMain(t.Context(), line, strings.NewReader(""), &out, &errw); code != term.ExitUsage || !strings.HasPrefix(errw.String(), "wiretea: the name of the recording is empty\n") {
			t.Errorf("%q: exit code %d: %s", line, code, &errw)
		}
	}
}

// TestVersionFlag holds that who asks for the version by a flag is told the command.
func TestVersionFlag(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--version", "-v", "-V"} {
		var out, errw bytes.Buffer
		if code := runMain(t.Context(), []string{flag}, strings.NewReader(""), &out, &errw); code != term.ExitUsage || !strings.HasSuffix(errw.String(), "\n  hint: wiretea version prints the version\n") {
			t.Errorf("%s: exit code %d: %s", flag, code, &errw)
		}
	}
}

// TestFlagsThatGoTogether holds that a flag is refused without the one that it is about.
func TestFlagsThatGoTogether(t *testing.T) {
	t.Parallel()
	for want, line := range map[string][]string{
		"--parallel goes with --repeat": {"call", "ping", "--parallel", "4", "--", "no-such-server"},
		"--task-ttl goes with --task":   {"call", "ping", "--task-ttl", "5s", "--", "no-such-server"},
		"--pace goes with --send":       {"run", "--plain", "--pace", "1s", "--", "no-such-server"},
	} {
		var out, errw bytes.Buffer
		if code := runMain(t.Context(), line, strings.NewReader(""), &out, &errw); code != term.ExitUsage || !strings.HasPrefix(errw.String(), "wiretea: "+want+"\n  hint: ") {
			t.Errorf("%q: exit code %d: %s", line, code, &errw)
		}
	}
}
