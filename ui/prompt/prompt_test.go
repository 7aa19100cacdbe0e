package prompt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/prompt"
	"wiretea/ui/style"
)

// A screen keeps what is said.
type screen struct {
	host.Screen
	said string
}

func (s *screen) Say(_ session.Severity, text string) tea.Cmd { s.said = text; return nil }

// An asking is a prompt with what became of it.
type asking struct {
	*prompt.Prompt
	screen screen
	kind   prompt.Kind
	done   []string // done are the texts that were carried out, typed those that were typed.
	typed  []string
}

// ask returns a prompt for a word, which must not have a "!" in it.
func ask(settings *config.Settings) *asking {
	a := &asking{}
	a.kind = prompt.Kind{Sign: "word ", Note: "one word",
		Wrong: func(text string) error {
			if strings.Contains(text, "!") {
				return errors.New("no !")
			}
			return nil
		},
		Offer: func(text string) []string { return []string{text + "a", text + "b"} },
		Typed: func(text string) tea.Cmd { a.typed = append(a.typed, text); return nil },
		Do:    func(text string) tea.Cmd { a.done = append(a.done, text); return nil },
	}
	a.Prompt = prompt.New(&a.screen, settings)
	a.Open(&a.kind)
	return a
}

// press presses keys: names of two letters and more, or letters.
func (a *asking) press(names ...string) {
	codes := map[string]tea.KeyPressMsg{"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "backspace": {Code: tea.KeyBackspace}}
	for _, name := range names {
		msg, named := codes[name]
		if !named {
			msg = tea.KeyPressMsg{Text: name, Code: []rune(name)[0]}
		}
		a.Key(msg)
	}
}

// text is what is typed.
func (a *asking) text() string { text, _ := a.Text(&a.kind); return text }

// TestPrompt holds what keys make of the line.
func TestPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		text  string // text is what is in the line, "-" = it is closed.
		done  string
		shown string // shown is in the view.
	}{
		"nothing":         {nil, "", "", "one word"},
		"typed":           {[]string{"x", "y"}, "xy", "", "✔"},
		"done":            {[]string{"x", "enter"}, "-", "x", ""},
		"left":            {[]string{"x", "esc"}, "-", "", ""},
		"wrong":           {[]string{"x", "!", "enter"}, "x!", "", "✖ no !"},
		"mended":          {[]string{"x", "!", "enter", "backspace", "enter"}, "-", "x", ""},
		"completed":       {[]string{"x", "tab"}, "xa", "", "xa  xb"},
		"round":           {[]string{"x", "tab", "tab", "tab"}, "xa", "", "xa  xb"},
		"the other way":   {[]string{"x", "shift+tab"}, "xb", "", "xa  xb"},
		"completed twice": {[]string{"x", "tab", "y", "tab"}, "xaya", "", "xaya  xayb"},
		"back":            {[]string{"d", "up", "up"}, "first", "", "✔"},
		"back too far":    {[]string{"d", "up", "up", "up"}, "first", "", "✔"},
		"back and on":     {[]string{"d", "up", "up", "down", "down"}, "d", "", "✔"},
	} {
		var settings config.Settings
		settings.Remember("word ", "first")
		settings.Remember("word ", "second")
		a := ask(&settings)
		a.press(c.keys...)
		if c.text == "-" != !a.IsOpen() || a.IsOpen() && a.text() != c.text {
			t.Errorf("%s: %q, open: %t", name, a.text(), a.IsOpen())
		}
		if got := strings.Join(a.done, ","); got != c.done {
			t.Errorf("%s: %q was carried out", name, got)
		}
		if a.IsOpen() {
			if view := ansi.Strip(a.View(style.New("", true, true), 60)); !strings.Contains(view, c.shown) || !strings.HasPrefix(view, " word ") || ansi.StringWidth(view) != 60 {
				t.Errorf("%s: %q", name, view)
			}
		}
		if name == "wrong" && a.screen.said != "no !" {
			t.Errorf("said: %q", a.screen.said)
		}
	}
}

// TestRemembers holds what is remembered, under which sign.
func TestRemembers(t *testing.T) {
	var settings config.Settings
	a := ask(&settings)
	a.press("x", "enter")
	a.Open(&a.kind)
	a.press("enter") // Nothing is not remembered.
	a.kind.Forgets = true
	a.Open(&a.kind)
	a.press("y", "enter")
	if got := strings.Join(settings.History("word "), ","); got != "x" {
		t.Errorf("remembered: %q", got)
	}
}

// TestTyped holds that what is typed is told at once, and that it is given up.
func TestTyped(t *testing.T) {
	a := ask(&config.Settings{})
	a.press("x", "y", "esc")
	if got := strings.Join(a.typed, ","); got != "x,xy," {
		t.Errorf("%q", got)
	}
}

// TestPaste holds that a paste is one line, and is cut, which is said, where it is too long.
func TestPaste(t *testing.T) {
	a := ask(&config.Settings{})
	a.press("x")
	if a.Paste("a\nb\t c"); a.text() != "xa b c" || a.screen.said != "" {
		t.Errorf("%q, said %q", a.text(), a.screen.said)
	}
	if a.Paste(strings.Repeat("é", 1<<14)); len(a.text()) > 1<<16 || !strings.Contains(a.screen.said, "is cut") || strings.Contains(a.text(), "\ufffd") {
		t.Errorf("%d bytes, said %q", len(a.text()), a.screen.said)
	}
}

// TestWrongIsReadable holds that what was probably meant, which is at the end of what is
// wrong, is in sight on a narrow screen too.
func TestWrongIsReadable(t *testing.T) {
	settings := config.Settings{}
	a := ask(&settings)
	a.kind.Sign = "filter "
	a.kind.Wrong = func(text string) error { return fmt.Errorf("unknown state %q; did you mean is:error?", text) }
	a.Open(&a.kind)
	th := style.New("", true, true)
	for _, text := range []string{"is:eror", strings.Repeat("t:kettle ", 9) + "is:eror"} {
		a.Open(&a.kind)
		a.press(text)
		line := ansi.Strip(a.View(th, 80))
		if ansi.StringWidth(line) != 80 || !strings.Contains(line, "eror") || len(text) < 20 && !strings.Contains(line, "did you mean is:error?") {
			t.Errorf("%s: %q", text, line)
		}
	}
}
