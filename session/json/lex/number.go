package lex

import (
	"bytes"
	"strconv"
)

// Number returns the one way to write a number, which is the same for numbers that are
// equal: its digits without zeros at either end,
// and the power of ten of the last one. It takes no value of the exponent as too
// large.
func Number(raw []byte) []byte {
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(raw), []byte{'e'})
	negative := bytes.HasPrefix(mantissa, []byte{'-'})
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte{'-'}), []byte{'.'})
	digits := append(bytes.Clone(whole), fraction...)
	power := -len(fraction)
	trimmed := bytes.TrimRight(digits, "0")
	power += len(digits) - len(trimmed)
	if trimmed = bytes.TrimLeft(trimmed, "0"); len(trimmed) == 0 {
		return []byte{'0'}
	}
	e := 0
	if len(exponent) > 0 {
		var err error
		if e, err = strconv.Atoi(string(exponent)); err != nil {
			return bytes.ToLower(raw) // beyond any number: equal only as it is written
		}
	}
	out := strconv.AppendInt(append(trimmed, 'e'), int64(power)+int64(e), 10)
	if negative {
		out = append(out, '-')
	}
	return out
}
