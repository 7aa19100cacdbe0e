package timeline

import (
	"fmt"
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/keys"
)

// Line is where one is in the session's time, w cells wide: how it plays, a bar, the
// row, the session's time and the time of day. It is nil while the whole is shown.
func (p *Timeline) Line(w int) []string {
	c := &p.tab.Ctx
	th := c.Theme
	if !c.Past {
		return nil
	}
	sign := th.Warning.Paint("‖ ")
	if p.playing {
		sign = th.OK.Paint("▶ ")
	}
	end := max(1, p.h.Whole().Clock())
	row := fmt.Sprintf("#%d", c.Snap.Row(max(1, p.at.n)-1).N)
	parts := []string{
		th.Strong.Paint(seconds(p.at.clock)) + th.Dim.Paint(" of "+seconds(end)),
		th.Dim.Paint("frame ") + row + th.Dim.Paint(fmt.Sprintf(", %s of %s", format.Count(int64(p.at.n)), format.Count(int64(p.h.Len())))),
	}
	if at := p.timeOf(p.at.clock); !at.IsZero() {
		parts = append(parts, th.Dim.Paint(at.Format("15:04:05.000")))
	}
	parts = append(parts, th.Dim.Paint(c.Keys.WordOf(keys.Escape, keys.Traffic)+" shows the whole"))
	left := " " + sign + cells.Fit(p.words(), 5)
	const leastBar, mostBar = 10, 60
	right := ""
	for i, part := range parts {
		more := right + "   " + part
		if i > 0 && cells.Width(left)+cells.Width(more)+leastBar+1 > w {
			break
		}
		right = more
	}
	bar := ""
	if n := min(mostBar, w-cells.Width(left)-cells.Width(right)-1); n >= leastBar {
		at := min(n-1, int(float64(p.at.clock)/float64(end)*float64(n-1)+0.5))
		bar = th.Accent.Paint(strings.Repeat("━", at)+"●") + th.Dim.Paint(strings.Repeat("─", n-1-at))
	}
	return []string{cells.Fit(left+bar+right, w)}
}

// seconds writes a time of the session: 12.500 s.
func seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }
