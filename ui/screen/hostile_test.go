package screen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// evils are texts that a peer may send to take over the terminal, or to bring
// its lines into disorder.
var evils = []struct{ name, text string }{
	{"clear", "a\x1b[2J\x1b[Hb"},
	{"title", "\x1b]2;owned\x07"},
	{"clipboard", "\x1b]52;c;b3duZWQ=\x07"},
	{"alternate", "\x1b[?1049l\x1b[?25h\x1bc"},
	{"mouse", "\x1b[?1000l\x1b[?2004l\x1b[>4;2m"},
	{"query", "\x1b[6n\x1b[c\x1b]11;?\x1b\\\x1bP+q41\x1b\\"},
	{"link", "\x1b]8;;http://evil/\x1b\\x\x1b]8;;\x1b\\"},
	{"c1", "a\u009b2Jb\u009dx\u009c"},
	{"controls", "a\x07\x08\x09\x0b\x0c\x0d\x0e\x0f\x00\x7fb"},
	{"bidi", "a\u202eb\u2066c\u200fd\u061cשלום"},
	{"zero", "a\u200bb\u200dc\ufeffd\u2060e"},
	{"combining", "e\u0301" + strings.Repeat("\u0300", 50) + "x"},
	{"wide", "世界한국語ｆｕｌｌ"},
	{"emoji", "👩\u200d👩\u200d👧\u200d👦👍🏽❤️🇩🇪⚠️☕️1️⃣🏴\u200d☠️"},
	{"indic", "स्ते क्षि ක්\u200dෂ"},
	{"lines", "a\u2028b\u2029c\u0085d\ne"},
	{"long", strings.Repeat("x", 10_000)},
}

// measured are the texts whose width depends on how the terminal measures.
var measured = map[string]bool{"bidi": true, "zero": true, "combining": true, "wide": true, "emoji": true, "indic": true}

// evil writes a session in which everything that a peer chooses is a text.
func evil(t *testing.T, text string) source.Source {
	q, _ := json.Marshal(text) // a string always marshals
	s := panetest.New(t)
	s.Header().Cmd = []string{text, text}
	s.Header().Cwd = "/" + text
	s.Proc(0, session.Proc{Event: "start", PID: 4711, FDs: []string{text, "pipe", "pipe"}})
	s.Client(1, initialize)
	s.Server(2, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%[1]s,"capabilities":{%[1]s:{},"tools":{}},"serverInfo":{"name":%[1]s,"version":%[1]s,"title":%[1]s},"instructions":%[1]s}}`, q))
	s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.Client(4, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.Server(5, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":%[1]s,"title":%[1]s,"description":%[1]s,"inputSchema":{"type":"object","properties":{%[1]s:{"type":%[1]s,"description":%[1]s}}}}]}}`, q))
	s.Client(6, fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]s,"method":"tools/call","params":{"name":%[1]s,"arguments":{%[1]s:%[1]s}}}`, q))
	s.Server(7, fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]s,"result":{"content":[{"type":"text","text":%[1]s}]}}`, q))
	s.Client(8, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%[1]s,"params":{}}`, q))
	s.Server(9, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":%[1]s,"data":%[1]s}}`, q))
	s.Server(10, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%[1]s,"logger":%[1]s,"data":%[1]s}}`, q))
	s.Server(11, fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]s,"method":%[1]s}`, q))
	s.Server(12, text)
	s.Stderr(13, text)
	s.Stderr(14, `{"level":`+string(q)+`,"msg":`+string(q)+`}`)
	s.Proc(15, session.Proc{Event: "signal", Signal: text, By: text})
	s.Proc(16, session.Proc{Event: "failed", Err: text})
	s.Proc(17, session.Proc{Event: "exit", Code: -1, Signal: text})
	s.End()
	return sourceOf(s, text)
}

// TestHostile holds that what a peer sends is shown and never obeyed, in every
// pane, and leaves every line in its place, however the terminal measures.
func TestHostile(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		t.Run(fmt.Sprintf("clusters=%t", clusters), func(t *testing.T) {
			t.Cleanup(func() { cells.Clusters(false) })
			for _, e := range evils {
				if clusters && !measured[e.name] {
					continue
				}
				t.Run(e.name, func(t *testing.T) {
					t.Parallel()
					lookAround(t, e.text, clusters)
				})
			}
		})
	}
}

// lookAround goes through all that there is to see of an evil session.
func lookAround(t *testing.T, text string, clusters bool) {
	s := termtest.Run(t, screen.New(screen.Options{Sources: []source.Source{evil(t, text)}, Dark: true}), 150, 45,
		termtest.SessionOptions{Terminal: termtest.Options{Graphemes: clusters}})
	s.WaitText("─ findings ")
	s.Keys("G")
	waitRow(s, " ● ")
	if clusters {
		// The renderer begins to measure so with what it draws next.
		s.WaitTerminal(func(term *termtest.Terminal) bool { return term.Mode(2027) })
	}
	s.Keys("g")
	waitRow(s, " 1 ")
	untouched(t, s)
	// Every frame, with one of the tabs of its detail or another.
	for i := range 18 {
		s.Keys("j", "enter")
		for range i % 5 {
			s.Keys("}")
		}
		untouched(t, s)
		s.Keys("esc")
	}
	for _, key := range []string{"s", "T", "P", "!", "S"} {
		s.Keys(key, "j", "j", "l", "\\")
		untouched(t, s)
		s.Keys("\\", "esc")
	}
	s.Keys("esc", "f", "tab")
	untouched(t, s)
	s.Keys("esc", "?")
	s.WaitText("help")
	s.Keys("esc", "/")
	s.Type("jsonrpc\r")
	s.WaitText("initialize")
	untouched(t, s)
}

// TestHostileMerged holds the same of what is shown of several sessions at once.
func TestHostileMerged(t *testing.T) {
	for _, e := range evils {
		if e.name != "clear" && e.name != "bidi" && e.name != "lines" {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			s := show(t, 150, 45, screen.Options{Merged: true}, evil(t, e.text), evil(t, e.text))
			s.WaitText("2 sessions on one clock")
			s.WaitText("✖ A")
			untouched(t, s)
			s.Keys("g", "j", "w", "enter", "}", "esc")
			untouched(t, s)
			for _, key := range []string{"t", "s", "T", "P", "!"} {
				s.Keys(key, "j", "l", "\\")
				untouched(t, s)
				s.Keys("\\", "esc")
			}
		})
	}
}

// untouched checks, once all keys have been handled, that the terminal is the screen's alone,
// and in order.
func untouched(t *testing.T, s *termtest.Session) {
	t.Helper()
	s.Settle()
	sane(t, s)
	s.Terminal(func(term *termtest.Terminal) {
		whole(t, term)
		if !term.AltScreen() || !term.Mode(2004) || !term.Mode(1002) || term.Clipboard() != "" ||
			!strings.HasPrefix(term.Title(), "wiretea · ") || strings.ContainsAny(term.Title(), "\x1b\a\n") {
			t.Errorf("the terminal was taken over: modes %v, clipboard %q, title %q", term.Modes(), term.Clipboard(), term.Title())
		}
		w, h := term.Size()
		for y := range h {
			for x := range w {
				if _, style := term.Cell(x, y); style.Link != "" {
					t.Fatalf("there is a link to %s", style.Link)
				}
			}
		}
	})
}
