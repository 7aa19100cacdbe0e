package source

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/cells"
	"wiretea/ui/format"
)

// What is built and started anew when its files change.
type (
	// A Watching is a Source whose server is. Its methods return at once.
	Watching interface {
		// Watch says how it stands.
		Watch() WatchState

		// TurnWatch switches it on or off.
		TurnWatch(on bool)

		// Rebuild builds and restarts although nothing has changed.
		Rebuild()

		// News are messages for the screen: Built, IgnorePath, pane.Say, pane.Compare.
		News() <-chan tea.Msg
	}

	// A WatchState is how it stands.
	WatchState struct {
		Phase   WatchPhase
		Since   time.Time
		For     time.Duration // For is how long the phase has gone on; 0 where nothing is done.
		Named   string        // Named is what is watched, as it was named; empty = folders.
		Folders int           // Folders is how many folders that is, with those below; 0 = files alone.
		Builds  bool          // Builds: there is a build command.
		Failed  bool          // Failed: the latest build failed, and the server is an old one.
		Off     bool          // Off: changes do not count now.
	}

	// A WatchPhase is what is being done.
	WatchPhase uint8

	// IgnorePath leaves out of differences what a pattern matches; see
	// jsondiff.Path.
	IgnorePath struct{ Pattern string }

	// Built is how a build has ended.
	Built struct {
		Command string
		Output  []byte // Output is what it wrote to stdout and stderr, as it came.
		Cut     int64  // Cut is how many bytes are missing in the middle of Output, at At.
		At      int
		Code    int
		Signal  string // Signal ended it; empty = none did.
		Took    time.Duration
		Err     error // Err is why it could not be run; nil = it was.
	}
)

const (
	WatchIdle WatchPhase = iota
	WatchBuilding
	WatchRestarting
	WatchCalling
	WatchOver // WatchOver: nothing is watched any more.
)

// OK reports whether there is something new to start.
func (b *Built) OK() bool { return b.Err == nil && b.Code == 0 && b.Signal == "" }

// String says how it ended and how long it took: "build ok 1.2 s".
func (b *Built) String() string {
	took := format.Duration(int64(b.Took))
	switch {
	case b.Err != nil:
		return "build not run: " + b.Err.Error()
	case b.Signal != "":
		return fmt.Sprintf("build ended by a signal (%s), %s", b.Signal, took)
	case b.Code != 0:
		return fmt.Sprintf("build failed, exit code %d, %s", b.Code, took)
	}
	return "build ok " + took
}

// Lines are the lines of the output, w cells at most, safe to print, without colours.
func (b *Built) Lines(w int) []string {
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
