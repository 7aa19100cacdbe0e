package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filewatch"
	"wiretea/session/json/diff"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// words is a call in a few words: tools/call echo.
func (c *lastCall) words() string {
	return format.Visible([]byte(strings.TrimSpace(c.method+" "+c.name)), 120)
}

// words say which files changed: the first one, and how many more. What an editor
// or a build has taken away again meanwhile does not count, unless nothing else did.
func (b *buildBegun) words() string {
	var there filewatch.Batch
	for _, path := range b.changed {
		if _, err := os.Lstat(path); err == nil {
			there.Add(path)
		}
	}
	if there == nil {
		there = b.changed
	}
	if len(there) == 0 {
		return ""
	}
	words := format.Visible([]byte(filepath.Base(there[0])), 60)
	if n := len(there) - 1; n > 0 {
		words += " and " + format.Plural(int64(n), "other file")
	}
	words += " changed"
	if b.again {
		words += " meanwhile"
	}
	return words
}

// screenNews turns what a watcher tells into messages for the screen, which nobody
// may take while the terminal is stopped: it then waits, as long as ctx lasts.
func screenNews(ctx context.Context, out chan<- tea.Msg) func(watchNews) {
	give := func(msg tea.Msg) {
		select {
		case out <- msg:
		case <-ctx.Done():
		}
	}
	say := func(sev session.Severity, format string, args ...any) {
		give(pane.Say{Text: fmt.Sprintf(format, args...), Severity: sev})
	}
	return func(n watchNews) {
		switch {
		case n.building != nil:
			if words := n.building.words(); words != "" {
				say(session.Info, "%s", words)
			}
		case n.built != nil:
			give(*n.built)
		case n.restarted != nil && n.restarted.err != nil:
			say(session.Error, "%s", term.StartFailure(n.restarted.err))
		case n.restarted != nil && !n.restarted.first:
			say(session.Info, "restarted in %s", format.Duration(int64(n.restarted.took)))
		case n.called != nil:
			give(calledMsg(n.called))
		case n.own != "":
			say(session.Info, "%s is written by the server itself: its changes do not count", format.Visible([]byte(filepath.Base(n.own)), 60))
		case n.ignore != "":
			give(source.IgnorePath{Pattern: n.ignore})
		case n.ended != nil:
			say(session.Error, "nothing is watched any more: %v", n.ended)
		}
	}
}

// calledMsg shows the new answer beside the old one.
func calledMsg(c *callDone) tea.Msg {
	switch {
	case c.err != nil:
		return pane.Say{Text: "asking again: " + c.call.words() + ": " + c.err.Error(), Severity: session.Error}
	case c.call.answer.word == "":
		return pane.Say{Text: c.call.words() + " is answered; there was no answer before to compare with", Severity: session.Info}
	}
	old, new := sides(c.call.answer, c.now)
	return pane.Compare{Title: c.call.words(), Quiet: true, Old: pane.Side{Name: "before the restart", Body: old}, New: pane.Side{Name: "after it", Body: new}}
}

// A plainNews prints what a watcher tells, between the lines of the traffic.
type plainNews struct {
	out    io.Writer // out takes whole lines in one piece.
	ignore []diff.Path
}

func (p *plainNews) tell(n watchNews) {
	var b strings.Builder
	switch {
	case n.building != nil:
		if words := n.building.words(); words != "" {
			fmt.Fprintf(&b, "— %s\n", words)
		}
	case n.built != nil:
		p.built(&b, n.built)
	case n.restarted != nil && n.restarted.err != nil:
		fmt.Fprintf(&b, "— not started: %v\n", term.StartFailure(n.restarted.err))
	case n.restarted != nil && !n.restarted.first:
		fmt.Fprintf(&b, "— restarted %s\n", format.Duration(int64(n.restarted.took)))
	case n.called != nil:
		p.called(&b, n.called)
	case n.own != "":
		fmt.Fprintf(&b, "— %s is written by the server itself: its changes do not count\n", format.Visible([]byte(n.own), 0))
	case n.ended != nil:
		fmt.Fprintf(&b, "— nothing is watched any more: %v\n", n.ended)
	}
	if b.Len() > 0 {
		_, _ = io.WriteString(p.out, b.String()) // who reads the traffic notices
	}
}

// built prints the output of a build that failed.
func (p *plainNews) built(b *strings.Builder, built *source.Built) {
	fmt.Fprintf(b, "— %s\n", built)
	if built.OK() {
		return
	}
	lines := built.Lines(term.LongPrinted)
	if over := len(lines) - term.MostPrinted; over > 0 {
		fmt.Fprintf(b, "  … %s before\n", format.Plural(int64(over), "line"))
		lines = lines[over:]
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
	b.WriteString("— the server is the old one\n")
}

// called prints the difference of two answers.
func (p *plainNews) called(b *strings.Builder, c *callDone) {
	switch {
	case c.err != nil:
		fmt.Fprintf(b, "— %s: %v\n", c.call.words(), c.err)
		return
	case c.call.answer.word == "":
		fmt.Fprintf(b, "— %s is answered; there was no answer before to compare with\n", c.call.words())
		return
	}
	old, new := sides(c.call.answer, c.now)
	lines, _, err := diff.Lines(old, new, p.ignore...)
	if err != nil {
		fmt.Fprintf(b, "— %s: the results are not compared: %v\n", c.call.words(), err)
		return
	}
	term.WriteDifference(b, c.call.words(), lines)
}
