package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"wiretea/session/json/lex"
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
		before := text[:min(off, len(text))]
		line, column := 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
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

// indented writes JSON over several lines; text that is not JSON, or is nested so
// far that the margin would be most of it, stays as it is.
func indented(text []byte) []byte {
	var b bytes.Buffer
	if lex.Nesting(text) > tree.MaxDepth || json.Indent(&b, text, "", "  ") != nil {
		return bytes.Clone(text)
	}
	return b.Bytes()
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text []byte) bool {
	return len(text) > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && !lex.IsSpace(text[len(text)-1]) && json.Valid(text)
}
