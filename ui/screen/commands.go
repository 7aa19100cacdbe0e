package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/lazy"
	"wiretea/session/text"
	"wiretea/ui/composer"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/preferences"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// A command is something to type after ":" that takes words. Those that take
// none are bindings with a name.
type command struct {
	name, args, help string
	run              func(s *Screen, t *tab, rest string) tea.Cmd
	complete         func(t *tab) []string // complete gives first words; nil = none.
}

// commandTable lists the commands with words.
func commandTable() []command { return commandList.From(newCommands) }

var commandList lazy.Value[[]command]

func newCommands() []command {
	return []command{
		{"help", "[filter|signs|WORD]", "everything that can be done; the filter language; what the signs mean", func(s *Screen, _ *tab, rest string) tea.Cmd {
			if page := slices.Index(helpPages, rest); page >= 0 {
				return s.openHelp(page, "")
			}
			return s.openHelp(allPage, rest)
		}, func(*tab) []string { return helpPages[filterPage:] }},
		{"send", "METHOD [PARAMS]", "send a request, a notification or a whole message to the server", func(_ *Screen, t *tab, rest string) tea.Cmd {
			return tea.Batch(t.requests.Send(rest), t.composer.Sent(rest))
		}, func(*tab) []string { return composer.Methods() }},
		{"answer", "[N]", "answer what the server asks, or its question N", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.questions.Answer(rest) }, func(t *tab) []string { return t.questions.List() }},
		{"loglevel", "LEVEL", "ask the server for log messages of a level and above", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.requests.LogLevel(rest) }, func(t *tab) []string { return t.requests.Levels() }},
		{"compose", "[METHOD [NAME]]", "compose a message", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.composer.Command(rest) }, func(*tab) []string { return composer.Methods() }},
		{"repeat", "N [C]", "send the selected request N times, C at once, and measure", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.composer.Repeat(rest) }, nil},
		{"template", "NAME", "keep the selected request as a template, for the composer", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.composer.Template(rest) }, nil},
		{"subscribe", "URI", "subscribe to a resource", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.requests.Subscribe(rest) }, func(t *tab) []string { return t.Tools.URIs() }},
		{"unsubscribe", "URI", "end the subscription to a resource", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.requests.Unsubscribe(rest) }, func(t *tab) []string { return t.Tools.SubscribedURIs() }},
		{"listen", "[tools|prompts|resources|URI]…", "subscribe to the changes of lists, and to resources", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.requests.Listen(rest) }, func(t *tab) []string {
			return append([]string{"tools", "prompts", "resources"}, t.Tools.URIs()...)
		}},
		{"end", "", "end the server of a session that is watched; its client loses it", func(_ *Screen, t *tab, _ string) tea.Cmd { return t.requests.End() }, nil},
		{"intercept", "FILTER | off | @NAME | keep NAME | forget NAME", "hold the messages that match a filter until you decide; keep names the filter, @NAME uses it", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.intercept.Command(rest) }, nil},
		{"respond", "RECORDING", "answer the selected held message as a recording does: with its latest result to the same method and target", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.intercept.RespondWith(rest) }, nil},
		{"fault", "[SPEC | off [N]]", "what acts on the messages and how often; a fault as in m:tools/call is:request: delay(2s) n=3; its end", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.intercept.Fault(rest) }, func(t *tab) []string { return t.intercept.Faults() }},
		{"hold", "PERCENT | forever", "release held messages after that share of the time that their senders wait, 80 at first, or never", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.intercept.SetHold(rest) }, func(*tab) []string { return []string{"80", "forever"} }},
		{"filter", "[FILTER]", "show only the rows that match; nothing = all", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.setFilter(rest, true) }, nil},
		{"search", "[TEXT]", "search in the raw bytes of all frames", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.search(rest) }, nil},
		{"goto", "N", "go to frame N", (*Screen).gotoNumber, nil},
		{"at", "[TIME]", "a recording as it was at that time: 12.5s, +2s, -500ms, 10:00:12; nothing = when the selected row came", func(_ *Screen, t *tab, rest string) tea.Cmd {
			if len(t.Ctx.Snap.Members()) > 0 {
				return t.Say(session.Info, t.ofOne())
			}
			return t.timeline.At(rest)
		}, nil},
		{"comment", "[TEXT]", "comment on the selected row", func(s *Screen, t *tab, rest string) tea.Cmd {
			if rest == "" {
				return s.do(keys.Comment)
			}
			return t.Comment(t.Ctx.Cursor, rest)
		}, nil},
		{"layout", "reset | list | save NAME | NAME", "every pane at its place and size as at first; a saved layout", func(s *Screen, _ *tab, rest string) tea.Cmd { return s.prefs.LayoutCommand(rest) }, func(t *tab) []string { return t.prefs.LayoutNames() }},
		{"columns", "[NAME[:WIDTH]]… | reset", "the columns of traffic: a list to choose from; or those named, in their order, with widths in cells: n time what info latency size id connection finding", func(s *Screen, _ *tab, rest string) tea.Cmd { return s.prefs.ColumnsCommand(rest) }, func(*tab) []string { return append(slices.Clone(traffic.ColumnNames[:]), "reset") }},
		{"sort", "[COLUMN [reverse]]", "the rows of traffic in the order of a column: latency, size, finding: the greatest first; what, id: from A to Z; nothing = as they came", sortCommand, func(*tab) []string { return traffic.SortNames() }},
		{"set", "NAME [VALUE]", "change a setting, and keep it in config.toml; without a value, to its default", func(s *Screen, _ *tab, rest string) tea.Cmd { return s.prefs.Set(rest) }, func(*tab) []string { return preferences.Complete() }},
		{"settings", "", "all settings, each changed at once, and the faults of config.toml", func(s *Screen, _ *tab, _ string) tea.Cmd { return s.prefs.OpenSettings() }, nil},
		{"theme", "[NAME]", "the colours of the screen; without NAME a list, each seen while it is chosen", func(s *Screen, _ *tab, rest string) tea.Cmd {
			if rest == "" {
				return s.prefs.OpenThemes()
			}
			return s.prefs.Set("theme " + rest)
		}, func(*tab) []string { return style.Names() }},
		{"filters", "", "saved filters", func(s *Screen, _ *tab, _ string) tea.Cmd { return s.prefs.OpenFilters() }, nil},
		{"save-filter", "NAME", "save the filter that is set", func(s *Screen, _ *tab, rest string) tea.Cmd { return s.prefs.SaveFilter(rest) }, nil},
		{"colours", "", "the rules for the colours of rows", func(s *Screen, _ *tab, _ string) tea.Cmd { return s.prefs.OpenColours() }, nil},
		{"colour", "COLOUR [FILTER]", "give a colour to the rows that a filter selects: #rrggbb, " + strings.Join(style.Colours(), ", "), func(s *Screen, _ *tab, rest string) tea.Cmd { return s.prefs.AddColour(rest) }, func(*tab) []string { return style.Colours() }},
		{"ignore", "PATH", "leave out of differences what a path matches, as in ..timestamp; tab suggests", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.comparing.Ignore(rest) }, func(t *tab) []string { return t.Compare.Suggest() }},
		{"watch", "[on|off]", "the state of the watch on files; on or off", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.watchCommand(rest) }, func(*tab) []string { return []string{"on", "off"} }},
		{"build", "", "build and restart the server now", func(_ *Screen, t *tab, _ string) tea.Cmd {
			w := t.watching()
			if w == nil {
				return t.Say(session.Error, noWatch)
			}
			w.Rebuild()
			return nil
		}, nil},
		{"output", "", "what the latest build wrote", func(_ *Screen, t *tab, _ string) tea.Cmd {
			if t.built == nil {
				return t.Say(session.Error, "nothing was built yet")
			}
			t.Open(newBuildPage(t))
			return nil
		}, nil},
		{"explain", "RULE", "explain a rule", func(s *Screen, _ *tab, rest string) tea.Cmd { return s.explain(rest) }, func(*tab) (ids []string) {
			for _, r := range check.All() {
				ids = append(ids, r.ID)
			}
			return ids
		}},
		{"silence", "RULE", "leave out the findings of a rule in this session", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.silence(rest) }, func(t *tab) []string { return t.foundRules("") }},
		{"unsilence", "[RULE]", "show a silenced rule again; without RULE, all", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.unsilence(rest) }, func(t *tab) []string { return t.Findings.Silenced() }},
		{"record", "FILE", "copy the session's record so far to a file", func(_ *Screen, t *tab, rest string) tea.Cmd { return t.record(rest) }, nil},
		{"redact", "FILE", "copy the recording so far, without its secrets, to a file", func(s *Screen, t *tab, rest string) tea.Cmd { return s.export(t, "recording "+rest) }, nil},
		{"save", "FILE", "save the text, image or other data under the cursor of the tab content to a new file", (*Screen).save, nil},
		{"export", "FORM FILE", "write the session, without its secrets, as recording, " + strings.Join(export.Names(), ", ") + "; or a stream, c2s, s2c or stderr, exactly as it crossed the wire", func(s *Screen, t *tab, rest string) tea.Cmd { return s.export(t, rest) }, exportWords},
	}
}

// command carries out what was typed after ":".
func (s *Screen) command(words string) tea.Cmd {
	name, rest, _ := strings.Cut(words, " ")
	rest = strings.TrimSpace(rest)
	if name == "" {
		return nil
	}
	if name == "q" {
		name = "quit"
	}
	if n, err := strconv.Atoi(name); err == nil {
		return s.gotoNumber(s.tab(), strconv.Itoa(n))
	}
	for _, c := range commandTable() {
		if c.name == name && (rest != "" || s.keys.Named(name) == nil) {
			return c.run(s, s.tab(), rest)
		}
	}
	if b := s.keys.Named(name); b != nil {
		return s.do(b.Action)
	}
	return s.Say(session.Error, fmt.Sprintf("unknown command %q; %s", name, text.Nearest(name, commandNames(), "tab lists the commands")))
}

// commandHelp is what the line of a command shows beside it: what the command takes and does,
// or the commands that begin so.
func (s *Screen) commandHelp(text string) string {
	name, _, more := strings.Cut(text, " ")
	for _, c := range commandTable() {
		if c.name == name {
			return strings.TrimLeft(c.args+"  "+c.help, " ")
		}
	}
	if b := s.keys.Named(name); b != nil {
		return b.Help
	}
	if more {
		return ""
	}
	return strings.Join(withPrefix("", name, commandNames()), "  ")
}

// commandNames are all names after ":", sorted.
func commandNames() []string {
	var all []string
	for _, c := range commandTable() {
		all = append(all, c.name)
	}
	for _, b := range keys.Table {
		if b.Name != "" {
			all = append(all, b.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// completions are the lines that a command can go on to.
func (s *Screen) completions(text string) []string {
	name, rest, more := strings.Cut(text, " ")
	if !more {
		return withPrefix("", name, commandNames())
	}
	for _, c := range commandTable() {
		if c.name == name && name == "columns" {
			at := strings.LastIndexByte(rest, ' ') + 1
			return withPrefix(name+" "+rest[:at], rest[at:], c.complete(s.tab()))
		}
		if c.name == name && name == "intercept" {
			return append(withPrefix(name+" ", rest, s.tab().intercept.Words()), s.tab().filterCompletions(text)...)
		}
		if c.name == name && c.complete != nil {
			return withPrefix(name+" ", rest, c.complete(s.tab()))
		}
	}
	return nil
}

// filterWords are what a word of a filter can begin with, or be.
var filterWords = []string{"m:", "t:", "d:c2s", "d:s2c", "d:err", "id:", "is:pending", "is:error", "is:late", "is:notification", "is:request",
	"is:text", "is:injected", "is:decided", "is:asking", "is:log", "is:marked", "level>=warning", "lat>", "size>", "sev>=warning", "sev>=error", "rule:", "j:.params.", "j:.result.", `b~"`}

// filterCompletions are the lines that a filter can go on to.
func (t *tab) filterCompletions(text string) []string {
	at := strings.LastIndexByte(text, ' ') + 1
	words := append(t.foundRules("rule:"), filterWords...)
	for _, m := range t.Ctx.Snap.Methods() {
		words = append(words, "m:"+m.Name)
	}
	slices.Sort(words)
	return withPrefix(text[:at], text[at:], slices.Compact(words))
}

// foundRules are the rules that have findings in the session, behind a word.
func (t *tab) foundRules(word string) []string {
	var rules []string
	for _, f := range t.Ctx.Snap.Findings() {
		rules = append(rules, word+f.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func withPrefix(before, typed string, words []string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			out = append(out, before+w)
		}
	}
	return out
}

// sortCommand is :sort.
func sortCommand(s *Screen, t *tab, rest string) tea.Cmd {
	name, way, _ := strings.Cut(rest, " ")
	way = strings.TrimSpace(way)
	if way != "" && way != "reverse" {
		return s.Say(session.Error, "sort COLUMN, or sort COLUMN reverse")
	}
	by, err := traffic.ParseSorting(name, way != "")
	if err != nil {
		return s.Say(session.Error, err.Error())
	}
	return tea.Batch(t.OfTraffic(t.Traffic.Sort(&t.Ctx, by)), t.Sync())
}

// gotoNumber goes to the frame of that record number, or the next one.
func (s *Screen) gotoNumber(t *tab, word string) tea.Cmd {
	n, err := strconv.ParseUint(word, 10, 32)
	snap := t.Source.Snapshot()
	if err != nil || snap.Len() == 0 {
		return s.Say(session.Error, fmt.Sprintf("%q is not a frame number", word))
	}
	return s.goTo(t, uint32(min(host.RowFrom(snap, n), snap.Len()-1)))
}

// exported says what became of an export.
func exported(what, path string, bytes int64, err error) pane.SayMsg {
	if err != nil {
		return pane.SayMsg{Text: fmt.Sprintf("writing %s: %v", what, err), Severity: session.Error}
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return pane.SayMsg{Text: fmt.Sprintf("wrote %s (%s, %s)", path, what, text.Size(bytes)), Severity: session.Info}
}

// record copies the session's record so far.
func (t *tab) record(path string) tea.Cmd {
	if path == "" {
		return t.Say(session.Error, "record FILE")
	}
	log := t.Ctx.Log
	return func() tea.Msg {
		n, err := writeNew(path, func(f *os.File) error { _, err := recorder.CopyFrom(f, log, 0); return err })
		return exported("the record", path, n, err)
	}
}

// writeNew creates a file for its owner alone and has it filled. A file that is
// there is never overwritten.
func writeNew(path string, fill func(*os.File) error) (int64, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	err = fill(f)
	info, serr := f.Stat()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if serr != nil {
		return 0, err
	}
	return info.Size(), err
}
