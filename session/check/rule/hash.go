package rule

import (
	"hash/maphash"
	"strconv"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
)

// CursorOf returns the hash of a cursor, 0 if there is none.
func CursorOf(v *jsonrpc.Value) uint64 {
	if v.Type == jsonrpc.Absent || v.Type == jsonrpc.Null {
		return 0
	}
	return max(1, v.Hash)
}

// StringMark distinguishes the hashes of "1" and 1.
const StringMark = 0x9e3779b97f4a7c15

// HashID returns the hash of an id or a token: of its JSON type and its value,
// whatever the spelling. It reports false for values that cannot be looked up.
func HashID[T string | []byte](raw T) (uint64, bool) {
	text := string(raw)
	if text == "" || len(text) >= jsonrpc.MaxCapture {
		return 0, false
	}
	if text[0] != '"' {
		return maphash.String(Seed.Get(), plainNumber(text)), text[0] == '-' || text[0] >= '0' && text[0] <= '9'
	}
	for i := range len(text) {
		if text[i] == '\\' {
			return maphash.String(Seed.Get(), lex.Unquote([]byte(text))) ^ StringMark, true
		}
	}
	return maphash.String(Seed.Get(), text[1:len(text)-1]) ^ StringMark, true
}

// plainNumber returns 1 for 1.0 and 1e0.
func plainNumber(text string) string {
	for i := range len(text) {
		if c := text[i]; c == '.' || c == 'e' || c == 'E' {
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				return strconv.FormatFloat(f, 'f', -1, 64)
			}
		}
	}
	return text
}

var Seed = lazy.Value[maphash.Seed]{New: maphash.MakeSeed}
