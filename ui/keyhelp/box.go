package keyhelp

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
	"wiretea/ui/format"
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

// head is the line in which the search is typed, and the names of the pages.
func (b *Box) head(th *style.Theme, w int) string {
	left := " " + th.Accent.Paint("/") + th.Strong.Paint(format.Visible([]byte(b.Search), 60)) + th.Accent.Paint("▏")
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
