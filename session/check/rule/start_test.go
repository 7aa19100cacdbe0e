package rule_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"wiretea/session/check/rule"
	"wiretea/ui/cli"
)

// parsedTexts is the exit code of a wiretea that parsed the texts of the rules.
const parsedTexts = 99

// TestMain lets the test start this binary as wiretea, and as its server.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("RULES_AS_WIRETEA") == "":
		os.Exit(m.Run())
	case os.Args[1] == "server":
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}`)
		}
		os.Exit(0)
	}
	code := cli.Main(os.Args[1:])
	if rule.Parsed {
		code = parsedTexts
	}
	os.Exit(code)
}

// TestStartParsesNoTexts holds that neither version nor a tee whose session has no finding
// parses the texts of the rules.
func TestStartParsesNoTexts(t *testing.T) {
	for args, want := range map[string]int{
		"version":                          0,
		"tee -- " + os.Args[0] + " server": 0,
		"rules stdout-not-json":            parsedTexts,
	} {
		cmd := exec.Command(os.Args[0], strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "RULES_AS_WIRETEA=1", "HOME="+t.TempDir())
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}` + "\n")
		out, err := cmd.CombinedOutput()
		var exited *exec.ExitError
		if err != nil && !errors.As(err, &exited) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit code %d, want %d\n%s", args, got, want, out)
		}
	}
}
