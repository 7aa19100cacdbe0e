package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
)

// An encoder writes fields as JSON.
type encoder struct {
	out  []byte
	path []byte                // path are the names that lead to the field that is written, a zero before each.
	pick map[string]*tree.Node // pick is which alternative was chosen, by path.
}

// sent reports whether the field is part of what is sent. Items of an array
// always are.
func (f *field) sent() bool {
	return f.origin != absent || f.parent == nil || f.parent.manner == asArray && f.keying == nil
}

// write writes a field's value.
func (e *encoder) write(f *field) {
	if f.variant >= 0 {
		if e.pick == nil {
			e.pick = map[string]*tree.Node{}
		}
		e.pick[string(e.path)] = f.base.flat[f.variant].sub.schemas[0]
	}
	if f.kept != nil {
		e.out = lex.AppendCompact(e.out, f.kept)
		return
	}
	switch f.manner {
	case asText:
		e.out = lex.AppendQuote(e.out, f.typed())
	case asNumber:
		// Text that is not a number is sent as a string: the user insists on it.
		if text := f.typed(); isNumber([]byte(text)) {
			e.out = append(e.out, text...)
		} else {
			e.out = lex.AppendQuote(e.out, text)
		}
	case asRaw:
		if text := f.typed(); text != "" {
			e.out = lex.AppendCompact(e.out, []byte(text))
		} else {
			e.out = append(e.out, "null"...)
		}
	case asBool:
		e.out = strconv.AppendBool(e.out, f.yes)
	case asNull:
		e.out = append(e.out, "null"...)
	case asChoice:
		if f.chosen >= 0 {
			e.out = lex.AppendCompact(e.out, f.shape.choices[f.chosen].raw)
		} else {
			e.out = append(e.out, "null"...)
		}
	case asObject:
		e.object(f)
	case asArray:
		e.out = append(e.out, '[')
		for i, kid := range f.kids {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.below(kid, strconv.Itoa(i))
		}
		e.out = append(e.out, ']')
	}
}

// typed is the text of the field.
func (f *field) typed() string {
	if f.text == nil {
		return ""
	}
	return f.text.String()
}

func (e *encoder) object(f *field) {
	kids := f.kids
	byRank := func(a, b *field) int { return cmp.Compare(a.rank, b.rank) }
	if !slices.IsSortedFunc(kids, byRank) {
		kids = slices.Clone(kids)
		slices.SortStableFunc(kids, byRank)
	}
	e.out = append(e.out, '{')
	start := len(e.out)
	for _, kid := range kids {
		if !kid.sent() || kid.keying != nil {
			continue
		}
		if len(e.out) > start {
			e.out = append(e.out, ',')
		}
		if kid.rawKey != nil {
			e.out = append(e.out, kid.rawKey...)
		} else {
			e.out = lex.AppendQuote(e.out, kid.key)
		}
		e.out = append(e.out, ':')
		e.below(kid, kid.key)
	}
	e.out = append(e.out, '}')
}

// below writes a member or an item.
func (e *encoder) below(kid *field, name string) {
	n := len(e.path)
	e.path = append(append(e.path, 0), name...)
	e.write(kid)
	e.path = e.path[:n]
}

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
