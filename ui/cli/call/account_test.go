package call

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/cli/term"
	"wiretea/ui/panetest"
)

// TestAccount checks that call gives the diagnosis of a recording as its account, in
// its words and with its severity, whatever became of the request. The recordings are
// the conversations of the rules' tests; TestAccounts of package cli has the accounts
// of the other commands.
func TestAccount(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "session", "check", "testdata", "*", "*.txtar"))
	if err != nil || len(files) < 300 {
		t.Fatalf("%d conversations: %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			c := panetest.Conversation(t, file)
			d := analysis.Diagnose(c.Snap, c.Log, nil)
			for _, why := range []error{nil, client.ErrClosed, &noConnection{client.ErrClosed}, &client.RPCError{Code: -32603, Message: "out of tea"}, &client.TimeoutError{Method: "tools/list", After: time.Second}} {
				a := account{req: &callRequest{method: "tools/list"}, s: c.Snap, log: c.Log}
				var out bytes.Buffer
				code := a.write(t.Context(), &out, why)
				text := out.String()
				unanswered := strings.HasPrefix(text, "wiretea: the server did not answer tools/list within 1s\n") && errors.Is(why, client.ErrTimeout) && silent(d.Cause)
				if !strings.Contains(text, term.Visible(d.Sentence)) && !unanswered {
					t.Errorf("after %v it does not say %q:\n%s", why, d.Sentence, text)
				}
				if why != nil {
					continue
				}
				if sign := map[bool]string{true: "✖ ", false: "⚠ "}[d.Severity == session.Error]; d.Empty() != (text == "") || !d.Empty() && !strings.HasPrefix(text, sign) {
					t.Errorf("the severity of %q is %v:\n%s", d.Sentence, d.Severity, text)
				}
				if d.Severity == session.Error && code != term.ExitFound {
					t.Errorf("the exit code is %d for an error", code)
				}
			}
		})
	}
}
