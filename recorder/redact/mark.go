package redact

import (
	"cmp"
	"slices"

	"wiretea/recorder/redact/secrets"
)

// unlearned is the secret of a mark whose text was found by itself and is looked up
// when it is replaced.
const unlearned = -1

// A mark is what is replaced in a text: text[from:to].
type mark struct {
	from, to int
	secret   int    // secret is its place in the table, or unlearned.
	kind     string // kind is that of an unlearned one.
	word     bool   // word and digits are those of a form that was found.
	digits   bool
	empty    bool // empty: nothing stands for it, because the placeholder precedes it.
}

// settle orders marks and joins those that overlap. One that covers all of the
// others stays what it is.
func settle(marks []mark) []mark {
	if len(marks) < 2 {
		return marks
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	out := marks[:1]
	for _, m := range marks[1:] {
		last := &out[len(out)-1]
		switch {
		case m.from >= last.to:
			out = append(out, m)
		case m.to <= last.to:
			if m.from == last.from && m.to == last.to && last.secret == unlearned {
				last.secret, last.empty = m.secret, m.empty
			}
		case m.from == last.from:
			*last = m
		default:
			last.to, last.secret, last.empty = m.to, unlearned, false
			last.kind = cmp.Or(last.kind, m.kind, "secret")
		}
	}
	return out
}

// replace returns the text with its marks replaced, which are settled; the text
// itself where there are none. fixed keeps its length.
func (r *Redactor) replace(text []byte, marks []mark, fixed bool) []byte {
	if len(marks) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+16*len(marks))
	at := 0
	for _, m := range marks {
		out = append(out, text[at:m.from]...)
		at = m.to
		i := m.secret
		if i == unlearned {
			i = r.known.learn(secrets.Plain(text[m.from:m.to]), cmp.Or(m.kind, "secret"))
		}
		width := 0
		if fixed {
			width = m.to - m.from
		}
		if !m.empty || fixed {
			r.known.list[i].places++
			out = append(out, r.known.placeholder(i, isNumber(text, m.from, m.to), width)...)
		}
	}
	return append(out, text[at:]...)
}
