package schema

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
)

func (e *evaluation) types(w *word, v *tree.Node, _ *evaluated) verdict {
	if w.allowed&(1<<v.Kind) == 0 || v.Kind == tree.Number && w.whole && !IsInteger(v.Raw) {
		return e.fail(w, w.val, "is %s, must be %s", kindWords[v.Kind], w.text)
	}
	return valid
}

func (e *evaluation) enum(w *word, v *tree.Node, _ *evaluated) verdict {
	if slices.ContainsFunc(w.val.Items, func(c *tree.Node) bool { return e.equal(c, v) }) {
		return valid
	}
	var words []string
	for _, c := range w.val.Items[:min(len(w.val.Items), 6)] {
		words = append(words, quoted(c))
	}
	if len(w.val.Items) > 6 {
		words = append(words, "…")
	}
	return e.fail(w, w.val, "must be one of %s", strings.Join(words, ", "))
}

func (e *evaluation) constant(w *word, v *tree.Node, _ *evaluated) verdict {
	if e.equal(w.val, v) {
		return valid
	}
	return e.fail(w, w.val, "must be %s", quoted(w.val))
}

// quoted is the text of a value, cut to a bearable length.
func quoted(v *tree.Node) string {
	if len(v.Raw) <= maxQuote {
		return string(v.Raw)
	}
	return strings.ToValidUTF8(string(v.Raw[:maxQuote]), "") + "…"
}

// equal reports whether two values are the same.
func (e *evaluation) equal(a, b *tree.Node) bool {
	e.left -= 1 + int64(len(a.Raw)+len(b.Raw))/128
	switch {
	case a.Kind != b.Kind || e.left < 0:
		return false
	case bytes.Equal(a.Raw, b.Raw):
		return true
	case a.Kind == tree.Number:
		return bytes.Equal(lex.Number(a.Raw), lex.Number(b.Raw))
	case a.Kind == tree.String && bytes.IndexByte(a.Raw, '\\') < 0 && bytes.IndexByte(b.Raw, '\\') < 0:
		return false
	case a.Kind == tree.String:
		return lex.Unquote(a.Raw) == lex.Unquote(b.Raw)
	}
	return a.Kind >= tree.Array && bytes.Equal(e.canonical(nil, a), e.canonical(nil, b))
}

// canonical appends a text that is the same for values that are equal.
func (e *evaluation) canonical(dst []byte, v *tree.Node) []byte {
	e.left -= 1 + int64(len(v.Members))/4
	switch v.Kind {
	case tree.Number:
		return append(dst, lex.Number(v.Raw)...)
	case tree.String:
		return strconv.AppendQuote(dst, lex.Unquote(v.Raw))
	case tree.Array:
		dst = append(dst, '[')
		for _, item := range v.Items {
			dst = append(e.canonical(dst, item), ',')
		}
		return append(dst, ']')
	case tree.Object:
		members := slices.Clone(e.members(v))
		slices.SortFunc(members, func(a, b tree.Member) int { return strings.Compare(a.Key, b.Key) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(strconv.AppendQuote(dst, m.Key), ':')
			dst = append(e.canonical(dst, m.Val), ',')
		}
		return append(dst, '}')
	case tree.Null, tree.Bool:
	}
	return append(dst, v.Raw...)
}

// limit judges minimum, maximum and their exclusive forms.
func (e *evaluation) limit(w *word, v *tree.Node, _ *evaluated) verdict {
	e.left -= int64(len(v.Raw)+len(w.val.Raw)) / 16
	c := compare(v.Raw, w.val.Raw)
	ok, words := c >= 0, "at least"
	switch w.name {
	case "maximum":
		ok, words = c <= 0, "at most"
	case "exclusiveMinimum":
		ok, words = c > 0, "more than"
	case "exclusiveMaximum":
		ok, words = c < 0, "less than"
	}
	if !ok {
		return e.fail(w, w.val, "must be %s %s", words, quoted(w.val))
	}
	return valid
}

func (e *evaluation) multipleOf(w *word, v *tree.Node, _ *evaluated) verdict {
	e.left -= 1 + int64(len(v.Raw)+len(w.val.Raw))/4
	n, step := rational(v.Raw), rational(w.val.Raw)
	if n == nil || step == nil {
		return e.unsure("its multipleOf is not computed for numbers that large")
	}
	if !new(big.Rat).Quo(n, step).IsInt() {
		return e.fail(w, w.val, "must be a multiple of %s", quoted(w.val))
	}
	return valid
}

// length judges how much is in a value: minLength, maxItems and the like.
func (e *evaluation) length(w *word, v *tree.Node, _ *evaluated) verdict {
	n, noun := len(v.Items), "item"
	switch v.Kind {
	case tree.String:
		e.left -= int64(len(v.Raw)) / 64
		n, noun = utf8.RuneCountInString(lex.Unquote(v.Raw)), "character"
	case tree.Object:
		n, noun = len(e.members(v)), "member"
	case tree.Null, tree.Bool, tree.Number, tree.Array:
	}
	if n != 1 {
		noun += "s"
	}
	switch least := strings.HasPrefix(w.name, "min"); {
	case least && n < w.n:
		return e.fail(w, w.val, "has %d %s, must have at least %d", n, noun, w.n)
	case !least && n > w.n:
		return e.fail(w, w.val, "has %d %s, must have at most %d", n, noun, w.n)
	}
	return valid
}

func (e *evaluation) pattern(w *word, v *tree.Node, _ *evaluated) verdict {
	matches, known := e.s.Matches(w.text, lex.Unquote(v.Raw), &e.left)
	switch {
	case !known:
		return e.unsure("the pattern %.80q is not supported", w.text)
	case !matches:
		return e.fail(w, w.val, "does not match %.200s", w.text)
	}
	return valid
}

// format is an annotation: whoever asks is told.
func (e *evaluation) format(w *word, v *tree.Node, _ *evaluated) verdict {
	if e.formats == nil || !e.record || w.text == "" {
		return valid
	}
	if wrong := e.formats(w.text, lex.Unquote(v.Raw)); wrong != "" {
		e.fail(w, w.val, "%s", wrong)
		if last := len(e.problems) - 1; last >= 0 {
			e.problems[last].Format = true
		}
	}
	return valid
}

// IsInteger reports whether the text of a JSON number is a whole number: 1, 1.0, 1e3.
func IsInteger(raw []byte) bool { return !bytes.Contains(lex.Number(raw), []byte("e-")) }

// compare compares the texts of two numbers: exactly, unless an exponent is beyond
// maxExponent.
func compare(a, b []byte) int {
	x, y := rational(a), rational(b)
	if x == nil || y == nil {
		return cmp.Compare(nearest(a), nearest(b))
	}
	return x.Cmp(y)
}

// nearest returns a float64 for the text of a number: never infinite, and zero
// for zero only.
func nearest(raw []byte) float64 {
	f, _ := strconv.ParseFloat(string(raw), 64) // out of range is infinite
	digits, _, _ := bytes.Cut(bytes.ToLower(raw), []byte("e"))
	if f == 0 && bytes.ContainsAny(digits, "123456789") {
		f = math.Copysign(math.SmallestNonzeroFloat64, f)
	}
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

// Bounds of exact arithmetic.
const (
	maxDigits   = 500
	maxExponent = 500
)

// rational returns the exact number of a text; nil where that would be too large.
func rational(raw []byte) *big.Rat {
	if len(raw) > maxDigits {
		return nil
	}
	if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return new(big.Rat).SetInt64(i)
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		if n, err := strconv.Atoi(string(raw[i+1:])); err != nil || n > maxExponent || n < -maxExponent {
			return nil
		}
	}
	n, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return nil
	}
	return n
}
