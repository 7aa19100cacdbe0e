package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"wiretea/session/json/tree"
)

// errEmpty is returned for a text without any value.
var errEmpty = errors.New("no value")

// parse reads one JSON value. The value keeps the text, which must not be
// changed. An error says where.
func parse(text []byte) (*tree.Node, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errEmpty
	}
	if off, err := defect(text); err != nil {
		line, column := position(text, off)
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	return tree.Read(text), nil
}

// defect returns what is wrong with a text as JSON, and at which byte.
func defect(text []byte) (off int, err error) {
	var whole json.RawMessage
	err = json.Unmarshal(text, &whole)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		off = max(0, min(int(syntax.Offset)-1, len(text)))
		if strings.HasPrefix(err.Error(), "unexpected end") {
			return len(text), errors.New("the JSON ends too early")
		}
	}
	return off, err
}

// position turns a byte offset into a line and a column, in characters, both
// from 1.
func position(text []byte, off int) (line, column int) {
	before := text[:min(off, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// quote writes a text as a JSON string, with as few escapes as JSON wants, and
// those two line ends that some readers take for the end of a frame.
func quote(text string) []byte {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(text)+2)
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = append(b, `\u00`...)
			b = append(b, hex[r>>4], hex[r&15])
		case r == '\u2028' || r == '\u2029':
			b = append(b, `\u`...)
			b = strconv.AppendInt(b, int64(r), 16)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// appendCompact appends JSON without the white space between its tokens. Text
// that is no JSON is appended as it is.
func appendCompact(dst, text []byte) []byte {
	if !json.Valid(text) {
		return append(dst, text...)
	}
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"':
			end := tree.StringEnd(text, i)
			dst = append(dst, text[i:end]...)
			i = end
		case tree.IsSpace(text[i]):
			i++
		default:
			dst = append(dst, text[i])
			i++
		}
	}
	return dst
}

// indented writes JSON over several lines; text that is no JSON, or is nested so
// far that the margin would be most of it, stays as it is.
func indented(text []byte) []byte {
	var b bytes.Buffer
	if tree.Nesting(text) > tree.MaxDepth || json.Indent(&b, text, "", "  ") != nil {
		return bytes.Clone(text)
	}
	return b.Bytes()
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text []byte) bool {
	return len(text) > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && !tree.IsSpace(text[len(text)-1]) && json.Valid(text)
}
