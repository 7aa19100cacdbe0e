package schema

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"strconv"
	"wiretea/session/json/lex"
)

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
