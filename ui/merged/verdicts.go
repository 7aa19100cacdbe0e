package merged

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/merge"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/host"
	"wiretea/ui/keys"
)

// While all sessions are shown, the pane of findings has a line for each of them, the worst
// first, above the findings of the session of the selected row.

// leastBelow is how many lines the findings below the verdicts have at least.
const leastBelow = 3

// byVerdict are the indices of the sessions that have a line of their own where h lines are in
// the pane, the worst first, and how many have none.
func (s *Sessions) byVerdict(h int) (list []int, more int) {
	for i := range s.tabs {
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return int(s.tabs[b].Severity()) - int(s.tabs[a].Severity()) })
	room := max(0, min(h/2, h-leastBelow))
	if len(list) <= room {
		return list, 0
	}
	if room < 2 {
		return nil, 0
	}
	return list[:room-1], len(list) - (room - 1)
}

// Verdicts are the lines of the sessions above what a pane of h lines has, and whether that of
// the selected row's session is among them; nil in a low pane, in one that is not that of the
// findings, and while one session is shown.
func (s *Sessions) Verdicts(scope keys.Scope, w, h int) (lines []string, own bool) {
	if !s.all || scope != keys.Findings {
		return nil, false
	}
	th := s.tab().Ctx.Theme
	list, more := s.byVerdict(h)
	letters := cells.Width(merge.Letter(len(s.tabs) - 1))
	for _, i := range list {
		t := s.tabs[i]
		cause, sev := t.Findings.Cause(&t.Ctx)
		content, words := th.Text, text.Visible([]byte(cause.Sentence), 0)
		if i == s.at { // What is wrong with it is below.
			content, own = th.Strong, true
		}
		look, sign := th.Severity(sev)
		found, _ := t.Findings.Counts(&t.Ctx)
		if cause.Empty() && found == [4]int64{} {
			look, sign, words = t.Findings.Verdict(&t.Ctx)
		}
		counts := host.CountWords(th, found)
		if counts != "" {
			counts = " " + counts + " "
		}
		head := " " + th.Session(i).Paint(cells.Fit(merge.Letter(i), letters)) + " " + look.Paint(sign) + " "
		room := max(0, w-cells.Width(head)-cells.Width(counts))
		name := text.Visible([]byte(t.Name()), 0)
		name = cells.Fit(name, min(cells.Width(name), max(room/3, room-cells.Width(words)-2)))
		words = cells.Fit("  "+words, max(0, room-cells.Width(name)))
		lines = append(lines, cells.Fit(head+content.Paint(name)+th.Dim.Paint(words)+counts, w))
	}
	if more > 0 {
		lines = append(lines, th.Dim.Paint(cells.Fit(" … "+text.Plural(int64(more), "more session"), w)))
	}
	return lines, own
}

// ClickVerdict goes to the session whose verdict is in a line of the pane of findings, which
// has h lines.
func (s *Sessions) ClickVerdict(h, y int) tea.Cmd {
	list, _ := s.byVerdict(h)
	if y < 0 || y >= len(list) {
		return nil
	}
	t := s.tabs[list[y]]
	row := t.Traffic.Cursor()
	cause, _ := t.Findings.Cause(&t.Ctx)
	if all := t.Ctx.Snap.Findings(); cause.Finding >= 0 && cause.Finding < len(all) && all[cause.Finding].Row != session.NoRow {
		row = all[cause.Finding].Row
	}
	if row == session.NoRow {
		return nil
	}
	s.list.Select(merge.Row{Session: list[y], Row: row})
	return nil
}
