package screen

import (
	"cmp"
	"slices"
	"strings"

	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
)

// hints are the keys that matter in the focused pane, as far as there is room: the
// question that waits before all, then what is done most.
func (s *Screen) hints() string { return s.eachHint(func(keys.Action, int) {}) }

// eachHint returns the line of hints, and calls at with the action of each and the column
// at which its hint ends, from left to right.
func (s *Screen) eachHint(at func(a keys.Action, end int)) string {
	line := keyhelp.NewHints(s.prefs.Theme, s.w, "?")
	for _, hint := range s.tour.Hints() {
		if line.Add(hint.Key, hint.What) {
			at(hint.Action, line.Used())
		}
	}
	said := map[keys.Action]bool{}
	for _, a := range s.hintOrder() {
		if said[a] {
			continue
		}
		said[a] = true
		k := s.keys.Find(a, s.layout.Focus)
		if k == nil || !k.In(s.layout.Focus) || s.untimely(a) || s.disabled(a) != "" {
			continue
		}
		if use, _ := s.keys.Lookup(k.Keys[0], s.layout.Focus); use != a {
			continue // The focused pane has its own use for the key.
		}
		what := k.Hint
		if a == keys.Enter {
			what = enters[s.layout.Focus]
		}
		if what == "" {
			continue
		}
		if !line.Add(keys.Word(k.Keys[0]), what) {
			break
		}
		at(a, line.Used())
	}
	at(keys.Help, line.Used()+len("  ? help"))
	return line.String()
}

// enters is what enter does, in the panes where it is not obvious.
var enters = map[keys.Scope]string{keys.Findings: "open", keys.Stats: "its rows", keys.Tools: "open", keys.Timeline: "the frame"}

// often are the actions that the footer hints at in every pane, those first that are
// missed most where there is room for few.
var often = []keys.Action{keys.NextPane, keys.Filter, keys.Search, keys.Cancel, keys.FindNext, keys.Pair, keys.FoldTrip, keys.ShowTools, keys.Compose, keys.EditSend, keys.Resend,
	keys.Difference, keys.Play, keys.NextTab, keys.CopyValue, keys.Follow, keys.Pause, keys.ShowStats, keys.ShowTime, keys.Command}

// hintOrder is the order in which the actions are hinted at.
func (s *Screen) hintOrder() []keys.Action {
	order := []keys.Action{keys.Answer}
	if s.layout.Focus != keys.Held && len(s.tab().Held.State().Held) > 0 {
		order = append(order, keys.ShowHeld, keys.ReleaseAl)
	}
	if s.tab().Ctx.Past {
		order = append(order, s.hintsOf(func(k *keys.Binding) bool { return k.Group == "time" })...)
	}
	if s.layout.Focus != keys.Traffic {
		order = append(order, keys.Enter)
		order = append(order, s.hintsOf(func(k *keys.Binding) bool {
			return k.Scopes[0] != keys.Global && !slices.Contains(often, k.Action) && k.Group != "time"
		})...)
	}
	return append(order, often...)
}

// hintsOf are the actions of the focused pane with a hint that are wanted, in the
// order of the table.
func (s *Screen) hintsOf(want func(*keys.Binding) bool) []keys.Action {
	var out []keys.Action
	for k := range s.keys.All() {
		if k.Hint != "" && k.In(s.layout.Focus) && want(k) {
			out = append(out, k.Action)
		}
	}
	return out
}

// untimely reports whether a hint is out of place here: playing is offered in
// traffic, and steps once one is in the past; a page that covers the traffic
// hides what would change there.
func (s *Screen) untimely(a keys.Action) bool {
	covered := s.layout.Page != keys.Global
	switch a {
	case keys.Answer: // Without a question it only leads to what is held, which has a hint of its own.
		return s.tab().questions.Disabled() != ""
	case keys.Play:
		return s.layout.Focus != keys.Traffic
	case keys.StepBack, keys.StepOn:
		return !s.tab().Ctx.Past
	case keys.NextPane:
		return len(s.layout.Shown()) < 2
	case keys.Follow:
		return s.layout.Focus != keys.Traffic && s.layout.Focus != keys.Stderr
	case keys.Difference, keys.FindNext:
		return covered
	case keys.EditSend, keys.Resend: // of the selected row, which is not seen
		return covered && s.layout.Focus != keys.Compare
	case keys.Pause:
		return s.layout.Focus == keys.Tools || s.layout.Focus == keys.Compare
	case keys.Filter, keys.Search:
		return s.layout.Focus == keys.Compare || s.layout.Focus == keys.Process
	case keys.ShowTools:
		return s.layout.Focus == keys.Tools
	case keys.ShowStats:
		return s.layout.Focus == keys.Stats
	case keys.ShowTime:
		return s.layout.Focus == keys.Timeline
	}
	return false
}

// copies are the words of what y copies, short enough for all of them to be in
// one line.
var copies = map[keys.Action]string{keys.CopyValue: "value or line", keys.CopyPath: "path", keys.CopyRaw: "raw frame", keys.CopyCall: "command line", keys.CopyCurl: "curl", keys.CopyFix: "test fixture"}

// chordHints lists how a chord can go on.
func (s *Screen) chordHints() string {
	var b strings.Builder
	for k := range s.keys.All() {
		if k.Action == keys.CopyCurl && !s.tab().Ctx.HTTP() {
			continue
		}
		for _, key := range k.Keys {
			if first, second, chord := strings.Cut(key, " "); chord && first == s.chord && k.In(s.layout.Focus) {
				b.WriteString("  " + s.prefs.Theme.Accent.Paint(second) + s.prefs.Theme.Dim.Paint(" "+cmp.Or(copies[k.Action], k.Help)))
			}
		}
	}
	return b.String()
}
