package traffic

import (
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
)

// exchange draws the line of a message with its answer, NoRow for none. noted is the row of
// the line's comment.
func (d *drawer) exchange(all *[numColumns]cell, noted, req, resp uint32) string {
	ask, answer := d.c.Snap.Row(req), d.c.Snap.Row(resp)
	sign, tint, sev := signOf(ask), d.tint(ask), max(ask.Sev, answer.Sev)
	trip, failed := d.c.Snap.TripRow(req), answer.Failed()
	var t tripLine
	if trip != session.NoRow && d.p.folds.folded(d.c.Snap, trip) && carried(d.c.Snap, trip) == req {
		t = d.tripLine(trip)
		sev, failed = max(sev, t.severity()), failed || t.failed()
		if ask.Kind != session.RowRequest || d.c.Snap.Refused(req) {
			all[colLatency].style, all[colLatency].text = d.tripTime(&t)
		}
	} else {
		trip = session.NoRow
	}
	switch bare := strings.TrimSuffix(sign, frameMarks[ask.Kind]); {
	case failed:
		sign, tint = bare+"✖", d.th.Error
	case answer.Kind == session.RowResult:
		sign = bare + "✔"
	}
	if resp != session.NoRow {
		all[colSize] = cell{d.th.Dim, text.Size(int64(answer.Len))}
	}
	if d.cols.width(colSize) > sizeWidth {
		all[colSize].text = cells.FitLeft(text.Size(int64(ask.Len)), sizeWidth)
		if resp != session.NoRow {
			all[colSize].text += " " + cells.FitLeft(text.Size(int64(answer.Len)), sizeWidth)
		} else {
			all[colSize].text += cells.Spaces(1 + sizeWidth)
		}
	}
	if sev != session.NoSeverity {
		all[colFinding].style, all[colFinding].text = d.th.Severity(sev)
	}
	return d.slots(all, noted, tint, sign, func(w int) {
		if trip != session.NoRow {
			w = d.posted(trip, &t, w)
		}
		if resp == session.NoRow {
			d.text(req, ask, w)
			return
		}
		d.both(req, resp, w)
	})
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
	if gap := left - (w - d.cols.tab + d.indent); d.cols.tab > 0 && gap > 0 {
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
