package inventory

import (
	"os"
	"strings"
	"testing"

	"wiretea/session/clientconfig"
)

// TestMissingCommand marks the entries whose programs are not there, and no others.
func TestMissingCommand(t *testing.T) {
	for command, want := range map[string]string{
		"no-such-program-4711": "in the PATH here is no program no-such-program-4711",
		"/no/such/program":     "there is no program /no/such/program",
		os.Args[0]:             "", "./server": "", "${HOME}/server": "", "": "",
	} {
		lines := ClientLines(clientconfig.File{Servers: []clientconfig.Server{{Name: "a", Command: command}}}, "")
		if got := strings.Contains(strings.Join(lines, "\n"), "no program"); got != (want != "") || !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("%q: %q", command, lines)
		}
	}
}
