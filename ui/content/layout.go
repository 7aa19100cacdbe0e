package content

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/highlight"
)

// A Document is what Read has made of a message. It is not safe for concurrent use.
type Document struct {
	Blocks []Block
	Source bool // Source: texts are laid out as they are, not as what their Markdown means.

	// Wanted ends a layout before its end; nil = nothing does.
	Wanted context.Context

	Progress []Step // Progress is how far the request came, in the order of time.

	folds folds

	spans  map[source][]highlight.Span // spans are those of the source code that was laid out.
	images map[*byte]decoded           // images are those that were laid out, by the first byte of their files.
	pixels int                         // pixels is how many were decoded.
}

// A source is a text in a language.
type source struct{ text, language string }

// A layout collects lines of a width.
type layout struct {
	doc    *Document
	w      int
	colour bool // colour: pictures can be drawn in colours.
	lines  []Line
	uri    string // uri is what lines link to now.
	block  int    // block is what lines belong to now, -1 = none.

	wrong map[string]string // wrong is what the schema says of the value that is laid out; nil = nothing.
	path  []string          // path leads to the member that is laid out.
	depth int               // depth is how many parts that fold it is in.

	folded int // folded counts what others has added, which gives them names.
}

// Layout lays out a document in lines of at most w cells. colour says whether the
// terminal shows colours: without, pictures are drawn in characters. The first layout of
// a document may take seconds; the others need no more than milliseconds.
func (d *Document) Layout(w int, colour bool) []Line {
	l := &layout{doc: d, w: max(8, w), colour: colour}
	for i := range d.Blocks {
		if d.Wanted != nil && d.Wanted.Err() != nil {
			break
		}
		b := &d.Blocks[i]
		if l.block = -1; i > 0 {
			l.put()
		}
		l.uri, l.block = b.URI, i
		if b.Title != "" {
			ink := Heading
			if b.Bad {
				ink = Bad
			}
			l.wrap(nil, "", Part{Ink: ink, Text: b.Title}, Part{Ink: Dim, Text: strings.TrimRight("  "+b.Notes, " ")})
		} else if b.Notes != "" {
			l.wrap(nil, "", Part{Ink: Dim, Text: b.Notes})
		}
		if b.draw != nil {
			b.draw(l)
		}
		l.uri = ""
		if len(l.lines) >= maxLines {
			l.lines = append(l.lines[:maxLines], Line{Block: -1, Log: -1, Parts: []Part{{Ink: Warn, Text: "… and more; the tab with the JSON shows all of it"}}})
			break
		}
	}
	l.progress()
	return l.lines
}

// A Step is a notification of progress.
type Step struct {
	After       int64   // After is when it came, in nanoseconds since the request.
	Done, Total float64 // Total is 0 where none is told.
	Says        string  // Says is its message, safe to print.
}

// stepCells is the length of a bar of progress.
const stepCells = 24

// progress adds how far the request came, a line for each notification.
func (l *layout) progress() {
	if len(l.doc.Progress) == 0 {
		return
	}
	l.block = -1
	l.put()
	l.put(Part{Ink: Heading, Text: "progress"}, Part{Ink: Dim, Text: "  " + text.Plural(int64(len(l.doc.Progress)), "notification")})
	bar := min(stepCells, max(4, l.w-40))
	for _, s := range l.doc.Progress {
		drawn, share := cells.Spaces(bar), strconv.FormatFloat(s.Done, 'g', 6, 64)
		if s.Total > 0 && s.Done >= 0 {
			part := min(1, s.Done/s.Total)
			full := int(part*float64(bar) + 0.5)
			drawn, share = strings.Repeat("▰", full)+strings.Repeat("▱", bar-full), fmt.Sprintf("%d %%", int(100*part))
		}
		l.wrap([]Part{{Ink: Dim, Text: cells.Fit("+"+text.Duration(max(0, s.After)), 10) + " "}, {Ink: Heading, Text: drawn + " "}, {Text: cells.Fit(share, 6)}}, "  ", Part{Text: s.Says})
	}
}

// put adds a line.
func (l *layout) put(parts ...Part) {
	if len(l.lines) < maxLines {
		l.lines = append(l.lines, Line{Parts: parts, URI: l.uri, Block: l.block, Depth: l.depth, Log: -1})
	}
}

// wrap adds parts over as many lines as they take, broken between words: the first
// line behind lead, the others behind as many blanks as indent and lead take.
func (l *layout) wrap(lead []Part, indent string, parts ...Part) {
	line := append([]Part{{Text: indent}}, lead...)
	at := cells.Width(indent)
	for _, p := range lead {
		at += cells.Width(p.Text)
	}
	if at > l.w-8 { // There is no room beside it.
		parts, lead, line, at = append(slices.Clone(lead), parts...), nil, line[:1], cells.Width(indent)
	}
	room, used := max(8, l.w-at), 0
	// Below a lead that takes much of the width, the text goes on further left.
	under := min(at, max(cells.Width(indent)+2, l.w/3))
	brk := func() {
		last := &line[len(line)-1]
		last.Text = strings.TrimRight(last.Text, " ") // The blank that the line was broken at, or that the text ends with.
		l.put(line...)
		line, room, used = []Part{{Text: cells.Spaces(under)}}, max(8, l.w-under), 0
	}
	for _, p := range parts {
		for _, word := range words(p.Text) {
			n := cells.Width(word)
			if n > room { // An address, or text without blanks.
				if used > 0 {
					brk()
				}
				for piece := range cells.Pieces(word, room, max(8, l.w-under)) {
					if used > 0 {
						brk()
					}
					line, used = append(line, Part{Ink: p.Ink, Text: piece}), cells.Width(piece)
					if len(l.lines) >= maxLines {
						return
					}
				}
				continue
			}
			if used+cells.Width(strings.TrimRight(word, " ")) > room {
				brk()
				if word = strings.TrimLeft(word, " "); word == "" {
					continue
				}
				n = cells.Width(word)
			}
			if last := &line[len(line)-1]; used > 0 && last.Ink == p.Ink {
				last.Text += word
			} else {
				line = append(line, Part{Ink: p.Ink, Text: word})
			}
			used += n
		}
	}
	if used > 0 || len(line) > 1 {
		brk()
	}
}

// words splits a text behind its blanks.
func words(text string) []string {
	var out []string
	for text != "" {
		n := strings.IndexByte(text, ' ')
		if n < 0 {
			return append(out, text)
		}
		for n < len(text) && text[n] == ' ' {
			n++
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// plain adds a text with its own line breaks.
func (l *layout) plain(indent string, ink Ink, text string) {
	for line := range strings.Lines(text) {
		l.wrap(nil, indent, Part{Ink: ink, Text: visible(line)})
	}
}

// head is as much of a text as is laid out, and how much more there is; rest says so.
func head(text string) (head string, more int) {
	if more = len(text) - MaxText; more <= 0 {
		return text, 0
	}
	return strings.ToValidUTF8(text[:MaxText], ""), more
}

func (l *layout) rest(indent string, more int) {
	if more > 0 {
		l.put(Part{Text: indent}, Part{Ink: Warn, Text: "… " + text.Size(int64(more)) + " more; the tab with the JSON shows all of it"})
	}
}

// text adds a text for people in a language of highlight, empty = none.
func (l *layout) text(indent, text, language string) {
	text, more := head(text)
	if l.doc.Source && language == "markdown" {
		language = ""
	}
	switch language {
	case "":
		l.plain(indent, Plain, text)
	case "markdown":
		l.markdown(indent, text)
	default:
		l.source(indent, text, language)
	}
	l.rest(indent, more)
}

// source adds source code: its lines are broken only at the width.
func (l *layout) source(indent, text, language string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", "    ")
	key := source{text, language}
	spans, known := l.doc.spans[key]
	if !known {
		spans = highlight.Text(text, language)
		if l.doc.spans == nil {
			l.doc.spans = map[source][]highlight.Span{}
		}
		l.doc.spans[key] = spans
	}
	at := 0
	line := func(end int) {
		parts := []Part{{Text: indent}}
		for at < end {
			for len(spans) > 0 && spans[0].End <= at {
				spans = spans[1:]
			}
			to, ink := end, code
			if len(spans) > 0 {
				to, ink = min(end, spans[0].End), code+Ink(spans[0].Kind)
			}
			parts = append(parts, Part{Ink: ink, Text: visible(text[at:to])})
			at = to
		}
		l.hard(indent, parts)
	}
	for at < len(text) {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line(end)
		at = end + 1
	}
}

// hard adds a line that is broken at the width alone.
func (l *layout) hard(indent string, parts []Part) {
	var line []Part
	used, under := 0, cells.Width(indent)
	for _, p := range parts {
		for piece := range cells.Pieces(p.Text, l.w-used, max(1, l.w-under)) {
			n := cells.Width(piece)
			if used > 0 && used+n > l.w {
				l.put(line...)
				line, used = []Part{{Text: indent}}, under
			}
			line = append(line, Part{Ink: p.Ink, Text: piece})
			used += n
			if len(l.lines) >= maxLines {
				return
			}
		}
	}
	l.put(line...)
}

// fact adds a label with a text beside it; an empty text adds nothing.
func (l *layout) fact(indent, label string, ink Ink, text string) {
	if text != "" {
		l.wrap([]Part{{Ink: Dim, Text: cells.Fit(label, max(labelWidth, cells.Width(label)+1))}}, indent, Part{Ink: ink, Text: text})
	}
}

// labelWidth is how wide the labels of facts are, in cells.
const labelWidth = 14

// visible is a line of a peer, safe to print, without its terminator.
func visible(line string) string {
	return text.Visible([]byte(strings.TrimRight(line, "\r\n")), 0)
}
