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

	long    member // long is the value whose end was looked for last, by wordEnd.
	line    member // line is the line whose end was looked for last.
	done    int    // done is where the last value ends that was taken whole.
	blob    int    // blob is where the data of a file ends, or a certificate.
	host    int    // host is where the host of the last URL ends.
	walked  int    // walked counts the bytes of values that were walked through.
	tabled  int    // tabled is where the last line ends that was looked at as the row of a table.
	named   member // named is the last member called name or key,
	value   member // and value the last one called value.
	mime    int8   // mime is 1 where a type of media is named in the text, -1 where none is, 0 before it was looked for.
	endings []int  // endings are where the ends of armour are that were not come to,
	ended   bool   // once they were looked for.
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
	mark  // mark: the first byte of what is within a token.
	tilde // tilde: the second byte of that.
	cell  // cell: a bar or a tab, which is between cells.
	wide  // wide: the first byte of a full-width colon or equals sign.
)

var classes = lazy.Value[*[256]class]{New: func() *[256]class {
	var c [256]class
	for i := range c {
		if base64(byte(i)) && i != '=' {
			c[i] = letter
		}
	}
	c['.'], c['$'], c['~'] = mark, mark, tilde
	c[':'], c['='], c['>'], c[','], c['|'], c['\t'], c[0xef] = colon, equals, angle, comma, cell, cell, wide
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
				s.ending(i, end)
			}
			i = end
		case colon:
			s.marked(i)
			s.colon(i)
			i++
		case mark:
			s.marked(i)
			i++
		case tilde:
			s.marked(max(0, i-1))
			i++
		case equals:
			s.equals(i)
			i++
		case angle:
			s.angle(i)
			i++
		case comma:
			s.comma(i)
			s.cell(i)
			i++
		case cell:
			s.cell(i)
			i++
		case wide:
			if c := string(text[i:min(i+3, len(text))]); i >= s.done && (c == "：" || c == "＝") {
				s.assignment(i, i+2)
			}
			i++
		}
	}
	if s.f.Personal {
		s.personal()
	}
}

// each calls look with each place of a word in the text. look returns where to go on; 0 means
// behind the word.
func (s *scan) each(word string, look func(at int) (end int)) {
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
