package intercept

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/config"
	"wiretea/ui/overlay"
)

// Prompt is the sign of the prompt for a filter, under which the filters that were typed are
// remembered.
const Prompt = "hold "

// Kept is what the places of all tabs have in common: the filters that were typed or kept by
// name, and after how much of the sender's timeout a message is released.
type Kept struct {
	settings *config.Settings
	places   []*Intercept
}

// Of returns what settings have kept. They are changed with it.
func Of(settings *config.Settings) *Kept { return &Kept{settings: settings} }

// latest is the filter that messages were held by last; empty = none was.
func (q *Intercept) latest() string {
	last := ""
	if typed := q.kept.settings.History(Prompt); len(typed) > 0 {
		last = typed[len(typed)-1]
	}
	return cmp.Or(q.last, last)
}

// Toggle switches intercept off, or on with the filter that was used last; it asks first where
// that was in another session. It reports false where there is none, which is to be asked for.
func (q *Intercept) Toggle() (tea.Cmd, bool) {
	if filter, on := q.On(); on {
		q.last = filter
		return q.Hold(""), true
	}
	last := q.latest()
	if last == "" {
		return nil, false
	}
	if q.last == "" {
		q.tab.Open(&overlay.Confirm{
			Head:  "hold messages of " + text.Visible([]byte(q.tab.Name()), 40) + "?",
			Parts: []overlay.Part{overlay.Thing.Of(last), overlay.Text.Of("This filter was used in another session. What it matches waits until you decide on it.")},
			Yes:   "holds what it matches", Do: func() tea.Cmd { return q.Hold(last) },
		})
		return nil, true
	}
	return q.Hold(last), true
}

// usage is what is said of a wrong :intercept.
const usage = "intercept FILTER | off | @NAME | keep NAME | forget NAME"

// Command carries out :intercept with words. A filter that was kept is named @NAME.
func (q *Intercept) Command(rest string) tea.Cmd {
	word, name, _ := strings.Cut(rest, " ")
	name = strings.TrimSpace(name)
	settings := q.kept.settings
	switch {
	case word == "off" && name == "":
		return q.Hold("")
	case word == "keep" && name != "":
		filter, on := q.On()
		switch {
		case !on && q.latest() == "":
			return q.tab.Say(session.Error, "there is no filter to keep: intercept FILTER sets one")
		case strings.ContainsAny(name, " @") || text.Visible([]byte(name), 0) != name:
			return q.tab.Say(session.Error, "a name is one word: intercept keep calls")
		case !on:
			filter = q.latest()
		}
		settings.KeepIntercept(name, filter)
		return q.tab.Say(session.Info, fmt.Sprintf("kept: :intercept @%s holds %s", name, text.Visible([]byte(filter), 100)))
	case word == "forget" && name != "":
		if _, known := settings.Intercepts[strings.TrimPrefix(name, "@")]; !known {
			return q.tab.Say(session.Error, fmt.Sprintf("no filter is kept as %q; tab after :intercept @ lists them", name))
		}
		settings.KeepIntercept(strings.TrimPrefix(name, "@"), "")
		return q.tab.Say(session.Info, name+" is forgotten")
	case strings.HasPrefix(rest, "@"):
		filter, known := settings.Intercepts[rest[1:]]
		if !known {
			return q.tab.Say(session.Error, fmt.Sprintf("no filter is kept as %q; %s", rest, usage))
		}
		rest = filter
	}
	settings.Remember(Prompt, rest)
	return q.Hold(rest)
}

// Words are what :intercept can go on with.
func (q *Intercept) Words() []string {
	words := []string{"off", "keep ", "forget "}
	for name := range q.kept.settings.Intercepts {
		words = append(words, "@"+name, "forget "+name)
	}
	slices.Sort(words)
	return words
}

// SetHold carries out :hold PERCENT, for all tabs.
func (q *Intercept) SetHold(value string) tea.Cmd {
	percent, err := strconv.Atoi(strings.TrimSuffix(value, "%"))
	switch {
	case value == "forever":
		percent = 101
	case err != nil || percent < 1 || percent > 100:
		return q.tab.Say(session.Error, "hold 80 releases a message after 80 % of the time that its sender waits; hold forever never does")
	}
	q.kept.settings.Hold = percent
	says := fmt.Sprintf("held messages are released after %d %% of the time that their senders wait", percent)
	if percent > 100 {
		says = "held messages stay until you decide"
	}
	cmds := []tea.Cmd{q.tab.Say(session.Info, says)}
	for _, place := range q.kept.places {
		if filter, on := place.On(); on && place.place != nil {
			cmds = append(cmds, place.set(filter, ""))
		}
	}
	return tea.Batch(cmds...)
}
