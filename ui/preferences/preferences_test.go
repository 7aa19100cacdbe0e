package preferences_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/preferences"
)

// A screen keeps what is said.
type screen struct {
	host.Screen
	layout *layout.Layout
	said   []string
}

func (s *screen) Say(_ session.Severity, text string) tea.Cmd {
	s.said = append(s.said, text)
	return nil
}

func (s *screen) Layout() *layout.Layout { return s.layout }

// written runs a command and all of a batch, and gives back what is written since.
func written(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, one := range msg {
			written(one)
		}
	case host.OwnMsg:
		written(msg.Take())
	}
}

// of returns preferences without a tab, written to a folder.
func of(folder string) (*screen, *preferences.Preferences) {
	s := &screen{layout: layout.New(keys.Map{}, config.Layout{}, func() layout.Rect { return layout.Rect{W: 120, H: 40} })}
	return s, preferences.New(preferences.Options{Screen: s, Folder: folder})
}

// TestWrites holds that changes are written in their order, one command after the other, and
// that those of the time in between are kept until then.
func TestWrites(t *testing.T) {
	dir := t.TempDir()
	s, p := of(dir)
	first := p.Set("time absolute")
	if cmd := p.Set("time delta"); cmd != nil {
		t.Error("a second command writes while the first does")
	}
	if written(first); p.Settings.Time != "delta" || len(p.Settings.Unsaved) != 0 {
		t.Errorf("%q, unsaved: %v", p.Settings.Time, p.Settings.Unsaved)
	}
	written(p.Set("background dark"))
	written(p.LayoutCommand("save mine"))
	text, err := os.ReadFile(filepath.Join(dir, "config.toml"))
	for _, want := range []string{"time = \"delta\"\n", "background = \"dark\"\n", "[layouts.mine]\n", "main = 56\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in config.toml: %v\n%s", want, err, text)
		}
	}
	if names := strings.Join(p.LayoutNames(), ","); names != "reset,list,save ,mine" {
		t.Errorf("layouts: %q", names)
	}
	if len(s.said) != 3 {
		t.Errorf("said: %q", s.said)
	}
}

// TestNotWritten holds that a change that cannot be written holds until the program ends, which is said.
func TestNotWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, p := of(dir)
	written(p.Set("background light"))
	if p.Settings.Background != "light" || len(p.Settings.Unsaved) != 0 || len(s.said) != 1 || !strings.HasPrefix(s.said[0], "it holds until wiretea exits: ") {
		t.Errorf("%q, unsaved %v, said %q", p.Settings.Background, p.Settings.Unsaved, s.said)
	}
}

// TestNoFolder holds that nothing is written where there is no folder, and that what is wrong
// with a setting is said.
func TestNoFolder(t *testing.T) {
	s, p := of("")
	if cmd := p.Set("background light"); cmd != nil || p.Settings.Background != "light" {
		t.Errorf("%q", p.Settings.Background)
	}
	for line, want := range map[string]string{
		"background blue": "background: is one of auto, dark, light", "backgruond dark": `unknown setting "backgruond"`, "notice soon": "notice: is a time such as 10s",
	} {
		s.said = nil
		if p.Set(line); len(s.said) != 1 || !strings.HasPrefix(s.said[0], want) {
			t.Errorf("%s: %q, want %q", line, s.said, want)
		}
	}
	for name, want := range map[string]string{"": "a name is missing", "reset": "other than reset", "a\x1bb": "letters and signs", strings.Repeat("x", 61): "at most 60 bytes"} {
		s.said = nil
		if p.LayoutCommand("save " + name); len(s.said) != 1 || !strings.Contains(s.said[0], want) {
			t.Errorf("%q: %q, want %q", name, s.said, want)
		}
	}
}
