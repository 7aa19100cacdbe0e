package rule

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Items yields the items of a JSON array with their indexes; nothing for any other
// text. The text must be valid JSON, and the items point into it.
func Items(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		w := walk{text: array, at: 1}
		for i := 0; w.more(); i++ {
			if item := w.one(); len(item) == 0 || !yield(i, item) {
				return
			}
		}
	}
}

// Members yields the members of a JSON object, the key as the text writes it;
// nothing for any other text. The text must be valid JSON, and both point into it.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		if len(object) == 0 || object[0] != '{' {
			return
		}
		for w := (walk{text: object, at: 1}); w.more(); {
			key := w.one()
			w.space()
			if value := w.one(); len(value) == 0 || !yield(key, value) {
				return
			}
		}
	}
}

// A walk is a place in the text of an object or an array.
type walk struct {
	text []byte
	at   int
}

// more moves to the next value and reports whether there is one.
func (w *walk) more() bool {
	w.space()
	return w.at < len(w.text) && w.text[w.at] != '}' && w.text[w.at] != ']'
}

// space skips what separates values.
func (w *walk) space() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			w.at++
		default:
			return
		}
	}
}

// one returns the text of the value that begins here, and moves behind it.
func (w *walk) one() []byte {
	from, open := w.at, 0
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case '"':
			w.at = StringEnd(w.text, w.at)
		case '{', '[':
			open++
			w.at++
		case '}', ']':
			open--
			w.at++
		case ' ', '\t', '\r', '\n', ',', ':':
			w.at++
			continue
		default:
			for w.at < len(w.text) && !delimits(w.text[w.at]) {
				w.at++
			}
		}
		if open <= 0 {
			break
		}
	}
	return w.text[from:w.at]
}

func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', '}', ']', '{', '[', '"':
		return true
	}
	return false
}

// IsText reports whether the text of a JSON string says word, which needs no
// escapes.
func IsText(raw []byte, word string) bool {
	if len(raw) == len(word)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == word {
		return true
	}
	return len(raw) > len(word)+2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') >= 0 && Unquote(raw) == word
}

// Unquote returns what a JSON string says, "" for anything else.
func Unquote(raw []byte) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Member returns the text of an object's member, nil where there is none.
func Member(text []byte, name string) []byte {
	for key, value := range Members(text) {
		if IsText(key, name) {
			return value
		}
	}
	return nil
}

// StringEnd returns where the string that begins at start ends, its closing
// quote included.
func StringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
