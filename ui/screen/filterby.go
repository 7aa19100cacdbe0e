package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/detail"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
)

// filterBy opens a list of filters that the selected row, or the JSON member that is
// selected in the detail, matches. The chosen one is added to the filter that is on.
func (s *Screen) filterBy() tea.Cmd {
	t := s.tab()
	all := t.filtersOf(t.Ctx.Cursor)
	if d, ok := t.Pane(keys.Detail).(*detail.Pane); ok && s.layout.Focus == keys.Detail {
		all = append(memberFilters(d.Member()), all...)
	}
	// What cannot be seen cannot be edited in the line of the filter either.
	all = slices.DeleteFunc(all, func(f filterChoice) bool { return text.Visible([]byte(f.filter), 0) != f.filter })
	if len(all) == 0 {
		return s.Say(session.Info, "no row is selected")
	}
	b := &overlay.Menu{Name: "filter by", Close: func() { s.Open(nil) }}
	for _, hide := range []bool{false, true} {
		for _, f := range all {
			b.Entries = append(b.Entries, s.filterEntry(t, f, hide))
		}
	}
	b.Find()
	s.Open(b)
	return nil
}

// A filterChoice is a filter with what it selects.
type filterChoice struct{ filter, says string }

// filterEntry is the line of a filter, or of its contrary.
func (s *Screen) filterEntry(t *tab, f filterChoice, hide bool) keyhelp.Entry {
	e := keyhelp.Entry{Text: f.says, Group: "show only"}
	words := f.filter
	if hide {
		words, e.Group = "-"+words, "hide"
	}
	e.Keys = text.Visible([]byte(words), 60)
	e.Do = func() tea.Cmd {
		if t.FilterOn && t.Filter != "" {
			before := t.Filter
			if strings.Contains(before, "|") {
				before = "(" + before + ")"
			}
			return t.setFilter(before+" "+words, true)
		}
		return t.setFilter(words, true)
	}
	return e
}

// filterWord writes a word of a filter with a value that stands for itself.
func filterWord(name, value string) string {
	return name + ":" + filter.Quote(value)
}

// memberFilters are filters by a JSON member.
func memberFilters(path, value string) (all []filterChoice) {
	if path == "" || path == "." || strings.Contains(path, "…") {
		return nil
	}
	if text := lex.Unquote([]byte(value)); strings.HasPrefix(value, `"`) {
		value = text
	} else {
		value = string(lex.AppendCompact(nil, []byte(value)))
	}
	if value != "" {
		all = append(all, filterChoice{filterWord("j", path+"="+value), "messages whose member has this value"})
	}
	return append(all, filterChoice{filterWord("j", path), "messages that have this member"})
}

// filtersOf are filters that a row matches.
func (t *tab) filtersOf(i uint32) (all []filterChoice) {
	snap := t.Ctx.Snap
	if i == session.NoRow || int(i) >= snap.Len() {
		return nil
	}
	r := snap.Row(i)
	add := func(filter, says string) { all = append(all, filterChoice{filter, says}) }
	if !r.Kind.Event() {
		if target := snap.Name(r.Target); target != "" {
			add(filterWord("t", target), "the tool, prompt or URI has this in its name")
		}
		if method := snap.Name(r.Method); method != "" {
			add(filterWord("m", method), "the method has this in its name")
		}
		if id := snap.ID(r); strings.HasPrefix(id, `"`) {
			add(filterWord("id", lex.Unquote([]byte(id))), "the same id")
		} else if id != "" {
			add("id:"+id, "the same id")
		}
	}
	if r.Failed() {
		add("is:error", "what failed")
	}
	if r.Kind == session.RowError {
		if code, _, _ := strings.Cut(t.Traffic.Words(i), " "); code != "" && code != "…" {
			add("j:.error.code="+code, "the same error code")
		}
	}
	if r.Kind != session.RowProc {
		add("d:"+r.Stream.String(), "the same stream")
	}
	add(fmt.Sprintf("c:%d", r.Conn), "the same connection")
	if r.Op != 0 {
		add(fmt.Sprintf("op:%d", r.Op), "the same operation")
	}
	if trip := snap.TripRow(i); trip != session.NoRow {
		add("trip:"+strconv.FormatUint(uint64(snap.Row(trip).Skip), 10), "the same HTTP round trip")
		if status := snap.Trip(trip).Status; status > 0 {
			add(fmt.Sprintf("status:%d", status), "the same HTTP status")
		}
	}
	if ns, ok := snap.Latency(i); ok && ns >= 1000 {
		add(fmt.Sprintf("lat>=%dus", ns/1000), "as slow as this, or slower")
	}
	if !r.Kind.Event() && r.Len > 0 {
		add(fmt.Sprintf("size>=%d", r.Len), "as large as this, or larger")
	}
	for _, f := range snap.RowFindings(i) {
		add("rule:"+f.Rule, "findings of the same rule")
	}
	return all
}
