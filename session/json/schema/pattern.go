package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Bounds of patterns. A few bytes may be thousands of instructions: (a{0,30}){0,30}.
const (
	maxPatterns = 200_000 // instructions, of 40 bytes each, of all patterns of a schema
	maxPattern  = 4 << 10 // bytes of one
)

// A pattern is an expression of ECMA-262 that was translated to one of RE2.
type pattern struct {
	re     *regexp.Regexp // re is nil where the pattern is not supported.
	weight int64          // weight is the number of its instructions.
}

// pattern returns the compiled pattern. One that is not supported, or for which
// the schema's patterns have no room left, has no expression.
func (s *Schema) pattern(source string) *pattern {
	if p, known := s.patterns[source]; known {
		return p
	}
	p := &pattern{}
	s.patterns[source] = p
	text, err := translate(source)
	if err != nil {
		return p
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return p
	}
	instructions, classes := weigh(tree)
	p.weight = 2 + instructions + classes/10
	if s.weight += p.weight; s.weight <= maxPatterns {
		p.re, _ = regexp.Compile(text)
	}
	return p
}

// cost is what matching a text of n bytes takes, in steps.
func (p *pattern) cost(n int) int64 { return 1 + p.weight*int64(n)/8 }

// Matches reports whether a text matches a pattern, and whether that is known: the
// pattern may not be supported, or matching may cost more than what is left of
// budget, in steps.
func (s *Schema) Matches(source, text string, budget *int64) (matches, known bool) {
	p := s.pattern(source)
	if *budget -= p.cost(len(text)); p.re == nil || *budget < 0 {
		return false, false
	}
	return p.re.MatchString(text), true
}

// weigh returns the instructions of an expression, and how many bounds its classes
// of characters have, which all copies of a class share.
func weigh(re *syntax.Regexp) (instructions, classes int64) {
	instructions = 1
	for _, sub := range re.Sub {
		i, c := weigh(sub)
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

var errPattern = errors.New("the pattern is not supported")

// The characters of \s and \S in ECMA-262, which RE2 knows in ASCII only, as the
// content of a class.
const (
	space    = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notSpace = `\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

// translate writes a pattern of ECMA-262, with its flag u, as one of RE2 that
// matches the same. It refuses what RE2 lacks (look-around, back-references) and
// what ECMA-262 does not know and RE2 does.
func translate(source string) (string, error) {
	if len(source) > maxPattern {
		return "", errPattern
	}
	t := translator{rest: source}
	for t.rest != "" && t.err == nil {
		t.next()
	}
	if t.class {
		t.err = errPattern
	}
	return t.out.String(), t.err
}

type translator struct {
	rest  string
	out   strings.Builder
	class bool // class: it is inside of brackets.
	err   error
}

// take removes a prefix from what is left, and reports whether it was there.
func (t *translator) take(prefix string) (ok bool) {
	t.rest, ok = strings.CutPrefix(t.rest, prefix)
	return ok
}

// next translates one character, or the few that belong together.
func (t *translator) next() {
	switch {
	case t.take(`\`):
		t.escape()
	case t.class && t.take("["):
		t.out.WriteString(`\[`)
	case t.class && t.take("]"):
		t.class = false
		t.out.WriteByte(']')
	case t.class:
		t.copy()
	case t.take("[^]"):
		t.out.WriteString(`[\x00-\x{10ffff}]`)
	case t.take("[]"):
		t.out.WriteString(`[^\x00-\x{10ffff}]`)
	case t.take("[^"):
		t.class = true
		t.out.WriteString("[^")
	case t.take("["):
		t.class = true
		t.out.WriteByte('[')
	case t.take("."):
		t.out.WriteString(`[^\n\r\x{2028}\x{2029}]`)
	case strings.HasPrefix(t.rest, "(?") && !strings.HasPrefix(t.rest, "(?:") && !strings.HasPrefix(t.rest, "(?<"):
		t.err = errPattern
	default:
		t.copy() // (?<= and (?<! are errors of RE2.
	}
}

func (t *translator) copy() {
	t.out.WriteByte(t.rest[0])
	t.rest = t.rest[1:]
}

// escape translates what follows a backslash.
func (t *translator) escape() {
	if t.rest == "" {
		t.err = errPattern
		return
	}
	c := t.rest[0]
	t.rest = t.rest[1:]
	switch {
	case c == 's':
		t.set(space)
	case c == 'S':
		t.set(notSpace)
	case c == 'b' && t.class:
		t.out.WriteString(`\x08`)
	case c == '0' && (t.rest == "" || t.rest[0] < '0' || t.rest[0] > '9'):
		t.out.WriteString(`\x00`)
	case c == 'c' && t.rest != "":
		fmt.Fprintf(&t.out, `\x%02x`, t.rest[0]&31)
		t.rest = t.rest[1:]
	case c == 'x':
		t.rune(t.hex(2))
	case c == 'u' && t.take("{"):
		digits, rest, ok := strings.Cut(t.rest, "}")
		t.rest = digits
		r := t.hex(len(digits))
		if t.rest = rest; !ok {
			t.err = errPattern
		}
		t.rune(r)
	case c == 'u':
		r := t.hex(4)
		if utf16.IsSurrogate(r) && t.take(`\u`) {
			r = utf16.DecodeRune(r, t.hex(4))
		}
		t.rune(r)
	case c == 'p' || c == 'P':
		t.out.WriteString(`\` + string(c))
		if !strings.HasPrefix(t.rest, "{") {
			t.err = errPattern
			return
		}
		t.rest = "{" + t.rest[1:]
		for _, name := range []string{"{General_Category=", "{gc=", "{Script=", "{sc="} {
			if t.take(name) {
				t.rest = "{" + t.rest
			}
		}
	case strings.IndexByte("dDwWbBtnrfv^$\\.*+?()[]{}|/-", c) >= 0:
		t.out.WriteString(`\` + string(c))
	default:
		t.err = errPattern
	}
}

// set writes the content of a class.
func (t *translator) set(content string) {
	if t.class {
		t.out.WriteString(content)
	} else {
		t.out.WriteString("[" + content + "]")
	}
}

// hex takes a number of so many digits.
func (t *translator) hex(digits int) rune {
	if digits > len(t.rest) {
		t.err = errPattern
		return 0
	}
	n, err := strconv.ParseUint(t.rest[:digits], 16, 21)
	if err != nil {
		t.err = errPattern
	}
	t.rest = t.rest[digits:]
	return rune(n)
}

func (t *translator) rune(r rune) {
	if r > 0x10ffff || utf16.IsSurrogate(r) || r == '\uFFFD' {
		t.err = errPattern
	}
	fmt.Fprintf(&t.out, `\x{%x}`, r)
}
