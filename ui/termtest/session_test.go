package termtest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/termtest"
)

var _ = flag.Bool("update", false, "write the golden files")

// A show is a program that shows what it is told, and what it is asked.
type show struct {
	content string
	keys    []string
	size    tea.WindowSizeMsg
	dark    bool
}

type content string

func (m show) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (m show) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case content:
		m.content, m.keys = string(msg), nil
	case tea.KeyPressMsg:
		m.keys = append(m.keys, msg.String())
		if msg.String() == "Q" {
			return m, tea.Quit
		}
	case tea.PasteMsg:
		m.keys = append(m.keys, "paste "+msg.Content)
	case tea.MouseMsg:
		mouse := msg.Mouse()
		m.keys = append(m.keys, fmt.Sprintf("%T %d,%d", msg, mouse.X, mouse.Y))
		return m, tea.SetClipboard("copied")
	case tea.WindowSizeMsg:
		m.size = msg
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
	}
	return m, nil
}

func (m show) View() tea.View {
	text := m.content
	if m.content == "" {
		text = fmt.Sprintf("%dx%d dark=%t\n%s", m.size.Width, m.size.Height, m.dark, strings.Join(m.keys, " "))
	}
	v := tea.NewView(text)
	v.AltScreen, v.WindowTitle, v.MouseMode = true, "a title", tea.MouseModeCellMotion
	return v
}

func TestSession(t *testing.T) {
	s := termtest.Run(t, show{}, 100, 4, termtest.SessionOptions{Terminal: termtest.Options{Light: true}})
	s.WaitText("100x4 dark=false")
	s.Keys("j", "G", "ctrl+d", "enter", "esc", "shift+tab", "up", "pgdown", "space", "alt+x", "ctrl+right", "f1", "ctrl+up")
	s.WaitText("ctrl+up")
	s.Resize(400, 10)
	s.WaitText("400x10")
	s.Type("é世")
	s.Paste("two\nlines")
	s.Click(3, 1)
	s.Wheel(4, 2, -1)
	s.Drag(1, 1, 2, 1)
	s.WaitFor(func(screen string) bool { return strings.Count(screen, "tea.MouseReleaseMsg") == 2 })
	s.Golden("session")
	s.WaitTerminal(func(t *termtest.Terminal) bool { return t.Clipboard() == "copied" })
	s.Terminal(func(term *termtest.Terminal) {
		if term.Title() != "a title" || !term.AltScreen() || !term.Mode(2004) || !term.Mode(1002) {
			t.Errorf("title %q, alternate screen %t, modes %v", term.Title(), term.AltScreen(), term.Modes())
		}
	})
	s.Keys("Q")
	if _, err := s.WaitEnd(); err != nil {
		t.Error(err)
	}
	s.Terminal(func(term *termtest.Terminal) {
		if _, _, shown := term.Cursor(); !shown || term.AltScreen() || term.Mode(2004) || term.Mode(1002) || term.Mode(1006) {
			t.Errorf("the terminal is left with cursor %t, alternate screen %t, modes %v", shown, term.AltScreen(), term.Modes())
		}
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("not understood: %q", u)
		}
	})
}

// TestRandomFrames holds that what Bubble Tea draws by differences is what it was
// told to draw.
func TestRandomFrames(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]termtest.Options{"plain": {}, "graphemes": {Graphemes: true, Sync: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			randomFrames(t, opt)
		})
	}
}

func randomFrames(t *testing.T, opt termtest.Options) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := termtest.Run(t, show{}, 40, 12, termtest.SessionOptions{Terminal: opt})
	s.WaitText("40x12")
	var lines []string
	for range 300 {
		lines = nextFrame(rnd, lines)
		styled, plain := make([]string, len(lines)), make([]string, len(lines))
		for i, line := range lines {
			styled[i] = paint(line)
			plain[i] = strings.TrimRight(line, " ")
		}
		want := strings.Join(plain, "\n") + "\n"
		s.Message(content(strings.Join(styled, "\n")))
		s.WaitFor(func(screen string) bool { return screen == want })
		s.Terminal(func(term *termtest.Terminal) { checkStyles(t, term) })
	}
	s.Terminal(func(term *termtest.Terminal) {
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("not understood: %q", u)
		}
	})
}

// nextFrame changes some lines, or scrolls.
func nextFrame(rnd *rand.Rand, lines []string) []string {
	const words = "ab c世é  ─x…"
	line := func() string {
		var b strings.Builder
		runes := []rune(words)
		repeat := 1 + rnd.IntN(12)
		for n := rnd.IntN(20); n > 0; {
			r := runes[rnd.IntN(len(runes))]
			for range 1 + rnd.IntN(repeat) {
				if n > 0 {
					b.WriteRune(r)
					n--
				}
			}
		}
		return b.String()
	}
	if lines == nil {
		lines = make([]string, 12)
	}
	next := append([]string(nil), lines...)
	switch rnd.IntN(3) {
	case 0:
		n := 1 + rnd.IntN(3)
		next = append(next[n:], make([]string, n)...)
		for i := range n {
			next[len(next)-1-i] = line()
		}
	case 1:
		next = append([]string{line()}, next[:len(next)-1]...)
	case 2:
		for range 1 + rnd.IntN(4) {
			next[rnd.IntN(len(next))] = line()
		}
	}
	return next
}

// paint colours each character as checkStyles expects it.
func paint(line string) string {
	var b strings.Builder
	for _, r := range line {
		switch r {
		case 'a':
			b.WriteString("\x1b[1;38;2;1;2;3ma\x1b[m")
		case '世':
			b.WriteString("\x1b[48;5;17;3m世\x1b[m")
		case '─':
			b.WriteString("\x1b[7;2m─\x1b[m")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func checkStyles(t *testing.T, term *termtest.Terminal) {
	want := map[string]termtest.Style{
		"a": {Attrs: termtest.Bold, Fg: termtest.RGB(1, 2, 3)}, "世": {Attrs: termtest.Italic, Bg: termtest.Palette(17)},
		"─": {Attrs: termtest.Reverse | termtest.Faint},
	}
	w, h := term.Size()
	for y := range h {
		for x := range w {
			if text, style := term.Cell(x, y); text != "" && style != want[text] {
				t.Fatalf("cell %d,%d is %q in %v, want %v", x, y, text, style, want[text])
			}
		}
	}
}

// TestSVG holds the picture of a screen with all that pictures draw.
func TestSVG(t *testing.T) {
	term := termtest.New(24, 4, termtest.Options{})
	term.Write([]byte("╭─\x1b[1m title \x1b[m──╮\r\n│\x1b[32m<ok>\x1b[m & \x1b[7m sel \x1b[m│\r\n╰──┬──╯ ▁▃█ \x1b[4munder\x1b[m\r\n\x1b[38;5;208;2m世é\x1b[m \x1b[9;38;5;240mgone\x1b[m"))
	for name, pic := range map[string]termtest.Picture{"dark": {Title: `a "title" & more`}, "light": {Colours: &termtest.LightPalette}} {
		var b strings.Builder
		if err := termtest.SVG(&b, term, pic); err != nil {
			t.Fatal(err)
		}
		termtest.Golden(t, "picture-"+name+".svg", b.String())
		if dir := os.Getenv("PICTURES"); dir != "" {
			if err := os.WriteFile(dir+"/"+name+".svg", []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
