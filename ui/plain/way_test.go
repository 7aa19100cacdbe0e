package plain_test

import (
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/panetest"
	"wiretea/ui/plain"
)

// TestWays holds that what did not go from one peer to the other is marked, in
// lines and in JSON.
func TestWays(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Injected(2, `{"jsonrpc":"2.0","id":"wiretea-a-1","method":"tools/list"}`)
	s.Server(3, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.Taken(4, `{"jsonrpc":"2.0","id":"wiretea-a-1","result":{"tools":[]}}`)
	c := s.Context()
	for _, asJSON := range []bool{false, true} {
		var out strings.Builder
		p := plain.Printer{Out: &out, Log: c.Log, JSON: asJSON}
		if err := p.Print(c.Snap, true); err != nil {
			t.Fatal(err)
		}
		want := []string{"→ req", "↦ req ", "← res", "⇤ res "}
		words := []string{"", "injected, not the client's", "", "taken out, the client did not get it"}
		if asJSON {
			want = []string{`"stream":"c2s","kind"`, `"stream":"c2s","way":"out"`, `"stream":"s2c","kind"`, `"stream":"s2c","way":"in"`}
			words = make([]string, 4)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != len(want) {
			t.Fatalf("%d lines:\n%s", len(lines), out.String())
		}
		for i, line := range lines {
			if !strings.Contains(line, want[i]) || !strings.HasSuffix(strings.TrimRight(line, " "), words[i]) {
				t.Errorf("line %d is %s", i, line)
			}
		}
	}
}

// TestWaits holds that what a policy asks about, or holds, is not said to be refused when it comes.
func TestWaits(t *testing.T) {
	for by, want := range map[string]string{
		"policy: sums; asked": "waits for a decision (policy: sums; asked)",
		"policy: words; held": "waits for a decision (policy: words; held)",
		"policy: no-shell":    "held back, the server did not get it (policy: no-shell)",
		"hold: m:tools/call":  "held back, the server did not get it (hold: m:tools/call)",
	} {
		s := panetest.New(t)
		s.Decided(1, session.C2S, session.WayIn, by, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}`)
		c, out := s.Context(), strings.Builder{}
		if err := (&plain.Printer{Out: &out, Log: c.Log}).Print(c.Snap, true); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}
