package secrets

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"
	"wiretea/session/json/lex"
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
	spans = f.nested(spans, text, 1)
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
	spans = slices.DeleteFunc(spans, func(s Span) bool { return placed(text[s.From:s.To]) })
	return Merge(spans)
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

// members finds the values of members that are named like secrets, the words
// behind flags that are, and the values of headers and variables in lists:
// {"name":"API_KEY","value":"x"}. It reads strings and what stands around them, so
// that JSON may be broken anywhere.
func (f *Finder) members(spans []Span, text []byte) []Span {
	var last, named []byte // last is the string before; named is the name that a member "value" belongs to.
	for i := 0; i < len(text); {
		open := bytes.IndexByte(text[i:], '"')
		if open < 0 {
			break
		}
		if bytes.ContainsAny(text[i:i+open], "{}") {
			named = nil
		}
		from := i + open + 1
		to := stringEnd(text, from)
		i = to + 1
		at := lex.SkipSpace(text, i)
		key := text[from:to]
		if at >= len(text) || text[at] != ':' {
			if flag(last) && to > from && bytes.HasSuffix(bytes.TrimRight(text[:from-1], " \n\t"), []byte(",")) && !flag(key) {
				spans = append(spans, Span{from, to, "flag " + clip(bytes.TrimLeft(last, "-"))})
			}
			last = key
			continue
		}
		last = nil
		value := lex.SkipSpace(text, at+1)
		switch {
		case f.secretName(key):
			spans, i = f.secretValue(spans, text, value, key)
		case value >= len(text) || text[value] != '"':
		case string(key) == "name" || string(key) == "key" || string(key) == "header":
			end := stringEnd(text, value+1)
			named, i = text[value+1:end], end+1
		case string(key) == "value" && f.secretName(named):
			spans, i = f.secretValue(spans, text, value, named)
		}
	}
	return spans
}

// secretValue takes the value of a member with a secret name. Where that is a
// schema or a description of what belongs there, it has no secret but what it gives
// as a default.
func (f *Finder) secretValue(spans []Span, text []byte, at int, name []byte) ([]Span, int) {
	if at >= len(text) {
		return spans, at
	}
	if schema(text[at:]) {
		return schemaValues(spans, text, at, "member "+clip(name)), at
	}
	plain := plainName(name)
	if prosaic()[string(plain)] && text[at] == '"' && !opaque(text[at+1:stringEnd(text, at+1)]) {
		return spans, at
	}
	return valueSpans(spans, text, at, "member "+clip(name), digits()[string(plain)])
}

// schemaValues takes what a schema that begins at a place gives as a value.
func schemaValues(spans []Span, text []byte, at int, kind string) []Span {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return spans
			}
		case '"':
			from := i + 1
			i = stringEnd(text, from)
			colon := lex.SkipSpace(text, i+1)
			if colon >= len(text) || text[colon] != ':' {
				continue
			}
			switch string(text[from:min(i, len(text))]) {
			case "default", "const", "example", "examples":
				spans, _ = valueSpans(spans, text, lex.SkipSpace(text, colon+1), kind, false)
			}
		}
	}
	return spans
}

// opaque reports whether a value says nothing to people: one long word with a digit
// in it.
func opaque(value []byte) bool {
	return len(value) >= 8 && bytes.IndexByte(value, ' ') < 0 && bytes.IndexFunc(value, unicode.IsDigit) >= 0
}

// schema reports whether a value is an object that describes values, as in
// {"password":{"type":"string","description":"yours"}}.
func schema(value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	at := lex.SkipSpace(value, 1)
	if at >= len(value) || value[at] != '"' {
		return false
	}
	switch string(value[at+1 : stringEnd(value, at+1)]) {
	case "type", "description", "title", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "default", "format", "minLength", "maxLength", "pattern", "examples", "writeOnly", "properties", "items":
		return true
	}
	return false
}

// flag reports whether a word is a flag whose value is secret: --token.
func flag(word []byte) bool {
	name := bytes.TrimLeft(word, "-")
	return len(name) < len(word) && len(name) > 1 && len(name) <= 64 && run(name, 0, wordChar) == len(name) && telling(plainName(name)) && !harmless()[string(plainName(name))]
}

// valueSpans takes the value that begins at a place: a string's inside, and all
// strings inside of an object or array; numbers likewise where they can be secret.
func valueSpans(spans []Span, text []byte, at int, kind string, numbers bool) ([]Span, int) {
	depth, start, before := 0, at, len(spans)
	for at < len(text) {
		switch c := text[at]; {
		case c == '"':
			end := stringEnd(text, at+1)
			next := lex.SkipSpace(text, end+1)
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
	if line := bytes.IndexByte(text[start:], '\n'); line >= 0 {
		// It is broken, and what stands on other lines need not belong to it.
		for len(spans) > before && spans[len(spans)-1].From > start+line {
			spans = spans[:len(spans)-1]
		}
		at = start + line
	}
	return spans, at
}

// stringEnd is where the string whose inside begins at from ends: at its quote, at
// the end of its line, or of the text.
func stringEnd(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i // No string goes over a line's end: a quote that stands alone costs its line.
		}
	}
	return len(text)
}

func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		b = b[:most]
	}
	return string(bytes.ToValidUTF8(b, nil))
}
