package source

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/ui/cells"
	"wiretea/ui/format"
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

// BuildLines are the lines of a build's output, w cells at most, safe to print, without colours.
func BuildLines(b *watch.Built, w int) []string {
	var lines []string
	part := func(text []byte) {
		for line := range bytes.Lines(text) {
			if at := bytes.LastIndexByte(bytes.TrimRight(line, "\r\n"), '\r'); at >= 0 {
				line = line[at+1:] // progress that was overwritten
			}
			line = bytes.TrimRight(line, "\r\n")
			for _, piece := range cells.Hardwrap(format.Visible(withoutStyles(line), 2000), max(1, w-2)) {
				lines = append(lines, " "+piece)
			}
		}
	}
	at := min(b.At, len(b.Output))
	part(b.Output[:at])
	if b.Cut > 0 {
		lines = append(lines, " … "+format.Size(b.Cut)+" left out …")
	}
	part(b.Output[at:])
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// withoutStyles takes colours (SGR sequences) out of a line. Everything else that a
// terminal would obey is left, to be made visible.
func withoutStyles(line []byte) []byte {
	if !bytes.Contains(line, []byte("\x1b[")) {
		return line
	}
	var out []byte
	for len(line) > 0 {
		if n := styleLen(line); n > 0 {
			line = line[n:]
			continue
		}
		out = append(out, line[0])
		line = line[1:]
	}
	return out
}

// styleLen is the length of the SGR sequence, or the erasing of the rest of a line,
// that a text begins with; 0 = it begins with none.
func styleLen(text []byte) int {
	if !bytes.HasPrefix(text, []byte("\x1b[")) {
		return 0
	}
	for i := 2; i < len(text) && i < 64; i++ {
		switch c := text[i]; {
		case c == 'm', c == 'K':
			return i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}
