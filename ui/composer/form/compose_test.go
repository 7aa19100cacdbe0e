package form

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session/cells"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

var colourless = style.New("", true, true)

// drive gives a message to a form and carries out what follows, until nothing
// does. It returns what the form asked of the screen.
func drive(t testing.TB, f *Form, msg tea.Msg) []tea.Msg {
	t.Helper()
	return run(t, f, f.Update(msg))
}

func run(t testing.TB, f *Form, cmd tea.Cmd) []tea.Msg {
	t.Helper()
	var asked []tea.Msg
	queue := []tea.Cmd{cmd}
	for n := 0; len(queue) > 0; n++ {
		if n > 10_000 {
			t.Fatal("the form does not come to rest")
		}
		next := queue[0]
		queue = queue[1:]
		if next == nil {
			continue
		}
		switch msg := next().(type) {
		case nil:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case SendMsg, LeaveMsg, CompleteMsg:
			asked = append(asked, msg)
		default:
			queue = append(queue, f.Update(msg))
		}
	}
	return asked
}

// press types keys, separated by blanks: names as Bubble Tea has them, or, in
// quotes, text.
func press(t testing.TB, f *Form, keys string) []tea.Msg {
	t.Helper()
	var asked []tea.Msg
	for keys != "" {
		if keys[0] == '\'' {
			text, rest, _ := strings.Cut(keys[1:], "'")
			for _, r := range text {
				asked = append(asked, drive(t, f, letter(r))...)
			}
			keys = strings.TrimLeft(rest, " ")
			continue
		}
		name, rest, _ := strings.Cut(keys, " ")
		asked = append(asked, drive(t, f, keyNamed(name))...)
		keys = strings.TrimLeft(rest, " ")
	}
	return asked
}

func letter(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

var codes = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"space": tea.KeySpace, "f2": tea.KeyF2,
}

func keyNamed(name string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	for {
		switch {
		case strings.HasPrefix(name, "ctrl+"):
			k.Mod, name = k.Mod|tea.ModCtrl, name[5:]
			continue
		case strings.HasPrefix(name, "alt+"):
			k.Mod, name = k.Mod|tea.ModAlt, name[4:]
			continue
		case strings.HasPrefix(name, "shift+"):
			k.Mod, name = k.Mod|tea.ModShift, name[6:]
			continue
		}
		break
	}
	if code, ok := codes[name]; ok {
		k.Code = code
		if name == "space" && k.Mod == 0 {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// form makes a form and checks it.
func form(t testing.TB, cfg Config) *Form {
	t.Helper()
	f := New(cfg)
	run(t, f, f.Init())
	return f
}

func formOf(t testing.TB, schema, values string) *Form {
	t.Helper()
	cfg := Config{Title: "tool", Schema: []byte(schema)}
	if values != "" {
		cfg.Values = []byte(values)
	}
	return form(t, cfg)
}

// screen draws a form without styles, and holds its size.
func screen(t testing.TB, f *Form, w, h int) string {
	t.Helper()
	lines := f.View(colourless, w, h, true)
	if len(lines) != h {
		t.Errorf("%d×%d: %d lines", w, h, len(lines))
	}
	for i, line := range lines {
		if n := cells.Width(line); n != w {
			t.Errorf("%d×%d: line %d has %d cells: %q", w, h, i, n, line)
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

func golden(t *testing.T, name string, f *Form) {
	t.Helper()
	panetest.Golden(t, name+"-60x20", screen(t, f, 60, 20))
	panetest.Golden(t, name+"-100x30", screen(t, f, 100, 30))
}

func want(t testing.TB, f *Form, values string) {
	t.Helper()
	if got := string(f.Values()); got != values {
		t.Errorf("values:\n got %s\nwant %s", got, values)
	}
}
