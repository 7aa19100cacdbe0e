package traffic

import (
	"strings"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
)

// exchange draws the line of a whole exchange, which is at the place of one of its rows.
func (d *drawer) exchange(all *[numColumns]cell, i uint32, r session.Row) string {
	req, resp := i, r.Pair
	if r.Kind != session.RowRequest {
		req, resp = resp, req
	}
	ask, answer := d.c.Snap.Row(req), d.c.Snap.Row(resp)
	sign, tint := format.Arrow(ask)+"✔", d.tint(ask)
	if ask.Stream == session.S2C && ask.Way == session.Crossed {
		sign = "⇠✔"
	}
	switch bare := strings.TrimSuffix(sign, "✔"); {
	case answer.Failed():
		sign, tint = bare+"✖", d.th.Error
	case answer.Kind == session.RowError:
		sign = bare + " "
	}
	all[colSize] = cell{d.th.Dim, format.Size(int64(answer.Len))}
	if d.cols.width(colSize) > sizeWidth {
		all[colSize].text = cells.FitLeft(format.Size(int64(ask.Len)), sizeWidth) + " " + cells.FitLeft(all[colSize].text, sizeWidth)
	}
	if sev := max(ask.Sev, answer.Sev); sev != session.NoSeverity {
		all[colFinding].style, all[colFinding].text = d.th.Severity(sev)
	}
	return d.slots(all, i, tint, sign, func(w int) { d.both(req, resp, w) })
}

// both writes what an exchange is about, what was asked, and what was answered.
func (d *drawer) both(req, resp uint32, w int) {
	ask, answer := d.c.Snap.Row(req), d.c.Snap.Row(resp)
	asked, _ := d.p.texts.of(req)
	said, _ := d.p.texts.of(resp)
	if d.cols.bare {
		asked.text = ""
		if !answer.Failed() {
			said.text = ""
		}
	}
	left, _ := d.subject(ask, w, 0)
	left = d.part(d.th.Warning, d.p.way(d.c, resp, answer), left)
	left = d.standing(resp, answer, left)
	if gap := left - (w - d.cols.tab); d.cols.tab > 0 && gap > 0 {
		d.Space(gap)
		left -= gap
	}
	style := d.th.Text
	if answer.Failed() {
		style = d.th.Error
	}
	if answer.Kind == session.RowError && !answer.Failed() {
		left = d.part(d.th.Dim, "legacy server", left)
	}
	const least = 24 // is what both texts need.
	n := min(cells.Width(asked.text), max(left/2, left-cells.Width(said.text)-4))
	if said.text != "" && left < least {
		n = 0
	}
	if n > 0 {
		d.Left(d.th.Dim, asked.text, n)
		left -= n
		if said.text != "" && left > 4 {
			d.Put(d.th.Dim, " → ")
			left -= 3
		}
	}
	left = d.part(style, said.text, left)
	d.Space(left)
}
