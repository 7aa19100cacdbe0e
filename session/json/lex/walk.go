package lex

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"unicode/utf8"
)

// IsSpace reports whether a byte is white space between tokens.
func IsSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') }

// SkipSpace returns the first place from i on that is not white space.
func SkipSpace(text []byte, i int) int {
	for i < len(text) && IsSpace(text[i]) {
		i++
	}
	return i
}

// StringEnd returns the place behind the string that begins at i: len(text) where it
// is not closed.
func StringEnd(text []byte, i int) int {
	if end := closing(text, i); end >= 0 {
		return end + 1
	}
	return len(text)
}

// closing returns where the quote is that closes the string that begins at i, or -1.
func closing(text []byte, i int) int {
	from := i + 1
	at := from
	for ; at < min(len(text), from+16) && text[at] != '\\'; at++ { // Most strings are short.
		if text[at] == '"' {
			return at
		}
	}
	for at < len(text) {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return -1
		}
		quote += at
		back := quote
		for back > from && text[back-1] == '\\' {
			back--
		}
		if (quote-back)%2 == 0 {
			return quote
		}
		at = quote + 1
	}
	return -1
}

// ValueEnd returns the place behind the value that begins at i, or -1 where none does
// or it is not whole.
func ValueEnd(text []byte, i int) int {
	for depth := 0; i < len(text); {
		switch c := text[i]; c {
		case '"':
			end := closing(text, i)
			if end < 0 {
				return -1
			}
			i = end + 1
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth--; depth < 0 {
				return -1
			}
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			end := wordEnd(text, i)
			if end == i {
				return -1
			}
			i = end
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// wordEnd returns the place behind the number, true, false or null that begins at i.
func wordEnd(text []byte, i int) int {
	for i < len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != '-' && c != '+' && c != '.' && c != 'E' {
			break
		}
		i++
	}
	return i
}

// Walk calls f for each member of an object, in order, until f reports false: with
// the key as it is written, its quotes included, and the value. It reports whether
// the text is one object, as far as f let it look.
func Walk(object []byte, f func(key, value []byte) bool) bool {
	i := SkipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return false
	}
	if i = SkipSpace(object, i+1); i < len(object) && object[i] == '}' {
		return SkipSpace(object, i+1) == len(object)
	}
	for {
		key, value, next := OneMember(object, i)
		if next < 0 {
			return false
		}
		if !f(key, value) {
			return true
		}
		if next = SkipSpace(object, next); next >= len(object) {
			return false
		}
		if object[next] == '}' {
			return SkipSpace(object, next+1) == len(object)
		}
		if object[next] != ',' {
			return false
		}
		i = SkipSpace(object, next+1)
	}
}

// OneMember reads the member whose key begins at i, and returns the place behind it:
// -1 where there is none.
func OneMember(object []byte, i int) (key, value []byte, next int) {
	if i >= len(object) || object[i] != '"' {
		return nil, nil, -1
	}
	end := closing(object, i) + 1
	if end == 0 {
		return nil, nil, -1
	}
	colon := SkipSpace(object, end)
	if colon >= len(object) || object[colon] != ':' {
		return nil, nil, -1
	}
	from := SkipSpace(object, colon+1)
	if next = ValueEnd(object, from); next < 0 {
		return nil, nil, -1
	}
	return object[i:end], object[from:next], next
}

// Members yields the members of an object, the key as it is written; nothing for any
// other text.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) { Walk(object, yield) }
}

// Items yields the items of an array with their indexes; nothing for any other text.
func Items(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		at := SkipSpace(array, 0)
		if at >= len(array) || array[at] != '[' {
			return
		}
		for i := 0; ; i++ {
			at = SkipSpace(array, at+1)
			end := ValueEnd(array, at)
			if end < 0 || !yield(i, array[at:end]) {
				return
			}
			if at = SkipSpace(array, end); at >= len(array) || array[at] != ',' {
				return
			}
		}
	}
}

// Get returns the text of an object's member, of several with that name the first;
// nil where there is none.
func Get(object []byte, name string) (found []byte) {
	Walk(object, func(key, value []byte) bool {
		if IsText(key, name) {
			found = value
		}
		return found == nil
	})
	return found
}

// A Member is a member of an object: its name, and its key and value as they are
// written.
type Member struct {
	Name       string
	Key, Value []byte
	At         int // At is where the value begins in the text of the object.
}

// List returns the members of an object, in order, and whether the text is valid JSON
// and an object.
func List(object []byte) ([]Member, bool) {
	if !json.Valid(object) {
		return nil, false
	}
	var list []Member
	ok := Walk(object, func(key, value []byte) bool {
		at := cap(object) - cap(value) // Both end where the text's memory does.
		list = append(list, Member{Unquote(key), key, value, at})
		return true
	})
	return list, ok
}

// AppendObject appends an object of these members. One without a key gets its name.
func AppendObject(dst []byte, members ...Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m.Key != nil {
			dst = append(dst, m.Key...)
		} else {
			dst = append(dst, Quote(m.Name)...)
		}
		dst = append(append(dst, ':'), m.Value...)
	}
	return append(dst, '}')
}

// Nesting is how deep the brackets of a text go.
func Nesting(text []byte) int {
	most, open := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open++
			most = max(most, open)
		case '}', ']':
			open--
		case '"':
			i = StringEnd(text, i) - 1
		}
	}
	return most
}

// AppendCompact appends JSON without the white space between its tokens. Text that is
// not JSON is appended as it is.
func AppendCompact(dst, text []byte) []byte {
	if !json.Valid(text) {
		return append(dst, text...)
	}
	for i := 0; i < len(text); {
		end := i + 1
		if text[i] == '"' {
			end = StringEnd(text, i)
		}
		if !IsSpace(text[i]) {
			dst = append(dst, text[i:end]...)
		}
		i = end
	}
	return dst
}

// Closed returns the beginning of a JSON text, cut off anywhere, as a text that ends: a
// string that is cut off is closed behind an ellipsis, a number or a word that is cut off
// is left out, and the brackets that are open are closed. A text that ends is returned as
// it is.
func Closed(text []byte) []byte {
	var open []byte // open are the brackets that close those that are open.
	i := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			end := closing(text, i)
			if end < 0 {
				return append(closedString(text, i), reversed(open)...)
			}
			i = end
		case '{':
			open = append(open, '}')
		case '[':
			open = append(open, ']')
		case '}', ']':
			if open = open[:max(0, len(open)-1)]; len(open) == 0 {
				return text
			}
		}
		i++
	}
	for len(open) > 0 && i > 0 && wordEnd(text, i-1) >= i {
		i--
	}
	return append(text[:i:i], reversed(open)...)
}

// closedString returns text, which ends within the string that begins at from, with that
// string closed. It cuts the string before an invalid escape.
func closedString(text []byte, from int) []byte {
	end := len(text)
	for at := from + 1; ; {
		i := bytes.IndexByte(text[at:], '\\')
		if i < 0 {
			break
		}
		at += i
		_, n := Escape(text[at:])
		if n == 0 {
			end = at
			break
		}
		at += n
	}
	for k := 1; k < utf8.UTFMax && k < end-from; k++ { // The last character may be cut off.
		if utf8.RuneStart(text[end-k]) {
			if !utf8.FullRune(text[end-k : end]) {
				end -= k
			}
			break
		}
	}
	return append(text[:end:end], `…"`...)
}

func reversed(open []byte) []byte {
	out := make([]byte, len(open))
	for i, c := range open {
		out[len(open)-1-i] = c
	}
	return out
}

// Number returns the one way to write a number, which is the same for numbers that are
// equal: its digits without zeros at either end,
// and the power of ten of the last one. It takes no value of the exponent as too
// large.
func Number(raw []byte) []byte {
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(raw), []byte{'e'})
	negative := bytes.HasPrefix(mantissa, []byte{'-'})
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte{'-'}), []byte{'.'})
	digits := append(bytes.Clone(whole), fraction...)
	power := -len(fraction)
	trimmed := bytes.TrimRight(digits, "0")
	power += len(digits) - len(trimmed)
	if trimmed = bytes.TrimLeft(trimmed, "0"); len(trimmed) == 0 {
		return []byte{'0'}
	}
	e := 0
	if len(exponent) > 0 {
		var err error
		if e, err = strconv.Atoi(string(exponent)); err != nil {
			return bytes.ToLower(raw) // beyond any number: equal only as it is written
		}
	}
	out := strconv.AppendInt(append(trimmed, 'e'), int64(power)+int64(e), 10)
	if negative {
		out = append(out, '-')
	}
	return out
}
