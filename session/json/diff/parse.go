package diff

import (
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session/json/lex"
)

const (
	// MaxBytes is the longest text that is compared, in bytes.
	MaxBytes = 32 << 20

	// MaxDepth is the deepest nesting that is compared.
	MaxDepth = 1000
)

// Errors of Compare and Lines. What they wrap says which text, and where.
var (
	// ErrNotJSON is returned for a text that is not one JSON value.
	ErrNotJSON = errors.New("not JSON")

	// ErrTooLarge is returned for a text beyond MaxBytes or MaxDepth.
	ErrTooLarge = errors.New("too large to compare")
)

// A node is one value of a text.
type node struct {
	kind     byte   // kind is what it begins with: { [ " t f n, and 0 for numbers.
	raw      []byte // raw is the value as it is written.
	at       int    // at is its offset in the text.
	key      string // key is the member's name; for elements empty.
	kids     []*node
	hash     uint64 // hash is equal for equal values; what is ignored does not count.
	identity uint64 // identity is the hash of what an object is named by; 0 = nothing.
	ignored  bool
}

// parse reads a text into a tree, and hashes it.
func parse(text []byte, ignore ignoring) (*node, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(text))
	case lex.Nesting(text) > MaxDepth:
		return nil, fmt.Errorf("%w: nested more than %d deep", ErrTooLarge, MaxDepth)
	case !json.Valid(text):
		err := json.Unmarshal(text, new(json.RawMessage))
		at := len(text)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = int(syntax.Offset)
		}
		return nil, fmt.Errorf("%w: at byte %d: %w", ErrNotJSON, at, err)
	}
	p := parser{text: text, at: lex.SkipSpace(text, 0), ignore: ignore}
	return p.value(), nil
}

// A parser reads a text that is known to be JSON.
type parser struct {
	text   []byte
	at     int
	ignore ignoring
	path   []step
}

func (p *parser) value() *node {
	n := &node{kind: p.text[p.at], at: p.at, ignored: p.ignore.matches(p.path)}
	switch {
	case n.kind == '{' || n.kind == '[':
		p.inside(n)
		n.raw = p.text[n.at:p.at]
		n.seal()
		return n
	case n.kind == '-' || n.kind >= '0' && n.kind <= '9':
		n.kind = '0'
	}
	p.at = lex.ValueEnd(p.text, p.at)
	n.raw = p.text[n.at:p.at]
	n.hash = scalarHash(n)
	return n
}

// inside reads the members or elements.
func (p *parser) inside(n *node) {
	for i := 0; ; i++ {
		p.at = lex.SkipSpace(p.text, p.at+1)
		if c := p.text[p.at]; c == '}' || c == ']' {
			break
		}
		at := step{index: i}
		if n.kind == '{' {
			end := lex.StringEnd(p.text, p.at)
			at = step{key: lex.Unquote(p.text[p.at:end]), member: true}
			p.at = lex.SkipSpace(p.text, lex.SkipSpace(p.text, end)+1)
		}
		p.path = append(p.path, at)
		kid := p.value()
		p.path = p.path[:len(p.path)-1]
		kid.key = at.key
		n.kids = append(n.kids, kid)
		if p.at = lex.SkipSpace(p.text, p.at); p.text[p.at] != ',' {
			break
		}
	}
	p.at++
}
