package screen

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/layout"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Below this size there is no room for panes, and the screen says so.
const leastW, leastH = 20, 5

// banner is the line that says that the server asks.
func (s *Screen) banner() []string {
	t := s.tab()
	return t.questions.Banner(s.w, t.composer.IsOpen())
}

// bodyRect is what header and footer leave.
func (s *Screen) bodyRect() layout.Rect {
	top := 1 + len(s.tabLine()) + len(s.says()) + len(s.banner())
	return layout.Rect{X: 0, Y: top, W: s.w, H: max(0, s.h-top-1-len(s.tab().timeline.Line(s.w)))}
}

// View draws the screen. It is drawn anew only after something has happened.
func (s *Screen) View() tea.View {
	if s.dirty && s.sized {
		s.last, s.dirty = s.draw(), false
	}
	v := tea.NewView(s.last)
	v.AltScreen = true
	v.WindowTitle = "wiretea · " + text.Visible([]byte(s.tab().Source.Title()), 100)
	if s.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// showPictures has the images of the panes that are shown drawn. A box over the panes hides
// all.
func (s *Screen) showPictures() tea.Cmd {
	if !s.pictures.Drawn() || !s.sized {
		return nil
	}
	s.View() // It places them.
	if s.overlay != nil || s.w < leastW || s.h < leastH {
		return s.pictures.Follow(nil, s.last)
	}
	var want []pane.Picture
	for _, at := range s.layout.Place(s.bodyRect()) {
		from, ok := s.tab().Pane(at.Scope).(pane.Pictured)
		if !ok {
			continue
		}
		in := at.Inside()
		for _, pic := range from.Pictures() {
			pic.Area = pic.Area.Add(image.Pt(in.X, in.Y))
			want = append(want, pic)
		}
	}
	return s.pictures.Follow(want, s.last)
}

func (s *Screen) draw() string {
	if s.w < leastW || s.h < leastH {
		return cells.Fit("wiretea: too small", s.w)
	}
	lines := make([]string, 0, s.h)
	lines = append(append(lines, s.header()), s.tabLine()...)
	body := s.bodyRect()
	lines = append(append(lines, s.says()...), s.banner()...)
	lines = append(lines, s.body(body)...)
	if s.notice.text != "" {
		last := len(lines) - 1
		lines[last] = s.noticed(lines[last])
	}
	lines = append(append(lines, s.tab().timeline.Line(s.w)...), s.footer())
	return strings.Join(lines, "\n")
}

const (
	sayLines = 2  // sayLines is how many lines are said at most.
	tallFrom = 24 // tallFrom is the height from which on a cause has one line more.
)

// says is what is happening, or how it has ended, in two lines at most, and in no line that
// a pane or a box over the panes needs.
func (s *Screen) says() []string {
	words, mark := s.tab().Ended, s.prefs.Theme.Warning.Paint(" ■ ")
	if words == "" || s.tab().Ctx.Past {
		words, mark = s.tour.Line(), s.prefs.Theme.Accent.Paint(" ▸ ")
	}
	lines := s.said(words, mark, s.prefs.Theme.Strong, min(sayLines, s.h-2-len(s.tabLine())-layout.LeastHeight))
	return append(lines, s.trouble(len(lines))...)
}

// said are the lines of a text at the top, most of them at most.
func (s *Screen) said(words, mark string, style style.Style, most int) []string {
	if words == "" || most < 1 {
		return nil
	}
	parts := cells.Wrap(words, max(10, s.w-3))
	if len(parts) > most {
		parts = parts[:most]
		parts[most-1] = strings.TrimRight(cells.Cut(parts[most-1], 0, max(0, s.w-5)), " ") + "…"
	}
	lines := make([]string, len(parts))
	for i, part := range parts {
		sign := "   "
		if i == 0 {
			sign = mark
		}
		lines[i] = sign + style.Paint(cells.Fit(part, max(0, s.w-3)))
	}
	return lines
}

// trouble is the root cause of what is wrong with the session, or a request that hangs,
// where the pane of findings, which has it on top, is not in sight. above is how many
// lines say something already.
func (s *Screen) trouble(above int) []string {
	t := s.tab()
	cause, sev := t.Findings.Cause(&t.Ctx)
	room := s.h - 2 - above - len(s.tabLine()) - len(s.banner())
	if room < 2*layout.LeastHeight || slices.Contains(s.layout.ShownIn(s.w, room), keys.Findings) {
		return nil
	}
	if cause.Empty() || sev != session.Error {
		return s.said(t.Ctx.HangingWords(), s.prefs.Theme.Warning.Paint(" ◔ "), s.prefs.Theme.Warning, 1)
	}
	style, sign := s.prefs.Theme.Severity(sev)
	mark := style.Paint(" " + sign + " ")
	whole := text.Visible([]byte(cause.String()), 0)
	sentence := text.Visible([]byte(cause.Sentence), 0)
	most := sayLines
	switch {
	case above > 0 && cells.Width(whole) > s.w-3:
		return s.said(sentence, mark, style, 1) // What to change is in the pane.
	case s.h >= tallFrom:
		most = sayLines + 1
	}
	if cause.Mend == "" || len(cells.Wrap(sentence, max(10, s.w-3))) < most {
		return s.said(whole, mark, style, most)
	}
	return append(s.said(sentence, mark, style, most-1), s.said(text.Visible([]byte(cause.Mend), 0), style.Paint(" → "), style, 1)...)
}

// body draws the panes side by side and below each other, and the overlay over
// them.
func (s *Screen) body(r layout.Rect) []string {
	rows := make([]strings.Builder, r.H)
	for _, p := range s.layout.Place(r) {
		// Panes come from left to right within a line, so that appending to
		// the lines they cover puts them in place.
		for i, line := range s.box(p) {
			rows[p.Y-r.Y+i].WriteString(line)
		}
	}
	if c := s.tab().composer; c.IsOpen() {
		own, rest := layout.BesideComposer(r)
		for i, line := range c.View(own.W, own.H, s.overlay == nil && !s.prompt.IsOpen(), rest.W == 0) {
			rows[own.Y-r.Y+i].WriteString(line)
		}
	}
	lines := make([]string, r.H)
	for i := range rows {
		lines[i] = rows[i].String()
	}
	if s.overlay != nil {
		lines = s.overlaid(lines, r)
	}
	return lines
}

// box draws a pane within its border.
func (s *Screen) box(p layout.Placed) []string {
	t := s.tab()
	focus := p.Scope == s.layout.Focus && s.overlay == nil && !t.composer.IsOpen()
	in := p.Inside()
	if in.W < 1 || in.H < 1 {
		return cells.Lines(nil, p.W, p.H)
	}
	left, right := t.Pane(p.Scope).Title(&t.Ctx)
	style, title := s.prefs.Theme.Border, s.prefs.Theme.Title
	if focus {
		style, title = s.prefs.Theme.BorderFocus, s.prefs.Theme.Accent
	}
	inside, at := t.Pane(p.Scope).View(&t.Ctx, in.W, in.H, focus), cells.Scroll{}
	inside = s.guidance.line(t, p.Scope, inside, in.W)
	if p, scrolls := t.Pane(p.Scope).(interface{ Scroll() cells.Scroll }); scrolls {
		at = p.Scroll()
	}
	return cells.BoxAt(inside, p.W, left, right, style.Paint, title.Paint, at)
}

// overlaid draws the overlay over the middle of the body, which shows through
// on both sides.
func (s *Screen) overlaid(lines []string, r layout.Rect) []string {
	at := s.overlayRect(r)
	w, h, x, y := at.W, at.H, at.X-r.X, at.Y-r.Y
	if w < 3 || h < 3 {
		return lines // Its border would fill it.
	}
	if x > 0 && x+w < r.W { // A blank cell at each side keeps its border from running into those of panes.
		for i := range h {
			lines[y+i] = cells.Cut(lines[y+i], 0, x-1) + " " + cells.Cut(lines[y+i], x, x+w) + " " + cells.Cut(lines[y+i], x+w+1, r.W)
		}
	}
	border, title := s.prefs.Theme.BorderFocus, s.prefs.Theme.Accent
	if page, ok := s.overlay.(*buildPage); ok && !page.tab.built.OK() {
		border, title = s.prefs.Theme.Error, s.prefs.Theme.Error
	}
	box := cells.Box(cells.Lines(s.overlay.View(s.prefs.Theme, w-2, h-2), w-2, h-2), w, s.overlay.Title(), "", border.Paint, title.Paint)
	for i, line := range box {
		under := lines[y+i]
		lines[y+i] = cells.Cut(under, 0, x) + line + cells.Cut(under, x+w, r.W)
	}
	return lines
}

// overlayRect is where the overlay is in the body, border included.
func (s *Screen) overlayRect(body layout.Rect) layout.Rect {
	w, h := s.overlay.Size(s.prefs.Theme, body.W, body.H)
	return s.layout.Over(body, min(w, body.W), min(h, body.H), rests(s.overlay))
}

// noticed draws the notice over a line, the bottom border of the panes, so that the footer
// keeps its keys.
func (s *Screen) noticed(line string) string {
	style, sign := s.prefs.Theme.Severity(s.notice.severity)
	words := " " + style.Paint(sign+" "+text.OneLine(s.notice.text)) + " "
	words = cells.Fit(words, min(cells.Width(words), s.w-1))
	return cells.Cut(line, 0, 1) + words + cells.Cut(line, 1+cells.Width(words), s.w)
}

// footer is the question, the prompt, how a chord goes on, or the keys that matter here.
func (s *Screen) footer() string {
	th := s.prefs.Theme
	if q := s.leaving.Line(); q != "" {
		return th.Warning.Paint(cells.Fit(" "+q, s.w))
	}
	if s.prompt.IsOpen() {
		return s.prompt.View(th, s.w)
	}
	if s.chord != "" {
		return cells.Fit(" "+th.Accent.Paint(s.chord)+s.tab().chordHints(s.chord), s.w)
	}
	switch {
	case s.overlay != nil && !rests(s.overlay): // the box says what its keys are
		if _, hinted := s.overlay.(overlay.Hinted); hinted {
			return cells.Fit("", s.w)
		}
		return cells.Fit("  "+th.Accent.Paint("esc")+th.Dim.Paint(" back"), s.w)
	case s.tab().composer.IsOpen():
		return s.tab().composer.Hints(s.w)
	}
	return s.hints(func(keys.Action, int) {})
}
