package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/pane"
)

// maxCandidates is how many candidates of an answer are shown (the protocol
// allows 100).
const maxCandidates = 100

// CompleteMsg asks for candidates for a field: completion/complete. The answer is a
// Completed with the same Form and Seq; that there is none, or a late one, does
// no harm.
type CompleteMsg struct {
	Form    *Form
	Seq     int
	Path    []string
	Name    string            // Name is the argument's, the last of Path.
	Text    string            // Text is what was typed so far.
	Context map[string]string // Context are the other arguments that are filled in.
}

// CompletedMsg answers a Complete.
type CompletedMsg struct {
	Form   *Form
	Seq    int
	Values []string
	Total  int  // Total is how many there are, 0 = not known.
	More   bool // More: there are more than Values.
}

// completing is what was asked for last.
type completing struct {
	seq     int
	field   *field
	text    string
	waiting bool
}

// ask returns the command that asks for candidates; nil where the field has
// none, or an answer is still waited for. With again it asks anyway.
func (f *Form) ask(x *field, again bool) tea.Cmd {
	if x == nil || f.cfg.Completes == nil || x.manner != asText || !f.cfg.Completes(x.path()) {
		return nil
	}
	c := &f.completing
	if c.waiting && !again {
		return nil
	}
	*c = completing{seq: c.seq + 1, field: x, text: x.typed(), waiting: true}
	path := x.path()
	msg := CompleteMsg{Form: f, Seq: c.seq, Path: path, Text: c.text, Context: map[string]string{}}
	if len(path) > 0 {
		msg.Name = path[len(path)-1]
	}
	if x.parent != nil {
		for _, kid := range x.parent.kids[:min(len(x.parent.kids), 200)] {
			if kid == x || !kid.sent() || kid.keying != nil {
				continue
			}
			if kid.manner == asText {
				msg.Context[kid.key] = kid.typed()
				continue
			}
			var e encoder
			e.write(kid)
			msg.Context[kid.key] = string(e.out)
		}
	}
	return pane.Tell(msg)
}

// completed shows candidates as a menu. Stale ones are dropped, and asked for
// again where the text has moved on.
func (f *Form) completed(msg CompletedMsg) tea.Cmd {
	c := &f.completing
	if msg.Form != f || msg.Seq != c.seq || !c.waiting {
		return nil
	}
	c.waiting = false
	x := c.field
	if f.mode != Fields || f.focus().field != x || x.manner != asText {
		return nil
	}
	if x.typed() != c.text {
		return f.ask(x, false)
	}
	if f.menu != nil && !f.menu.loose {
		return nil
	}
	f.menu = nil
	values := slices.DeleteFunc(slices.Clone(msg.Values[:min(len(msg.Values), maxCandidates)]), func(s string) bool { return s == c.text })
	if len(values) == 0 {
		return nil
	}
	var items []menuItem
	for _, value := range values {
		items = append(items, menuItem{label: inline(value, maxName), do: func() tea.Cmd {
			x.text.replace(0, len(x.text.text), []byte(value), false)
			x.touch()
			return f.check()
		}})
	}
	f.menu = newMenu(items)
	f.menu.loose, f.menu.At = true, -1
	if msg.More || msg.Total > len(msg.Values) {
		f.menu.note = "there are more"
	}
	return nil
}
