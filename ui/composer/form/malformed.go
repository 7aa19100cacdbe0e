package form

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"wiretea/session/lazy"
)

// The notation of malformed mode: every byte has one, and what is typed stands
// for exactly one run of bytes.
//
//	\n \r \t \0 \e \\   line feed, carriage return, tab, NUL, escape, backslash
//	\xff                any byte
//	\u2028 \U0001f600   a character as UTF-8; a surrogate as the three bytes it would have
//	a line end          a line feed
//	anything else       itself, a backslash before it too: \" is two bytes

// notation writes bytes so that all of them can be seen and typed.
func notation(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, b[0])
		case r == '\\':
			out.WriteString(`\\`)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r == ' ' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
		b = b[size:]
	}
	return out.String()
}

var simpleEscapes = lazy.Value[map[byte]byte]{New: func() map[byte]byte {
	return map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '0': 0, 'e': 0x1b, '\\': '\\'}
}}

// denote returns the bytes that a notation stands for.
func denote(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		b, size := escaped(text)
		if size == 0 {
			out = append(out, text[0])
			text = text[1:]
			continue
		}
		out = append(out, b...)
		text = text[size:]
	}
	return out
}

// notationAt is where the notation of the byte at an offset begins, or of one that
// is written together with it.
func notationAt(text []byte, offset int) int {
	at := 0
	for at < len(text) && offset > 0 {
		b, size := escaped(text[at:])
		if size == 0 {
			b, size = text[at:at+1], 1
		}
		if len(b) > offset {
			break
		}
		at, offset = at+size, offset-len(b)
	}
	return at
}

// escaped returns what the escape stands for that a text begins with, and how
// long it is; 0 where there is none.
func escaped(text []byte) (b []byte, size int) {
	if len(text) < 2 || text[0] != '\\' {
		return nil, 0
	}
	if c, ok := simpleEscapes.Get()[text[1]]; ok {
		return []byte{c}, 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < 2+digits {
		return nil, 0
	}
	n, err := strconv.ParseUint(string(text[2:2+digits]), 16, 32)
	switch {
	case err != nil || n > unicode.MaxRune:
		return nil, 0
	case digits == 2:
		return []byte{byte(n)}, 4
	case n >= 0xd800 && n < 0xe000: // utf8 would not write it
		return []byte{0xe0 | byte(n>>12), 0x80 | byte(n>>6)&0x3f, 0x80 | byte(n)&0x3f}, 6
	}
	return utf8.AppendRune(nil, rune(n)), 2 + digits
}

// facts says in a line what the bytes are that would be sent; bare, they are sent without
// a line feed where they are meant to be.
func facts(b []byte, bare bool) string {
	words := []string{strconv.Itoa(len(b)) + " bytes"}
	switch body, said, headed := headedBody(b); {
	case len(b) == 0:
	case headed && said == len(body):
		words = append(words, "Content-Length matches the body")
	case headed:
		words = append(words, fmt.Sprintf("Content-Length is %d, the body has %d bytes", said, len(body)))
	default:
		words = append(words, lineFacts(b, bare)...)
	}
	if !utf8.Valid(b) {
		words = append(words, "not UTF-8")
	}
	return strings.Join(words, " · ")
}

// lineFacts says what bytes are that are no more than lines.
func lineFacts(b []byte, bare bool) (words []string) {
	switch lines := bytes.Count(b, []byte("\n")); {
	case b[len(b)-1] != '\n' && bare:
	case b[len(b)-1] != '\n':
		words = append(words, "no line feed at the end: the server keeps waiting")
	case lines == 1:
		words = append(words, "one line")
	default:
		return []string{strconv.Itoa(lines) + " lines"}
	}
	if _, err := defect(b); err != nil && bytes.Count(b, []byte("\n")) <= 1 {
		words = append(words, "no JSON")
	}
	return words
}

// headedBody is what follows the headers of a message that is framed as in LSP,
// and how long they say that it is.
func headedBody(b []byte) (body []byte, said int, ok bool) {
	head, body, ok := bytes.Cut(b, []byte("\r\n\r\n"))
	if !ok {
		return nil, 0, false
	}
	value, ok := bytes.CutPrefix(head, []byte("Content-Length: "))
	value, _, _ = bytes.Cut(value, []byte("\r\n"))
	said, err := strconv.Atoi(string(value))
	return body, said, ok && err == nil
}
