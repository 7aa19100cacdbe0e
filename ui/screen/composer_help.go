package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/composer/form"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/list"
)

// A composerHelp lists the composer's keys and those of its form.
type composerHelp struct{ page list.Page }

func (b *composerHelp) title() string { return "the composer's keys" }

func (b *composerHelp) size(_ *Screen, w, h int) (int, int) { return roomy(w, h) }

func (b *composerHelp) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch name := msg.String(); name {
	case "q", "enter", "f1", "?":
		s.overlay = nil
	default:
		b.page.Do(keys.Moving(name))
	}
	return nil
}

func (b *composerHelp) view(s *Screen, w, h int) []string {
	th := s.theme
	row := func(names []string, help string) []string {
		words := make([]string, len(names))
		for i, name := range names {
			words[i] = keys.Word(name)
		}
		return keyhelp.Line(th.Accent, strings.Join(words, " "), th.Text, help, w)
	}
	lines := []string{th.Title.Paint(" composer")}
	for i := range keys.Table {
		k := &keys.Table[i]
		if !slices.Contains(k.Scopes, keys.Composer) {
			continue
		}
		help := k.Help
		if s.composer != nil && s.composer.form != nil {
			if why := s.composer.disabled(k.Action); why != "" {
				help += " — " + why
			}
		}
		lines = append(lines, row(k.Keys, help)...)
	}
	lines = append(lines, "", th.Title.Paint(" form"))
	for _, k := range form.Table {
		lines = append(lines, row(k.Keys, k.Help)...)
	}
	from, to := b.page.Fit(len(lines), h)
	return lines[from:to]
}
