package filter

import (
	"bytes"
	"cmp"
	"strings"

	"wiretea/session"
)

// bodyTest is a word that needs the body.
type bodyTest struct {
	text, op string
	key      string // key is the word; empty = b.
	find     func(body []byte) bool
	least    int // least is the minimum length of a matching body.
}

func (t *bodyTest) meta(at subject) Verdict {
	if !hasBody(at.row.Kind) || tooShort(at.row, t.least) {
		return No
	}
	return Body
}

func (t *bodyTest) match(at subject) bool { return hasBody(at.row.Kind) && t.find(at.body) }

func (t *bodyTest) write(b *strings.Builder) {
	b.WriteString(cmp.Or(t.key, "b") + t.op)
	b.WriteString(Value(t.text))
}

// tooShort reports whether a row's body has less than least bytes. For a joined
// row the body may be the whole value.
func tooShort(r *session.Row, least int) bool {
	return r.Flags&session.FlagJoined == 0 && r.Kind != session.RowGrowing && int64(r.Len) < int64(least)
}

// hasBody reports whether rows of that kind have a body.
func hasBody(k session.RowKind) bool {
	return !k.Event() || k == session.RowTrip || k == session.RowTripResponse
}

// literal is a bare word: it is searched for in method, target and body.
func (f *Filter) literal(text string) node {
	l := NewLiteral(text)
	names := f.nameTest(func(name string) bool { return l.In([]byte(name)) })
	return &literalTest{body: bodyTest{text: text, find: l.In, least: len(text)}, names: names}
}

type literalTest struct {
	body  bodyTest
	names int // names is the index of its name test.
}

func (t *literalTest) named(at subject) bool {
	return at.method(t.names) || at.target(t.names)
}

func (t *literalTest) meta(at subject) Verdict {
	if t.named(at) {
		return Yes
	}
	return t.body.meta(at)
}

func (t *literalTest) match(at subject) bool    { return t.named(at) || t.body.match(at) }
func (t *literalTest) write(b *strings.Builder) { b.WriteString(Value(t.body.text)) }

// A Literal searches for a text ignoring the case of ASCII letters. It searches
// for the text's rarest byte in both cases and compares around it. The zero
// Literal is the empty text, which is found nowhere.
type Literal struct {
	low    []byte // low is the text in lower case.
	pivot  int    // pivot is the offset of the byte that is searched for.
	lo, up byte   // lo and up are that byte in both cases.
}

// common lists bytes by their frequency in JSON traffic, most frequent first.
const common = "\",: etaonirsldcumphgfyb_/0123456789.-{}[]\\vwkxjqz"

// NewLiteral returns the Literal of a text.
func NewLiteral(text string) Literal {
	l := Literal{low: make([]byte, len(text))}
	rarest := -1
	for i := range len(text) {
		l.low[i] = lower(text[i])
		rank := strings.IndexByte(common, l.low[i])
		if rank < 0 {
			rank = len(common)
		}
		if rank > rarest {
			rarest, l.pivot, l.lo = rank, i, l.low[i]
		}
	}
	l.up = l.lo
	if l.lo >= 'a' && l.lo <= 'z' {
		l.up = l.lo - 'a' + 'A'
	}
	return l
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Len returns the length of the text in bytes.
func (l *Literal) Len() int { return len(l.low) }

// In reports whether body contains the text.
func (l *Literal) In(body []byte) bool { return l.Index(body) >= 0 }

// Index returns where the text is in body first; -1 where it is not.
func (l *Literal) Index(body []byte) int {
	if len(l.low) == 0 || len(body) < len(l.low) {
		return -1
	}
	// The pivot can only be where there is room for the rest around it.
	part := body[l.pivot : len(body)-(len(l.low)-1-l.pivot)]
	next := func(c byte, from int) int {
		if i := bytes.IndexByte(part[from:], c); i >= 0 {
			return from + i
		}
		return len(part)
	}
	lo := next(l.lo, 0)
	up := len(part)
	if l.up != l.lo {
		up = next(l.up, 0)
	}
	for {
		at := min(lo, up)
		if at == len(part) {
			return -1
		}
		if l.equal(body[at : at+len(l.low)]) {
			return at
		}
		if at == lo {
			lo = next(l.lo, at+1)
		} else {
			up = next(l.up, at+1)
		}
	}
}

func (l *Literal) equal(p []byte) bool {
	for i, c := range l.low {
		if lower(p[i]) != c {
			return false
		}
	}
	return true
}
