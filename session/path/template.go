package path

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
)

// fillTemplate fills in a template: each {{PATH}} is replaced by what a message has at the path, as
// {{params.arguments.path}} or {{params.items.0}}. Within a string of the template that is
// the text of a string, or the JSON text of anything else; elsewhere its JSON text. The result
// has at most limit bytes. The error says what is wrong with the template, or what the message
// lacks.
func fillTemplate(template, message []byte, limit int) ([]byte, error) {
	if !bytes.Contains(template, []byte("{{")) {
		return template, nil
	}
	var out []byte
	within, escaped := false, false // within: in a string of the template.
	for at := 0; at < len(template); at++ {
		c := template[at]
		if !bytes.HasPrefix(template[at:], []byte("{{")) || escaped || !within && nested(template[at:]) {
			switch {
			case escaped:
				escaped = false
			case within && c == '\\':
				escaped = true
			case c == '"':
				within = !within
			}
			out = append(out, c)
			continue
		}
		end := bytes.Index(template[at:], []byte("}}"))
		if end < 0 {
			return nil, fmt.Errorf("%.40q has no }}", template[at:])
		}
		path := strings.TrimSpace(string(template[at+2 : at+end]))
		value := lookUp(message, path)
		if value == nil {
			return nil, fmt.Errorf("the request has nothing at %.80q", path)
		}
		if within {
			value = inString(value)
		}
		if out = append(out, value...); len(out) > limit {
			return nil, fmt.Errorf("the filled template has more than %d bytes", limit)
		}
		at += end + 1
	}
	return out, nil
}

// nested reports whether a text that begins with two braces begins with JSON, which is
// {"a": … only behind the first of them.
func nested(text []byte) bool {
	rest := bytes.TrimLeft(text[2:], " \t\r\n")
	return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
}

// lookUp returns the JSON text at a path of names and numbers, nil for none.
func lookUp(value []byte, path string) []byte {
	for word := range strings.SplitSeq(path, ".") {
		switch value = bytes.TrimSpace(value); {
		case len(value) == 0:
			return nil
		case value[0] == '[':
			value = item(value, word)
		default:
			value = lex.Get(value, word)
		}
	}
	return value
}

// item is the item of an array at a number, nil for none.
func item(array []byte, number string) []byte {
	n, err := strconv.Atoi(number)
	for at, value := range lex.Items(array) {
		if err == nil && at == n {
			return value
		}
	}
	return nil
}

// inString is a value as it is written within a string.
func inString(value []byte) []byte {
	if value[0] == '"' {
		return value[1 : len(value)-1]
	}
	quoted, err := json.Marshal(string(value))
	if err != nil {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}
