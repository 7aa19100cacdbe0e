package stderr

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

const (
	textLimit = 4 << 10 // bytes of a line that are shown
	before    = 64      // lines that are read ahead of the window, upwards
	after     = 256     // and downwards, the window's own among them
	mostTexts = 2048    // texts that are kept
)

// A shownLine is a line as it is shown.
type shownLine struct {
	visible string
	level   session.Severity
	more    int64  // more counts the bytes that are not shown.
	len     uint32 // len is the length that it was read at; a line may grow.
	failed  bool   // failed: visible says why it cannot be read.

	pieces []string // pieces is visible, wrapped at width.
	width  int
}

// texts keeps the texts of lines around the window, by row.
type texts struct {
	kept map[uint32]*shownLine
	busy bool
}

// A job is a line to be read: its row's number and the row.
type job struct {
	row uint32
	r   session.Row
}

// load returns the command that reads the lines of the window that were not
// read, nil where there are none or one is under way.
func (p *Pane) load(c *pane.Context) tea.Cmd {
	if p.texts.busy {
		return nil
	}
	rows := p.rows.Rows()
	top := p.top
	switch {
	case p.following():
		top = len(rows) - p.h
	case p.reveal || p.at < top || p.at >= top+p.h:
		top = p.at - p.h/2
	}
	var jobs []job
	for i := max(0, top-before); i < min(len(rows), top+max(after, p.h+before)); i++ {
		r := c.Snap.Row(rows[i])
		if t := p.texts.kept[rows[i]]; t == nil || t.len != r.Len {
			jobs = append(jobs, job{rows[i], r})
		}
	}
	if len(jobs) == 0 {
		p.ready = len(rows)
		return nil
	}
	p.texts.busy = true
	log, end := c.Log, len(rows)
	return pane.Work(p, func() pane.Then {
		got := make(map[uint32]*shownLine, len(jobs))
		for _, j := range jobs {
			t := &shownLine{len: j.r.Len}
			if body, err := recorder.ReadFrame(log, j.r, 0, textLimit); err != nil {
				t.visible, t.failed = text.Visible([]byte(err.Error()), 0), true
			} else {
				t.visible, t.level, t.more = text.Visible(body, 0), level(body), int64(j.r.Len)-int64(len(body))
			}
			got[j.row] = t
		}
		return func(c *pane.Context) tea.Cmd {
			kept, rows := p.texts.kept, p.rows.Rows()
			p.texts.busy, p.ready = false, end
			if len(kept)+len(got) > mostTexts && len(rows) > 0 { // What is far from the window goes.
				from, to := rows[max(0, min(p.top-before, len(rows)-1))], rows[min(p.top+after, len(rows)-1)]
				maps.DeleteFunc(kept, func(row uint32, _ *shownLine) bool { return row < from || row > to })
			}
			maps.Copy(kept, got)
			return p.load(c)
		}
	})
}

// of returns the text of a line; one that was not read yet is empty.
func (p *Pane) of(row uint32) *shownLine {
	if t := p.texts.kept[row]; t != nil {
		return t
	}
	return &shownLine{}
}

// wrapped returns the lines that a text takes.
func (t *shownLine) wrapped(w int) []string {
	if t.width != w || t.pieces == nil {
		t.pieces, t.width = cells.Hardwrap(t.visible, w), w
	}
	return t.pieces
}
