package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/session/check/compat"
	"wiretea/session/check/compat/compattest"
	"wiretea/session/mcp"
)

// faultConversation is one in which the server has a fault, as it was measured.
func faultConversation(f compat.Fault) string {
	var b strings.Builder
	at := 10
	say := func(stream string, text []byte) {
		fmt.Fprintf(&b, "%dms %s! %q\n", at, stream, text)
		at += 10
	}
	answer := func(method, id string) {
		if method == f.In() {
			say("s2c", compattest.Example(f, id))
		} else {
			say("s2c", append(compattest.Healthy(method, id), '\n'))
		}
	}
	b.WriteString("1ms proc start\n")
	say("c2s", []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n"))
	answer(mcp.Initialize, "1")
	say("c2s", []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"))
	say("c2s", []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n"))
	answer(mcp.ToolsList, "2")
	if f.In() == "" {
		say("s2c", compattest.Example(f, ""))
	}
	switch f {
	case compat.FinalLine:
		b.WriteString("70ms io eof s2c server\n71ms proc exit 0\n")
	case compat.NoNewline:
		b.WriteString("2s tick\n")
	}
	return b.String() + "70s end\n"
}

// TestBreaks checks that the finding of each fault of the table names the clients
// that break on that fault, and no others.
func TestBreaks(t *testing.T) {
	for f := range compat.ProbeExit {
		if f.Rule() == "" {
			continue
		}
		var want []string
		for _, v := range compat.Of(f).Verdicts(f.In() != "") {
			if v.Outcome.Breaks() {
				want = append(want, v.Client.String())
			}
		}
		slices.Sort(want)
		found := false
		for _, got := range analyze(parseConversation(t, faultConversation(f)).raw()).Findings() {
			if got.Rule != f.Rule() && (f != compat.ErrorNullID || got.Rule != "response-to-notification") {
				continue
			}
			found = true
			names := slices.Sorted(slices.Values(got.Breaks))
			if !slices.Equal(names, want) {
				t.Errorf("%s: %s breaks %q, measured were %q", f, got.Rule, names, want)
			}
		}
		if !found {
			t.Errorf("%s: not reported as %s", f, f.Rule())
		}
	}
}

// TestUnmeasured checks that a finding of a case that was not measured names nobody.
func TestUnmeasured(t *testing.T) {
	for name, answer := range map[string]string{
		"an id that is a fraction": `{"jsonrpc":"2.0","id":2.5,"result":{"tools":[]}}`,
		"an id that is an object":  `{"jsonrpc":"2.0","id":{},"result":{"tools":[]}}`,
		"a duplicate key":          `{"jsonrpc":"2.0","id":2,"id":2,"result":{"tools":[]}}`,
	} {
		text := faultConversation(compat.BlankLine)
		quoted := fmt.Sprintf("%q", append(compattest.Healthy(mcp.ToolsList, "2"), '\n'))
		if !strings.Contains(text, quoted) {
			t.Fatal("the conversation has no such answer")
		}
		text = strings.Replace(text, quoted, fmt.Sprintf("%q", answer+"\n"), 1)
		reported := false
		for _, got := range analyze(parseConversation(t, text).raw()).Findings() {
			if got.Rule == compat.BlankLine.Rule() {
				continue
			}
			reported = true
			if len(got.Breaks) > 0 && compat.Reported(got.Rule) != 0 {
				t.Errorf("%s: %s breaks %q, which nobody measured", name, got.Rule, got.Breaks)
			}
		}
		if !reported {
			t.Errorf("%s: not reported", name)
		}
	}
}
