package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/compare"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// noDifference says why the selected row cannot be compared with another, empty =
// it can be tried.
func (s *Screen) noDifference() string {
	t := s.tab()
	if s.layout.Focus == keys.Held {
		return t.intercept.NoDifference()
	}
	marks := t.Traffic.Marks()
	switch {
	case s.layout.Page == keys.Stats && len(s.tabs) < 2:
		return "there is one session only; wiretea open A B opens two, whose statistics this lays over each other"
	case s.layout.Page == keys.Stats && s.sessions.All():
		return "the statistics are those of all sessions; " + s.keys.WordOf(keys.NextFile, keys.Traffic) + " goes to one"
	case s.layout.Page == keys.Compare, s.layout.Page == keys.Stats:
		return ""
	case t.unseen || len(marks) == 2:
		return ""
	case len(marks) > 2:
		return fmt.Sprintf("%d rows are marked; two can be compared", len(marks))
	case t.Ctx.Cursor == session.NoRow:
		return "no row is selected"
	case len(marks) == 1 && marks[0] != t.Ctx.Cursor:
		return ""
	case s.altered():
		return ""
	case t.Ctx.Snap.RequestOf(t.Ctx.Cursor) == session.NoRow:
		return "Select an answer, or mark two rows with m to compare them."
	}
	return ""
}

// difference compares the marked row, or two, with the selected one; else the
// answer to the selected request with the one before to the same request. What
// came unasked and was not looked at goes first. On the page itself it leads back.
func (s *Screen) difference() tea.Cmd {
	t := s.tab()
	if s.layout.Page == keys.Stats {
		return s.overlayStatistics()
	}
	if s.layout.Focus == keys.Held {
		return t.intercept.Difference()
	}
	if t.unseen {
		return s.openCompare()
	}
	if s.layout.Page == keys.Compare {
		return s.page(keys.Compare)
	}
	snap, log, row := t.Ctx.Snap, t.Ctx.Log, t.Ctx.Cursor
	old, new := row, row
	switch marks := t.Traffic.Marks(); len(marks) {
	case 2:
		old, new = marks[0], marks[1]
	case 1:
		old, new = min(row, marks[0]), max(row, marks[0])
	}
	altered := old == new && s.altered()
	return t.Addressed(t, func() tea.Msg {
		var cmp pane.CompareMsg
		var err error
		if altered {
			if other, err := compare.Replaced(snap, log, row); err == nil && sameKind(snap, row, other) {
				old, new = min(row, other), max(row, other)
			}
		}
		if old != new {
			cmp, err = compare.Frames(snap, log, old, new)
		} else {
			cmp, err = compare.Answers(snap, log, snap.RequestOf(row))
		}
		if err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Error}
		}
		return cmp
	})
}

// altered reports whether somebody decided on the selected row, so that it did not cross.
func (s *Screen) altered() bool {
	t := s.tab()
	return t.Ctx.Snap.Row(t.Ctx.Cursor).Flags&session.FlagDecided != 0
}

// sameKind reports whether two rows are both requests, both notifications, or both
// responses, so that one can be compared with the other.
func sameKind(snap *session.Snapshot, a, b uint32) bool {
	x, y := snap.Row(a).Kind, snap.Row(b).Kind
	response := func(k session.RowKind) bool { return k == session.RowResult || k == session.RowError }
	return x == y || response(x) && response(y)
}

// original goes to what took the place of the selected message, or to that message.
func (s *Screen) original() tea.Cmd {
	t := s.tab()
	snap, log, row := t.Ctx.Snap, t.Ctx.Log, t.Ctx.Cursor
	return t.Addressed(t, func() tea.Msg {
		other, err := compare.Replaced(snap, log, row)
		if err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Info}
		}
		return pane.PointMsg{Row: other}
	})
}

// compare compares two texts. The page opens at once, unless msg is Quiet.
func (s *Screen) compare(t *tab, msg pane.CompareMsg) tea.Cmd {
	if t != s.tab() {
		return nil
	}
	cmd := t.TellOne(keys.Compare, msg)
	if !msg.Quiet {
		return tea.Batch(s.openCompare(), cmd)
	}
	return cmd
}

func (s *Screen) openCompare() tea.Cmd {
	s.tab().unseen = false
	s.layout.Open(keys.Compare)
	return nil
}

// compared shows the result of a Quiet comparison, and opens the page where nothing else
// is open.
func (s *Screen) compared(t *tab, msg pane.ComparedMsg) tea.Cmd {
	if !msg.Quiet {
		return nil
	}
	what := msg.Title + ": "
	switch {
	case msg.Why != "":
		return s.Say(session.Warning, what+"the results are not compared: "+msg.Why)
	case msg.Differences == 0:
		t.unseen = false
		return s.Say(session.Info, what+"the same result")
	}
	text := format.Plural(int64(msg.Differences), "difference")
	if t == s.tab() && s.vacant() {
		return tea.Batch(s.openCompare(), s.Say(session.Info, what+text))
	}
	t.unseen = true
	return s.Say(session.Info, what+text+"; "+s.keys.WordOf(keys.Difference, keys.Traffic)+" shows")
}

// vacant reports whether nothing is open that would be covered.
func (s *Screen) vacant() bool {
	return s.Idle() && s.layout.Vacant()
}

// ignorePath leaves out of differences what a pattern matches.
func (t *tab) ignorePath(pattern string) tea.Cmd {
	pattern = strings.TrimPrefix(pattern, "$") // as JSONPath begins
	cmd, err := t.Compare.Ignore(pattern)
	if err != nil {
		return t.Say(session.Error, err.Error()+"; as in .content[0].text, .items[*].time or ..timestamp")
	}
	return tea.Batch(t.AddressedTo(keys.Compare, cmd), t.Say(session.Info, pattern+" does not count in differences"))
}
