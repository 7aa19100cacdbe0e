package diff

import (
	"bytes"
	"slices"

	"wiretea/session/json/lex"
)

// An Extent is where a value is in its text: text[From:To].
type Extent struct{ From, To int }

// Select returns where the values are that one of the patterns leads to; what is
// inside of a value comes before it. A text that is broken is read as far as it
// goes.
func Select(text []byte, paths []Path) []Extent {
	if len(paths) == 0 {
		return nil
	}
	var all []Extent
	visit(text, func(path []step, at Extent) {
		if ignoring(paths).matches(path) {
			all = append(all, at)
		}
	})
	return all
}

// PathsAt returns the paths, as jq writes them, of the innermost values that hold places of
// a text, which must be in order; empty where the text is no JSON there, or one value without
// parts.
func PathsAt(text []byte, offsets ...int) []string {
	paths, found := make([]string, len(offsets)), make([]bool, len(offsets))
	visit(text, func(steps []step, at Extent) {
		path := ""
		first, _ := slices.BinarySearch(offsets, at.From)
		for i := first; i < len(offsets) && offsets[i] < at.To; i++ {
			if found[i] {
				continue
			}
			if path == "" {
				for _, s := range steps {
					path = s.write(path)
				}
			}
			paths[i], found[i] = path, true
		}
	})
	return paths
}

// A level is an object or array that has begun.
type level struct {
	object bool
	from   int // from is where it begins.
}

// visit calls f for every value that is whole, the parts of one before itself. It
// keeps no more than the path.
func visit(text []byte, f func(path []step, at Extent)) {
	v := visitor{text: text, f: f}
	for i := 0; i < len(text); {
		i = v.token(i)
	}
}

type visitor struct {
	text   []byte
	f      func(path []step, at Extent)
	path   []step
	levels []level
}

// token takes what begins at a place and returns where the next thing does.
func (v *visitor) token(i int) int {
	switch c := v.text[i]; c {
	case '{', '[':
		if len(v.levels) >= MaxDepth {
			return len(v.text)
		}
		v.levels = append(v.levels, level{object: c == '{', from: i})
		v.path = append(v.path, step{member: c == '{'})
	case '}', ']':
		if n := len(v.levels); n > 0 {
			from := v.levels[n-1].from
			v.levels, v.path = v.levels[:n-1], v.path[:n-1]
			v.f(v.path, Extent{from, i + 1})
		}
	case ',':
		if n := len(v.levels); n > 0 && !v.levels[n-1].object {
			v.path[n-1].index++
		}
	case '"':
		end := lex.StringEnd(v.text, i)
		if after := lex.SkipSpace(v.text, end); v.isKey(after) {
			v.path[len(v.path)-1].key = string(v.text[i+1 : max(i+1, end-1)])
			return after + 1
		}
		v.f(v.path, Extent{i, end})
		return end
	case ' ', '\t', '\r', '\n', ':':
	default:
		end := i
		for end < len(v.text) && bytes.IndexByte([]byte(",:{}[]\" \t\r\n"), v.text[end]) < 0 {
			end++
		}
		v.f(v.path, Extent{i, end})
		return end
	}
	return i + 1
}

// isKey reports whether what ended before a place was a member's name.
func (v *visitor) isKey(after int) bool {
	n := len(v.levels)
	return n > 0 && v.levels[n-1].object && after < len(v.text) && v.text[after] == ':'
}
