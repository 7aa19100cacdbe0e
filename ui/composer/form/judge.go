package form

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"wiretea/session/json/tree"
)

// A Problem is something that is wrong with what would be sent.
type Problem struct {
	Path   []string // Path are the names that lead to the value: members as they are called, items as numbers from 0.
	Text   string   // Text says what is wrong, in a line that is fit for the screen.
	Syntax bool     // Syntax: what would be sent is no JSON.

	format bool // format: the schema's format is not kept, which is an annotation only (JSON Schema 2020-12 validation §7.2.1).
}

// maxProblems is how many problems are looked for.
const maxProblems = 200

// A judging looks for what is wrong with a value, by what the form knows of its
// schema.
type judging struct {
	book  *book
	pick  map[string]int // pick is which alternative was chosen, by pointer.
	path  []string
	found []Problem
}

// say notes a problem, at a member or item of what is judged where one is named.
func (j *judging) say(format string, args ...any) {
	if len(j.found) < maxProblems {
		j.found = append(j.found, Problem{Path: append([]string(nil), j.path...), Text: fmt.Sprintf(format, args...)})
	}
}

func (j *judging) at(name string, do func()) {
	j.path = append(j.path, name)
	do()
	j.path = j.path[:len(j.path)-1]
}

func (j *judging) value(s *shape, v *tree.Node) {
	if len(j.found) >= maxProblems {
		return
	}
	s = j.varied(s, v)
	switch {
	case s.never:
		j.say("the schema allows nothing here")
		return
	case v.Kind == tree.Null && s.nullable:
		return
	case !s.allows(v):
		j.say("is %s, must be %s", kindWords[v.Kind], (s.allowed & ^typeNull).orNull(s))
		return
	case s.choices != nil && s.choiceOf(v.Raw) < 0 && !s.equals(v):
		j.say("%s", s.noChoice())
		return
	}
	switch v.Kind {
	case tree.String:
		j.text(s, v)
	case tree.Number:
		j.number(s, v)
	case tree.Array:
		j.array(s, v)
	case tree.Object:
		j.object(s, v)
	case tree.Null, tree.Bool:
	}
}

// varied is the shape with the alternative that was chosen, or fits best.
func (j *judging) varied(s *shape, v *tree.Node) *shape {
	list := j.book.alternatives(s)
	if len(list) == 0 || v.Kind == tree.Null && s.nullable {
		return s
	}
	var pointer []byte
	for _, name := range j.path {
		pointer = appendPointer(pointer, name)
	}
	if i, ok := j.pick[string(pointer)]; ok && i < len(list) {
		return j.book.openRef(list[i].sub)
	}
	best, at := -1, 0
	for i, a := range list {
		if score := j.book.fit(j.book.openRef(a.sub), v, 3); score > best {
			best, at = score, i
		}
	}
	return j.book.openRef(list[at].sub)
}

var kindWords = map[tree.Kind]string{tree.Null: "null", tree.Bool: "a boolean", tree.Number: "a number", tree.String: "a string", tree.Array: "an array", tree.Object: "an object"}

func (t types) orNull(s *shape) string {
	if s.nullable || s.allowed&typeNull != 0 {
		t |= typeNull
	}
	return t.words()
}

func (s *shape) noChoice() string {
	if s.fixed && len(s.choices) == 1 {
		return "must be " + inline(string(s.choices[0].raw), maxName)
	}
	var words []string
	for _, c := range s.choices[:min(len(s.choices), 6)] {
		words = append(words, inline(string(c.raw), 30))
	}
	if len(s.choices) > 6 {
		words = append(words, "…")
	}
	return "must be one of " + strings.Join(words, ", ")
}

// equals reports whether a value is one of the choices though it is written in
// another way: 1.0 is 1.
func (s *shape) equals(v *tree.Node) bool {
	var mine []byte
	for _, c := range s.choices {
		other, err := parse(c.raw)
		if err != nil || other.Kind != v.Kind {
			continue
		}
		switch v.Kind {
		case tree.Number:
			if compare(v.Raw, c.raw) == 0 {
				return true
			}
		case tree.String:
			if tree.Unquote(v.Raw) == tree.Unquote(c.raw) {
				return true
			}
		case tree.Null, tree.Bool, tree.Array, tree.Object:
			if mine == nil {
				mine = appendCompact(nil, v.Raw)
			}
			if bytes.Equal(mine, appendCompact(nil, c.raw)) {
				return true
			}
		}
	}
	return false
}

func (j *judging) text(s *shape, v *tree.Node) {
	text := tree.Unquote(v.Raw)
	switch n := utf8.RuneCountInString(text); {
	case n < s.minLength:
		j.say("has %s, needs %d at least", characters(n), s.minLength)
	case s.maxLength >= 0 && n > s.maxLength:
		j.say("has %s, may have %d", characters(n), s.maxLength)
	}
	for _, p := range s.patterns {
		if !j.book.matches(p.re, text) {
			j.say("does not match %s", p.source)
		}
	}
	if f, known := formats[s.format]; known && !f.ok(text) {
		j.say("not a valid %s (example: %s)", inline(s.format, 30), f.example)
		j.found[len(j.found)-1].format = true
	}
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return strconv.Itoa(n) + " characters"
}

func (j *judging) number(s *shape, v *tree.Node) {
	limit := func(limit []byte, bad func(int) bool, words string) {
		if limit != nil && bad(compare(v.Raw, limit)) {
			j.say("%s %s", words, inline(string(limit), 40))
		}
	}
	limit(s.least, func(c int) bool { return c < 0 }, "must be at least")
	limit(s.most, func(c int) bool { return c > 0 }, "must be at most")
	limit(s.above, func(c int) bool { return c <= 0 }, "must be more than")
	limit(s.below, func(c int) bool { return c >= 0 }, "must be less than")
	if s.step != nil {
		n, step := rational(v.Raw), rational(s.step)
		if n != nil && step != nil && step.Sign() > 0 && !new(big.Rat).Quo(n, step).IsInt() {
			j.say("must be a multiple of %s", inline(string(s.step), 40))
		}
	}
}

func (j *judging) array(s *shape, v *tree.Node) {
	switch n := len(v.Items); {
	case v.Deep:
		return
	case n < s.minItems:
		j.say("has %d items, needs %d at least", n, s.minItems)
	case s.maxItems >= 0 && n > s.maxItems:
		j.say("has %d items, may have %d", n, s.maxItems)
	case s.noItems && n > len(s.prefix):
		j.say("has %d items, may have %d", n, len(s.prefix))
	}
	seen := map[string]int{}
	for i, item := range v.Items {
		if s.unique {
			text := string(appendCompact(nil, item.Raw))
			if first, twice := seen[text]; twice {
				j.at(strconv.Itoa(i), func() { j.say("is the same as item %d, all must differ", first+1) })
			} else {
				seen[text] = i
			}
		}
		j.at(strconv.Itoa(i), func() { j.value(j.book.openRef(s.item(i)), item) })
	}
}

func (j *judging) object(s *shape, v *tree.Node) {
	if v.Deep {
		return
	}
	switch n := len(v.Members); {
	case n < s.minMembers:
		j.say("has %d members, needs %d at least", n, s.minMembers)
	case s.maxMembers >= 0 && n > s.maxMembers:
		j.say("has %d members, may have %d", n, s.maxMembers)
	}
	have := map[string]bool{}
	for i := range v.Members {
		have[v.Members[i].Key] = true
	}
	for _, name := range s.required {
		if !have[name] {
			j.at(name, func() { j.say("is required") })
		}
	}
	for i := range v.Members {
		m := &v.Members[i]
		sub, allowed := j.book.prop(s, m.Key)
		j.at(m.Key, func() {
			if !allowed {
				j.say("additional property not allowed")
				return
			}
			j.value(j.book.openRef(sub), m.Val)
		})
	}
}

// isInteger reports whether the text of a number is a whole number: 1, 1.0, 1e3.
func isInteger(raw []byte) bool {
	if !bytes.ContainsAny(raw, ".eE") {
		return true
	}
	if n := rational(raw); n != nil {
		return n.IsInt()
	}
	// Too large to be worked out: with an exponent that large it is whole, with
	// one that small it is not.
	return bytes.IndexByte(raw, '-') <= 0 && bytes.IndexAny(raw, "eE") > 0
}

// compare compares the texts of two numbers.
func compare(a, b []byte) int {
	x, y := rational(a), rational(b)
	if x == nil || y == nil {
		f, g := nearest(a), nearest(b)
		switch {
		case f < g:
			return -1
		case f > g:
			return 1
		}
		return 0
	}
	return x.Cmp(y)
}

// nearest returns a float64 for the text of a number: never infinite, and zero
// for zero only.
func nearest(raw []byte) float64 {
	f, _ := strconv.ParseFloat(string(raw), 64) // out of range is infinite
	digits, _, _ := bytes.Cut(bytes.ToLower(raw), []byte("e"))
	if f == 0 && bytes.ContainsAny(digits, "123456789") {
		f = math.SmallestNonzeroFloat64
		if raw[0] == '-' {
			f = -f
		}
	}
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

// rational returns the exact number of a text; nil where it would take too much
// to work it out.
func rational(raw []byte) *big.Rat {
	if len(raw) > 500 {
		return nil
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		if n, err := strconv.Atoi(string(raw[i+1:])); err != nil || n > 500 || n < -500 {
			return nil
		}
	}
	n, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return nil
	}
	return n
}
