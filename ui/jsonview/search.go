package jsonview

import (
	"bytes"
	"context"
)

// A finder finds a text whatever the case of its ASCII letters.
type finder struct{ low []byte }

func newFinder(text string) finder {
	low := []byte(text)
	for i, c := range low {
		low[i] = lower(c)
	}
	return finder{low}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// next returns the first hit in b, or -1.
func (f finder) next(b []byte) int {
	if len(f.low) == 0 || len(b) < len(f.low) {
		return -1
	}
	first := f.low[0]
	upper := first
	if first >= 'a' && first <= 'z' {
		upper = first - 'a' + 'A'
	}
	last := len(b) - len(f.low)
	lo, up := indexFrom(b, first, 0), len(b)
	if upper != first {
		up = indexFrom(b, upper, 0)
	}
	for {
		at := min(lo, up)
		if at > last {
			return -1
		}
		if f.is(b[at:]) {
			return at
		}
		if at == lo {
			lo = indexFrom(b, first, at+1)
		} else {
			up = indexFrom(b, upper, at+1)
		}
	}
}

// indexFrom returns the first c in b from i on, or len(b).
func indexFrom(b []byte, c byte, i int) int {
	if n := bytes.IndexByte(b[i:], c); n >= 0 {
		return i + n
	}
	return len(b)
}

// is reports whether b begins with the text.
func (f finder) is(b []byte) bool {
	for i, c := range f.low {
		if lower(b[i]) != c {
			return false
		}
	}
	return true
}

// step is how much is searched between two looks at the context.
const step = 1 << 20

// Find returns the first place of text behind from, or with back the last one
// before it, without regard to the case of ASCII letters. It goes on at the
// other end, and returns -1 where there is none, or when ctx ends.
func Find(ctx context.Context, body []byte, text string, from int, back bool) int {
	f := newFinder(text)
	if len(f.low) == 0 {
		return -1
	}
	from = min(max(from, -1), len(body))
	if back {
		if at := f.backward(ctx, body, 0, from); at >= 0 {
			return at
		}
		return f.backward(ctx, body, max(from, 0), len(body))
	}
	if at := f.forward(ctx, body, from+1, len(body)); at >= 0 {
		return at
	}
	return f.forward(ctx, body, 0, min(from+1, len(body)))
}

// forward returns the first hit that begins in from:to, or -1.
func (f finder) forward(ctx context.Context, body []byte, from, to int) int {
	for ; from < to && ctx.Err() == nil; from += step {
		end := min(from+step, to)
		if at := f.next(body[from:min(end+len(f.low)-1, len(body))]); at >= 0 {
			return from + at
		}
	}
	return -1
}

// backward returns the last hit that begins in from:to, or -1.
func (f finder) backward(ctx context.Context, body []byte, from, to int) int {
	for end := to; end > from && ctx.Err() == nil; end -= step / 16 {
		found := -1
		for at := max(from, end-step/16); at < end; {
			n := f.next(body[at:min(end+len(f.low)-1, len(body))])
			if n < 0 {
				break
			}
			found = at + n
			at = found + 1
		}
		if found >= 0 {
			return found
		}
	}
	return -1
}
