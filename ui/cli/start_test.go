package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"wiretea/session/lazy"
)

// slowStarts are the packages whose initialisation may take longer than startBound,
// each with the reason why the program has it.
var slowStarts = map[string]string{
	"github.com/klauspost/compress/internal/snapref": "zstd imports it for a checksum table",
	"github.com/atotto/clipboard":                    "bubbles/textinput imports it; it looks for programs in PATH",
	"github.com/dlclark/regexp2/v2/syntax":           "the regular expressions of chroma's lexers; tables of Unicode",
	"github.com/BurntSushi/toml/internal":            "loads the local time zone",
	"go.yaml.in/yaml/v3":                             "the files of Goose and Continue; tables of its resolver",
	"github.com/charmbracelet/x/ansi":                "what Bubble Tea draws with; tables",
	"github.com/charmbracelet/x/ansi/parser":         "what Bubble Tea draws with; the table of the parser",
}

// startBound is how many milliseconds the initialisation of a package may take on a
// machine that takes 0.06 ms for the one of startReference. A slower machine gets
// more in proportion.
const (
	startBound     = 0.05
	startReference = "github.com/dlclark/regexp2/v2/syntax"
)

// TestInitIsCheap holds that no package builds at the start of every process what
// only some of them use: no regular expression, table, schema or style. Packages
// are measured until each has been fast once, on a busy machine many times.
func TestInitIsCheap(t *testing.T) {
	const mostRuns = 200
	best := map[string]float64{}
	bound := startBound
	for run := range mostRuns {
		slow := false
		for pkg, ms := range initTimes(t) {
			if had, ok := best[pkg]; !ok || ms < had {
				best[pkg] = ms
			}
		}
		bound = startBound * max(1, best[startReference]/0.06)
		for pkg, ms := range best {
			slow = slow || ms > bound && slowStarts[pkg] == ""
		}
		if !slow && run >= 2 {
			break
		}
	}
	if len(best) < 20 {
		t.Fatalf("only %d packages are initialised: %v", len(best), best)
	}
	for pkg, ms := range best {
		switch reason := slowStarts[pkg]; {
		case ms <= bound:
		case reason == "":
			t.Errorf("the initialisation of %s takes %.3f ms, want at most %.3f: build it when it is first used", pkg, ms, bound)
		default:
			t.Logf("%.3f ms  %s: %s", ms, pkg, reason)
		}
	}
}

// initialised are our packages that do something before main runs, each with its reason.
var initialised = map[string]string{
	"wiretea/session/jsonrpc":   "secrets of hashes and a table for each byte, which are read more often than anything",
	"wiretea/session/transport": "which signals are ignored has to be known before the first is caught",
}

// TestNothingBeforeMain holds that our packages lay out their variables when they are
// compiled: code that runs in each of them before main is half a millisecond of every start.
// See package lazy.
func TestNothingBeforeMain(t *testing.T) {
	for pkg := range initTimes(t) {
		// Test binaries have more in ui/cli, and kits of tests.
		if strings.HasPrefix(pkg, "wiretea/") && pkg != "wiretea/ui/cli" && !strings.HasSuffix(pkg, "test") && initialised[pkg] == "" {
			t.Errorf("%s runs code before main: see package lazy", pkg)
		}
	}
}

// tellingStart is the program, which says when it reads one of the embedded tables.
func tellingStart() {
	lazy.OnTable = func() { fmt.Fprintln(os.Stderr, "read a table") }
	os.Exit(Main(os.Args[1:]))
}

// TestStartReadsNoTable holds that commands whose start must not take time parse none of the
// embedded tables: they are for findings, clients' files and what is redacted.
func TestStartReadsNoTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct {
		args  []string
		reads bool
	}{
		{[]string{"version"}, false},
		{[]string{"tee", "--sessions", dir, "--", "cat"}, false},
		{[]string{"clients"}, true},
		{[]string{"rules", "stdout-not-json"}, true},
	} {
		cmd := exec.Command("tellingstart", test.args...)
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Run(); err != nil || strings.Contains(said.String(), "read a table") != test.reads {
			t.Errorf("%q: %v, %s", test.args, err, said.String())
		}
	}
}

// initTimes runs the program once and returns how long the initialisation of each
// package took, in milliseconds.
func initTimes(t *testing.T) map[string]float64 {
	t.Helper()
	cmd := exec.Command("wiretea", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	times := map[string]float64{}
	for line := range strings.Lines(trace.String()) {
		// init PACKAGE @0.25 ms, 0.03 ms clock, 496 bytes, 9 allocs
		if words := strings.Fields(line); len(words) > 5 && words[0] == "init" {
			ms, err := strconv.ParseFloat(words[4], 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			times[words[1]] = ms
		}
	}
	return times
}
