package home

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/keys"
)

// mark marks the recording under the cursor, or takes the mark off. Of two marked ones the
// older mark goes when a third comes.
func (h *Home) mark() tea.Cmd {
	path := h.selected().session.Path
	if at := slices.Index(h.marked, path); at >= 0 {
		h.marked = slices.Delete(h.marked, at, at+1)
		return nil
	}
	if h.marked = append(h.marked, path); len(h.marked) > 2 {
		h.marked = h.marked[1:]
	}
	words := "marked; " + h.keys.WordOf(keys.MarkFile, keys.Home) + " on another one, then " + h.keys.WordOf(keys.CompareFiles, keys.Home) + " compares the two"
	if len(h.marked) == 2 {
		words = "two are marked; " + h.keys.WordOf(keys.CompareFiles, keys.Home) + " compares them"
	}
	return h.Say(session.Info, words)
}

// pair are the recordings to compare, the older one first: the marked ones, or the marked one
// and that under the cursor; nil where there are not two.
func (h *Home) pair() []string {
	two := slices.Clone(h.marked)
	if r := h.selected(); len(two) == 1 && r != nil && r.kind == recording && r.session.Path != two[0] {
		two = append(two, r.session.Path)
	}
	if len(two) != 2 {
		return nil
	}
	begun := func(path string) time.Time {
		for i := range h.inv.Recordings {
			if h.inv.Recordings[i].Path == path {
				return h.inv.Recordings[i].Start
			}
		}
		return time.Time{}
	}
	slices.SortFunc(two, func(a, b string) int { return begun(a).Compare(begun(b)) })
	return two
}

// compare shows the differences of two recordings.
func (h *Home) compare() tea.Cmd {
	two, ctx, compare := h.pair(), h.ctx, h.opt.Compare
	h.waits = true
	return func() tea.Msg {
		lines, err := compare(ctx, two[0], two[1])
		return answer(func() tea.Cmd {
			if !h.waits {
				return nil
			}
			h.waits = false
			if err != nil {
				return h.Say(session.Error, err.Error())
			}
			h.sheet = &sheet{lines: lines}
			return nil
		})
	}
}
