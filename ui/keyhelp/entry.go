package keyhelp

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// An Entry is a line of the help.
type Entry struct {
	Keys  string // Keys are the keys, the command, the word of a filter, or the sign that is explained.
	Text  string // Text is what it does, or means.
	Group string // Group is the heading that it stands under.
	Page  string // Page is the page that lists it, empty = the first. A search on the first page finds all entries.
	Name  string // Name is its command after ":", empty = it has none of its own.
	Also  string // Also are more words that find it.
	Why   string // Why says why it cannot be done now, empty = it can.

	// Look is how Keys are drawn; nil = as keys.
	Look func(*style.Theme) style.Style

	// Do carries it out; nil = it is there to be read.
	Do func() tea.Cmd
}

// A Sign explains a sign of a pane.
type Sign struct {
	Sign, Means string
	Look        func(*style.Theme) style.Style // Look is how it is drawn; nil = as ordinary text.
}

// Entry returns the entry of a sign, which is there to be read.
func (s Sign) Entry() Entry {
	e := Entry{Keys: s.Sign, Text: s.Means, Look: s.Look}
	if e.Look == nil {
		e.Look = func(th *style.Theme) style.Style { return th.Text }
	}
	return e
}

// Of returns the entry of a binding. Its Do is left to the caller.
func Of(k *keys.Binding) Entry {
	return Entry{Keys: k.Words(), Text: k.Help, Group: k.Group, Name: k.Name, Also: keys.Also(string(k.Action))}
}

// Ranks of an entry that has a word, best first.
const (
	exactly  = iota // exactly: it is a key or the name.
	begins          // begins: the name begins with it.
	another         // another: one of the further words begins with it.
	inText          // inText: a word of the text begins with it.
	anywhere        // anywhere: it stands somewhere.
	roughly         // roughly: a word has its letters in their order, or is spelt much like it.
)

// rank says how well an entry answers to what was typed, less is better; false where one
// of the words is not found. rough allows words with letters left out.
func (e *Entry) rank(words []string, rough bool) (int, bool) {
	name, keys := strings.ToLower(e.Name), strings.ToLower(e.Keys)
	text, also := fields(e.Text+" "+e.Group), fields(e.Also)
	names := append([]string{name}, append(fields(e.Keys), also...)...)
	sum := 0
	for _, w := range words {
		r, found := rankOf(w, name, keys, text, also)
		if one, plural := strings.CutSuffix(w, "s"); plural && len(one) > 2 {
			if r1, found1 := rankOf(one, name, keys, text, also); found1 && (!found || r1 < r) {
				r, found = r1, true
			}
		}
		if !found && rough && slices.ContainsFunc(append(names, text...), func(s string) bool { return sketches(w, s) }) {
			r, found = roughly, true
		}
		if !found {
			return 0, false
		}
		sum += r
	}
	return sum, true
}

func rankOf(w, name, keys string, text, also []string) (int, bool) {
	begun := func(s string) bool { return strings.HasPrefix(s, w) }
	has := func(s string) bool { return strings.Contains(s, w) }
	switch {
	case w == name || w == keys || slices.Contains(strings.Fields(keys), w):
		return exactly, true
	case begun(name), slices.ContainsFunc(fields(keys), begun):
		return begins, true
	case slices.ContainsFunc(also, begun):
		return another, true
	case slices.ContainsFunc(text, begun):
		return inText, true
	case has(name), has(keys), slices.ContainsFunc(text, has), slices.ContainsFunc(also, has):
		return anywhere, true
	}
	return 0, false
}

// fields are the words of a text in lower case, without what stands around them.
func fields(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,;:()[]|\"…·", r) })
}

// sketches reports whether somebody who typed w may have meant a word: w has letters of it
// in their order, and its first, or one or two letters are wrong.
func sketches(w, word string) bool {
	if len(w) < 3 || word == "" || w[0] != word[0] {
		return false
	}
	if len(w) > 4 && format.Distance(w, word) <= len(w)/5 {
		return true
	}
	for _, r := range w {
		at := strings.IndexRune(word, r)
		if at < 0 {
			return false
		}
		word = word[at+1:]
	}
	return true
}

// Hints is the line of keys at the bottom of the screen.
type Hints struct {
	th   *style.Theme
	w    int
	last string // last is what the line ends with, whatever there is room for.
	line strings.Builder
	used int
}

// NewHints returns a line of w cells that ends with the key of the help; empty = none.
func NewHints(th *style.Theme, w int, help string) *Hints {
	h := &Hints{th: th, w: w}
	if help != "" {
		h.last = h.hint(help, "help ")
	}
	return h
}

func (h *Hints) hint(key, what string) string {
	return "  " + h.th.Accent.Paint(key) + h.th.Dim.Paint(" "+what)
}

// Add adds a key and what it does. It reports false, and adds nothing, where there
// is no room.
func (h *Hints) Add(key, what string) bool {
	hint := h.hint(key, what)
	if cells.Width(hint)+h.used+cells.Width(h.last) > h.w {
		return false
	}
	h.line.WriteString(hint)
	h.used += cells.Width(hint)
	return true
}

// Used is how many cells the hints that were added take; the key of the help comes next.
func (h *Hints) Used() int { return h.used }

// String returns the line.
func (h *Hints) String() string { return cells.Fit(h.line.String()+h.last, h.w) }
