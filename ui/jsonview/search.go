package jsonview

import (
	"context"

	"wiretea/session/filter"
)

// step is how much is searched between two looks at the context.
const step = 1 << 20

// Find returns the first place of text behind from, or with back the last one
// before it, without regard to the case of ASCII letters. It goes on at the
// other end, and returns -1 where there is none, or when ctx ends.
func Find(ctx context.Context, body []byte, text string, from int, back bool) int {
	l := filter.NewLiteral(text)
	from = min(max(from, -1), len(body))
	if back {
		if at := backward(ctx, &l, body, 0, from); at >= 0 {
			return at
		}
		return backward(ctx, &l, body, max(from, 0), len(body))
	}
	if at := forward(ctx, &l, body, from+1, len(body)); at >= 0 {
		return at
	}
	return forward(ctx, &l, body, 0, min(from+1, len(body)))
}

// forward returns the first hit that begins in from:to, or -1.
func forward(ctx context.Context, l *filter.Literal, body []byte, from, to int) int {
	for ; from < to && ctx.Err() == nil; from += step {
		end := min(from+step, to)
		if at := l.Index(body[from:min(end+l.Len()-1, len(body))]); at >= 0 {
			return from + at
		}
	}
	return -1
}

// backward returns the last hit that begins in from:to, or -1.
func backward(ctx context.Context, l *filter.Literal, body []byte, from, to int) int {
	for end := to; end > from && ctx.Err() == nil; end -= step / 16 {
		found := -1
		for at := max(from, end-step/16); at < end; {
			n := l.Index(body[at:min(end+l.Len()-1, len(body))])
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
