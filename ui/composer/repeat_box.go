package composer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/statistics"
	"wiretea/ui/cells"
	"wiretea/ui/chart"
	"wiretea/ui/composer/form"
	"wiretea/ui/format"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A repeatBox shows a repetition while it runs, and what it came to.
type repeatBox struct {
	of    *repetition
	tally tally
}

// Title implements overlay.Box.
func (b *repeatBox) Title() string {
	words := fmt.Sprintf("repeat %s · %s × %d", format.Visible([]byte(b.of.title), 60), format.Count(int64(b.of.times)), b.of.atOnce)
	if !b.tally.over {
		return words + " · esc cancels"
	}
	return words
}

// Size implements overlay.Box.
func (b *repeatBox) Size(th *style.Theme, w, h int) (int, int) {
	w = min(w, 84)
	return w, min(h, len(b.lines(th, w-2))+2)
}

// Key implements overlay.Box.
func (b *repeatBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "q", "enter":
		return nil, b.tally.over
	case "y":
		heads, figures := b.cells()
		text := fmt.Sprintf("%s, %d answers of %d, %d at once\n%s\n%s\n", b.of.title, b.tally.answered, b.of.times, b.of.atOnce, strings.Join(heads, "\t"), strings.Join(figures, "\t"))
		return pane.Tell(pane.CopyMsg{What: "the latencies", Text: text}), false
	}
	return nil, false
}

// Escape implements overlay.Escaper: it cancels a repetition that runs.
func (b *repeatBox) Escape() bool {
	if b.tally.over {
		return false
	}
	b.of.stop()
	return true
}

// cells are the figures with their heads.
func (b *repeatBox) cells() (heads, cells []string) {
	t := &b.tally
	ms := func(d time.Duration) string { return format.Duration(int64(d)) }
	rate := "–"
	if t.took > 0 {
		r := float64(t.answered) / t.took.Seconds()
		if rate = format.Count(int64(r)) + "/s"; r < 10 {
			rate = fmt.Sprintf("%.1f/s", r)
		}
	}
	return []string{"min", "p50", "p95", "p99", "max", "rate", "errors"},
		[]string{ms(t.min), ms(t.p50), ms(t.p95), ms(t.p99), ms(t.max), rate, format.Count(int64(t.errors))}
}

// View implements overlay.Box.
func (b *repeatBox) View(th *style.Theme, w, h int) []string {
	lines := b.lines(th, w)
	return lines[:min(len(lines), h)]
}

func (b *repeatBox) lines(th *style.Theme, w int) []string {
	t := &b.tally
	lines := []string{b.progress(th, w), ""}
	heads, figures := b.cells()
	wide := max(6, min(10, (w-2)/len(heads)))
	row := func(parts []string, paint func(i int, text string) string) string {
		var line strings.Builder
		for i, part := range parts {
			line.WriteString(cells.Spaces(max(1, wide-cells.Width(part))) + paint(i, part))
		}
		return cells.Fit(line.String(), w)
	}
	lines = append(lines, row(heads, func(_ int, text string) string { return th.Dim.Paint(text) }))
	lines = append(lines, row(figures, func(i int, text string) string {
		if i == len(figures)-1 && t.errors > 0 {
			return th.Error.Paint(text)
		}
		return th.Strong.Paint(text)
	}), "")
	lines = append(lines, chart.Histogram(th, t.bars, []chart.Mark{{Name: "p50", Value: int64(t.p50)}, {Name: "p95", Value: int64(t.p95)}, {Name: "p99", Value: int64(t.p99)}}, w, statistics.MostBars)...)
	if t.err != nil {
		lines = append(lines, "", th.Error.Paint(cells.Fit(" ✖ ended early: "+format.OneLine(t.err.Error()), w)))
	}
	if t.over {
		lines = append(lines, "", " "+th.Accent.Paint("esc")+th.Dim.Paint(" closes · ")+th.Accent.Paint("y")+th.Dim.Paint(" copies the figures"))
	}
	return lines
}

// progress is a bar of what is answered.
func (b *repeatBox) progress(th *style.Theme, w int) string {
	t := &b.tally
	words := fmt.Sprintf(" %s of %s answered", format.Count(int64(t.answered)), format.Count(int64(b.of.times)))
	if t.over {
		words += " in " + format.Duration(int64(t.took))
		if t.answered < b.of.times {
			words += " · cancelled"
		}
	}
	room := w - cells.Width(words) - 3
	if room < 8 {
		return cells.Fit(th.Text.Paint(words), w)
	}
	full := room * t.answered / b.of.times
	return cells.Fit(" "+th.OK.Paint(strings.Repeat("━", full))+th.Dim.Paint(strings.Repeat("─", room-full))+th.Text.Paint(words), w)
}

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
