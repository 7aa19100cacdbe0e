package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
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
	kind     jsontext.Kind
	raw      []byte // raw is the value as it is written.
	at       int    // at is its offset in the text.
	key      string // key is the member's name; for elements empty.
	kids     []*node
	hash     uint64 // hash is equal for equal values; what is ignored does not count.
	identity uint64 // identity is the hash of what an object is named by; 0 = nothing.
	ignored  bool
}

// decoders are reused: most texts are shorter than a decoder's memory.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// parse reads a text into a tree, and hashes it.
func parse(text []byte, ignore ignoring) (*node, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(text))
	}
	dec := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(dec)
	dec.Reset(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	p := parser{text: text, ignore: ignore, dec: dec}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("%w: text behind the value at byte %d", ErrNotJSON, p.dec.InputOffset())
	}
	return root, nil
}

type parser struct {
	text   []byte
	dec    *jsontext.Decoder
	ignore ignoring
	path   []step
}

// value reads one value at a depth.
func (p *parser) value(depth int) (*node, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("%w: nested more than %d deep", ErrTooLarge, MaxDepth)
	}
	n := &node{ignored: p.ignore.matches(p.path)}
	kind := p.dec.PeekKind()
	switch kind {
	case '{', '[':
	default:
		raw, err := p.dec.ReadValue()
		if err != nil {
			return nil, p.broken(err)
		}
		// The decoder's buffer is reused: the text itself is not.
		end := int(p.dec.InputOffset())
		n.kind, n.at = kind, end-len(raw)
		n.raw = p.text[n.at:end]
		n.hash = scalarHash(n)
		return n, nil
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.broken(err)
	}
	n.kind, n.at = kind, int(p.dec.InputOffset())-1
	if err := p.inside(n, depth); err != nil {
		return nil, err
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, p.broken(err)
	}
	n.raw = p.text[n.at:p.dec.InputOffset()]
	n.seal()
	return n, nil
}

// inside reads the members or elements.
func (p *parser) inside(n *node, depth int) error {
	for i := 0; ; i++ {
		switch p.dec.PeekKind() {
		case '}', ']':
			return nil
		case 0:
			_, err := p.dec.ReadToken()
			return p.broken(err)
		}
		at := step{index: i}
		if n.kind == '{' {
			name, err := p.dec.ReadToken()
			if err != nil {
				return p.broken(err)
			}
			at = step{key: name.String(), member: true}
		}
		p.path = append(p.path, at)
		kid, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		p.path = p.path[:len(p.path)-1]
		kid.key = at.key
		n.kids = append(n.kids, kid)
	}
}

func (p *parser) broken(err error) error {
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: at byte %d: %w", ErrNotJSON, p.dec.InputOffset(), err)
}
