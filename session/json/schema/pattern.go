package schema

import "regexp/syntax"

// MaxPatterns is how much the patterns of one schema may weigh together: as many
// of a regular expression's instructions, of 40 bytes each.
const MaxPatterns = 200_000

// maxPattern is how long a pattern may be, in bytes.
const maxPattern = 4 << 10

// PatternWeight returns how large a pattern is when it is compiled, in
// instructions. A few bytes may be thousands: (a{0,30}){0,30}. It is more than
// MaxPatterns for what should not be compiled, and nothing for what cannot be.
func PatternWeight(source string) int64 {
	if len(source) > maxPattern {
		return MaxPatterns + 1
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return 0
	}
	instructions, classes := expressionWeight(re)
	return 2 + instructions + classes/10
}

// expressionWeight returns the instructions of an expression, and how many bounds
// its classes of characters have, which all copies of a class share.
func expressionWeight(re *syntax.Regexp) (instructions, classes int64) {
	instructions = 1
	for _, sub := range re.Sub {
		i, c := expressionWeight(sub)
		instructions, classes = instructions+i, classes+c
	}
	switch re.Op {
	case syntax.OpRepeat:
		instructions *= int64(1 + max(re.Min, re.Max))
	case syntax.OpLiteral:
		instructions += int64(len(re.Rune))
	case syntax.OpCharClass:
		classes += int64(len(re.Rune))
	}
	return instructions, classes
}
