//go:build unix

package cli

import (
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestAttachSendTask holds that attach --send --task follows a task to its result,
// in either era, of which the client gets nothing, and says where it cannot.
func TestAttachSendTask(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			c := startBrewer(t, era)
			send := func(args ...string) outcome {
				return wiretea(t, "", append([]string{"attach", "--sessions", c.dir, "--yes"}, args...)...)
			}
			const brew = `tools/call {"name":"brew","arguments":{"seconds":0.1}}`
			o := send("--task", "--task-ttl", "1m30s", "--send", brew, "tea")
			if o.code != term.ExitFine || !strings.Contains(o.out, `"text":"A cup of green tea."`) || strings.Count(o.out, "\n") != 1 ||
				!strings.Contains(o.err, "task brew-1 working") || !strings.Contains(o.err, "as task brew-1: answered after") {
				t.Errorf("a task: %v", o)
			}
			o = send("--task", "--send", `tools/call {"name":"nothing"}`, "tea")
			if o.code != term.ExitFound || !strings.Contains(o.out, `"code":-32602`) || !strings.Contains(o.err, "answered with an error") {
				t.Errorf("an unknown tool: %v", o)
			}
			for says, args := range map[string][]string{
				"a whole message goes as it is":             {"--task", "--send", `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
				"notifications/cancelled is a notification": {"--task", "--send", "notifications/cancelled"},
				"--task go with --send":                     {"--task"},
				"--task-ttl goes with --task":               {"--task-ttl", "1s", "--send", brew},
			} {
				if o := send(append(args, "tea")...); o.code != term.ExitUsage || !strings.Contains(o.err, says) || o.out != "" {
					t.Errorf("%q: %v", args, o)
				}
			}
			if rest := c.talk([]byte{}); rest.code != 0 || strings.Contains(strings.Join(c.got, "\n")+rest.out, `"id":"wiretea-`) {
				t.Errorf("the client got %q and %+v", c.got, rest)
			}
			if era == "legacy" {
				recordedLine(t, c.file, `"task":{"ttl":90000}`)
			}
		})
	}
}
