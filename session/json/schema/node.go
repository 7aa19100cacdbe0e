package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"wiretea/session/json/tree"
)

var kindWords = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

var (
	errDeep = errors.New("it is nested too deep")
	errJSON = errors.New("not valid JSON")
)

// parse reads one JSON value. It keeps b, which must not be changed.
func parse(b []byte) (*tree.Node, error) {
	b = bytes.TrimSpace(b)
	if tree.Nesting(b) > tree.MaxDepth {
		return nil, errDeep
	}
	if !json.Valid(b) {
		return nil, errJSON
	}
	return tree.Read(b), nil
}

// exact is up to where a float64 has every whole number.
const exact = 1 << 53

// decoded returns a value as encoding/json would, with whole numbers as such
// where the schema's numbers can be compared with them, and those that have no
// place in a float64 as large as can be.
func decoded(n *tree.Node) any {
	switch n.Kind {
	case tree.Bool:
		return n.Raw[0] == 't'
	case tree.Number:
		if i, err := strconv.ParseInt(string(n.Raw), 10, 64); err == nil && -exact <= i && i <= exact {
			return i
		}
		return nearest(n.Raw)
	case tree.String:
		return tree.Unquote(n.Raw)
	case tree.Array:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = decoded(item)
		}
		return out
	case tree.Object:
		out := make(map[string]any, len(n.Members))
		for i := range n.Members {
			out[n.Members[i].Key] = decoded(n.Members[i].Val)
		}
		return out
	case tree.Null:
	}
	return nil
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
