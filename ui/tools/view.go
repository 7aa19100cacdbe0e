package tools

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/statistics"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

const (
	besideFrom       = 72 // from this width on the detail is beside the list
	leastW, mostW    = 26, 72
	detailFrom       = 8 // from this height on there is a detail below the list
	mostAboveJSON    = 3 // a third of the detail is the text above JSON, at most
	leastForTwoParts = 6
	leastName        = 12 // least of an item's name and what it does, beside its cost
	leastGap         = 5  // least of the blanks in a head with tokens
)

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.beside, p.jsonY = w >= besideFrom, -1
	if !p.beside {
		p.listW, p.listH = w, h
		if h < detailFrom {
			return p.drawList(c, w, h, focus)
		}
		p.listH = min(len(p.lines), h/2)
		lines := append(p.drawList(c, w, p.listH, focus), c.Theme.Border.Paint(strings.Repeat("─", w)))
		return append(lines, p.drawDetail(c, w, h-p.listH-1)...)
	}
	p.listW, p.listH = min(max(w*2/5, leastW), mostW), h
	left := p.drawList(c, p.listW, h, focus)
	right := p.drawDetail(c, w-p.listW-3, h)
	bar := c.Theme.Border.Paint(" │ ")
	for i := range left {
		left[i] += bar + right[i]
	}
	return left
}

func (p *Pane) drawList(c *pane.Context, w, h int, focus bool) []string {
	lines := make([]string, 0, h)
	from, to := p.list.Fit(len(p.lines), h)
	for i := from; i < to; i++ {
		over := c.Theme.Over(i == p.list.At, focus)
		if e := p.lines[i]; e.item < 0 {
			lines = append(lines, p.drawHead(c, e.kind, w, over))
		} else {
			it := &p.got.sections[e.kind].items[e.item]
			lines = append(lines, p.drawItem(c, e.kind, it, w, over))
		}
	}
	return cells.Fill(lines, w, h)
}

// drawHead draws the head of a section: its title and how many there are, or
// why there are none.
func (p *Pane) drawHead(c *pane.Context, k kind, w int, over style.Style) string {
	th, s := c.Theme, &p.got.sections[k]
	sign, look := "", th.Dim
	right := text.Count(int64(len(s.items)))
	if p.narrow != "" {
		meant := 0
		for _, e := range p.lines {
			if e.kind == k && e.item >= 0 {
				meant++
			}
		}
		right = text.Count(int64(meant)) + " of " + right
	}
	switch {
	case k == capabilities:
		right = ""
	case s.failed > 0:
		sign, look = "✖ ", th.Warning
	case s.changed > 0 || s.circle || s.unread != "" || s.missing || s.over:
		sign, look = "⚠ ", th.Warning
	case s.more:
		right += "+"
	}
	if tokens := right + " · ≈ " + statistics.AboutTokens(s.tokens()) + " tokens"; k.isList() && len(s.items) > 0 && p.narrow == "" && cells.Width(tokens)+cells.Width(kinds[k].title)+leastGap <= w {
		right = tokens
	}
	if k.isList() && !s.listed {
		right = "not listed"
	}
	tail := sign + right
	title := " " + kinds[k].title
	l := style.NewLine(w, over)
	if tail == "" || cells.Width(title)+cells.Width(tail)+3 > w {
		l.Put(th.Strong, title)
		return l.String()
	}
	l.Left(th.Strong, title, w-cells.Width(tail)-1)
	l.Put(look, tail)
	return l.String()
}

// drawItem draws an item: its name and, where there is room, what it does. Of what
// is under way its state is before it, and its name gives way to how it goes.
func (p *Pane) drawItem(c *pane.Context, k kind, it *item, w int, over style.Style) string {
	cost := ""
	if k.isList() {
		cost = " " + text.Count(it.cost.Tokens)
		if u := p.use(k, it); u.Calls > 0 {
			cost = " " + text.Count(u.Calls) + "×" + cost
		}
		if most := w - leastName; cells.Width(cost) > most {
			cost = ""
		}
		w -= cells.Width(cost)
	}
	th, l := c.Theme, style.NewLine(w-1, over)
	sign, brief := "", it.brief
	if it.sub != nil {
		sign, brief = it.sub.brief(c)
	} else if it.task != nil {
		sign, brief = it.task.brief(c)
	}
	name := "   " + it.name
	if sign != "" {
		name = " " + sign + " " + it.name
		if most := w - 3 - min(cells.Width(brief), w/2); cells.Width(name) > most {
			name = cells.Fit(name, max(4, most))
		}
	}
	l.Put(th.Text, name)
	if l.Room() >= 14 && brief != "" {
		l.Put(th.Dim, "  "+brief)
	}
	return l.String() + th.Dim.With(over).Paint(cost+" ")
}

// drawDetail draws the details of the line under the cursor.
func (p *Pane) drawDetail(c *pane.Context, w, h int) []string {
	k, s, it := p.selected()
	if it == nil {
		return p.scrolled(p.headText(c, k, s, w), w, h)
	}
	lines := []string{cells.Fit(c.Theme.Strong.Paint(it.name), w)}
	if h > 1 {
		lines = append(lines, p.drawTabs(c.Theme, it, w))
	}
	t := it.tabs[p.tabOf(it)]
	if t.raw == nil {
		about := slices.Concat(p.aboutItem(c, it, w), textOf(c.Theme, p.aboutCost(c, k, it), w))
		return append(lines, p.scrolled(about, w, h-len(lines))...)
	}
	if h >= leastForTwoParts {
		about := p.aboutItem(c, it, w)
		if most := h / mostAboveJSON; len(about) > most {
			about = append(slices.Clone(about[:max(0, most-1)]), c.Theme.Dim.Paint("… see about for the rest"))
		}
		lines = append(lines, cells.Lines(about, w, len(about)+1)...)
	}
	p.jsonY = len(lines)
	if room := h - len(lines); room > 0 {
		lines = append(lines, p.json.Lines(c.Theme, w, room, false)...)
	}
	return lines[:h]
}

// drawTabs draws the names of the tabs, the one that is shown standing out.
func (p *Pane) drawTabs(th *style.Theme, it *item, w int) string {
	at := p.tabOf(it)
	var b strings.Builder
	for i, t := range it.tabs {
		if i > 0 {
			b.WriteString("  ")
		}
		if i == at {
			th.Accent.Write(&b, "["+t.name+"]")
		} else {
			th.Dim.Write(&b, " "+t.name+" ")
		}
	}
	return cells.Fit(b.String(), w)
}

// headText is what is to be said of a section.
func (p *Pane) headText(c *pane.Context, k kind, s *section, w int) []string {
	var lines []line
	n := text.Plural(int64(len(s.items)), strings.TrimSuffix(kinds[k].title, "s"))
	switch {
	case k == capabilities && !s.listed:
		lines = append(lines, line{dim, "the server has not declared its capabilities yet"})
	case k == capabilities:
		lines = append(lines, line{plain, "capabilities of both sides"})
	case k == tools && s.listed:
		lines = append(append(lines, line{plain, n}), p.costWords()...)
	case k == subscriptions:
		lines = append(lines, line{plain, n + ", the latest first"})
	case k == tasks && s.listed:
		lines = append(lines, line{plain, n}, line{dim, fmt.Sprintf("tasks listed in #%d, and tasks of this session", s.n)})
	case k == tasks:
		lines = append(lines, line{plain, n + " of this session, the latest first"})
	case !s.listed:
		lines = append(lines, line{plain, "not listed yet"})
		if yes, known := offers(p.got.shake, k); known && !yes {
			lines = append(lines, line{dim, "the server did not declare the capability " + kinds[k].capability})
		}
	default:
		lines = append(lines, line{plain, n})
	}
	switch {
	case !c.Live:
	case k == capabilities:
		lines = append(lines, line{dim, "u lists everything the server offers"})
	case k == tasks && !p.listsTasks(), k == subscriptions:
	case s.listed:
		lines = append(lines, line{dim, "enter sends " + kinds[k].method + " again"})
	default:
		lines = append(lines, line{strong, "enter sends " + kinds[k].method})
	}
	if k == tools {
		for _, words := range slices.Concat(s.clash, p.client) {
			lines = append(lines, line{warning, "ℹ " + words})
		}
	}
	if k != tasks {
		lines = append(lines, s.notes(p.got.conn)...)
	}
	return textOf(c.Theme, lines, w)
}

// scrolled draws a text that can be scrolled.
func (p *Pane) scrolled(lines []string, w, h int) []string {
	if h <= 0 {
		return nil
	}
	from, to := p.about.Fit(len(lines), h)
	return cells.Lines(lines[from:to], w, h)
}

// aboutItem is the text about an item. Of what is under way it is made again each
// time.
func (p *Pane) aboutItem(c *pane.Context, it *item, w int) []string {
	if it.sub != nil {
		return textOf(c.Theme, it.sub.about(c), w)
	} else if it.task != nil {
		return textOf(c.Theme, it.task.about(c), w)
	}
	m := &p.wraps
	if m.w != w || m.theme != c.Theme || len(m.about) != len(it.about) || len(it.about) > 0 && &m.about[0] != &it.about[0] {
		*m = wrapped{about: it.about, theme: c.Theme, w: w, lines: textOf(c.Theme, it.about, w)}
	}
	return m.lines
}

// text wraps lines.
func textOf(th *style.Theme, lines []line, w int) []string {
	styles := [...]style.Style{plain: th.Text, strong: th.Strong, dim: th.Dim, warning: th.Warning}
	var out []string
	for _, l := range lines {
		if l.text == "" {
			out = append(out, "")
		}
		for _, part := range cells.Wrap(l.text, max(1, w)) {
			out = append(out, styles[l.style].Paint(part))
		}
	}
	return out
}

// Narrow shows only what has a text in its name, title or description, without
// regard to case; empty shows everything.
func (p *Pane) Narrow(text string) tea.Cmd {
	p.narrow = text
	p.arrange()
	// The head of a section is nothing to look for.
	if text != "" && p.list.At < len(p.lines) && p.lines[p.list.At].item < 0 {
		p.hit(1)
	}
	p.about.Top = 0
	return p.show()
}

// Narrowed is what Narrow was told, empty = nothing.
func (p *Pane) Narrowed() string { return p.narrow }

// meant reports whether an item is shown.
func (p *Pane) meant(it *item) bool {
	texts := []string{it.name, it.uri, it.brief, it.form.about}
	if len(it.about) > 0 && it.about[0].style == strong {
		texts = append(texts, it.about[0].text)
	}
	return p.narrow == "" || slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(p.narrow))
	})
}

// hit goes to the next item, or the one before, over the heads of sections and
// around the ends.
func (p *Pane) hit(step int) {
	n := len(p.lines)
	for i := 1; i <= n; i++ {
		if at := ((p.list.At+i*step)%n + n) % n; p.lines[at].item >= 0 {
			p.list.At = at
			return
		}
	}
}
