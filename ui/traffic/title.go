package traffic

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Title says what is shown, how many rows that are, and how the list moves. A narrow title
// loses some of that.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	th := c.Theme
	var parts []string
	if s := p.Found().Words(); s != "" {
		parts = append(parts, th.Text.Paint(s))
	}
	if s := farthest(c); s != "" {
		parts = append(parts, th.Accent.Paint(s))
	}
	count := format.Count(int64(len(p.found())))
	if p.only || p.scan.filter != nil {
		count += " of " + format.Count(p.listed(c.Snap))
	}
	parts = append(parts, th.Dim.Paint(count+ScanWords(p.Scanned(c))))
	if s, style := p.motion(c); s != "" {
		parts = append(parts, style.Paint(s))
	}
	what := ""
	switch {
	case p.only:
		what = "marked"
	case p.scan.filter != nil:
		what = format.Visible([]byte(p.scan.filter.String()), 0)
	}
	return FitTitle(th, p.w, "traffic", what, parts)
}

// titleEdge is what the border takes of a title's line besides the two titles,
// in cells.
const titleEdge = 6

// FitTitle is the title of a list of w cells, 0 = any: its name with what it shows at the left,
// and parts at the right. A narrow title loses the first parts.
func FitTitle(th *style.Theme, w int, name, what string, parts []string) (left, right string) {
	const dot = " · "
	room := func() int { return w - titleEdge - cells.Width(name) - cells.Width(strings.Join(parts, dot)) }
	for len(parts) > 1 && w > 0 && room() < 0 {
		parts = parts[1:]
	}
	left = name
	if n := room() - cells.Width(dot); what != "" && n >= min(cells.Width(what), 8) {
		left += dot + strings.TrimRight(cells.Fit(what, min(n, cells.Width(what))), " ")
	}
	return left, strings.Join(parts, th.Dim.Paint(dot))
}

// listed is how many rows there are without a filter: stderr has a pane of its own.
func (p *Pane) listed(s *session.Snapshot) int64 {
	n := int64(s.Len())
	if !p.scan.stderr {
		n -= s.Totals().Frames[session.Stderr]
	}
	return n
}

// Scanned is how many of the rows there are were judged by the filter.
func (p *Pane) Scanned(c *pane.Context) (judged, all int) {
	all = c.Snap.Len()
	if !p.scan.busy {
		return all, all
	}
	return int(p.scan.next), all
}

// ScanWords say how far a filter has come where it takes long enough to be said; else they are
// empty.
func ScanWords(judged, all int) string {
	if all-judged < 2*stretch {
		return ""
	}
	return fmt.Sprintf(" · %d %%", int64(judged)*100/int64(all))
}

// motion says whether the list is held still, follows, or has new rows below what is
// seen.
func (p *Pane) motion(c *pane.Context) (string, style.Style) {
	n := len(p.list())
	base, _ := slices.BinarySearch(p.list(), p.base)
	fresh := min(n-base, n-p.where(p.h)-p.h)
	switch {
	case c.Paused:
		return PausedWords(c.Backlog), c.Theme.Warning
	case p.sort.On():
		return p.sort.TitleWhile(p.sort.percent, p.sort.work != nil), c.Theme.Accent
	case !c.Live || c.Past:
		return "", ""
	case p.follow:
		return "following", c.Theme.OK
	case fresh > 0:
		return format.Count(int64(fresh)) + " new", c.Theme.Accent
	}
	return "", ""
}

// PausedWords say that a list is held still, and how many rows came since.
func PausedWords(backlog int) string {
	if backlog > 0 {
		return "‖ paused · " + format.Count(int64(backlog)) + " new"
	}
	return "‖ paused"
}

// Found is how far a search has come. The zero Found is that of no search.
type Found struct {
	On          bool // On: a text is searched for.
	Running     bool // Running: rows are still to be read.
	Hits        int
	Done, Total int // Done of Total rows were read.
	At          int // At is the place of the selected row among the hits, from 1; 0 = it is not one.
}

// Found returns how far the search has come.
func (p *Pane) Found() Found {
	s := &p.search
	f := Found{On: s.filter != nil, Running: s.filter != nil && s.running(), Hits: len(s.hits), Done: s.done, Total: s.total}
	if i, on := slices.BinarySearch(s.hits, p.row); on {
		f.At = i + 1
	}
	return f
}

// HitsBefore counts the hits of the search up to the first one that is not before a row; their
// order is that of the rows.
func (p *Pane) HitsBefore(before func(row uint32) bool) int {
	return sort.Search(len(p.search.hits), func(i int) bool { return !before(p.search.hits[i]) })
}

// Words say how far the search has come, and which hit is selected.
func (f Found) Words() string {
	hits := format.Plural(int64(f.Hits), "hit")
	switch {
	case !f.On:
		return ""
	case f.Running && f.Total > inline:
		return fmt.Sprintf("%s, %d %%", hits, int64(f.Done)*100/int64(f.Total))
	case f.Running:
		return hits
	case f.Hits == 0:
		return "no hits"
	case f.At > 0:
		return fmt.Sprintf("hit %s of %s", format.Count(int64(f.At)), format.Count(int64(f.Hits)))
	}
	return hits
}
