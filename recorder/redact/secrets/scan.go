package secrets

import (
	"bytes"

	"wiretea/session/lazy"
)

// A scan finds the secrets of one level of a text.
type scan struct {
	f       *Finder
	text    []byte
	spans   []Span
	encoded int // encoded counts the encodings that were taken off the text.

	line    member // line is the line whose end was looked for last.
	done    int    // done is where the last value ends that was taken whole.
	blob    int    // blob is where the data of a file ends, or a certificate.
	walked  int    // walked counts the bytes of values that were walked through.
	named   member // named is the last member called name or key,
	value   member // and value the last one called value.
	mime    int8   // mime is 1 where a type of media is named in the text, -1 where none is, 0 before it was looked for.
	endings []int  // endings are where the ends of armour are that were not come to,
	ended   bool   // once they were looked for.
	may     marks  // may are the marks that the text may have.
}

// marks is a set of marks, such as :// in a URL. The whole text is searched for one only if the
// pass over all words has seen a part of it.
type marks uint8

const (
	markColon      marks = 1 << iota // markColon: ://, :AA and :5432:.
	markTilde                        // markTilde: Q~.
	markScheme                       // markScheme: bearer and basic.
	markIdentified                   // markIdentified: identified.
	markDot                          // markDot: a dot behind a word of 14 characters.
	markLong                         // markLong: what is within a word of 40 characters.
)

// marks notes the marks that a word may be a part of.
func (s *scan) marks(from, end int) {
	n, word := end-from, s.text[from:end]
	if end < len(s.text) {
		switch c := s.text[end]; {
		case c == '~':
			s.may |= markTilde
		case c == '.' && n >= 14:
			s.may |= markDot
		}
	}
	if n >= 40 {
		s.may |= markLong
	}
	if n >= len("identified") && s.may&markIdentified == 0 && (bytes.Contains(word, []byte("identified")) || bytes.Contains(word, []byte("IDENTIFIED"))) {
		s.may |= markIdentified
	}
	if c := word[n-1]; c == 'r' && bytes.HasSuffix(word, []byte("earer")) || c == 'c' && bytes.HasSuffix(word, []byte("asic")) {
		s.may |= markScheme
	}
}

// A member is a string that belongs to a name: where its inside is.
type member struct{ from, to int }

// add takes a secret, unless there is nothing in it.
func (s *scan) add(from, to int, kind string) {
	if from < to {
		s.spans = append(s.spans, Span{From: from, To: to, Kind: kind})
	}
}

// inStrings takes a secret that may reach over the ends of strings, and leaves what
// stands between the strings.
func (s *scan) inStrings(from, to int, kind string) {
	for from < to {
		end := run(s.text[:to], from, func(c byte) bool { return c != '"' && !isEdge(c) })
		s.add(from, end, kind)
		if end == to {
			return
		}
		quote := s.text[end]
		next := bytes.IndexByte(s.text[end+1:to], quote)
		if next < 0 {
			return
		}
		from = end + 1 + next + 1
	}
}

// class says what a byte may begin.
type class uint8

const (
	nothing class = iota
	letter        // letter: a word, of letters, digits and what base64 has.
	colon
	equals
	angle
	comma
)

var classes = lazy.Value[*[256]class]{New: func() *[256]class {
	var c [256]class
	for i := range c {
		if base64(byte(i)) && i != '=' {
			c[i] = letter
		}
	}
	c[':'], c['='], c['>'], c[','] = colon, equals, angle, comma
	return &c
}}

// all finds all that needs no pattern.
func (s *scan) all() {
	text, classes := s.text, classes.Get()
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case nothing:
			i++
		case letter:
			end := i + 1
			for end < len(text) && classes[text[end]] == letter {
				end++
			}
			// A character by itself, as most numbers are, begins a token or a flag at most.
			if next := text[min(end, len(text)-1)]; end-i > 1 || text[i] == '-' || next == '.' || next == '~' {
				s.word(i, end)
				s.marks(i, end)
			}
			i = end
		case colon:
			if i+1 < len(text) && (text[i+1] == '/' || text[i+1] == 'A' || text[i+1] == '5') {
				s.may |= markColon
			}
			s.colon(i)
			i++
		case equals:
			s.equals(i)
			i++
		case angle:
			s.angle(i)
			i++
		case comma:
			s.comma(i)
			i++
		}
	}
	s.shapes()
	s.urls()
	s.phrases()
	if s.f.Personal {
		s.personal()
	}
}

// each calls look with each place of a word in the text. look returns where to go on; 0 means
// behind the word. The text is searched only if it may have the mark.
func (s *scan) each(mark marks, word string, look func(at int) (end int)) {
	if mark&s.may != mark {
		return
	}
	for at := 0; ; {
		next := bytes.Index(s.text[at:], []byte(word))
		if next < 0 {
			return
		}
		at += next
		at = max(at+len(word), look(at))
	}
}

// isQuote reports whether a byte at a place begins or ends a string: no quote does that
// is escaped.
func (s *scan) isQuote(at int) bool {
	if at < 0 || at >= len(s.text) {
		return false
	}
	switch c := s.text[at]; {
	case isEdge(c):
		return true
	case c == '"' || c == '\'' || c == '`':
		back := at
		for back > 0 && s.text[back-1] == '\\' && at-back < 2*maxLevels {
			back--
		}
		return (at-back)%2 == 0
	}
	return false
}

// closing is where the string ends whose inside begins at from: at its quote, else at
// the end of the line, of the text, or of the string of a layer below that it is in.
// One in other quotes than those of JSON ends before a quote that ends a string there.
func (s *scan) closing(from int) int {
	quote := s.text[from-1]
	if quote == firstEdge {
		if i := bytes.IndexByte(s.text[from:], quote); i >= 0 {
			return from + i
		}
		return len(s.text)
	}
	for i := from; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == quote, isEdge(c) && (!isEdge(quote) || c < quote), c == '\n' && !isEdge(quote):
			return i
		case c == '\\' && !isEdge(quote):
			i++
		case c == '"' && !isEdge(quote):
			if next := s.skipSpace(i + 1); next < len(s.text) && bytes.IndexByte([]byte(",:}]"), s.text[next]) >= 0 {
				return i
			}
		}
	}
	return len(s.text)
}

// skipSpace returns the first place from i on that is not white space.
func (s *scan) skipSpace(i int) int {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == '\n' || s.text[i] == '\r') {
		i++
	}
	return i
}

// skipBlanks is skipSpace within a line.
func (s *scan) skipBlanks(i int) int {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t') {
		i++
	}
	return i
}

// blanksBefore returns the first place of the blanks that end before i.
func (s *scan) blanksBefore(i int) int {
	for i > 0 && (s.text[i-1] == ' ' || s.text[i-1] == '\t') {
		i--
	}
	return i
}

// maxLine is how far the end of a line is looked for, in bytes.
const maxLine = 4 << 10

// lineEnd is where the line of a place ends: at a line's end, or that of the string it
// is in at a layer below.
func (s *scan) lineEnd(at int) int {
	if at >= s.line.from && at < s.line.to {
		return s.line.to
	}
	end := at
	for end < len(s.text) && end-at < maxLine && s.text[end] != '\n' && s.text[end] != '\r' && !isEdge(s.text[end]) {
		end++
	}
	s.line = member{at, end}
	return end
}

func run(text []byte, at int, chars func(byte) bool) int {
	for at < len(text) && chars(text[at]) {
		at++
	}
	return at
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func upper(c byte) bool  { return c >= 'A' && c <= 'Z' || digit(c) }
func alpha(c byte) bool  { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
func alnum(c byte) bool  { return upper(c) || c >= 'a' && c <= 'z' }
func word(c byte) bool   { return alnum(c) || c == '_' || c == '-' }
func named(c byte) bool  { return word(c) || c == '.' }
func hex(c byte) bool    { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
func lowHex(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' }
func base64(c byte) bool { return word(c) || c == '+' || c == '/' || c == '=' }
func dotted(c byte) bool { return word(c) || c == '.' || c == '=' }
func path(c byte) bool   { return word(c) || c == '/' }
