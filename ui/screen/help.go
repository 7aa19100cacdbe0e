package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// A helpBox lists every binding, is searched by typing, and carries out what is
// chosen.
type helpBox struct {
	keyhelp.Box
	screen *Screen
}

func (s *Screen) openHelp() tea.Cmd {
	b := &helpBox{screen: s, Box: keyhelp.Box{Grouped: true}}
	b.Disabled = func(k *keys.Binding) string {
		if !k.In(s.focus) {
			return "in " + k.Scopes[0].String()
		}
		return s.disabled(k.Action)
	}
	b.Words = func(k *keys.Binding) string {
		if k.Name == "" {
			return k.Help
		}
		return k.Help + "  :" + k.Name
	}
	b.find(s.focus)
	s.overlay = b
	return nil
}

// Size implements overlay.Box.
func (b *helpBox) Size(_ *style.Theme, w, h int) (int, int) { return overlay.Roomy(w, h) }

// find finds the bindings that match the search: of those that hold here, or of all
// of a session's once something is searched.
func (b *helpBox) find(focus keys.Scope) {
	b.Bindings, b.Signs = b.Bindings[:0], nil
	for k := range b.screen.keys.All() {
		if k.Help == "" || k.Scopes[0] == keys.Home || b.Search == "" && (k.Scopes[0] == keys.Composer || !k.In(focus)) {
			continue
		}
		b.Bindings = append(b.Bindings, k)
	}
	for _, l := range traffic.Signs {
		if strings.Contains(strings.ToLower("signs "+l.Sign+" "+l.Means), strings.ToLower(b.Search)) {
			b.Signs = append(b.Signs, l)
		}
	}
	b.Find()
}

// Key implements overlay.Box.
func (b *helpBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() == "enter" {
		b.screen.overlay = nil
		if k := b.Binding(); k != nil {
			return b.screen.run(k), true
		}
		return nil, true
	}
	if b.Box.Key(msg) {
		b.find(b.screen.focus)
	}
	return nil, false
}

// run carries out a binding chosen in the help, in a pane where it holds.
func (s *Screen) run(b *keys.Binding) tea.Cmd {
	if b.Scopes[0] == keys.Composer {
		return s.Say(session.Info, "open the composer first: c")
	}
	if !b.In(s.focus) {
		s.show(b.Scopes[0])
	}
	return s.do(b.Action)
}
