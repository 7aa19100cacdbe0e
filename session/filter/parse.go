package filter

import (
	"strings"
)

// maxDepth bounds the nesting of parentheses and negations.
const maxDepth = 100

// Parse parses a filter. The empty text matches every row. Its error is a
// *Error.
func Parse(text string) (*Filter, error) {
	p := &parser{text: text, filter: &Filter{}}
	root, err := p.alternatives(0)
	if err == nil && p.pos < len(text) {
		err = p.fail(p.pos, "unexpected )")
	}
	if err != nil {
		return nil, err
	}
	p.filter.root = root
	return p.filter, nil
}

// parser parses a filter by recursive descent.
type parser struct {
	text   string
	pos    int
	filter *Filter
}

func (p *parser) fail(pos int, msg string) error { return &Error{Pos: pos, Msg: msg} }

// peek skips white space and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// alternatives parses a | b | c. It returns nil if there is nothing.
func (p *parser) alternatives(depth int) (node, error) {
	var list orNode
	for {
		at := p.pos
		n, err := p.sequence(depth)
		if err != nil {
			return nil, err
		}
		more := p.peek() == '|'
		if n == nil && (more || len(list) > 0) {
			return nil, p.fail(min(max(at, p.pos), len(p.text)), "| needs a word on both sides")
		}
		if n == nil {
			return nil, nil
		}
		list = append(list, n)
		if !more {
			break
		}
		p.pos++
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return list, nil
}

// sequence parses words side by side. It returns nil if there are none.
func (p *parser) sequence(depth int) (node, error) {
	var list andNode
	for {
		switch p.peek() {
		case 0, '|', ')':
			switch len(list) {
			case 0:
				return nil, nil
			case 1:
				return list[0], nil
			}
			return list, nil
		}
		n, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		if and, ok := n.(andNode); ok {
			list = append(list, and...) // (a b) c is a b c.
			continue
		}
		list = append(list, n)
	}
}

// term parses a word or a parenthesis, and its negation.
func (p *parser) term(depth int) (node, error) {
	start := p.pos
	if depth > maxDepth {
		return nil, p.fail(start, "nested too deeply")
	}
	switch p.peek() {
	case '-', '!':
		p.pos++
		if p.pos == len(p.text) || strings.IndexByte(" \t\r\n|)", p.text[p.pos]) >= 0 {
			return nil, p.fail(start, "nothing follows "+p.text[start:p.pos])
		}
		n, err := p.term(depth + 1)
		if err != nil {
			return nil, err
		}
		if not, ok := n.(notNode); ok {
			return not.of, nil
		}
		return notNode{n}, nil
	case '(':
		p.pos++
		n, err := p.alternatives(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.peek() != ')' {
			return nil, p.fail(start, "missing )")
		}
		if n == nil {
			return nil, p.fail(start, "empty parentheses")
		}
		p.pos++
		return n, nil
	}
	return p.word()
}

// word parses key, operator and value, or a literal.
func (p *parser) word() (node, error) {
	start := p.pos
	key, op := p.keyAndOp()
	if op == "" {
		value, _, err := p.value()
		if err != nil {
			return nil, err
		}
		if value == "" {
			return nil, p.fail(start, "empty text")
		}
		return p.filter.literal(value), nil
	}
	w := wordNamed(key)
	if w == nil {
		words := "unknown field " + key + op
		if meant := meantField(key); meant != "" {
			words += "; did you mean " + meant + op + "?"
		}
		return nil, p.fail(start, words+" To search for the text, quote it")
	}
	if !w.takes(op) {
		return nil, p.fail(start+len(key), key+" does not support "+op)
	}
	p.pos += len(key) + len(op)
	at := p.pos
	value, quoted, err := p.value()
	if err != nil {
		return nil, err
	}
	if value == "" {
		return nil, p.fail(at, key+op+" needs a value: "+w.Example)
	}
	n, msg := w.make(p.filter, operand{op: op, text: value, quoted: quoted})
	if msg != "" {
		return nil, p.fail(at, msg)
	}
	return n, nil
}

// keyAndOp returns the key and the operator of a word, empty if it has none. A
// word that only looks like a comparison, such as a=b, has none.
func (p *parser) keyAndOp() (key, op string) {
	i := p.pos
	for i < len(p.text) && (p.text[i] >= 'a' && p.text[i] <= 'z' || p.text[i] >= 'A' && p.text[i] <= 'Z') {
		i++
	}
	key = p.text[p.pos:i]
	if key == "" {
		return "", ""
	}
	for _, op := range []string{">=", "<=", ">", "<", "=", ":", "~"} {
		if strings.HasPrefix(p.text[i:], op) {
			if op != ":" && op != "~" && wordNamed(key) == nil && meantField(key) == "" {
				return "", ""
			}
			return key, op
		}
	}
	return "", ""
}

// value parses up to white space, a parenthesis or |, which have no meaning
// within quotes. quoted reports that it is one quoted text. In quotes \" is a
// quote and \\ a backslash; any other backslash is literal.
func (p *parser) value() (value string, quoted bool, err error) {
	var b strings.Builder
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n|()", p.text[p.pos]) < 0 {
		if p.text[p.pos] != '"' {
			b.WriteByte(p.text[p.pos])
			p.pos++
			continue
		}
		quoted = p.pos == start
		if err := p.quoted(&b); err != nil {
			return "", false, err
		}
		quoted = quoted && (p.pos == len(p.text) || strings.IndexByte(" \t\r\n|()", p.text[p.pos]) >= 0)
	}
	return b.String(), quoted, nil
}

func (p *parser) quoted(b *strings.Builder) error {
	start := p.pos
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return nil
		case c == '\\' && p.pos+1 < len(p.text) && (p.text[p.pos+1] == '"' || p.text[p.pos+1] == '\\'):
			p.pos++
			b.WriteByte(p.text[p.pos])
		default:
			b.WriteByte(c)
		}
	}
	return p.fail(start, "missing closing quote")
}

// Value returns the text of a filter's word that has the value, in quotes where it needs them.
func Value(value string) string {
	if plainWord(value) {
		return value
	}
	return Quote(value)
}

// Quote is Value, and always in quotes.
func Quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// plainWord reports whether a value never needs quotes.
func plainWord(value string) bool {
	for i := range len(value) {
		c := value[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80:
		case c == '_' || c == '/' || c == '.' || c == '*' || c == '?':
		case c == '-' && i > 0:
		default:
			return false
		}
	}
	return value != ""
}
