//go:build unix

package cli

import (
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// subscribed is what a server in sh says: its handshake, and the beginning of a
// subscription, of either era.
var subscribed = map[string]string{
	"modern": `read -r probe
say '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"subscribe":true}},"ttlMs":0,"cacheScope":"private"}}'
read -r listen
say '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'
`,
	"legacy": `read -r initialize
say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}}'
read -r initialized
read -r subscribe
say '{"jsonrpc":"2.0","id":2,"result":{}}'
`,
}

// tidings are what it says then.
const tidings = `say '{"jsonrpc": "2.0","method":"notifications/resources/updated","params":{"uri":"t://1","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'
say '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"t://2","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'
`

// subscription are the words of call for a subscription at a server in sh.
func subscription(era, then string, flags ...string) []string {
	words := []string{"call", "--no-record", "-q", "--era", era}
	if era == "modern" {
		words = append(words, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["t://"]}}`)
	} else {
		words = append(words, "resources/subscribe", `{"uri":"t://"}`)
	}
	return append(append(words, flags...), "--", "sh", "-c", `say() { printf '%s\n' "$1"; }
`+subscribed[era]+tidings+then)
}

// TestCallListens holds that the notifications of a subscription are printed as
// they come, in either era, and how it ends.
func TestCallListens(t *testing.T) {
	t.Parallel()
	const more = `"params":{"uri":"t://1","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`
	exact := `{"jsonrpc": "2.0","method":"notifications/resources/updated",` + more + "\n"
	for name, tt := range map[string]struct {
		era, then string
		flags     []string
		code      int
		out, says string
		most      int // most are the lines of out.
	}{
		"the server ends it": {era: "modern", then: `say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'; cat >/dev/null`,
			out: exact + `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"t://2",`, says: "the server has ended the subscription", most: 3},
		"the server cancels it": {era: "modern", then: `say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}'; cat >/dev/null`,
			out: `"requestId":2`, says: "the server has ended the subscription", most: 4},
		"it cancels another": {era: "modern", then: `say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'; exit 3`,
			code: term.ExitServer, out: `"requestId":7`, says: "exited with code 3, ", most: 4},
		"texts": {era: "modern", flags: []string{"--text"}, then: `say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'; cat >/dev/null`,
			out: "notifications/subscriptions/acknowledged\nnotifications/resources/updated t://1\nnotifications/resources/updated t://2\n", says: "has ended", most: 3},
		"raw": {era: "modern", flags: []string{"--raw"}, then: `say '{"jsonrpc":"2.0",
 "method":"notifications/x"}'; say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'; cat >/dev/null`,
			code: term.ExitFound, out: `{"jsonrpc":"2.0",` + "\n " + `"method":"notifications/x"}`, says: "has ended", most: 5},
		"over two lines": {era: "modern", then: `say '{"jsonrpc":"2.0",
 "method":"notifications/x"}'; say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'; cat >/dev/null`,
			code: term.ExitFound, out: "\n" + `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n", says: "has ended", most: 4},
		"pretty":       {era: "legacy", flags: []string{"--pretty"}, then: `exit 3`, code: term.ExitServer, out: "{\n  \"jsonrpc\": \"2.0\",\n", says: "exited with code 3, ", most: 100},
		"the time":     {era: "legacy", flags: []string{"--timeout", "6s"}, then: `cat >/dev/null`, out: exact, most: 2},
		"its own time": {era: "modern", flags: []string{"--timeout", "tools/call=1ms", "--timeout", "subscriptions/listen=6s"}, then: `cat >/dev/null`, out: exact, most: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := wiretea(t, "", subscription(tt.era, tt.then, tt.flags...)...)
			if o.code != tt.code || !strings.Contains(o.out, tt.out) || !strings.Contains(o.err, tt.says) || strings.Count(o.out, "\n") > tt.most {
				t.Errorf("want exit code %d, %q and %q:\n%v", tt.code, tt.out, tt.says, o)
			}
			if tt.says == "" && o.err != "" {
				t.Errorf("it says %s", o.err)
			}
		})
	}
}

// TestCallListensInVain holds that a server that refuses a subscription, or says
// nothing to it, is told of as with any other request.
func TestCallListensInVain(t *testing.T) {
	t.Parallel()
	o := wiretea(t, "", "call", "--no-record", "subscriptions/listen", `{"notifications":{}}`, "--", "wiretea", "demo", "--server", "legacy")
	if o.code != term.ExitFound || o.out != "" || !strings.Contains(o.err, "error -32601") {
		t.Errorf("refused: %v", o)
	}
	before, _, _ := strings.Cut(subscribed["modern"], "read -r listen")
	o = wiretea(t, "", "call", "--no-record", "--era", "modern", "--timeout", "subscriptions/listen=200ms", "subscriptions/listen", "--",
		"sh", "-c", `say() { printf '%s\n' "$1"; }
`+before+"cat >/dev/null")
	if o.code != term.ExitTimeout || o.out != "" || !strings.Contains(o.err, "did not answer subscriptions/listen within 200ms") || !strings.Contains(o.err, "not acknowledged") {
		t.Errorf("silence: %v", o)
	}
}

// TestCallListensUntilTold holds that ctrl-c ends a subscription in order, and that
// what the server still says then is printed.
func TestCallListensUntilTold(t *testing.T) {
	for era, then := range map[string]string{
		"modern": `read -r cancelled; say '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"t://last","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}'; cat >/dev/null`,
		"legacy": `cat >/dev/null; say '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"t://last"}}'`,
	} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			code, out := onTerminal(t, [][2]string{{"updated t://2", "\x03"}}, subscription(era, then, "--text")...)
			if code != term.ExitFine || !strings.Contains(out, "updated t://1") || !strings.Contains(out, "updated t://last") {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
}
