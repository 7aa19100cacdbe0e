package source

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/session/cells"
	"wiretea/session/lazy"
	"wiretea/session/text"
)

// What is built and started anew when its files change.
type (
	// A Watching is a Source whose server is. Its methods return at once.
	Watching interface {
		// Watch says how it stands.
		Watch() watch.State

		// TurnWatch switches it on or off.
		TurnWatch(on bool)

		// Rebuild builds and restarts although nothing has changed.
		Rebuild()

		// News are messages for the screen: watch.Built, IgnorePath, pane.Say, pane.Compare.
		News() <-chan tea.Msg
	}

	// IgnorePathMsg leaves out of differences what a pattern matches; see
	// jsondiff.Path.
	IgnorePathMsg struct{ Pattern string }
)

// styles are colours (SGR sequences), and the erasing of the rest of a line. Everything
// else that a terminal would obey is made visible.
var styles = lazy.Regexp{Text: `\x1b\[[0-9;:]{0,61}[mK]`}

// BuildLines are the lines of a build's output, w cells at most, safe to print, without colours.
func BuildLines(b *watch.Built, w int) []string {
	var lines []string
	part := func(raw []byte) {
		for line := range bytes.Lines(raw) {
			if at := bytes.LastIndexByte(bytes.TrimRight(line, "\r\n"), '\r'); at >= 0 {
				line = line[at+1:] // progress that was overwritten
			}
			line = bytes.TrimRight(line, "\r\n")
			for _, piece := range cells.Hardwrap(text.Visible(styles.Get().ReplaceAll(line, nil), 2000), max(1, w-2)) {
				lines = append(lines, " "+piece)
			}
		}
	}
	at := min(b.At, len(b.Output))
	part(b.Output[:at])
	if b.Cut > 0 {
		lines = append(lines, " … "+text.Size(b.Cut)+" left out …")
	}
	part(b.Output[at:])
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
