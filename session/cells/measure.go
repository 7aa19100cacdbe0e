package cells

import (
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
)

// clusters is whether the terminal measures grapheme clusters. A process has one
// terminal.
var clusters atomic.Bool

// Clusters says whether the terminal measures grapheme clusters as one character
// (mode 2027) or, as it does until told otherwise, each code point by itself: a
// thumb with a skin tone takes two cells or four. What is drawn must be measured
// as the renderer and the terminal do, or columns are not aligned.
func Clusters(on bool) { clusters.Store(on) }

func method() ansi.Method {
	if clusters.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Cluster returns the character that b begins with, combined ones included, and
// how many cells it takes.
func Cluster(b []byte) (cluster []byte, w int) { return ansi.FirstGraphemeCluster(b, method()) }

// A walk goes through a styled line, character by character, as the renderer
// does: the library's own measures differ from that in places.
type walk struct {
	line   string
	method ansi.Method
	state  byte
}

func newWalk(line string) walk { return walk{line: line, method: method()} }

// next returns the next character or sequence and how many cells it takes, none
// for a sequence. There must be some of the line left.
func (k *walk) next() (seq string, w int) {
	seq, w, n, state := k.method.DecodeSequenceInString(k.line, k.state, nil)
	if n == 1 && seq[0] >= ' ' && seq[0] < 0x7f && len(k.line) > 1 && k.line[1] >= 0xc0 {
		// It may be combined with what follows, which the decoder leaves to us.
		seq, w = ansi.FirstGraphemeCluster(k.line, k.method)
		n = len(seq)
	}
	k.line, k.state = k.line[n:], state
	return seq, w
}

// cells is how many cells a line takes.
func cells(line string) (sum int) {
	for k := newWalk(line); len(k.line) > 0; {
		_, w := k.next()
		sum += w
	}
	return sum
}

// truncate cuts a line to w cells, the last of which is an ellipsis. Sequences
// behind the cut stay: they end the styles.
func truncate(line string, w int) string {
	if head := line[:min(w, len(line))]; isPlain(head) && len(head) == w && strings.IndexByte(line, '\x1b') < 0 {
		return head[:w-1] + "…"
	}
	var b strings.Builder
	at, full := 0, false
	for k := newWalk(line); len(k.line) > 0; {
		seq, n := k.next()
		switch {
		case n == 0 && (!full || seq[0] == '\x1b'):
			b.WriteString(seq)
		case full:
		case at+n > w-1:
			b.WriteString("…")
			full = true
		default:
			b.WriteString(seq)
			at += n
		}
	}
	return b.String()
}

// isPlain reports whether a text is printable ASCII, each byte of which takes one cell.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// Head returns the beginning of a text that is not styled, which is as good as the text
// where there is room for w cells only. It is cheap for a long text.
func Head(text string, w int) string {
	if n := max(0, w) + 1; n < len(text) && isPlain(text[:n]) {
		return text[:n]
	}
	return text
}
