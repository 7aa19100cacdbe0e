package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/composer/store"
	"wiretea/ui/format"
)

// A recallBox lists what was composed for the server before, templates first.
type recallBox struct {
	chooser
	gen     int
	store   store.Store
	server  string // server is its key.
	entries []store.Entry
	here    bool
	now     time.Time
}

// recalled is a server's history.
type recalled struct {
	gen     int
	entries []store.Entry
	now     time.Time
	err     error
}

// noHistory says why there is no history, empty = there is.
func (s *Screen) noHistory() string {
	if s.opt.History == "" {
		return "no history is kept: its folder is missing"
	}
	return s.noSending()
}

// recall opens the history.
func (s *Screen) recall() tea.Cmd {
	if why := s.noHistory(); why != "" {
		return s.say(session.Info, why)
	}
	s.composing++
	b := &recallBox{gen: s.composing, store: store.Store{Dir: s.opt.History}, server: s.tab().historyKey()}
	s.overlay, s.prompt, s.chord = b, nil, ""
	return b.load()
}

func (b *recallBox) load() tea.Cmd {
	gen, store, server := b.gen, b.store, b.server
	return func() tea.Msg {
		list, err := store.Load(server)
		return recalled{gen, list, time.Now(), err}
	}
}

// takeHistory shows the history in the box that waits for it.
func (s *Screen) takeHistory(msg recalled) tea.Cmd {
	b, ok := s.overlay.(*recallBox)
	if !ok || b.gen != msg.gen {
		return nil
	}
	if msg.err != nil {
		s.overlay = nil
		return s.say(session.Error, msg.err.Error())
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

func (b *recallBox) find() {
	b.Look(len(b.entries), func(i int) string {
		e := &b.entries[i]
		return e.Template + " " + e.Method + " " + e.Name + " " + string(e.Params) + " " + e.Text
	})
}

func (b *recallBox) typed(text string) { b.Write(text); b.find() }

func (b *recallBox) title() string { return "sent before" }

func (b *recallBox) size(_ *Screen, w, h int) (int, int) { return min(w, 120), max(min(h, 10), h*4/5) }

func (b *recallBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	at := b.Chosen()
	switch name := msg.String(); {
	case name == "enter" && at >= 0:
		s.overlay = nil
		return s.build(building{row: session.NoRow, recipe: recipeOfEntry(&b.entries[at])})
	case name == "ctrl+x" && at >= 0:
		return b.forget(b.entries[at])
	}
	if b.Key(msg) {
		b.find()
	}
	return nil
}

// forget removes an entry, and shows what is left.
func (b *recallBox) forget(e store.Entry) tea.Cmd {
	store, server, load := b.store, b.server, b.load()
	gen := b.gen
	return func() tea.Msg {
		if err := store.Remove(server, e); err != nil {
			return recalled{gen: gen, err: err}
		}
		return load()
	}
}

func (b *recallBox) view(s *Screen, w, h int) []string {
	th := s.theme
	lines := []string{b.head(s, w, "type to search · enter fills it in again · ctrl-x forgets it"), ""}
	switch {
	case !b.here:
		return append(lines, th.Dim.Paint("  … reading"))
	case len(b.entries) == 0:
		return append(lines, th.Dim.Paint(cells.Fit("  nothing has been composed for this server yet", w)))
	case len(b.Found) == 0:
		return append(lines, th.Dim.Paint(cells.Fit("  nothing of that kind", w)))
	}
	return append(lines, b.chooser.view(s, w, h-2, func(i, w int) string { return b.line(s, i, w) })...)
}

// agoWidth is the column of how long ago it was, in cells.
const agoWidth = 6

func (b *recallBox) line(s *Screen, i, w int) string {
	th, e := s.theme, &b.entries[i]
	lead := th.Dim.Paint(cells.Fit(ago(b.now.Sub(e.At)), agoWidth))
	if e.Template != "" {
		lead = th.Accent.Paint(cells.Fit("★", agoWidth))
	}
	what := strings.TrimSpace(e.Method + " " + e.Name)
	values := string(valuesOf(e))
	if e.Text != "" {
		what, values = "message", e.Text
		if e.Bytes {
			what = "bytes"
		}
	}
	head := lead
	if e.Template != "" {
		head += th.Strong.Paint(format.Visible([]byte(e.Template), 60)) + "  "
	}
	head += th.Text.Paint(format.Visible([]byte(what), 100)) + "  "
	if len(e.Removed) > 0 {
		head += th.Warning.Paint("⚠ without a secret") + "  "
	}
	return head + th.Dim.Paint(cells.Fit(format.Visible([]byte(values), 400), max(0, w-cells.Width(head))))
}

// valuesOf are the values of an entry, in the parameters of a tool or a prompt
// the arguments.
func valuesOf(e *store.Entry) []byte {
	r := recipe{params: e.Params}
	if e.URI == "" {
		r.path = valuesAt(e.Method)
	}
	return r.values()
}

// ago is how long ago something was, in a word.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return count(int64(d/time.Minute)) + "m"
	case d < 24*time.Hour:
		return count(int64(d/time.Hour)) + "h"
	}
	return count(int64(d/(24*time.Hour))) + "d"
}

// keepTemplate keeps what is filled in under a name.
func (s *Screen) keepTemplate(t *tab, p parcel, name string) tea.Cmd {
	history, key := store.Store{Dir: s.opt.History}, t.historyKey()
	return func() tea.Msg {
		e := p.entry(time.Now())
		e.Template = name
		kept, err := history.Add(key, e)
		return templateKept(name, kept, err)
	}
}

// templateCommand names the selected request: :template NAME.
func (s *Screen) templateCommand(name string) tea.Cmd {
	switch why := s.noHistory(); {
	case name == "":
		return s.say(session.Error, "template NAME")
	case why != "":
		return s.say(session.Error, why)
	case s.noCopy() != "":
		return s.say(session.Error, s.noCopy())
	}
	t := s.tab()
	row := t.callOf()
	b := building{row: row, stock: stock{snap: t.ctx.Snap, log: t.ctx.Log}}
	if h := t.ctx.Header; h != nil {
		b.record = h.Mode
	}
	history, key := store.Store{Dir: s.opt.History}, t.historyKey()
	return func() tea.Msg {
		b.copy = editedCopy
		if err := b.read(); err != nil {
			return sent{err}
		}
		kept, err := history.Add(key, store.Entry{At: time.Now().UTC(), Method: b.recipe.method, Name: b.recipe.name, Params: b.recipe.params, Template: name})
		return templateKept(name, kept, err)
	}
}
