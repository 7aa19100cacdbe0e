package stderr

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/lazy"
	"wiretea/session/text"
	"wiretea/ui/jsonview"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// narrow is the width below which there is no room for times.
const narrow = 32

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	n := text.Count(int64(len(p.rows.Rows())))
	th := c.Theme
	seen, all := p.rows.Seen(), c.Snap.Len()
	switch {
	case all-seen > 1<<17:
		right = th.Dim.Paint(fmt.Sprintf("%s · looking, %d %%", n, seen*100/all))
	case !p.span.empty():
		right = th.Accent.Paint(fmt.Sprintf("%s of %s during #%d", text.Count(int64(p.span.to-p.span.from)), n, p.span.n))
	case p.following() && c.Live:
		right = th.Dim.Paint(n + " · following")
	default:
		right = th.Dim.Paint(n)
	}
	return "stderr", right
}

// View implements pane.Pane.
func (p *Pane) View(c *pane.Context, w, h int, focus bool) []string {
	p.w, p.h = w, h
	rows := p.rows.Rows()
	if len(rows) == 0 {
		words := "nothing was written to stderr"
		conns := c.Snap.Conns()
		switch started := func(con session.Conn) bool { return con.Started || !con.Failed }; {
		case len(conns) > 0 && !slices.ContainsFunc(conns, started):
			words = "the server was not started"
		case c.Live && (len(conns) == 0 || !conns[len(conns)-1].Exited):
			words = "nothing on stderr yet"
		}
		return cells.Lines([]string{" " + c.Theme.Dim.Paint(words)}, w, h)
	}
	p.place(c)
	lines := make([]string, 0, h)
	for i, sub := p.top, p.sub; i < p.end() && len(lines) < h; i, sub = i+1, 0 {
		lines = p.draw(lines, c, i, sub, w, h, c.Theme.Over(i == p.at && (focus || !p.following()), focus))
	}
	return cells.Fill(lines, w, h)
}

// place settles which lines are in the window.
func (p *Pane) place(c *pane.Context) {
	n := p.end()
	if p.following() {
		p.at = n - 1
	}
	p.at = max(0, min(p.at, n-1))
	if p.reveal {
		p.reveal = false
		if size := p.span.to - p.span.from; p.span.from < p.top || p.span.to > p.top+p.h {
			p.top, p.sub = max(0, p.span.from-max(0, p.h-size)/2), 0
		}
	}
	if p.at < p.top || p.at >= p.top+p.h {
		p.top, p.sub = max(0, min(p.top, p.at), p.at-p.h+1), 0
	}
	if p.at == p.top {
		p.sub = max(0, min(p.sub, p.height(c, p.top)-1))
	} else {
		p.rise(c)
	}
	p.settle(c)
}

// rise moves the window down until the line under the cursor is in it, wholly
// where it has room.
func (p *Pane) rise(c *pane.Context) {
	used := -p.sub
	for i := p.top; i <= p.at; i++ {
		used += p.height(c, i)
	}
	for used > p.h && p.top < p.at {
		used -= p.height(c, p.top) - p.sub
		p.top, p.sub = p.top+1, 0
	}
}

// settle moves the window up where there is nothing below the last line.
func (p *Pane) settle(c *pane.Context) {
	n := p.end()
	used := -p.sub
	for i := p.top; i < n && used < p.h; i++ {
		used += p.height(c, i)
	}
	if used >= p.h && !p.following() {
		return
	}
	left := p.h
	for i := n - 1; i >= 0; i-- {
		size := p.height(c, i)
		if size >= left {
			p.top, p.sub = i, size-left
			return
		}
		left -= size
	}
	p.top, p.sub = 0, 0
}

// height is how many lines of the window a line takes.
func (p *Pane) height(c *pane.Context, i int) int {
	rows := p.rows.Rows()
	if !p.wrap || i < 0 || i >= len(rows) {
		return 1
	}
	return max(1, len(p.of(rows[i]).wrapped(p.textWidth(c))))
}

// lineAt returns the line that is drawn at y.
func (p *Pane) lineAt(c *pane.Context, y int) (int, bool) {
	i, left := p.top, y+p.sub
	for ; i < p.end(); i++ {
		if left -= p.height(c, i); left < 0 {
			return i, true
		}
	}
	return 0, false
}

// timeWidths are the cells that a time takes, by its style.
var timeWidths = [...]int{pane.Relative: 9, pane.Absolute: 12, pane.Delta: 9, pane.SinceMark: 9}

// lead is how many cells are before a text: the mark of a span, the time and
// the sign of a level.
func (p *Pane) lead(c *pane.Context) int {
	if p.w < narrow {
		return min(p.w, 3)
	}
	return 1 + timeWidths[c.Time] + 2 + 2
}

func (p *Pane) textWidth(c *pane.Context) int { return max(1, p.w-p.lead(c)) }

// draw appends the lines that a line takes, from piece sub on.
func (p *Pane) draw(lines []string, c *pane.Context, i, sub, w, h int, over style.Style) []string {
	th, row := c.Theme, p.rows.Rows()[i]
	r, t := c.Snap.Row(row), p.of(row)
	textW := p.textWidth(c)
	pieces := []string{t.visible}
	if p.wrap {
		pieces = t.wrapped(textW)
	}
	inside := p.span.has(i) && r.Conn == p.span.conn
	style := th.Text
	if t.failed || t.visible == "" || !p.span.empty() && !inside {
		style = th.Dim
	}
	for ; sub < len(pieces) && len(lines) < h; sub++ {
		var b strings.Builder
		if inside {
			th.Accent.With(over).Write(&b, "▎")
		} else {
			over.Write(&b, " ")
		}
		p.drawLead(&b, c, i, r, t.level, sub == 0, over)
		piece, size := pieces[sub], cells.Width(pieces[sub])
		tail := ""
		if t.more > 0 && sub == len(pieces)-1 {
			tail = " … " + text.Size(t.more) + " more"
			if textW < 2*len(tail) {
				tail = "…"
			}
		}
		room := textW - cells.Width(tail)
		if size > room {
			piece, size = cells.Fit(piece, room), room
		}
		writeHits(&b, piece, c.Search.Text, style.With(over), th.Hit)
		th.Dim.With(over).Write(&b, tail)
		over.Write(&b, cells.Spaces(room-size))
		line := b.String()
		if w < narrow {
			line = cells.Fit(line, w)
		}
		lines = append(lines, line)
	}
	return lines
}

// drawLead draws the time and the sign of a level, or the blanks below them.
func (p *Pane) drawLead(b *strings.Builder, c *pane.Context, i int, r session.Row, sev session.Severity, first bool, over style.Style) {
	th := c.Theme
	if p.w >= narrow {
		width := timeWidths[c.Time]
		if first {
			before := int64(0)
			if i > 0 {
				before = c.Snap.Row(p.rows.Rows()[i-1]).T
			}
			th.Dim.With(over).Write(b, cells.FitLeft(c.When(r.T, before), width)+"  ")
		} else {
			over.Write(b, cells.Spaces(width+2))
		}
	}
	if p.w < 3 {
		return
	}
	if !first || sev == session.NoSeverity {
		over.Write(b, "  ")
		return
	}
	style, sign := th.Severity(sev)
	style.With(over).Write(b, sign+" ")
}

// writeHits writes a text with what was searched for marked in it, without
// regard to the case of ASCII letters.
func writeHits(b *strings.Builder, text, want string, style, hit style.Style) {
	for want != "" {
		at := jsonview.Find(context.Background(), []byte(text), want, -1, false)
		if at < 0 {
			break
		}
		style.Write(b, text[:at])
		style.With(hit).Write(b, text[at:at+len(want)])
		text = text[at+len(want):]
	}
	style.Write(b, text)
}

// looked is how much of a line is looked at for its level, in bytes.
const looked = 200

// levels are the words of loggers, in lower case. The first one in a line
// decides.
var levels = lazy.Value[map[string]session.Severity]{New: func() map[string]session.Severity {
	return map[string]session.Severity{
		"error": session.Error, "err": session.Error, "fatal": session.Error, "critical": session.Error, "crit": session.Error,
		"severe": session.Error, "panic": session.Error, "emerg": session.Error, "alert": session.Error, "exception": session.Error,
		"warn": session.Warning, "warning": session.Warning,
		"info": session.NoSeverity, "debug": session.NoSeverity, "trace": session.NoSeverity, "notice": session.NoSeverity,
	}
}}

// level guesses what a line is. A word counts where it is placed as levels are:
// in capitals, in brackets or quotes, behind an equals sign, before a colon.
func level(line []byte) session.Severity {
	line = line[:min(len(line), looked)]
	if bytes.HasPrefix(line, []byte("Traceback (most recent call last)")) || bytes.Contains(line, []byte("' panicked at ")) {
		return session.Error
	}
	for i := 0; i < len(line); {
		if !letter(line[i]) {
			i++
			continue
		}
		end := i
		for end < len(line) && letter(line[end]) {
			end++
		}
		word, behind := line[i:end], byte(0)
		if end < len(line) {
			behind = line[end]
		}
		if behind == ':' && (bytes.HasSuffix(word, []byte("Error")) || bytes.HasSuffix(word, []byte("Exception"))) {
			return session.Error
		}
		if sev, known := levels.Get()[string(bytes.ToLower(word))]; known && stands(line, i, word, behind) {
			return sev
		}
		i = end
	}
	return session.NoSeverity
}

// stands reports whether a word at i is placed as levels are.
func stands(line []byte, i int, word []byte, behind byte) bool {
	if behind == ':' || behind == ']' || bytes.Equal(word, bytes.ToUpper(word)) && len(word) > 2 {
		return true
	}
	if i == 0 {
		return false
	}
	switch line[i-1] {
	case '=', '[', '<', '|':
		return true
	case '"':
		return i > 1 && behind == '"' && (line[i-2] == ':' || line[i-2] == ' ' || line[i-2] == '=')
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
