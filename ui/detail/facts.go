package detail

import (
	"fmt"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// findings makes the sheet of the findings of the row and its pair.
func (p *Pane) findings(c *pane.Context, s *sheet) {
	th := c.Theme
	if p.marks.count() == 0 {
		style, sign := th.Severity(session.NoSeverity)
		s.line(part{style, sign + " "}, part{th.Dim, "no findings here"})
		p.taken(c, s)
		return
	}
	for _, f := range p.marks.own {
		addFinding(c, s, &f)
	}
	if len(p.marks.other) == 0 {
		return
	}
	what := "the response"
	if p.sub.row == p.sub.resp {
		what = "the request"
	}
	s.heading(th, "at "+what, part{th.Dim, "  " + number(c.Snap.Row(p.marks.pair))})
	for _, f := range p.marks.other {
		addFinding(c, s, &f)
	}
}

// addFinding adds what is known of a finding.
func addFinding(c *pane.Context, s *sheet, f *session.Finding) {
	th := c.Theme
	style, sign := th.Severity(f.Severity)
	words := "  " + f.Severity.String()
	if f.Fault != session.Nobody {
		words += " · the " + f.Fault.String() + "'s"
	}
	if f.Count > 1 {
		words += " · " + format.Count(int64(f.Count)) + "×"
	}
	if len(s.items) > 0 {
		s.line()
	}
	s.line(part{style, sign + " "}, part{th.Strong, f.Rule}, part{th.Dim, words}).rule = f.Rule
	s.text(th.Text, 2, visible(f.Message), f.Rule)
	if f.Hint != "" {
		s.text(th.OK, 2, "→ "+visible(f.Hint), f.Rule)
	}
	if len(f.Breaks) > 0 {
		s.text(th.Dim, 2, "breaks "+visible(strings.Join(f.Breaks, ", ")), f.Rule)
	}
	if f.Ref != "" {
		for _, l := range cells.Hardwrap(visible(f.Ref), max(8, s.w-2-margin)) { // An address is never broken at a hyphen.
			s.line(part{"", "  "}, part{th.Dim, l}).rule = f.Rule
		}
	}
}

func visible(text string) string { return format.Visible([]byte(text), 0) }

// eventFacts makes the sheet of a record that is no frame.
func (p *Pane) eventFacts(c *pane.Context, s *sheet) {
	th := c.Theme
	s.fact(th, "time", part{th.Text, when(c, p.sub.r.T)})
	if p.sub.r.N > 0 {
		s.fact(th, "record", part{th.Text, number(p.sub.r)})
	}
	s.fact(th, "connection", part{th.Text, strconv.Itoa(int(p.sub.r.Conn))})
	if p.event == nil {
		return
	}
	switch rec := p.event; rec.Kind {
	case session.RecProc:
		procFacts(th, s, &rec.Proc)
	case session.RecIO:
		s.fact(th, "stream", part{th.Text, streamWords[rec.Stream]})
		s.fact(th, "event", part{th.Strong, ioWord(rec.IO.Event)})
		if rec.IO.Side != "" {
			s.fact(th, "end", part{th.Text, "the " + visible(rec.IO.Side) + "'s"})
		}
		if rec.IO.Bytes > 0 {
			s.fact(th, "waiting", part{th.Text, format.Size(rec.IO.Bytes)})
		}
	case session.RecGap:
		s.fact(th, "stream", part{th.Text, streamWords[rec.Gap.Stream]})
		s.fact(th, "missing", part{th.Error, format.Size(rec.Gap.Bytes)})
		if rec.Gap.Frames >= 0 {
			s.fact(th, "frames", part{th.Text, format.Count(rec.Gap.Frames)})
		}
		s.fact(th, "why", part{th.Text, gapWord(rec.Gap.Why)})
	case session.RecUnknown, session.RecHeader, session.RecFrame, session.RecRaw, session.RecClock, session.RecEnd:
		s.line(part{th.Warning, "the record cannot be read"})
	}
}

var streamWords = [...]string{session.C2S: "stdin, client to server", session.S2C: "stdout, server to client", session.Stderr: "stderr"}

func ioWord(event string) string {
	switch event {
	case "eof":
		return "end of file"
	case "blocked":
		return "blocked: nobody reads"
	case "unblocked":
		return "flows again"
	case "epipe":
		return "broken pipe"
	}
	return visible(event)
}

func gapWord(why string) string {
	switch why {
	case "memory":
		return "memory was full: the disk did not keep up"
	case "disk":
		return "the disk took no more"
	case "tail":
		return "only the session's end is kept in memory"
	}
	return visible(why)
}

func procFacts(th *style.Theme, s *sheet, ev *session.Proc) {
	s.fact(th, "event", part{th.Strong, procWord(ev)})
	if ev.PID > 0 {
		s.fact(th, "pid", part{th.Text, strconv.Itoa(ev.PID)})
	}
	for i, kind := range ev.FDs {
		s.fact(th, fmt.Sprintf("fd %d", i), part{th.Text, visible(kind)})
	}
	if ev.By != "" {
		s.fact(th, "sent by", part{th.Text, visible(ev.By)})
	}
	for _, pid := range ev.PIDs {
		s.fact(th, "left behind", part{th.Text, "pid " + strconv.Itoa(pid)})
	}
	if ev.Err != "" {
		s.text(th.Error, 0, visible(ev.Err), "")
	}
}

func procWord(ev *session.Proc) string {
	switch ev.Event {
	case "start":
		return "the server started"
	case "exit":
		if ev.Signal != "" {
			return "the server was ended by " + visible(ev.Signal)
		}
		return fmt.Sprintf("the server exited with code %d", ev.Code)
	case "signal":
		return visible(ev.Signal)
	case "orphans":
		return "the server left processes behind"
	case "failed":
		return "the server could not be started"
	}
	return visible(ev.Event)
}
