package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/inventory"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/style"
)

// A sheet is something to be read: a command or a change of a file, to be agreed
// to, which cannot be done before its last line was shown; or why there is
// neither.
type sheet struct {
	command *inventory.Command // One of command, change, trouble and lines is set.
	change  *inventory.Change
	trouble *trouble
	lines   []string // lines are the differences of two recordings.
	page    list.Page
	read    bool // read: the last line was shown.
	width   int  // width is that of the last drawing; another one begins again.
}

// A trouble is why something is not done.
type trouble struct {
	title string
	about inventory.Server
	why   string
}

func troubleSheet(title string, about inventory.Server, why string) *sheet {
	return &sheet{trouble: &trouble{title, about, why}}
}

// sheetKey scrolls, agrees or closes.
func (h *Home) sheetKey(name string, action keys.Action) tea.Cmd {
	s := h.sheet
	switch {
	case action == keys.Enter && s.read && (s.trouble != nil || s.lines != nil):
		h.sheet = nil
	case action == keys.Enter && s.read:
		return h.agree()
	case action == keys.Enter:
		s.page.Do(keys.PageDown)
	case name == "y" && s.change != nil && s.read:
		return h.agree()
	case action == keys.Escape || action == keys.Back || name == "n":
		h.sheet = nil
	default:
		s.page.Do(keys.Unplayed(action))
	}
	return nil
}

// title is what the sheet is about.
func (s *sheet) title() string {
	switch {
	case s.trouble != nil:
		return s.trouble.title
	case s.lines != nil:
		return "what differs"
	case s.change != nil:
		return s.change.Title
	case s.command.Foreign && s.command.Header != nil:
		return "connect to a URL of this project's file?"
	case s.command.Header != nil:
		return "connect to " + s.command.Server.Name + "?"
	case s.command.Foreign:
		return "run a command of this project's file?"
	}
	return "run " + s.command.Server.Name + "?"
}

// footer says what the keys do.
func (s *sheet) footer() string {
	does, keeps := "starts it", "does not"
	switch {
	case s.trouble != nil, s.lines != nil:
		does, keeps = "closes", "too"
	case s.command != nil && s.command.Header != nil:
		does = "connects"
	case s.change != nil:
		does, keeps = "writes the file", "leaves it as it is"
	}
	if !s.read {
		return "there is more below: enter or space goes on · esc " + keeps
	}
	return "enter " + does + " · esc " + keeps
}

// view draws the sheet's inside: h lines of w cells.
func (s *sheet) view(th *style.Theme, w, h int) []string {
	if w != s.width {
		// Lines break elsewhere: what was read is not known any more.
		s.width, s.read, s.page = w, false, list.Page{}
	}
	p := newPen(th, w)
	switch {
	case s.command != nil:
		p.command(s.command)
	case s.change != nil:
		p.change(s.change)
	case s.lines != nil:
		for _, line := range s.lines {
			p.text(th.Text, " "+line)
		}
	default:
		t := s.trouble
		p.blank()
		p.text(th.Warning, "⚠ "+t.why)
		p.blank()
		p.field("command", th.Text, t.about.Command)
		p.field("url", th.Text, t.about.URL)
		p.field("from", th.Text, t.about.File+" ("+t.about.Client+", "+t.about.Level+")")
	}
	from, to := s.page.Fit(len(p.Lines), h)
	s.read = s.read || to == len(p.Lines)
	return cells.Lines(p.Lines[from:to], w, h)
}

// A pen writes what peers and files say.
type pen struct{ style.Sheet }

// labelW is the width of the labels, the space behind them included.
const labelW = 11

func newPen(th *style.Theme, w int) *pen {
	return &pen{style.Sheet{Theme: th, W: w - 2, Label: labelW}}
}

func (p *pen) blank() { p.Lines = append(p.Lines, "") }

// text writes a text over as many lines as it takes.
func (p *pen) text(style style.Style, words string) { p.Text(style, text.Line(words)) }

// field writes a label and beside it a text, every character of it.
func (p *pen) field(label string, style style.Style, words string) {
	p.Exact(label, style, text.Line(words))
}

// prose is field with lines that break between words.
func (p *pen) prose(label string, style style.Style, words string) {
	p.Field(label, style, text.Line(words))
}

func (p *pen) command(c *inventory.Command) {
	if c.Header != nil {
		p.call(c)
		return
	}
	p.blank()
	switch {
	case c.Foreign:
		p.text(p.Theme.Warning, "⚠ "+c.Server.File+" is part of the project in this folder and may come from someone else. Check the command.")
	default:
		p.text(p.Theme.Text, "This starts the server as "+c.Server.Client+" would, with wiretea as its client. The session is recorded.")
	}
	p.blank()
	label := "command"
	for i, word := range c.Shown {
		style := p.Theme.Text
		if i == 0 {
			style = p.Theme.Strong
		}
		p.field(label, style, text.ShellWord(word))
		if label = ""; i == 0 && len(c.Shown) > 1 {
			label = "arguments"
		}
	}
	p.blank()
	if c.Program != "" {
		p.field("program", p.Theme.Text, c.Program)
	} else {
		p.field("program", p.Theme.Error, "✖ not found")
	}
	p.field("folder", p.Theme.Text, c.Cwd)
	if len(c.Sets) > 0 {
		p.field("sets", p.Theme.Text, strings.Join(c.Sets, "  "))
	}
	for i, pair := range c.Unknown {
		label := ""
		if i == 0 {
			p.blank()
			p.text(p.Theme.Warning, "⚠ Programs may take code, or whom to trust, from variables. Check these values of the file:")
			label = "values"
		}
		p.field(label, p.Theme.Warning, pair)
	}
	if len(c.Unknown) > 0 {
		p.blank()
	}
	p.origin(c)
}

// origin writes what a command reads, and where it was found.
func (p *pen) origin(c *inventory.Command) {
	if len(c.Reads) > 0 {
		p.field("reads", p.Theme.Text, strings.Join(c.Reads, "  ")+"  (of your environment)")
	}
	p.field("from", p.Theme.Text, c.Server.File+" ("+c.Server.Client+", "+c.Server.Level+")")
	for _, note := range c.Notes {
		p.blank()
		p.text(p.Theme.Warning, "⚠ "+note)
	}
}

// call writes how a server at a URL is called.
func (p *pen) call(c *inventory.Command) {
	p.blank()
	if c.Foreign {
		p.text(p.Theme.Warning, "⚠ "+c.Server.File+" is part of the project in this folder and may come from someone else. Check the URL: what is sent goes there.")
	} else {
		p.text(p.Theme.Text, "This connects to the server, with wiretea as its client. The session is recorded, without the values of these fields.")
	}
	p.blank()
	p.field("url", p.Theme.Strong, c.Shown[0])
	if len(c.Sets) > 0 {
		p.field("sends", p.Theme.Text, strings.Join(c.Sets, "  ")+"  (the values of the entry)")
	}
	p.origin(c)
}

func (p *pen) change(c *inventory.Change) {
	p.blank()
	for line := range strings.Lines(c.Diff) {
		style := p.Theme.Dim
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			style = p.Theme.Strong
		case strings.HasPrefix(line, "@@"):
			style = p.Theme.Accent
		case strings.HasPrefix(line, "-"):
			style = p.Theme.Error
		case strings.HasPrefix(line, "+"):
			style = p.Theme.OK
		}
		for i, part := range cells.Hardwrap(text.Line(strings.TrimRight(line, "\r\n")), max(1, p.W-2)) {
			head := "  "
			if i > 0 {
				head = p.Theme.Dim.Paint(" ↳")
			}
			p.Lines = append(p.Lines, head+style.Paint(part))
		}
	}
	for _, note := range c.Notes {
		p.blank()
		p.text(p.Theme.Text, note)
	}
}
