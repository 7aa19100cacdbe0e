package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/traffic"
	"wiretea/ui/waterfall"
)

// Pages of the help.
const (
	allPage = iota
	filterPage
	signsPage
)

var helpPages = []string{"all", "filter", "signs"}

// A helpBox lists everything that can be done.
type helpBox struct {
	overlay.Menu
	screen *Screen
	filter string // filter is what the words of the filter language are added to.
}

// openHelp opens the help at a page, or with something searched.
func (s *Screen) openHelp(page int, search string) tea.Cmd {
	b := &helpBox{screen: s, filter: s.tab().Filter, Menu: overlay.Menu{Name: "help", Close: func() { s.Open(nil) }, Box: keyhelp.Box{Pages: helpPages, Page: page}}}
	if text, is := s.prompt.Text(s.asked.filter); is {
		b.filter = text
	}
	for _, add := range []func(){b.bindings, b.commands, b.sessions, b.settings, b.exports, b.offers, b.words, b.signs} {
		add()
	}
	b.Search = search
	b.Find()
	s.Open(b)
	return nil
}

// bindings adds the keys: those of the focused pane, then those that hold everywhere, then
// those of other panes.
func (b *helpBox) bindings() {
	s := b.screen
	here := func(k *keys.Binding) bool {
		return k.In(s.layout.Focus) && k.Scopes[0] != keys.Global && k.Group != "move"
	}
	for k := range s.keys.All() {
		if here(k) && k.Help != "" {
			e := b.binding(k)
			e.Group = "in " + s.layout.Focus.String()
			b.Entries = append(b.Entries, e)
		}
	}
	for _, elsewhere := range []bool{false, true} {
		for k := range s.keys.All() {
			if k.Help == "" || here(k) || k.Scopes[0] == keys.Home || k.Scopes[0] == keys.Tour && s.tour.Scene().Of == 0 || k.In(s.layout.Focus) == elsewhere {
				continue
			}
			e := b.binding(k)
			if elsewhere {
				e.Group = "in " + k.Scopes[0].String()
			}
			b.Entries = append(b.Entries, e)
		}
	}
}

func (b *helpBox) binding(k *keys.Binding) keyhelp.Entry {
	s, e := b.screen, keyhelp.Of(k)
	if e.Why = s.disabled(k.Action); !k.In(s.layout.Focus) && k.Scopes[0] != keys.Tour {
		e.Why = "in " + k.Scopes[0].String()
	}
	e.Do = func() tea.Cmd { return s.run(k) }
	return e
}

// run carries out a binding chosen in the help, in a pane where it holds.
func (s *Screen) run(b *keys.Binding) tea.Cmd {
	if b.Scopes[0] == keys.Composer {
		return s.Say(session.Info, "open the composer first: c")
	}
	if !b.In(s.layout.Focus) && b.Scopes[0] != keys.Tour {
		s.show(b.Scopes[0])
	}
	return s.do(b.Action)
}

// commands adds the commands with words.
func (b *helpBox) commands() {
	s := b.screen
	for _, c := range commandTable() {
		e := keyhelp.Entry{Keys: ":" + c.name, Name: c.name, Text: c.help, Group: "commands", Also: keys.Also(c.name)}
		e.Do = func() tea.Cmd { return s.prompt.Fill(s.asked.command, c.name+" ") }
		if c.args == "" {
			e.Do = func() tea.Cmd { return s.command(c.name) }
		} else if e.Keys += " " + c.args; len(e.Keys) > 40 {
			e.Keys = ":" + c.name
			e.Text += "  " + c.args
		}
		b.Entries = append(b.Entries, e)
	}
}

// sessions adds the sessions that are open.
func (b *helpBox) sessions() {
	s := b.screen
	if len(s.opt.Sources) < 2 {
		return
	}
	for i, t := range s.tabs[:len(s.opt.Sources)] {
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: "session", Text: text.Visible([]byte(t.Source.Title()), 200), Group: "sessions", Also: "tab switch",
			Do: func() tea.Cmd { return s.showSession(i) }})
	}
	b.Entries = append(b.Entries, keyhelp.Entry{Keys: "session", Text: "all sessions in one list, in the order of the clock", Group: "sessions", Also: "tab switch merged together client",
		Do: func() tea.Cmd { return s.showSession(len(s.opt.Sources)) }})
}

// settings adds what is set, and the saved filters.
func (b *helpBox) settings() { b.Entries = append(b.Entries, b.screen.prefs.Entries()...) }

// offers adds what the server has listed: tools, prompts, resources.
func (b *helpBox) offers() {
	t := b.screen.tab()
	for _, msg := range t.Tools.Offers(&t.Ctx) {
		kind, _, _ := strings.Cut(msg.Method, "/")
		kind = strings.TrimSuffix(kind, "s")
		words := text.Visible([]byte(msg.Name), 100)
		if msg.About != "" {
			words += "  " + text.OneLine(text.Visible([]byte(msg.About), 120))
		}
		b.Entries = append(b.Entries, keyhelp.Entry{Keys: kind, Text: words, Group: "the server's", Also: "compose call " + words, Why: t.requests.Disabled(),
			Do: func() tea.Cmd { return t.composer.Open(msg) }})
	}
}

// words adds the filter language: how words are put together, then each word.
func (b *helpBox) words() {
	add := func(group, word, means string) {
		e := keyhelp.Entry{Keys: word, Text: means, Group: group, Page: helpPages[filterPage], Also: "filter only show rows"}
		e.Do = func() tea.Cmd {
			return b.screen.prompt.Fill(b.screen.asked.filter, strings.TrimSpace(b.filter+" "+word))
		}
		b.Entries = append(b.Entries, e)
	}
	for _, x := range filterExamples {
		add("examples; enter puts one into the filter", x[0], x[1])
	}
	for name, means := range filter.States {
		add("states and kinds", "is:"+name, means)
	}
	for _, w := range filter.Words() {
		if w.Name == "is" {
			continue
		}
		means := w.Help
		if len(w.Values) > 0 {
			means += ": " + strings.Join(w.Values, ", ")
		}
		add("words", w.Example, means)
	}
}

// filterExamples are filters with what they select.
var filterExamples = [...][2]string{
	{`is:error`, "requests that failed, and their responses; errors of tools too"},
	{`m:tools/call lat>500ms`, "calls of tools that took longer than 500 ms: words side by side all hold"},
	{`t:echo | t:add`, "either of two: a | b"},
	{`-m:ping`, "everything but pings: - or ! before a word"},
	{`is:request d:s2c`, "what the server asks"},
	{`(is:error | sev>=warning) -is:stderr`, "parentheses group"},
	{`refused`, "a bare word: method, tool or raw body has the text, ignoring case"},
	{`"Bearer abc: x"`, "a text with spaces or signs, in quotes"},
	{`b~"user_[0-9]+"`, "a regular expression over the body; m~ t~ path~ over names"},
	{`n:100-200`, "the rows 100 to 200"},
}

// signs adds what the signs of rows and of bars mean.
func (b *helpBox) signs() {
	add := func(group string, signs []keyhelp.Sign) {
		for _, sign := range signs {
			e := sign.Entry()
			e.Group, e.Page, e.Also = group, helpPages[signsPage], "sign colour color symbol meaning legend"
			b.Entries = append(b.Entries, e)
		}
	}
	add("signs and colours of a row", traffic.Signs)
	add("bars of the timeline", waterfall.Signs())
}
