package secrets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"

	"wiretea/session/json/lex"
)

// A Span is a secret: text[From:To].
type Span struct {
	From, To int
	Kind     string // Kind is what gave it away: "member password", "GitHub token", "random string".
	Value    string // Value is what it says, without escapes.

	wide bool // wide: it goes over the ends of strings.
}

// A Finder finds secrets. Its zero value knows what everybody's secrets look like;
// the fields add a user's own. It may be used from several goroutines.
type Finder struct {
	Names    []string         // Names are more names of members whose values are secret, without regard to case.
	Patterns []*regexp.Regexp // Patterns match more secrets; where one has a group, the first group is the secret.
	Personal bool             // Personal finds addresses of mail, numbers of phones, cards and bank accounts too.
}

// Find returns the secrets of a text in their order. Where some overlap, they are
// one, whose Value is that of the first.
func (f *Finder) Find(text []byte) []Span { return merge(f.All(text)) }

// All returns the secrets of a text in the order of their beginnings, as they were
// found: some may overlap. In JSON each is within one string, or is one number.
func (f *Finder) All(text []byte) []Span { return f.find(text, 0) }

// find is All for a text that was so many times encoded.
func (f *Finder) find(text []byte, encoded int) []Span {
	if plain := unzipped(text); plain != nil && encoded < maxEncoded {
		if inner := f.find(plain, encoded+1); len(inner) > 0 {
			return []Span{{To: len(text), Kind: inner[0].Kind, Value: string(text)}}
		}
		return nil
	}
	var spans []Span
	for l := range Levels(text) {
		s := scan{f: f, text: l.Text, encoded: encoded}
		if l.depth < maxLevels {
			s.text = withoutEscaped(l.Text)
		}
		s.all()
		s.text = l.Text
		s.patterns(l.below == nil)
		if l.depth == 0 {
			wholeEscapes(l.Text, s.spans)
		}
		for _, found := range confined(l.Text, s.spans) {
			found.Value = Plain(l.Text[found.From:found.To])
			found.From, found.To = l.Raw(found.From, found.To)
			if !placed(text[found.From:found.To]) {
				spans = append(spans, found)
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	return spans
}

// withoutEscaped returns a text in which JSON with escapes is blank, be it all, a string
// of a layer below, or a line: it is read where the escapes are taken off.
func withoutEscaped(text []byte) []byte {
	if !hasEscape(text) {
		return text
	}
	out := text
	for from := 0; from < len(text); {
		end := run(text, from, func(c byte) bool { return !isEdge(c) })
		part := text[from:end]
		switch {
		case !hasEscape(part):
		case object(part) && (bytes.IndexByte(part, '\n') < 0 || json.Valid(part)):
			out = blank(out, text, from, end)
		default:
			for line := range bytes.Lines(part) {
				if object(line) && hasEscape(line) {
					out = blank(out, text, from, from+len(line))
				}
				from += len(line)
			}
		}
		from = end + 1
	}
	return out
}

// hasEscape reports whether there is an escape in a text.
func hasEscape(text []byte) bool {
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return false
		}
		if _, n := escape(text[i+next:]); n > 0 {
			return true
		}
		i += next + 1
	}
}

// blank clears a part of a copy of a text.
func blank(out, text []byte, from, to int) []byte {
	if &out[0] == &text[0] {
		out = bytes.Clone(text)
	}
	clear(out[from:to])
	return out
}

// object reports whether a text looks like an object or array of JSON.
func object(text []byte) bool {
	i := lex.SkipSpace(text, 0)
	if i >= len(text) || text[i] != '{' && text[i] != '[' {
		return false
	}
	next := lex.SkipSpace(text, i+1)
	return next < len(text) && bytes.IndexByte([]byte("\"{[}]"), text[next]) >= 0
}

// merge sorts spans and joins those that overlap. The kind of the earlier one
// stays.
func merge(spans []Span) []Span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return a.From - b.From })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.From < last.To {
			last.To = max(last.To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// confined cuts spans so that what is JSON stays JSON: a text, a string of a layer below,
// or a line.
func confined(text []byte, spans []Span) (out []Span) {
	slices.SortStableFunc(spans, func(a, b Span) int { return a.From - b.From })
	inPart := func(c byte) bool { return !isEdge(c) }
	inLine := func(c byte) bool { return c != '\n' }
	eachPart(text, spans, inPart, func(from, to int, of []Span) {
		part := text[from:to]
		if object(part) && json.Valid(part) {
			out = append(out, moved(within(part, moved(of, -from)), from)...)
			return
		}
		eachPart(part, moved(of, -from), inLine, func(start, end int, of []Span) {
			if line := part[start:end]; object(line) && json.Valid(line) {
				of = moved(within(line, moved(of, -start)), start)
			}
			out = append(out, moved(of, from)...)
		})
	})
	return out
}

// eachPart calls f for each run of a text in which spans begin, with these.
func eachPart(text []byte, spans []Span, in func(byte) bool, f func(from, to int, of []Span)) {
	for len(spans) > 0 {
		from, to := spans[0].From, run(text, spans[0].From, in)
		for from > 0 && in(text[from-1]) {
			from--
		}
		n := 1
		for n < len(spans) && spans[n].From <= to {
			n++
		}
		f(from, to, spans[:n])
		spans = spans[n:]
	}
}

// moved moves spans.
func moved(spans []Span, by int) []Span {
	for i := range spans {
		spans[i].From, spans[i].To = spans[i].From+by, spans[i].To+by
	}
	return spans
}

// within cuts spans, which are in order, to the strings and numbers of a JSON text that
// they begin in, and wide ones to all that they touch. What touches none is left out.
func within(text []byte, spans []Span) []Span {
	var out, open []Span // open are those that reach beyond the token before.
	next := 0
	for t := range Tokens(text) {
		open = slices.DeleteFunc(open, func(s Span) bool { return s.To <= t.From || !s.wide })
		for ; next < len(spans) && spans[next].From < t.To; next++ {
			if s := spans[next]; s.To > t.From && (s.wide || s.From >= t.From) {
				open = append(open, s)
			}
		}
		for _, s := range open {
			from, to := max(s.From, t.From), min(s.To, t.To)
			if !t.Text {
				from, to = t.From, t.To // A number is replaced as a whole.
			}
			s.From, s.To = from, to
			out = append(out, s)
		}
		if next == len(spans) && len(open) == 0 {
			break
		}
	}
	return out
}

// wholeEscapes widens spans of a text so that none begins or ends in an escape.
func wholeEscapes(text []byte, spans []Span) {
	slices.SortStableFunc(spans, func(a, b Span) int { return a.From - b.From })
	var ends []*Span // ends are those that have begun.
	next := 0
	for i := 0; i < len(text) && (next < len(spans) || len(ends) > 0); {
		at := bytes.IndexByte(text[i:], '\\')
		if at < 0 {
			return
		}
		at += i
		i = min(at+2, len(text))
		if _, n := lex.Escape(text[at:]); n > 0 {
			i = at + n
		}
		for ; next < len(spans) && spans[next].From < i; next++ {
			s := &spans[next]
			if s.From > at {
				s.From = at
			}
			ends = append(ends, s)
		}
		for _, s := range ends {
			if s.To > at && s.To < i {
				s.To = i
			}
		}
		ends = slices.DeleteFunc(ends, func(s *Span) bool { return s.To <= i })
	}
}

// patterns finds what matches the user's own patterns. In the text itself it may go
// over the ends of strings.
func (s *scan) patterns(wide bool) {
	for _, p := range s.f.Patterns {
		for _, m := range p.FindAllSubmatchIndex(s.text, -1) {
			at := 0
			if len(m) > 2 && m[2] >= 0 {
				at = 2
			}
			kind := "pattern " + p.String()
			if !wide {
				s.inStrings(m[at], m[at+1], kind)
			} else if m[at] < m[at+1] {
				s.spans = append(s.spans, Span{From: m[at], To: m[at+1], Kind: kind, wide: true})
			}
		}
	}
}
