package keyhelp

import (
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/style"
)

// A Box is the inside of a help.
type Box struct {
	list.Chooser
	Bindings []*keys.Binding // Bindings are those that are searched.
	Grouped  bool            // Grouped: bindings are under the names of their groups.

	// Words says what a binding does; nil = what the table says.
	Words func(*keys.Binding) string

	// Disabled says why a binding cannot be carried out now, empty = it can.
	Disabled func(*keys.Binding) string

	// Signs are explained below the bindings, under a heading of their own. They
	// cannot be chosen.
	Signs []Sign
}

// A Sign is a sign of the screen and what it means.
type Sign struct{ Sign, Means string }

// Title is the title of the box.
func (b *Box) Title() string {
	if b.Search == "" {
		return "help · type to search · enter does it · esc closes"
	}
	return "help · " + format.Visible([]byte(b.Search), 60)
}

// Find finds the bindings that match the search. It is called when Bindings or the
// search have changed.
func (b *Box) Find() {
	b.Look(len(b.Bindings), func(i int) string {
		k := b.Bindings[i]
		return b.words(k) + " " + k.Words() + " " + k.Name + " " + k.Group
	})
}

func (b *Box) words(k *keys.Binding) string {
	if b.Words != nil {
		return b.Words(k)
	}
	return k.Help
}

// Binding is the binding that is chosen, nil for none.
func (b *Box) Binding() *keys.Binding {
	if at := b.Chosen(); at >= 0 {
		return b.Bindings[at]
	}
	return nil
}

// View draws the inside: at most h lines of w cells.
func (b *Box) View(th *style.Theme, w, h int) []string {
	if len(b.Found)+len(b.Signs) == 0 {
		return []string{"", th.Dim.Paint("  no match")}
	}
	var lines []string
	group := func(name string) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, th.Title.Paint(" "+name))
	}
	from, to := 0, 0 // the lines of the one that is chosen
	for i, at := range b.Found {
		k := b.Bindings[at]
		if b.Grouped && (i == 0 || k.Group != b.Bindings[b.Found[i-1]].Group) {
			group(k.Group)
		}
		if i == b.At {
			from = len(lines)
		}
		text, look, over := b.words(k), th.Text, th.Text
		if why := b.Disabled(k); why != "" {
			text, look = text+" — "+why, th.Dim
		}
		if i == b.At {
			over = th.Selected
		}
		lines = append(lines, Line(th.Accent.With(over), k.Words(), look.With(over), text, w)...)
		if i == b.At {
			to = len(lines)
		}
	}
	for i, s := range b.Signs {
		if i == 0 {
			group("signs")
		}
		lines = append(lines, Line(th.Accent, s.Sign, th.Text, s.Means, w)...)
	}
	if b.At >= len(b.Found)-1 {
		to = min(len(lines), from+h) // What cannot be chosen is seen with the last one that can.
	}
	if from <= 1 {
		from = 0 // The head of its group is seen with the first.
	}
	from, to = b.WindowOf(len(lines), from, to, h)
	return lines[from:to]
}

// keysWidth is the column of the keys, in cells.
const keysWidth = 20

// Line draws keys and, beside them, a text over as many lines as it takes, each w
// cells wide.
func Line(keyStyle style.Style, words string, look style.Style, text string, w int) []string {
	return cells.Beside(words, keyStyle.Paint, text, look.Paint, keysWidth, w)
}
