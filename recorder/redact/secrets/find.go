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
func (f *Finder) Find(text []byte) []Span { return Merge(f.All(text)) }

// All returns the secrets of a text in the order of their beginnings, as they were
// found: some may overlap. In JSON each is within one string, or is one number.
func (f *Finder) All(text []byte) []Span { return f.find(text, 0) }

// find is All for a text that was so many times encoded.
func (f *Finder) find(text []byte, encoded int) []Span {
	if plain := unzipped(text); plain != nil && encoded < maxEncoded {
		if inner := f.find(plain, encoded+1); len(inner) > 0 {
			return []Span{{0, len(text), inner[0].Kind, string(text)}}
		}
		return nil
	}
	var spans []Span
	for l := range Levels(text) {
		s := scan{f: f, text: l.Text, encoded: encoded}
		// What is escaped in JSON is read where the escapes are taken off.
		if l.depth > 0 || !object(text) || bytes.IndexByte(text, '\\') < 0 || bytes.IndexByte(text, '\n') >= 0 {
			s.all()
		}
		s.patterns()
		if l.depth == 0 {
			wholeEscapes(text, s.spans)
		}
		for _, found := range s.spans {
			found.Value = Plain(l.Text[found.From:found.To])
			found.From, found.To = l.Raw(found.From, found.To)
			if !placed(text[found.From:found.To]) {
				spans = append(spans, found)
			}
		}
	}
	if len(spans) > 0 && object(text) && json.Valid(text) {
		spans = within(text, spans)
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	return spans
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

// Merge sorts spans and joins those that overlap. The kind of the earlier one
// stays.
func Merge(spans []Span) []Span {
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

// within cuts spans to the strings and numbers of a JSON text, so that it stays JSON. What lies in no string and is no number is left out.
func within(text []byte, spans []Span) []Span {
	slices.SortStableFunc(spans, func(a, b Span) int { return a.From - b.From })
	var out, open []Span // open are those that reach beyond the token before.
	next := 0
	for t := range Tokens(text) {
		open = slices.DeleteFunc(open, func(s Span) bool { return s.To <= t.From })
		for ; next < len(spans) && spans[next].From < t.To; next++ {
			if spans[next].To > t.From {
				open = append(open, spans[next])
			}
		}
		for _, s := range open {
			if from, to := max(s.From, t.From), min(s.To, t.To); from != s.From || to != s.To || !t.Text {
				if !t.Text {
					from, to = t.From, t.To // A number is replaced as a whole.
				}
				s = Span{from, to, s.Kind, Plain(text[from:to])}
			}
			out = append(out, s)
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

// patterns finds what matches the user's own patterns.
func (s *scan) patterns() {
	for _, p := range s.f.Patterns {
		for _, m := range p.FindAllSubmatchIndex(s.text, -1) {
			at := 0
			if len(m) > 2 && m[2] >= 0 {
				at = 2
			}
			s.inStrings(m[at], m[at+1], "pattern "+p.String())
		}
	}
}
