package composer

import (
	"slices"
	"strings"

	"wiretea/ui/composer/form"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
)

// help lists the keys of the composer and those of its form.
func (c *Composer) help() overlay.Box {
	return &overlay.Page{Name: "the composer's keys", Keys: c.tab.Ctx.Keys, Lines: func(th *style.Theme, w int) []string {
		row := func(names []string, help string) []string {
			words := make([]string, len(names))
			for i, name := range names {
				words[i] = keys.Word(name)
			}
			return keyhelp.Line(th.Accent, strings.Join(words, " "), th.Text, help, w)
		}
		lines := []string{th.Title.Paint(" composer")}
		for k := range c.tab.Ctx.Keys.All() {
			if !slices.Contains(k.Scopes, keys.Composer) {
				continue
			}
			help := k.Help
			if c.message != nil && c.form != nil {
				if why := c.disabled(k.Action); why != "" {
					help += " — " + why
				}
			}
			lines = append(lines, row(k.Keys, help)...)
		}
		lines = append(lines, "", th.Title.Paint(" form"))
		for _, k := range form.Table {
			lines = append(lines, row(k.Keys, k.Help)...)
		}
		return lines
	}}
}
