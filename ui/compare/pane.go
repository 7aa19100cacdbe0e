package compare

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/json/diff"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane is the page.
type Pane struct {
	keys keys.Map // keys are those of the last View.

	asked  pane.CompareMsg // asked is what is compared.
	any    bool            // any: something was asked for.
	gen    int             // gen tells the answers to older questions.
	got    outcome
	known  bool   // known: got is the answer to asked.
	old    string // old says what came after what is compared; empty = nothing.
	ignore []diff.Path

	rows    []row
	changed int     // changed counts the changes of rows, so that places are made again.
	places  []place // places are the rows as they are laid out.
	laid    layout  // laid is what places were made for.
	list    list.List
	lineOf  []int // lineOf are the places of the lines that were drawn last.
	above   int   // above is how many lines are above them.

	unwrapped bool
	stacked   bool // stacked: one below the other also where there is room for two columns.
}

var _ pane.Pane = (*Pane)(nil)

// New returns a page with nothing to compare.
func New() *Pane { return &Pane{} }

// A row is a line of the difference, with what it looks like here.
type row struct {
	diff.Line
	was      *diff.Line // was is the folded line that an unfolded container began as; nil = none.
	from, to int        // from and to are the part of Text that differs from the line's counterpart; equal = none is marked.
	paired   bool       // paired: the line has a counterpart.
}

// Update takes what is to be compared, and the outcome.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.CompareMsg:
		p.asked, p.any, p.old = msg, true, ""
		p.list = list.List{}
		return p.compute(!msg.Quiet)
	case pane.OutdatedMsg:
		if p.asked.Quiet {
			p.old = msg.Why
		}
	case pane.Answer:
		return msg.For(p, c)
	case pane.WheelMsg:
		p.list.Wheel(msg.Lines)
	case pane.ClickMsg:
		if y := msg.Y - p.above; y >= 0 && y < len(p.lineOf) {
			p.list.At = p.lineOf[y]
			if msg.Double {
				p.unfold()
			}
		}
	}
	return nil
}

// compute compares in a command. atOnce: the page waits for it.
func (p *Pane) compute(atOnce bool) tea.Cmd {
	p.gen++
	if atOnce {
		p.known = false
	}
	gen, asked, ignore := p.gen, p.asked, p.ignore
	return pane.Work(p, func() pane.Then {
		got := difference(asked.Old.Body, asked.New.Body, ignore)
		return func(*pane.Context) tea.Cmd {
			if gen != p.gen {
				return nil
			}
			p.got, p.known = got, true
			p.list = list.List{}
			p.show(got.rows)
			p.jump(1, true)
			return pane.Tell(pane.ComparedMsg{Title: p.asked.Title, Differences: got.changes, More: got.more, Why: got.why, Quiet: p.asked.Quiet})
		}
	})
}

// Do carries out an action.
func (p *Pane) Do(_ *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if p.list.Do(a, len(p.places)) {
		return nil, true
	}
	switch a {
	case keys.DiffNext:
		p.jump(1, false)
	case keys.DiffPrev:
		p.jump(-1, false)
	case keys.Enter, keys.Unfold:
		p.unfold()
	case keys.Fold:
		p.fold()
	case keys.UnfoldAll:
		p.unfoldAll()
	case keys.FoldAll:
		p.show(p.got.rows)
		p.list.At = min(p.list.At, max(0, len(p.places)-1))
	case keys.Wrap:
		p.unwrapped = !p.unwrapped
	case keys.Sides:
		p.stacked = !p.stacked
	case keys.Ignore:
		return p.ignoreIt(), true
	case keys.IgnoreNone:
		p.ignore = nil
		return p.compute(true), true
	case keys.CopyValue:
		return p.copyLine(), true
	case keys.CopyPath:
		if r := p.row(); r != nil && r.Path != "" {
			return pane.Tell(pane.CopyMsg{What: "the path", Text: text.Visible([]byte(r.Path), 0)}), true
		}
		return pane.Notify("lines of text have no path"), true
	case keys.CopyRaw:
		return pane.Tell(pane.CopyMsg{What: "the difference", Text: p.text()}), true
	default:
		return nil, false
	}
	return nil, true
}

// Disabled says why an action cannot be carried out now.
func (p *Pane) Disabled(_ *pane.Context, a keys.Action) string {
	switch a {
	case keys.DiffNext, keys.DiffPrev:
		if p.got.changes == 0 {
			return "no differences"
		}
	case keys.Ignore:
		if r := p.row(); r == nil || r.Path == "" {
			return "no value is selected"
		}
	case keys.IgnoreNone:
		if len(p.ignore) == 0 {
			return "nothing is ignored"
		}
	}
	return ""
}

// Ignore leaves out what a pattern matches, from now on; see jsondiff.Path.
func (p *Pane) Ignore(pattern string) (tea.Cmd, error) {
	path, err := diff.ParsePath(pattern)
	if err != nil {
		return nil, err
	}
	if p.ignores(pattern) {
		return nil, nil
	}
	// A command may still read the old list.
	p.ignore = append(p.ignore[:len(p.ignore):len(p.ignore)], path)
	if !p.any {
		return nil, nil
	}
	return p.compute(true), nil
}

// ignoreIt leaves out the value under the cursor.
func (p *Pane) ignoreIt() tea.Cmd {
	r := p.row()
	if r == nil || r.Path == "" {
		return nil
	}
	if r.Path == "." {
		return pane.Notify("the whole value cannot be ignored")
	}
	cmd, err := p.Ignore(r.Path)
	if err != nil {
		return pane.Tell(pane.Failed(err))
	}
	return cmd
}

// Title says what is compared, and how it came out.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	left = "difference"
	if p.asked.Title != "" {
		left += " · " + text.Visible([]byte(p.asked.Title), 80)
	}
	switch {
	case !p.any:
		return left, ""
	case !p.known:
		return left, c.Theme.Dim.Paint("comparing…")
	case p.old != "":
		return left, c.Theme.Warning.Paint("⚠ " + p.old)
	case p.got.why != "":
		return left, c.Theme.Warning.Paint("⚠ not compared")
	case p.got.changes == 0:
		return left, c.Theme.OK.Paint("✔ the same")
	}
	return left, c.Theme.Warning.Paint("≠ " + p.count())
}

// count says how many differences there are.
func (p *Pane) count() string {
	text := text.Plural(int64(p.got.changes), "difference")
	if p.got.more {
		text = "more than " + text
	}
	return text
}

// ignored lists the patterns that are left out.
func (p *Pane) ignored() string {
	words := make([]string, len(p.ignore))
	for i, path := range p.ignore {
		words[i] = path.String()
	}
	return text.Visible([]byte(strings.Join(words, ", ")), 200)
}
