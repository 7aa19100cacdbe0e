package composer

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
	"wiretea/ui/composer/arguments"
)

// An expression is one part in braces of a URI template (RFC 6570), or the text
// before it.
type expression struct {
	text string // text is as it is; the rest is empty then.
	op   byte   // op is the operator, 0 = none.
	vars []variable
}

// A variable of an expression.
type variable struct {
	name   string
	prefix int // prefix is how many characters of the value count, 0 = all.
}

// parseTemplate reads a URI template. What is in no good braces is text.
func parseTemplate(text string) []expression {
	var list []expression
	for text != "" {
		open := strings.IndexByte(text, '{')
		end := strings.IndexByte(text, '}')
		if open < 0 || end < open {
			return append(list, expression{text: text})
		}
		if open > 0 {
			list = append(list, expression{text: text[:open]})
		}
		if e := parseExpression(text[open+1 : end]); len(e.vars) > 0 {
			list = append(list, e)
		} else {
			list = append(list, expression{text: text[open : end+1]})
		}
		text = text[end+1:]
	}
	return list
}

func parseExpression(text string) (e expression) {
	if text != "" && strings.IndexByte("+#./;?&", text[0]) >= 0 {
		e.op, text = text[0], text[1:]
	}
	for name := range strings.SplitSeq(text, ",") {
		v := variable{name: strings.TrimSuffix(name, "*")}
		if before, digits, ok := strings.Cut(v.name, ":"); ok {
			v.name = before
			if _, err := fmt.Sscanf(digits, "%d", &v.prefix); err != nil {
				v.prefix = 0
			}
		}
		if v.name != "" {
			e.vars = append(e.vars, v)
		}
	}
	return e
}

// templateSchema is a schema of a URI template's variables. Those of a query may
// be left out.
func templateSchema(template string) []byte {
	var properties []lex.Member
	var required []string
	for _, e := range parseTemplate(template) {
		for _, v := range e.vars {
			if slices.ContainsFunc(properties, func(p lex.Member) bool { return p.Name == v.name }) {
				continue
			}
			properties = append(properties, lex.Member{Name: v.name, Value: []byte(`{"type":"string"}`)})
			if e.op != '?' && e.op != '&' {
				required = append(required, v.name)
			}
		}
	}
	return arguments.ObjectSchema(properties, required)
}

// expand fills a URI template with the members of a JSON object. What is no
// string is written as its JSON; what is missing is left out.
func expand(template string, values []byte) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(values, &members) // a value that is not an object fills in nothing
	var b strings.Builder
	for _, e := range parseTemplate(template) {
		b.WriteString(e.text)
		e.write(&b, members)
	}
	return b.String()
}

// seps are, by operator, what precedes the first variable and what between
// them.
var seps = lazy.Value[map[byte][2]string]{New: func() map[byte][2]string {
	return map[byte][2]string{0: {"", ","}, '+': {"", ","}, '#': {"#", ","}, '.': {".", "."}, '/': {"/", "/"}, ';': {";", ";"}, '?': {"?", "&"}, '&': {"&", "&"}}
}}

func (e *expression) write(b *strings.Builder, members map[string]json.RawMessage) {
	sep := seps.Get()[e.op][0]
	for _, v := range e.vars {
		raw, ok := members[v.name]
		if !ok || string(raw) == "null" {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		if r := []rune(text); v.prefix > 0 && len(r) > v.prefix {
			text = string(r[:v.prefix])
		}
		b.WriteString(sep)
		sep = seps.Get()[e.op][1]
		if named := e.op == '?' || e.op == '&' || e.op == ';'; named {
			b.WriteString(v.name)
			if text != "" || e.op != ';' {
				b.WriteByte('=')
			}
		}
		b.WriteString(escaped(text, e.op == '+' || e.op == '#'))
	}
}

// escaped writes a value for a URI; reserved characters stay where they may.
func escaped(text string, reserved bool) string {
	if !reserved {
		return strings.NewReplacer("+", "%20", "%7E", "~").Replace(url.QueryEscape(text))
	}
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', strings.IndexByte("-._~:/?#[]@!$&'()*+,;=%", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
