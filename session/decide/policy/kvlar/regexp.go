package kvlar

import (
	"regexp"
	"strings"

	"wiretea/session/lazy"
)

// word are the characters that \w of Rust has: \w of Go has those of ASCII.
const word = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}\x{200c}\x{200d}`

// classes are the classes of Rust as Go writes them within brackets.
var classes = lazy.Value[map[byte]string]{New: func() map[byte]string {
	return map[byte]string{'d': `\p{Nd}`, 's': `\s\v\x{85}\p{Z}`, 'w': word}
}}

// goRegexp is a regular expression of Rust in Go's words, which mean the same. edges reports
// that it has \b or \B. ok is false where Go has no words for it, or where Rust, which rejects
// more, does not have it.
func goRegexp(pattern string) (text string, edges, ok bool) {
	var b strings.Builder
	set := false // set: within brackets.
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			i++
			next := pattern[i]
			switch lower := next | 0x20; {
			case strings.IndexByte("QECuU<>", next) >= 0, next >= '0' && next <= '9':
				return "", false, false
			case lower == 'b':
				if set || i+1 < len(pattern) && pattern[i+1] == '{' {
					return "", false, false
				}
				edges = true
				b.WriteString(pattern[i-1 : i+1])
			case classes.Get()[lower] != "" && next == lower && set:
				b.WriteString(classes.Get()[lower])
			case classes.Get()[lower] != "" && set:
				return "", false, false
			case classes.Get()[lower] != "" && next == lower:
				b.WriteString("[" + classes.Get()[lower] + "]")
			case classes.Get()[lower] != "":
				b.WriteString("[^" + classes.Get()[lower] + "]")
			default:
				b.WriteString(pattern[i-1 : i+1])
			}
			// What braces follow is a name or a number.
			if strings.IndexByte("pPx", next) >= 0 && i+1 < len(pattern) && pattern[i+1] == '{' {
				inside, _, closed := strings.Cut(pattern[i+1:], "}")
				if !closed {
					return "", false, false
				}
				b.WriteString(inside + "}")
				i += len(inside) + 1
			}
			continue
		case set && (c == '[' || strings.HasPrefix(pattern[i:], "&&") || strings.HasPrefix(pattern[i:], "--") || strings.HasPrefix(pattern[i:], "~~")):
			return "", false, false
		case c == '[':
			set = true
			// A bracket that comes first closes nothing.
			first := i + 1
			if first < len(pattern) && pattern[first] == '^' {
				first++
			}
			if first < len(pattern) && pattern[first] == ']' {
				return "", false, false
			}
		case c == ']':
			set = false
		case c == '{' && !set && !counts.Get().MatchString(pattern[i:]):
			return "", false, false
		}
		b.WriteByte(c)
	}
	_, err := regexp.Compile(b.String())
	return b.String(), edges, err == nil
}

// counts is a number of repetitions.
var counts = lazy.Regexp{Text: `^\{[0-9]+(,[0-9]*)?\}`}

// edge is a \b that has words of ASCII on a side: where it matches in Rust, it does in Go.
var edge = lazy.Regexp{Text: `\\b(?:[0-9A-Za-z_]+(?:[^0-9A-Za-z_*?{]|$)|\((?:\?:)?[0-9A-Za-z_]+(?:\|[0-9A-Za-z_]+)*\)(?:[^*?{]|$))`}

// edgeAfter is edge where the words come first.
var edgeAfter = lazy.Regexp{Text: `(?:(?:^|[^\\0-9A-Za-z_]|\\[dswDSW])[0-9A-Za-z_]+|\((?:\?:)?[0-9A-Za-z_]+(?:\|[0-9A-Za-z_]+)*\))\\b`}

// plainEdges reports whether each \b of a pattern has words of ASCII on a side, so that it
// matches in Go where it does in Rust. \B never has.
func plainEdges(pattern string) bool {
	if strings.Contains(pattern, `\B`) {
		return false
	}
	rest := edgeAfter.Get().ReplaceAllString(edge.Get().ReplaceAllStringFunc(pattern, func(s string) string { return s[2:] }), "")
	return !strings.Contains(rest, `\b`)
}
