package secrets

import (
	"bytes"
	_ "embed"
	"strconv"
	"strings"

	"wiretea/session/lazy"
)

// A format is how one service writes its tokens: a prefix, then at least least
// characters of a set.
type format struct {
	prefix string
	kind   string
	chars  func(byte) bool
	least  int
}

// A shape is a format that is known by what is within it: so many characters of a
// set, then a mark, then at least least more.
type shape struct {
	mark   string
	before int
	chars  func(byte) bool // chars are those before the mark,
	after  func(byte) bool // and after those behind it.
	least  int
	kind   string
}

//go:embed formats.txt
var formatsText string

// formats are what formatsText has.
type formats struct {
	tokens [pairs][]format // tokens are by the first two bytes of their prefix.
	shapes []shape
}

var known = lazy.Value[*formats]{New: func() *formats {
	sets := map[string]func(byte) bool{
		"digit": digit, "upper": upper, "alpha": alpha, "alnum": alnum, "word": word, "named": named, "hex": hex, "lowHex": lowHex, "base64": base64, "dotted": dotted, "path": path,
	}
	chars := func(name string) func(byte) bool {
		name, more, found := strings.Cut(name, "+")
		set := sets[name]
		if !found {
			return set
		}
		return func(c byte) bool { return c == more[0] || set(c) }
	}
	k := &formats{}
	for line := range lazy.Lines(formatsText) {
		if rest, ok := strings.CutPrefix(line, "token "); ok {
			words := strings.SplitN(rest, " ", 4)
			least, _ := strconv.Atoi(words[2])
			p := pair(words[0][0], words[0][1])
			k.tokens[p] = append(k.tokens[p], format{words[0], words[3], chars(words[1]), least})
			continue
		}
		words := strings.SplitN(line, " ", 7)
		before, _ := strconv.Atoi(words[2])
		least, _ := strconv.Atoi(words[5])
		k.shapes = append(k.shapes, shape{words[1], before, chars(words[3]), chars(words[4]), least, words[6]})
	}
	return k
}}

// tokens finds tokens of known formats in a run.
func (s *scan) tokens(from, end int) {
	known := known.Get()
	dot := end < len(s.text) && s.text[end] == '.'
	tries := 0 // tries counts the prefixes with no token behind them.
	for at := from; at+1 < len(s.text) && at < end && tries < maxTries; at++ {
		if !alnum(s.text[at]) || at > from && alnum(s.text[at-1]) || at == from && at > 0 && s.text[at-1] >= 0x80 {
			continue // not where a word begins
		}
		if dot && bytes.HasPrefix(s.text[at:], []byte("eyJ")) {
			to := run(s.text, at, dotted)
			if to-at >= 40 && bytes.Count(s.text[at:to], []byte(".")) >= 2 {
				s.blob = to
				s.add(at, to, "JSON Web Token")
				return
			}
		}
		formats := known.tokens[pair(s.text[at], s.text[at+1])]
		for i := range formats {
			f := &formats[i]
			if !bytes.HasPrefix(s.text[at:], []byte(f.prefix)) {
				continue
			}
			if to := f.end(s.text, at+len(f.prefix)); to > 0 {
				s.add(at, to, f.kind)
				at = to - 1
				break
			}
			tries++
		}
	}
}

// Bounds of the search for tokens: how many prefixes one run may have that begin none,
// and how long a token is at most, in bytes.
const (
	maxTries  = 64
	maxFormat = 4 << 10
)

// end is where a token of the format ends whose part behind the prefix begins at a
// place, 0 where none does.
func (f *format) end(text []byte, from int) int {
	end := run(text[:min(len(text), from+maxFormat)], from, f.chars)
	if end-from < f.least {
		return 0
	}
	// A token of letters alone is longer than any word.
	if !hasDigit(text[from:end]) && (f.prefix[len(f.prefix)-1] != '_' || end-from < 30 || bytes.ContainsAny(text[from:end], "_-")) {
		return 0
	}
	return end
}

// shape finds tokens of formats that are known by their middle.
func (s *scan) shape(at int) {
	shapes := known.Get().shapes
	for i := range shapes {
		f := &shapes[i]
		if !bytes.HasPrefix(s.text[at:], []byte(f.mark)) {
			continue
		}
		from, to := at-f.before, run(s.text[:min(len(s.text), at+maxFormat)], at+len(f.mark), f.after)
		if from >= 0 && to-at-len(f.mark) >= f.least && run(s.text[:at], from, f.chars) == at && (from == 0 || !f.chars(s.text[from-1])) {
			s.add(from, to, f.kind)
		}
	}
}
