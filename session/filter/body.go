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
	quote(b, t.text)
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
	fold := newFold(text)
	names := f.nameTest(func(name string) bool { return fold.in([]byte(name)) })
	return &literalTest{body: bodyTest{text: text, find: fold.in, least: len(text)}, names: names}
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
func (t *literalTest) write(b *strings.Builder) { quote(b, t.body.text) }

// A fold searches for a text ignoring the case of ASCII letters. It searches
// for the text's rarest byte in both cases and compares around it.
type fold struct {
	low    []byte // low is the text in lower case.
	pivot  int    // pivot is the offset of the byte that is searched for.
	lo, up byte   // lo and up are that byte in both cases.
}

// common lists bytes by their frequency in JSON traffic, most frequent first.
const common = "\",: etaonirsldcumphgfyb_/0123456789.-{}[]\\vwkxjqz"

func newFold(text string) *fold {
	f := &fold{low: make([]byte, len(text))}
	rarest := -1
	for i := range len(text) {
		f.low[i] = lower(text[i])
		rank := strings.IndexByte(common, f.low[i])
		if rank < 0 {
			rank = len(common)
		}
		if rank > rarest {
			rarest, f.pivot = rank, i
		}
	}
	f.lo = f.low[f.pivot]
	f.up = f.lo
	if f.lo >= 'a' && f.lo <= 'z' {
		f.up = f.lo - 'a' + 'A'
	}
	return f
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// in reports whether body contains the text.
func (f *fold) in(body []byte) bool {
	if len(body) < len(f.low) {
		return false
	}
	// The pivot can only be where there is room for the rest around it.
	part := body[f.pivot : len(body)-(len(f.low)-1-f.pivot)]
	next := func(c byte, from int) int {
		if i := bytes.IndexByte(part[from:], c); i >= 0 {
			return from + i
		}
		return len(part)
	}
	lo := next(f.lo, 0)
	up := len(part)
	if f.up != f.lo {
		up = next(f.up, 0)
	}
	for {
		at := min(lo, up)
		if at == len(part) {
			return false
		}
		if f.equal(body[at : at+len(f.low)]) {
			return true
		}
		if at == lo {
			lo = next(f.lo, at+1)
		} else {
			up = next(f.up, at+1)
		}
	}
}

func (f *fold) equal(p []byte) bool {
	for i, c := range f.low {
		if lower(p[i]) != c {
			return false
		}
	}
	return true
}
