package rule

import (
	"bytes"
	"encoding/json"
)

// A walk goes through the members of an object or the items of an array, without
// memory. Its text is known to be JSON.
type walk struct {
	text   []byte
	at     int
	Object bool
}

// NewWalk begins at an object's or an array's text; anything else has nothing in
// it.
func NewWalk(text []byte) walk {
	w := walk{text: text, at: 1}
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		w.at = len(text)
	}
	w.Object = len(text) > 0 && text[0] == '{'
	return w
}

// Next returns the next value, with the text of its key in an object. It reports
// false at the end.
func (w *walk) Next() (key, value []byte, ok bool) {
	w.space()
	if w.at >= len(w.text) || w.text[w.at] == '}' || w.text[w.at] == ']' {
		return nil, nil, false
	}
	if w.Object {
		key = w.one()
		w.space()
	}
	value = w.one()
	return key, value, len(value) > 0
}

// space goes behind what separates values.
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

// one goes behind the value that begins here and returns its text.
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
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	w := NewWalk(text)
	for {
		key, value, ok := w.Next()
		if !ok {
			return nil
		}
		if IsText(key, name) {
			return value
		}
	}
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
