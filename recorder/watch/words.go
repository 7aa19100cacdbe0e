package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wiretea/session"
	"wiretea/session/filewatch"
	"wiretea/ui/format"
)

// String is the call in a few words, safe to print: "tools/call echo".
func (c *Call) String() string {
	return format.Visible([]byte(strings.TrimSpace(c.Method+" "+c.Name)), 120)
}

// String says which files changed, safe to print: the first one, and how many more. What
// an editor or a build has taken away again meanwhile does not count, unless nothing else
// did. It is empty if no file changed.
func (b *BuildBegun) String() string {
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

// Words say in a line what happened; they are empty for a build that has ended and an
// answer, which take more than a line, and for what need not be said.
func (n News) Words() (string, session.Severity) {
	switch {
	case n.Building != nil:
		return n.Building.String(), session.Info
	case n.Restarted != nil && n.Restarted.Err != nil:
		return fmt.Sprintf("not started: %v", n.Restarted.Err), session.Error
	case n.Restarted != nil && !n.Restarted.First:
		return "restarted in " + format.Duration(int64(n.Restarted.Took)), session.Info
	case n.Own != "":
		return format.Visible([]byte(filepath.Base(n.Own)), 60) + " is written by the server itself: its changes are ignored", session.Info
	case n.Ended != nil:
		return fmt.Sprintf("watching has stopped: %v", n.Ended), session.Error
	}
	return "", session.Info
}
