package secrets

import (
	"bytes"
	"regexp"
	"slices"
)

// A Span is a secret: text[From:To].
type Span struct {
	From, To int
	Kind     string // Kind is what gave it away: "member password", "GitHub token", "random string".
}

// A Finder finds secrets. Its zero value knows what everybody's secrets look like;
// the fields add a user's own. It may be used from several goroutines.
type Finder struct {
	Names    []string         // Names are more names of members whose values are secret, without regard to case.
	Patterns []*regexp.Regexp // Patterns match more secrets; where one has a group, the first group is the secret.
}

// Find returns the secrets of a text in their order. Where some overlap, they are
// one.
func (f *Finder) Find(text []byte) []Span {
	var spans []Span
	spans = f.members(spans, text)
	spans = formats(spans, text)
	spans = assignments(spans, text)
	spans = random(spans, text)
	for _, p := range f.Patterns {
		for _, m := range p.FindAllSubmatchIndex(text, -1) {
			at := 0
			if len(m) > 2 && m[2] >= 0 {
				at = 2
			}
			if m[at] < m[at+1] {
				spans = append(spans, Span{m[at], m[at+1], "pattern " + p.String()})
			}
		}
	}
	return merge(spans)
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

// members finds the values of members that are named like secrets. It reads
// strings and what stands around them, so that JSON may be broken anywhere.
func (f *Finder) members(spans []Span, text []byte) []Span {
	for i := 0; i < len(text); {
		open := bytes.IndexByte(text[i:], '"')
		if open < 0 {
			break
		}
		from := i + open + 1
		to := stringEnd(text, from)
		i = to + 1
		at := skipSpace(text, i)
		if at >= len(text) || text[at] != ':' || !f.secretName(text[from:to]) {
			continue
		}
		kind := "member " + clip(text[from:to])
		at = skipSpace(text, at+1)
		spans, i = valueSpans(spans, text, at, kind, digits[string(plainName(text[from:to]))])
	}
	return spans
}

// valueSpans takes the value that begins at a place: a string's inside, and all
// strings inside of an object or array; numbers likewise where they can be secret.
func valueSpans(spans []Span, text []byte, at int, kind string, numbers bool) ([]Span, int) {
	depth := 0
	for at < len(text) {
		switch c := text[at]; {
		case c == '"':
			end := stringEnd(text, at+1)
			next := skipSpace(text, end+1)
			if isKey := depth > 0 && next < len(text) && text[next] == ':'; !isKey && end > at+1 {
				spans = append(spans, Span{at + 1, end, kind})
			}
			at = end + 1
		case c == '{' || c == '[':
			depth++
			at++
		case c == '}' || c == ']':
			depth--
			at++
		case c == '-' || c >= '0' && c <= '9':
			end := at + 1
			for end < len(text) && (text[end] >= '0' && text[end] <= '9' || bytes.IndexByte([]byte(".eE+-"), text[end]) >= 0) {
				end++
			}
			if numbers {
				spans = append(spans, Span{at, end, kind})
			}
			at = end
		default:
			at++
		}
		if depth <= 0 {
			return spans, at
		}
	}
	return spans, at
}

// stringEnd is where the string whose inside begins at from ends: at its quote, or
// at the end of the text.
func stringEnd(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		b = b[:most]
	}
	return string(bytes.ToValidUTF8(b, nil))
}
