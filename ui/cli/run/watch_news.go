package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/verdict/report"
	"wiretea/recorder/watch"
	"wiretea/session"
	"wiretea/session/filewatch"
	"wiretea/session/json/diff"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// callWords is a call in a few words: tools/call echo.
func callWords(c *watch.Call) string {
	return format.Visible([]byte(strings.TrimSpace(c.Method+" "+c.Name)), 120)
}

// changedWords say which files changed: the first one, and how many more. What an editor
// or a build has taken away again meanwhile does not count, unless nothing else did.
func changedWords(b *watch.BuildBegun) string {
	var there filewatch.Batch
	for _, path := range b.Changed {
		if _, err := os.Lstat(path); err == nil {
			there.Add(path)
		}
	}
	if there == nil {
		there = b.Changed
	}
	if len(there) == 0 {
		return ""
	}
	words := format.Visible([]byte(filepath.Base(there[0])), 60)
	if n := len(there) - 1; n > 0 {
		words += " and " + format.Plural(int64(n), "other file")
	}
	words += " changed"
	if b.Again {
		words += " meanwhile"
	}
	return words
}

// screenNews turns what a watcher tells into messages for the screen, which nobody
// may take while the terminal is stopped: it then waits, as long as ctx lasts.
func screenNews(ctx context.Context, out chan<- tea.Msg) func(watch.News) {
	give := func(msg tea.Msg) {
		select {
		case out <- msg:
		case <-ctx.Done():
		}
	}
	return func(n watch.News) {
		text, sev := newsWords(n)
		switch {
		case text != "":
			give(pane.SayMsg{Text: text, Severity: sev})
		case n.Built != nil:
			give(*n.Built)
		case n.Called != nil:
			give(calledMsg(n.Called))
		case n.Ignore != "":
			give(source.IgnorePathMsg{Pattern: n.Ignore})
		}
	}
}

// newsWords says in a line what happened; empty for a build that has ended and an answer,
// which take more, and for what need not be said.
func newsWords(n watch.News) (string, session.Severity) {
	switch {
	case n.Building != nil:
		return changedWords(n.Building), session.Info
	case n.Restarted != nil && n.Restarted.Err != nil:
		return fmt.Sprintf("not started: %v", term.StartFailure(n.Restarted.Err)), session.Error
	case n.Restarted != nil && !n.Restarted.First:
		return "restarted in " + format.Duration(int64(n.Restarted.Took)), session.Info
	case n.Own != "":
		return format.Visible([]byte(filepath.Base(n.Own)), 60) + " is written by the server itself: its changes are ignored", session.Info
	case n.Ended != nil:
		return fmt.Sprintf("watching has stopped: %v", n.Ended), session.Error
	}
	return "", session.Info
}

// calledMsg shows the new answer beside the old one.
func calledMsg(c *watch.CallDone) tea.Msg {
	switch {
	case c.Err != nil:
		return pane.SayMsg{Text: "asking again: " + callWords(&c.Call) + ": " + c.Err.Error(), Severity: session.Error}
	case c.Call.Answer.Word == "":
		return pane.SayMsg{Text: callWords(&c.Call) + " is answered; no earlier answer to compare with", Severity: session.Info}
	}
	old, new := watch.Sides(c.Call.Answer, c.Now)
	return pane.CompareMsg{Title: callWords(&c.Call), Quiet: true, Old: pane.Side{Name: "before the restart", Body: old}, New: pane.Side{Name: "after it", Body: new}}
}

// A plainNews prints what a watcher tells, between the lines of the traffic.
type plainNews struct {
	out    io.Writer // out takes whole lines in one piece.
	ignore []diff.Path
}

func (p *plainNews) tell(n watch.News) {
	var b strings.Builder
	if text, _ := newsWords(n); text != "" {
		fmt.Fprintf(&b, "— %s\n", text)
	}
	switch {
	case n.Built != nil:
		p.built(&b, n.Built)
	case n.Called != nil:
		p.called(&b, n.Called)
	}
	if b.Len() > 0 {
		_, _ = io.WriteString(p.out, b.String()) // who reads the traffic notices
	}
}

// built prints the output of a build that failed.
func (p *plainNews) built(b *strings.Builder, built *watch.Built) {
	fmt.Fprintf(b, "— %s\n", built)
	if built.OK() {
		return
	}
	lines := source.BuildLines(built, report.LongPrinted)
	if over := len(lines) - report.MostPrinted; over > 0 {
		fmt.Fprintf(b, "  … %s before\n", format.Plural(int64(over), "line"))
		lines = lines[over:]
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
	b.WriteString("— the old server keeps running\n")
}

// called prints the difference of two answers.
func (p *plainNews) called(b *strings.Builder, c *watch.CallDone) {
	switch {
	case c.Err != nil:
		fmt.Fprintf(b, "— %s: %v\n", callWords(&c.Call), c.Err)
		return
	case c.Call.Answer.Word == "":
		fmt.Fprintf(b, "— %s is answered; no earlier answer to compare with\n", callWords(&c.Call))
		return
	}
	old, new := watch.Sides(c.Call.Answer, c.Now)
	lines, _, err := diff.Lines(old, new, p.ignore...)
	if err != nil {
		fmt.Fprintf(b, "— %s: the results are not compared: %v\n", callWords(&c.Call), err)
		return
	}
	report.WriteDifference(b, callWords(&c.Call), lines)
}
