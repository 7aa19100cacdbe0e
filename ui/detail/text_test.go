package detail_test

import (
	"encoding/json"
	"strings"
	"testing"

	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

// answering opens a pane on the answer of a tool that returns a text.
func answering(t *testing.T, text string) (*detail.Pane, *pane.Context) {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(quoted)+`}]}}`)
	p, c := detail.New(), s.Context()
	p.View(c, 60, 20, true)
	at(t, p, c, 1)
	exact(t, p, c)
	return p, c
}

const markdown = "# A *report*\n\nSome **strong** text, `code`.\n\n```go\nfunc main() { f(\"a\", 12) } // Why\n```\n> \x1b[31mred\x1b[m \u202eback\n"

// TestText holds what a string of an answer looks like as text, and that the same key
// shows the answer again.
func TestText(t *testing.T) {
	for name, text := range map[string]string{
		"text-markdown": markdown, "text-json": `{"a":[1,true],"b":"two\nlines"}`,
		"text-python": "import os\n\ndef f(x):\n    # Why\n    return \"a\"\n", "text-diff": "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", "text-plain": "one\ntwo\n",
	} {
		t.Run(name, func(t *testing.T) {
			p, c := answering(t, text)
			before := page(t, p, c, 60, 20)
			panetest.Do(t, p, c, keys.Text)
			shown := page(t, p, c, 60, 20)
			panetest.Sizes(t, p, c)
			for suffix, th := range map[string]*style.Theme{"-dark": style.New("", true, false), "-light": style.New("", false, false), "-no-colour": style.New("", true, true)} {
				c.Theme = th
				panetest.Tell(t, p, c, pane.RestyledMsg{})
				panetest.Golden(t, name+suffix, strings.Join(p.View(c, 60, 12, true), "\n"))
				if got := page(t, p, c, 60, 20); got != shown {
					t.Errorf("the text depends on the theme:\n%s\n%s", shown, got)
				}
			}
			panetest.Do(t, p, c, keys.Text)
			if after := page(t, p, c, 60, 20); !strings.Contains(after, `"jsonrpc": "2.0"`) || strings.Contains(before, "text of") {
				t.Errorf("the answer is not shown again:\n%s", after)
			}
		})
	}
}

// TestTextGoes holds when a text is not shown any more, and what is copied of it.
func TestTextGoes(t *testing.T) {
	shown := func(p *detail.Pane, c *pane.Context) bool {
		return strings.Contains(page(t, p, c, 60, 20), "text of .result")
	}
	p, c := answering(t, "one\ntwo\n")
	panetest.Do(t, p, c, keys.Text, keys.Down)
	if !shown(p, c) {
		t.Fatal("no text is shown")
	}
	if msgs := panetest.Do(t, p, c, keys.CopyValue); len(msgs) != 1 || msgs[0] != (pane.CopyMsg{What: "the value", Text: "two"}) {
		t.Errorf("copied %v", msgs)
	}
	panetest.Do(t, p, c, keys.NextTab, keys.PrevTab)
	if shown(p, c) {
		t.Error("another tab was shown, and the text is still there")
	}
	panetest.Do(t, p, c, keys.Text)
	at(t, p, c, 0)
	at(t, p, c, 1)
	if shown(p, c) {
		t.Error("another row was shown, and the text is still there")
	}
	p, c = answering(t, "one line")
	if msgs := panetest.Do(t, p, c, keys.Text); len(msgs) != 1 {
		t.Errorf("a frame without a text of several lines: %v", msgs)
	}
	if p.Disabled(c, keys.Text) != "" {
		t.Error("it is disabled")
	}
	panetest.Do(t, p, c, keys.NextTab, keys.NextTab, keys.NextTab)
	if why := p.Disabled(c, keys.Text); why == "" {
		t.Error("there is no JSON, and it is not disabled")
	}
}
