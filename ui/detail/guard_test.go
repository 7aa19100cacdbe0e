package detail

import (
	"strings"
	"testing"
	"unicode"

	"wiretea/session"
)

// TestGuardEnvironment checks that a copied line has no name of an environment variable
// that means anything else to a shell: it comes from a recording.
func TestGuardEnvironment(t *testing.T) {
	h := session.Header{Cmd: []string{"server"}, EnvKeys: []string{
		"API_KEY", "A}$(touch /tmp/x)", "B;id", "C D", "E`id`", "F\nid", "G\x1b[201~", "H-x", "I.x", "J/x", "K=x", "L:x", "M@x", "N%x", "O+x", "P,x", "$(id)", "", "'", "\"",
	}}
	const want = `wiretea call ping --env API_KEY -- server`
	if got := CallLine(&h, "", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), nil); got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	h.Cmd, h.Cwd = []string{"server", "a'b", "$(id)", "x\x1b[201~\nid", "\u202e"}, "/tmp/$(id)\x1b"
	got := CallLine(&h, "", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), nil)
	if strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("the line has characters that are not visible: %q", got)
	}
}
