package account

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/text"
	"wiretea/ui/panetest"
)

// TestAccount checks that the account of a recording is its diagnosis, in
// its words and with its severity, whatever became of the request. The recordings are
// the conversations of the rules' tests; TestAccounts of package cli has those of the
// commands.
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
			for _, why := range []error{nil, client.ErrClosed, &NoConnection{client.ErrClosed}, &client.RPCError{Code: -32603, Message: "out of tea"}, &client.TimeoutError{Method: "tools/list", After: time.Second}} {
				a := Of(t.Context(), Session{c.Snap, c.Log}, &Request{Title: "tools/list", Method: "tools/list"}, why)
				words := strings.Join(append(a.Lines, ""), "\n")
				for _, f := range a.Findings {
					words += text.Visible([]byte(f.Message), 0) + "\n"
				}
				unanswered := strings.HasPrefix(words, "wiretea: the server did not answer tools/list within 1s\n") && errors.Is(why, client.ErrTimeout) && silent(d.Cause)
				if !strings.Contains(words, text.Visible([]byte(d.Sentence), 0)) && !unanswered {
					t.Errorf("after %v it does not say %q:\n%s", why, d.Sentence, words)
				}
				if why != nil {
					continue
				}
				if d.Empty() != (words == "") || !d.Empty() && a.Findings[0].Severity != d.Severity {
					t.Errorf("the severity of %q is %v:\n%s", d.Sentence, d.Severity, words)
				}
				if d.Severity == session.Error && !a.Failed || a.Outcome != Answered {
					t.Errorf("failed %v, outcome %d", a.Failed, a.Outcome)
				}
			}
		})
	}
}
