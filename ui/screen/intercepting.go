package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/keys"
)

// askIntercept asks which messages are held; nothing = none.
func (s *Screen) askIntercept() tea.Cmd { return s.ask(interceptPrompt) }

// lastIntercept is the filter that messages were held by last; empty = none was.
func (s *Screen) lastIntercept() string {
	last := ""
	if typed := s.prefs.Settings.History(promptSigns[interceptPrompt]); len(typed) > 0 {
		last = typed[len(typed)-1]
	}
	return cmp.Or(s.tab().intercept.Last, last)
}

// toggleIntercept switches intercept off, or on with the filter that was used last.
func (s *Screen) toggleIntercept() tea.Cmd {
	t := s.tab()
	if _, on := t.intercept.On(); on {
		return t.intercept.Hold("")
	}
	if last := s.lastIntercept(); last != "" {
		return t.intercept.Hold(last)
	}
	return s.askIntercept()
}

// interceptUsage is what is said of a wrong :intercept.
const interceptUsage = "intercept FILTER | off | @NAME | keep NAME | forget NAME"

// intercepts carries out :intercept with words. A filter that was kept is named @NAME.
func (s *Screen) intercepts(t *tab, rest string) tea.Cmd {
	word, name, _ := strings.Cut(rest, " ")
	name = strings.TrimSpace(name)
	kept := s.prefs.Settings.Intercepts
	switch {
	case word == "off" && name == "":
		return t.intercept.Hold("")
	case word == "keep" && name != "":
		filter, on := t.intercept.On()
		switch {
		case !on && s.lastIntercept() == "":
			return s.Say(session.Error, "there is no filter to keep: intercept FILTER sets one")
		case strings.ContainsAny(name, " @") || format.Visible([]byte(name), 0) != name:
			return s.Say(session.Error, "a name is one word: intercept keep calls")
		case !on:
			filter = s.lastIntercept()
		}
		s.prefs.Settings.KeepIntercept(name, filter)
		return s.Say(session.Info, fmt.Sprintf("kept: :intercept @%s holds %s", name, format.Visible([]byte(filter), 100)))
	case word == "forget" && name != "":
		if _, known := kept[strings.TrimPrefix(name, "@")]; !known {
			return s.Say(session.Error, fmt.Sprintf("no filter is kept as %q; tab after :intercept @ lists them", name))
		}
		s.prefs.Settings.KeepIntercept(strings.TrimPrefix(name, "@"), "")
		return s.Say(session.Info, name+" is forgotten")
	case strings.HasPrefix(rest, "@"):
		filter, known := kept[rest[1:]]
		if !known {
			return s.Say(session.Error, fmt.Sprintf("no filter is kept as %q; %s", rest, interceptUsage))
		}
		rest = filter
	}
	s.prefs.Settings.Remember(promptSigns[interceptPrompt], rest)
	return t.intercept.Hold(rest)
}

// interceptWords are what :intercept can go on with.
func (s *Screen) interceptWords() []string {
	words := []string{"off", "keep ", "forget "}
	for name := range s.prefs.Settings.Intercepts {
		words = append(words, "@"+name, "forget "+name)
	}
	slices.Sort(words)
	return words
}

// setHold carries out :hold PERCENT.
func (s *Screen) setHold(value string) tea.Cmd {
	percent, err := strconv.Atoi(strings.TrimSuffix(value, "%"))
	switch {
	case value == "forever":
		percent = 101
	case err != nil || percent < 1 || percent > 100:
		return s.Say(session.Error, "hold 80 releases a message after 80 % of the time that its sender waits; hold forever never does")
	}
	s.prefs.Settings.Hold = percent
	says := fmt.Sprintf("held messages are released after %d %% of the time that their senders wait", percent)
	if percent > 100 {
		says = "held messages stay until you decide"
	}
	cmds := []tea.Cmd{s.Say(session.Info, says)}
	for _, t := range s.tabs {
		cmds = append(cmds, t.intercept.Percent(percent))
	}
	return tea.Batch(cmds...)
}

// inTheWay says in the header what of ours is in the way between client and server; empty for
// nothing.
func (s *Screen) inTheWay() string {
	t := s.tab()
	state := t.Held.State()
	if !t.Ctx.Live || t.Ctx.Past {
		return ""
	}
	var parts []string
	if t.InPath != "" {
		parts = append(parts, format.Visible([]byte(t.InPath), 0))
	}
	if len(state.Places) > 0 && !strings.Contains(t.InPath, "hold") {
		parts = append(parts, "intercept")
	}
	if t.Outstanding == 0 && len(parts) == 0 {
		return ""
	}
	words := "⚠ NOT TRANSPARENT"
	if len(parts) > 0 {
		words += ": " + strings.Join(parts, ", ")
	}
	if n := t.Source.Snapshot().Totals().Decided; n > 0 && s.w >= narrow {
		words += fmt.Sprintf(" (%s decided)", format.Count(n))
	}
	return words
}

// heldWord is how many messages are held, and the least time that is left to one, for the
// header.
func (s *Screen) heldWord() string {
	t := s.tab()
	state := t.Held.State()
	if len(state.Held) == 0 {
		return ""
	}
	words := "‖ " + format.Count(int64(len(state.Held))) + " held"
	if s.layout.Focus != keys.Held {
		words += " (" + s.keys.WordOf(keys.Answer, keys.Global) + ")"
	}
	return s.prefs.Theme.Warning.Paint(words)
}
