package content

import (
	"strings"

	"wiretea/session/cells"
	"wiretea/session/text"
)

// markdown adds Markdown: headings, paragraphs, lists, quotes, tables and code, with
// emphasis, code spans and links. What it does not know stays as it was written.
func (l *layout) markdown(indent, text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); {
		i += l.markdownBlock(indent, lines[i:])
	}
}

// markdownBlock adds the block that the lines begin with, and returns how many lines it
// has.
func (l *layout) markdownBlock(indent string, lines []string) int {
	line := strings.TrimRight(lines[0], " \t\r")
	trimmed := strings.TrimLeft(line, " ")
	if fence := fenceOf(trimmed); fence != "" {
		n := 1
		for n < len(lines) && !strings.HasPrefix(strings.TrimLeft(lines[n], " "), fence) {
			n++
		}
		language := strings.TrimSpace(strings.TrimLeft(trimmed, "`~"))
		l.source(indent+"  ", strings.Join(lines[1:n], "\n"), language)
		return min(n+1, len(lines))
	}
	if n := tableLines(lines); n > 0 {
		l.table(indent, lines[:n])
		return n
	}
	switch level := headingLevel(trimmed); {
	case trimmed == "":
		l.put()
		return 1
	case level > 0:
		l.heading(indent, level, strings.Trim(trimmed, "# "))
		return 1
	case isRule(trimmed):
		l.put(Part{Text: indent}, Part{Ink: Dim, Text: strings.Repeat("─", max(1, l.w-cells.Width(indent)))})
		return 1
	case strings.HasPrefix(trimmed, ">"):
		n := 0
		var inner []string
		for n < len(lines) && strings.HasPrefix(strings.TrimLeft(lines[n], " "), ">") {
			inner = append(inner, strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(lines[n], " "), ">"), " "))
			n++
		}
		for _, text := range paragraphs(inner) {
			l.wrap([]Part{{Ink: Dim, Text: "│ "}}, indent, inline(text)...)
		}
		return n
	}
	n := 1
	for n < len(lines) && continues(lines[n]) && tableLines(lines[n:]) == 0 {
		n++
	}
	text := joined(lines[:n])
	if mark, rest, ok := listMark(trimmed); ok {
		depth := min(len(line)-len(trimmed), 40)
		text = strings.TrimSpace(strings.Replace(text, trimmed, rest, 1))
		l.wrap([]Part{{Ink: Dim, Text: mark + " "}}, indent+cells.Spaces(depth), inline(text)...)
		return n
	}
	for _, part := range strings.Split(text, "\n") {
		l.wrap(nil, indent, inline(part)...)
	}
	return n
}

// fenceOf is the fence of code that a line begins, empty for none.
func fenceOf(line string) string {
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, fence) && !strings.Contains(line[3:], fence[:1]) {
			return fence
		}
	}
	return ""
}

// headingLevel is the level of a heading of the form # text, 0 for any other line.
func headingLevel(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n > 6 || n < len(line) && line[n] != ' ' {
		return 0
	}
	return n
}

func (l *layout) heading(indent string, level int, text string) {
	if n := len(l.lines); n > 0 && len(l.lines[n-1].Parts) > 1 {
		l.put()
	}
	parts := inline(text)
	for i := range parts {
		if parts[i].Ink == Plain {
			parts[i].Ink = Heading
		}
	}
	l.wrap(nil, indent, parts...)
	if level == 1 {
		l.put(Part{Text: indent}, Part{Ink: Dim, Text: strings.Repeat("─", min(l.w-cells.Width(indent), cells.Width(visible(text))))})
	}
}

// isRule reports whether a line is a rule: three or more of one of * - _.
func isRule(line string) bool {
	line = strings.ReplaceAll(line, " ", "")
	return len(line) >= 3 && strings.Contains("*-_", line[:1]) && strings.Trim(line, line[:1]) == ""
}

// listMark splits a list item into the mark that is drawn and its text.
func listMark(line string) (mark, text string, ok bool) {
	first, rest, _ := strings.Cut(line, " ")
	switch digits := strings.TrimRight(first, ".)"); {
	case first == "-" || first == "*" || first == "+":
		mark = "•"
		for box, sign := range map[string]string{"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"} {
			if strings.HasPrefix(rest, box) {
				mark, rest = sign, rest[len(box):]
			}
		}
		return mark, strings.TrimLeft(rest, " "), true
	case len(first) == len(digits)+1 && len(digits) > 0 && len(digits) < 10 && strings.Trim(digits, "0123456789") == "":
		return first, strings.TrimLeft(rest, " "), true
	}
	return "", "", false
}

// continues reports whether a line belongs to the paragraph before it.
func continues(line string) bool {
	trimmed := strings.TrimSpace(line)
	_, _, item := listMark(trimmed)
	return trimmed != "" && !item && headingLevel(trimmed) == 0 && fenceOf(trimmed) == "" && !strings.HasPrefix(trimmed, ">") &&
		!isRule(trimmed)
}

// joined is a paragraph as one text: its line breaks are blanks, but for those that
// Markdown keeps.
func joined(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		hard := strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`)
		b.WriteString(strings.TrimSuffix(strings.TrimSpace(line), `\`))
		switch {
		case i == len(lines)-1:
		case hard:
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// paragraphs are lines as the paragraphs of a quote; an empty one between two.
func paragraphs(lines []string) []string {
	var out []string
	from := 0
	for i := range len(lines) + 1 {
		if i == len(lines) || strings.TrimSpace(lines[i]) == "" {
			if i > from {
				out = append(out, strings.Split(joined(lines[from:i]), "\n")...)
			}
			from = i + 1
		}
	}
	return out
}

// inline is a paragraph in pieces: code spans, emphasis and links.
func inline(text string) []Part {
	var out []Part
	at := 0
	flush := func(to int) {
		if to > at {
			out = append(out, Part{Text: unescaped(text[at:to])})
		}
	}
	for i := 0; i < len(text); {
		if text[i] == '\\' && i+1 < len(text) {
			i += 2
			continue
		}
		n, parts := span(text[i:], i > 0 && isWord(text[i-1]))
		if n == 0 {
			i++
			continue
		}
		flush(i)
		out = append(out, parts...)
		i += n
		at = i
	}
	flush(len(text))
	return out
}

// longestSpan is how far the end of a span is looked for, in bytes.
const longestSpan = 4 << 10

// span is the code span, the emphasis or the link that a text begins with, and how many
// bytes it has; 0 for none. within: it begins within a word.
func span(text string, within bool) (n int, parts []Part) {
	text = text[:min(len(text), longestSpan)]
	switch c := text[0]; {
	case c == '`':
		fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		if end := strings.Index(text[len(fence):], fence); end >= 0 {
			return 2*len(fence) + end, []Part{{Ink: code + 3, Text: visible(strings.TrimSpace(text[len(fence) : len(fence)+end]))}}
		}
		return 0, nil
	case c == '*' || c == '_' && !within:
		mark := text[:1]
		if strings.HasPrefix(text, mark+mark) {
			mark += mark
		}
		inner, _, ok := strings.Cut(text[len(mark):], mark)
		if !ok || inner == "" || inner != strings.TrimSpace(inner) || strings.HasPrefix(inner, mark[:1]) {
			return 0, nil
		}
		parts = inline(inner)
		for i := range parts {
			if parts[i].Ink == Plain {
				parts[i].Ink = Strong
			}
		}
		return len(inner) + 2*len(mark), parts
	case c == '[' || strings.HasPrefix(text, "!["):
		label, rest, ok := strings.Cut(strings.TrimPrefix(text, "!")[1:], "](")
		target, _, closed := strings.Cut(rest, ")")
		if !ok || !closed || strings.ContainsAny(label, "[]\n") {
			return 0, nil
		}
		n = len(label) + len("[]()") + len(target) + len(text) - len(strings.TrimPrefix(text, "!"))
		if label == target || label == "" {
			return n, []Part{{Ink: Link, Text: visible(target)}}
		}
		return n, []Part{{Ink: Strong, Text: unescaped(label)}, {Ink: Link, Text: " <" + visible(target) + ">"}}
	}
	return 0, nil
}

func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// unescaped is a text without the backslashes that keep punctuation from being read,
// safe to print.
func unescaped(text string) string {
	if strings.IndexByte(text, '\\') >= 0 {
		var b strings.Builder
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\\`*_{}[]()<>#+-.!|~", text[i+1]) >= 0 {
				i++
			}
			b.WriteByte(text[i])
		}
		text = b.String()
	}
	return visible(text)
}

// tableLines is how many of the lines are a table, 0 for none.
func tableLines(lines []string) int {
	row := func(i int) string { return strings.TrimSpace(lines[i]) }
	if len(lines) < 2 || !strings.Contains(row(0), "|") || !strings.Contains(row(1), "-") || strings.Trim(row(1), "|-: ") != "" {
		return 0
	}
	n := 2
	for n < len(lines) && strings.Contains(row(n), "|") {
		n++
	}
	return n
}

// table adds a table with its columns aligned, or where it is too wide, its rows as they
// were written.
func (l *layout) table(indent string, lines []string) {
	table := text.Table{Indent: indent}
	for i, line := range lines {
		if i == 1 {
			continue
		}
		cut := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for j := range cut {
			var text strings.Builder
			for _, p := range inline(strings.TrimSpace(cut[j])) {
				text.WriteString(p.Text)
			}
			cut[j] = text.String()
		}
		table.Add(cut...)
	}
	l.rows(indent, table.Lines())
}

// rows adds the lines of a table, of which the first is the head.
func (l *layout) rows(indent string, lines []string) {
	for i, line := range lines {
		ink := Plain
		if i == 0 {
			ink = Heading
		}
		l.hard(indent+"  ", []Part{{Ink: ink, Text: line}})
		if i == 0 {
			l.put(Part{Text: indent}, Part{Ink: Dim, Text: strings.Repeat("─", max(1, min(l.w, cells.Width(line))-cells.Width(indent)))})
		}
	}
}
