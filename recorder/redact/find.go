package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wiretea/recorder/redact/secrets"
	"wiretea/session"
	"wiretea/session/json/diff"
)

// spans returns what is secret in a body, or in the line of a record that has none,
// by itself.
func (r *Redactor) spans(text []byte, kind session.RecordKind) []secrets.Span {
	found := r.opt.Finder.Find(text)
	if kind == session.RecHeader {
		found = slices.DeleteFunc(found, func(s secrets.Span) bool { return s.Kind == "random string" && diff.PathAt(text, s.From) == ".sid" })
	}
	found = append(found, homes(text)...)
	if kind == session.RecFrame || kind == session.RecRaw {
		for _, e := range diff.Select(text, r.opt.Paths) {
			found = append(found, valuesOf(text, e)...)
		}
	}
	found = secrets.Merge(found)
	var out []secrets.Span
	for _, s := range found {
		s = behindScheme(text, s)
		if strings.HasPrefix(s.Kind, "pattern ") {
			out = append(out, inTokens(text, s)...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// behindScheme leaves out what stands before a header's secret, such as Bearer.
func behindScheme(text []byte, s secrets.Span) secrets.Span {
	for _, scheme := range secrets.Schemes {
		if bytes.HasPrefix(text[s.From:s.To], []byte(scheme)) && s.To-s.From > len(scheme) {
			s.From += len(scheme)
			break
		}
	}
	return s
}

// home is the name of somebody's home folder.
var home = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:/home/|/Users/|[A-Za-z]:(?:\\{1,8}|/)Users(?:\\{1,8}|/))([^/\\"'\s:;,<>|{}()\[\]*?%&$]+)`)
})

// nobodys are folders beside those of people.
var nobodys = map[string]bool{"Shared": true, "Public": true, "Default": true, "linuxbrew": true}

// homes finds the names of home folders.
func homes(text []byte) (spans []secrets.Span) {
	if !bytes.Contains(text, []byte("/home/")) && !bytes.Contains(text, []byte("Users")) {
		return nil
	}
	for _, m := range home().FindAllSubmatchIndex(text, -1) {
		if name := text[m[2]:m[3]]; !nobodys[string(name)] && secrets.Ordinal(name) == 0 {
			spans = append(spans, secrets.Span{From: m[2], To: m[3], Kind: kindUser})
		}
	}
	return spans
}

// kindUser is the kind of a home folder's name. It is replaced in paths alone.
const kindUser = "user"

// valuesOf returns the insides of all strings, and all numbers, in a value.
func valuesOf(text []byte, e diff.Extent) (spans []secrets.Span) {
	for _, t := range tokens(text[e.From:e.To]) {
		s := secrets.Span{From: e.From + t.From, To: e.From + t.To, Kind: "chosen path"}
		if !t.key && s.To > s.From && secrets.Ordinal(text[s.From:s.To]) == 0 {
			spans = append(spans, s)
		}
	}
	return spans
}

// inTokens cuts what a pattern matched to the strings and numbers it touches, so
// that JSON stays JSON. In other text it stays as it is.
func inTokens(text []byte, s secrets.Span) []secrets.Span {
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return []secrets.Span{s}
	}
	var out []secrets.Span
	for _, t := range tokens(text) {
		from, to := max(s.From, t.From), min(s.To, t.To)
		if from >= to {
			continue
		}
		if !t.text {
			from, to = t.From, t.To // A number is replaced as a whole.
		}
		from, to = aroundEscapes(text, t.From, from, to)
		out = append(out, secrets.Span{From: from, To: to, Kind: s.Kind})
	}
	return out
}

// aroundEscapes widens a part of a string, whose inside begins at start, so that no
// escape is cut.
func aroundEscapes(text []byte, start, from, to int) (int, int) {
	for i := start; i < to; {
		size := 1
		if text[i] == '\\' {
			size = 2
			if i+1 < len(text) && text[i+1] == 'u' {
				size = 6
			}
		}
		if i < from && from < i+size {
			from = i
		}
		if i < to && to < i+size {
			to = min(i+size, len(text))
		}
		i += size
	}
	return from, to
}

// A token is the inside of a string, or a number.
type token struct {
	diff.Extent
	key, text bool
}

// tokens returns the strings and numbers of a JSON text, which may be broken.
func tokens(p []byte) (all []token) {
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '"':
			end := i + 1
			for end < len(p) && p[end] != '"' {
				if p[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(p))
			next := bytes.TrimLeft(p[min(end+1, len(p)):], " \t\r\n")
			all = append(all, token{diff.Extent{From: i + 1, To: end}, len(next) > 0 && next[0] == ':', true})
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(p) && bytes.IndexByte([]byte("0123456789.eE+-"), p[end]) >= 0 {
				end++
			}
			all = append(all, token{diff.Extent{From: i, To: end}, false, false})
			i = end - 1
		}
	}
	return all
}

// isNumber reports whether a span is a number of JSON, or of JSON in a string.
func isNumber(text []byte, from, to int) bool {
	for _, c := range text[from:to] {
		if bytes.IndexByte([]byte("0123456789.eE+-"), c) < 0 {
			return false
		}
	}
	before := bytes.TrimRight(text[:from], " \t\r\n")
	after := bytes.TrimLeft(text[to:], " \t\r\n")
	return len(before) > 0 && bytes.IndexByte([]byte(":,["), before[len(before)-1]) >= 0 && len(after) > 0 && bytes.IndexByte([]byte(",}]"), after[0]) >= 0
}

// inString reports whether a place of a JSON text is inside of a string.
func inString(text []byte, at int) bool {
	in := false
	for i := 0; i < at; i++ {
		switch text[i] {
		case '"':
			in = !in
		case '\\':
			i++
		}
	}
	return in
}
