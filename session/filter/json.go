package filter

import (
	"bytes"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
)

// A jsonStep is a step from a JSON value to one inside it.
type jsonStep struct {
	name string // name is the member's; items have none.
	item int    // item is the index, -1 for a member, anyItem for each one.
}

const anyItem = -2

// jsonWord tests a member of the JSON of a body: that it is there, or what it says.
func jsonWord(_ *Filter, o operand) (node, string) {
	steps, rest, ok := jsonPath(o.text)
	if value, says := strings.CutPrefix(rest, "="); ok && (says || rest == "") {
		return &bodyTest{key: "j", text: o.text, op: o.op, least: 2, find: func(body []byte) bool {
			return jsonHolds(body, steps, func(found []byte) bool {
				switch {
				case !says, string(found) == value:
					return true
				case found[0] == '"':
					return lex.IsText(found, value)
				}
				return string(lex.AppendCompact(nil, found)) == value
			})
		}}, ""
	}
	return nil, `j: takes a path, such as .params.arguments.city, and = with a value; [0] is an item, [*] each one, ["a b"] a member`
}

// jsonPath reads a path as far as it goes, and returns what follows it.
func jsonPath(text string) (steps []jsonStep, rest string, ok bool) {
	for text != "" && text[0] != '=' {
		switch {
		case text[0] == '.':
			end := 1 + strings.IndexAny(text[1:]+"=", ".[=")
			if end == 1 {
				return nil, text, false
			}
			steps = append(steps, jsonStep{name: text[1:end], item: -1})
			text = text[end:]
		case strings.HasPrefix(text, `["`):
			end := lex.StringEnd([]byte(text), 1)
			if end >= len(text) || text[end] != ']' {
				return nil, text, false
			}
			steps = append(steps, jsonStep{name: lex.Unquote([]byte(text[1:end])), item: -1})
			text = text[end+1:]
		default:
			inside, after, closed := strings.Cut(strings.TrimPrefix(text, "["), "]")
			n, err := strconv.ParseUint(inside, 10, 31)
			if text[0] != '[' || !closed || err != nil && inside != "*" {
				return nil, text, false
			}
			step := jsonStep{item: int(n)}
			if inside == "*" {
				step.item = anyItem
			}
			steps, text = append(steps, step), after
		}
	}
	return steps, text, len(steps) > 0
}

// jsonHolds reports whether a value at the end of the steps is as wanted.
func jsonHolds(value []byte, steps []jsonStep, wanted func(value []byte) bool) bool {
	for k, step := range steps {
		if value = bytes.TrimSpace(value); len(value) == 0 {
			return false
		}
		if step.item == -1 {
			value = lex.Get(value, step.name)
			continue
		}
		for i, item := range lex.Items(value) {
			if (step.item == anyItem || step.item == i) && jsonHolds(item, steps[k+1:], wanted) {
				return true
			}
		}
		return false
	}
	return len(value) > 0 && wanted(value)
}
