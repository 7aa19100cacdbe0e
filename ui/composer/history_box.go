package composer

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A historyBox lists what was composed for the server before, templates first.
type historyBox struct {
	overlay.Chooser
	of      *Composer
	gen     int
	store   Store
	server  string // server is its key.
	entries []Entry
	here    bool
	now     time.Time
}

// A historyMsg is a server's history.
type historyMsg struct {
	gen     int
	entries []Entry
	now     time.Time
	err     error
}

// noHistory says why there is no history, empty = there is.
func (c *Composer) noHistory() string {
	if c.history == "" {
		return "no history is kept: its folder is missing"
	}
	return c.requests.Disabled()
}

// Recall opens the history.
func (c *Composer) Recall() tea.Cmd {
	if why := c.noHistory(); why != "" {
		return c.tab.Say(session.Info, why)
	}
	c.asked++
	b := &historyBox{of: c, gen: c.asked, store: Store{Dir: c.history}, server: c.historyKey()}
	c.tab.Open(b)
	return b.load()
}

func (b *historyBox) load() tea.Cmd {
	gen, store, server := b.gen, b.store, b.server
	return b.of.tab.Addressed(b.of, func() tea.Msg {
		list, err := store.Load(server)
		return historyMsg{gen, list, time.Now(), err}
	})
}

// takeHistory shows the history in the box that waits for it.
func (c *Composer) takeHistory(msg historyMsg) tea.Cmd {
	b, ok := c.tab.Overlay().(*historyBox)
	if !ok || b.gen != msg.gen {
		return nil
	}
	if msg.err != nil {
		c.tab.Open(nil)
		return c.tab.Say(session.Error, msg.err.Error())
	}
	b.here, b.now, b.entries = true, msg.now, nil
	for _, named := range []bool{true, false} {
		for _, e := range msg.entries {
			if (e.Template != "") == named {
				b.entries = append(b.entries, e)
			}
		}
	}
	b.find()
	return nil
}

func (b *historyBox) find() {
	b.Look(len(b.entries), func(i int) string {
		e := &b.entries[i]
		return e.Template + " " + e.Method + " " + e.Name + " " + string(e.Params) + " " + e.Text
	})
}

// Typed implements overlay.Searched.
func (b *historyBox) Typed(text string) { b.Write(text); b.find() }

// Title implements overlay.Box.
func (b *historyBox) Title() string { return "sent before" }

// Size implements overlay.Box.
func (b *historyBox) Size(_ *style.Theme, w, h int) (int, int) {
	return min(w, 120), max(min(h, 10), h*4/5)
}

// Key implements overlay.Box.
func (b *historyBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	at := b.Chosen()
	switch name := msg.String(); {
	case name == "enter" && at >= 0:
		return b.of.build(building{row: session.NoRow, recipe: recipeOfEntry(&b.entries[at])}), true
	case name == "ctrl+x" && at >= 0:
		// What is left is shown then.
		store, server, gen, entry, load := b.store, b.server, b.gen, b.entries[at], b.load()
		return b.of.tab.Addressed(b.of, func() tea.Msg {
			if err := store.Remove(server, entry); err != nil {
				return historyMsg{gen: gen, err: err}
			}
			return load()
		}), false
	}
	if b.Chooser.Key(msg) {
		b.find()
	}
	return nil, false
}

// View implements overlay.Box.
func (b *historyBox) View(th *style.Theme, w, h int) []string {
	lines := b.Draw(th, w, h, "type to search · enter fills it in again · ctrl-x forgets it", func(i, w int) string { return b.line(th, i, w) })
	switch {
	case !b.here:
		return append(lines, th.Dim.Paint("  … reading"))
	case len(b.entries) == 0:
		return append(lines, th.Dim.Paint(cells.Fit("  nothing has been composed for this server yet", w)))
	case len(b.Found) == 0:
		return append(lines, th.Dim.Paint(cells.Fit("  nothing of that kind", w)))
	}
	return lines
}

// agoWidth is the column of how long ago it was, in cells.
const agoWidth = 6

func (b *historyBox) line(th *style.Theme, i, w int) string {
	e := &b.entries[i]
	lead := th.Dim.Paint(cells.Fit(ago(b.now.Sub(e.At)), agoWidth))
	if e.Template != "" {
		lead = th.Accent.Paint(cells.Fit("★", agoWidth))
	}
	what := strings.TrimSpace(e.Method + " " + e.Name)
	values := recipe{params: e.Params}
	if e.URI == "" {
		values.path = valuesAt(e.Method)
	}
	brief := string(values.values())
	if e.Text != "" {
		what, brief = "message", e.Text
		if e.Bytes {
			what = "bytes"
		}
	}
	head := lead
	if e.Template != "" {
		head += th.Strong.Paint(text.Visible([]byte(e.Template), 60)) + "  "
	}
	head += th.Text.Paint(text.Visible([]byte(what), 100)) + "  "
	if len(e.Removed) > 0 {
		head += th.Warning.Paint("⚠ without a secret") + "  "
	}
	return head + th.Dim.Paint(cells.Fit(text.Visible([]byte(brief), 400), max(0, w-cells.Width(head))))
}

// ago is how long ago something was, in a word.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return text.Count(int64(d/time.Minute)) + "m"
	case d < 24*time.Hour:
		return text.Count(int64(d/time.Hour)) + "h"
	}
	return text.Count(int64(d/(24*time.Hour))) + "d"
}

// Template names the selected request: :template NAME.
func (c *Composer) Template(name string) tea.Cmd {
	switch why := c.noHistory(); {
	case name == "":
		return c.tab.Say(session.Error, "template NAME")
	case why != "":
		return c.tab.Say(session.Error, why)
	case c.requests.NoRequest() != "":
		return c.tab.Say(session.Error, c.requests.NoRequest())
	}
	b := building{row: c.requests.Selected(), stock: c.stock(), copy: editedCopy}
	history, key := Store{Dir: c.history}, c.historyKey()
	return func() tea.Msg {
		if err := b.read(); err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Error}
		}
		kept, err := history.Add(key, Entry{At: time.Now().UTC(), Method: b.recipe.method, Name: b.recipe.name, Params: b.recipe.params, Template: name})
		return templateKept(name, kept, err)
	}
}
