package screen

import (
	"cmp"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
)

// hints returns the line of the keys that matter in the focused pane, as far as there is room:
// the question that waits before all, then what is done most. It calls at with the action of
// each and the column at which its hint ends, from left to right.
func (s *Screen) hints(at func(a keys.Action, end int)) string {
	line := keyhelp.NewHints(s.prefs.Theme, s.w, "?")
	for _, hint := range s.tour.Hints() {
		if line.Add(hint.Key, hint.What) {
			at(hint.Action, line.Used())
		}
	}
	t, focus := s.tab(), s.layout.Focus
	said := map[keys.Action]bool{}
	for _, a := range t.hintOrder() {
		if said[a] {
			continue
		}
		said[a] = true
		scope := focus
		if t.onHeld() && slices.Contains(onHeld, a) {
			scope = keys.Held
		}
		k := s.keys.Find(a, scope)
		if k == nil || !k.In(scope) || t.untimely(a) || s.disabled(a) != "" {
			continue
		}
		if use, _ := s.lookup(k.Keys[0]); use != a {
			continue // The focused pane has its own use for the key.
		}
		what := k.Hint
		switch {
		case a == keys.Enter:
			what = enters.Get()[focus]
		case a == keys.Restart && t.Ctx.HTTP():
			what = "new session" // The server at a URL is not ours to restart.
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
var enters = lazy.Value[map[keys.Scope]string]{New: func() map[keys.Scope]string {
	return map[keys.Scope]string{keys.Findings: "open", keys.Stats: "its rows", keys.Tools: "open", keys.Timeline: "the frame"}
}}

// often are the actions that the footer hints at in every pane, those first that are
// missed most where there is room for few.
var often = []keys.Action{keys.NextPane, keys.Filter, keys.SearchNext, keys.Search, keys.Cancel, keys.FindNext, keys.Restart, keys.Pair, keys.FoldTrip, keys.FoldTrips, keys.ShowTools, keys.Compose, keys.EditSend, keys.Resend,
	keys.Difference, keys.Play, keys.NextTab, keys.CopyValue, keys.Follow, keys.Pause, keys.ShowStats, keys.ShowTime, keys.Command}

// hintOrder is the order in which the actions are hinted at.
func (t *tab) hintOrder() []keys.Action {
	focus := t.Layout().Focus
	var order []keys.Action
	if t.onHeld() {
		order = append(order, onHeld...)
	}
	order = append(order, keys.Answer)
	if focus != keys.Held && len(t.Held.State().Held) > 0 {
		order = append(order, keys.ShowHeld, keys.ReleaseAl)
	}
	if t.Ctx.Past {
		order = append(order, t.hintsOf(func(k *keys.Binding) bool { return k.Group == "time" })...)
	}
	if focus != keys.Traffic {
		order = append(order, keys.Enter)
		order = append(order, t.hintsOf(func(k *keys.Binding) bool {
			return k.Scopes[0] != keys.Global && !slices.Contains(often, k.Action) && k.Group != "time"
		})...)
	}
	return append(order, often...)
}

// hintsOf are the actions of the focused pane with a hint that are wanted, in the
// order of the table.
func (t *tab) hintsOf(want func(*keys.Binding) bool) []keys.Action {
	focus := t.Layout().Focus
	var out []keys.Action
	for k := range t.Ctx.Keys.All() {
		if k.Hint != "" && k.In(focus) && want(k) {
			out = append(out, k.Action)
		}
	}
	return out
}

// untimely reports whether a hint is out of place here: playing is offered in
// the traffic of one session, and steps once one is in the past; a page that covers the traffic
// hides what would change there.
func (t *tab) untimely(a keys.Action) bool {
	focus, covered := t.Layout().Focus, t.Layout().Page != keys.Global
	switch a {
	case keys.Answer: // Without a question it only leads to what is held, which has a hint of its own.
		return t.questions.Disabled() != ""
	case keys.Restart: // The next step once a fault is mended.
		c := t.Ctx.Snap.LastConn()
		found, _ := t.Findings.Counts(&t.Ctx)
		_, hangs := t.Ctx.Hanging()
		return t.Ctx.Past || !hangs && found[session.Error] == 0 && (c == nil || !c.Exited && !c.Failed)
	case keys.Play:
		return focus != keys.Traffic || len(t.Ctx.Snap.Members()) > 0
	case keys.StepBack, keys.StepOn:
		return !t.Ctx.Past
	case keys.NextPane:
		return len(t.Layout().Shown()) < 2
	case keys.Follow:
		return focus != keys.Traffic && focus != keys.Stderr
	case keys.SearchNext:
		return covered || t.Ctx.Search.Text == ""
	case keys.Difference, keys.FindNext:
		return covered
	case keys.EditSend, keys.Resend: // of the selected row, which is not seen
		return covered && focus != keys.Compare
	case keys.Pause:
		return focus == keys.Tools || focus == keys.Compare
	case keys.Filter, keys.Search:
		return focus == keys.Compare || focus == keys.Process
	case keys.ShowTools:
		return focus == keys.Tools
	case keys.ShowStats:
		return focus == keys.Stats
	case keys.ShowTime:
		return focus == keys.Timeline
	}
	return false
}

// copies are the words of what y copies, short enough for all of them to be in
// one line.
var copies = lazy.Value[map[keys.Action]string]{New: func() map[keys.Action]string {
	return map[keys.Action]string{keys.CopyValue: "value or line", keys.CopyPath: "path", keys.CopyRaw: "raw frame", keys.CopyCall: "command line", keys.CopyCurl: "curl"}
}}

// chordHints lists how a chord that was begun can go on.
func (t *tab) chordHints(chord string) string {
	th, focus := t.Ctx.Theme, t.Layout().Focus
	var b strings.Builder
	for k := range t.Ctx.Keys.All() {
		if k.Action == keys.CopyCurl && !t.Ctx.HTTP() {
			continue
		}
		for _, key := range k.Keys {
			if first, second, more := strings.Cut(key, " "); more && first == chord && k.In(focus) {
				b.WriteString("  " + th.Accent.Paint(second) + th.Dim.Paint(" "+cmp.Or(copies.Get()[k.Action], k.Help)))
			}
		}
	}
	return b.String()
}
