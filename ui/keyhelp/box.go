package keyhelp

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/style"
)

// A Box is the list of entries. It is searched by typing, and one of its entries is
// chosen.
type Box struct {
	list.Chooser
	Entries []Entry  // Entries are those that are searched, in the order of the help.
	Pages   []string // Pages are the names of the pages, the first that of all entries; fewer than two = there are none.
	Page    int      // Page is the page that is shown.
}

// Find finds the entries that match what was typed, the best first; without a search
// those of the page.
func (b *Box) Find() {
	words := strings.Fields(strings.ToLower(b.Search))
	here := func(e *Entry) bool {
		if b.Page == 0 {
			return e.Page == "" || len(words) > 0
		}
		return e.Page == b.Pages[b.Page]
	}
	for _, rough := range []bool{false, true} {
		b.Rank(len(b.Entries), func(i int) (int, bool) {
			e := &b.Entries[i]
			if !here(e) {
				return 0, false
			}
			return e.rank(words, rough)
		})
		if len(b.Found) > 0 {
			return
		}
	}
}

// Key takes a key but enter and esc.
func (b *Box) Key(msg tea.KeyPressMsg) {
	step := 0
	switch msg.String() {
	case "left":
		step = -1
	case "right":
		step = 1
	default:
		if b.Chooser.Key(msg) {
			b.Find()
		}
		return
	}
	if n := len(b.Pages); n > 1 {
		b.Page, b.At = (b.Page+step+n)%n, 0
		b.Find()
	}
}

// Typed adds to the search.
func (b *Box) Typed(text string) { b.Write(text); b.Find() }

// Enter carries out the entry that is chosen; nil where there is nothing to do.
func (b *Box) Enter() tea.Cmd {
	if at := b.Chosen(); at >= 0 && b.Entries[at].Do != nil {
		return b.Entries[at].Do()
	}
	return nil
}

// View draws the search and the entries, h lines of w cells at most.
func (b *Box) View(th *style.Theme, w, h int) []string {
	head := []string{b.head(th, w), ""}
	if h < 8 {
		head = head[:1]
	}
	h -= len(head)
	if len(b.Found) == 0 {
		return append(head, th.Dim.Paint(cells.Fit("  nothing matches; backspace takes letters away", w)))
	}
	var lines []string
	lead := 0
	from, to := 0, 0 // the lines of the one that is chosen
	for i, at := range b.Found {
		e := &b.Entries[at]
		heads := i == 0 || b.Search == "" && e.Group != b.Entries[b.Found[i-1]].Group
		if heads {
			lead = b.lead(i, w)
		}
		if heads && b.Search == "" {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, th.Title.Paint(cells.Fit(" "+e.Group, w)))
		}
		if i == b.At {
			from = len(lines)
		}
		lines = append(lines, e.lines(th, w, lead, i == b.At)...)
		if i == b.At {
			to = len(lines)
		}
	}
	if from <= 1 {
		from = 0 // The head of its group is seen with the first.
	}
	from, to = b.WindowOf(len(lines), from, to, h)
	return append(head, lines[from:to]...)
}

// Widest is how many cells the widest entry takes in one line.
func (b *Box) Widest() (w int) {
	for i := range b.Entries {
		e := &b.Entries[i]
		w = max(w, max(keysWidth, cells.Width(e.Keys)+4)+cells.Width(e.Text)+cells.Width(e.Name)+cells.Width(e.Why)+8)
	}
	return w
}

// Height is how many lines View draws at most in w cells: those of the longest page without a
// search. From most on they are not counted.
func (b *Box) Height(th *style.Theme, w, most int) int {
	pages := map[string]int{}
	highest := 0
	for i := range b.Entries {
		e := &b.Entries[i]
		switch lines := pages[e.Page]; {
		case lines == 0:
			pages[e.Page]++ // its heading
		case e.Group != b.Entries[i-1].Group:
			pages[e.Page] += 2 // a blank line before it, too
		}
		pages[e.Page] += len(e.lines(th, w, keysWidth, false))
		if highest = max(highest, pages[e.Page]); highest >= most {
			return most
		}
	}
	return highest + 2
}

// head is the line in which the search is typed, and the names of the pages.
func (b *Box) head(th *style.Theme, w int) string {
	left := " " + th.Accent.Paint("/") + th.Strong.Paint(text.Visible([]byte(b.Search), 60)) + th.Accent.Paint("▏")
	if b.Search == "" {
		left += th.Dim.Paint("type to search · enter does it · esc closes")
	}
	right := ""
	for i, name := range b.Pages {
		look := th.Dim
		if i == b.Page {
			look = th.Current
		}
		right += "  " + look.Paint(name)
	}
	if right != "" {
		right = th.Dim.Paint("← →") + right + " "
	}
	room := w - cells.Width(right)
	if room < 24 {
		return cells.Fit(left, w)
	}
	return cells.Fit(left, room) + right
}

// keysWidth is the column of the keys, in cells.
const keysWidth = 20

// lead is how wide the column of the keys is for the entries from one on that stand
// under its heading, or for all that were found.
func (b *Box) lead(from, w int) int {
	lead, group := keysWidth, b.Entries[b.Found[from]].Group
	for _, at := range b.Found[from:] {
		e := &b.Entries[at]
		if b.Search == "" && e.Group != group {
			break
		}
		if wide := cells.Width(e.Keys) + 4; wide <= w*2/5 {
			lead = max(lead, wide)
		}
	}
	return lead
}

// lines draws an entry.
func (e *Entry) lines(th *style.Theme, w, lead int, chosen bool) []string {
	look, over, text, textLook := th.Accent, th.Text, e.Text, th.Text
	if e.Look != nil {
		look = e.Look(th)
	}
	if e.Name != "" && !strings.HasPrefix(e.Keys, ":") {
		text += "  :" + e.Name
	}
	if e.Why != "" {
		text, textLook = text+" — "+e.Why, th.Dim
	}
	if chosen {
		over = th.Selected
	}
	if wide := cells.Width(e.Keys) + 4; wide > lead {
		lead = min(wide, w/2)
	}
	return cells.Beside(e.Keys, look.With(over).Paint, text, textLook.With(over).Paint, lead, w)
}

// Line draws keys and beside them what they do, over as many lines as that takes.
func Line(keyStyle style.Style, words string, look style.Style, text string, w int) []string {
	return cells.Beside(words, keyStyle.Paint, text, look.Paint, keysWidth, w)
}

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
	if len(w) > 4 && text.Distance(w, word) <= len(w)/5 {
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

// Add adds a key and what it does. If the line is full, it reports false and adds
// nothing.
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
