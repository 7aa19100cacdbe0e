package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

// A Condition is what a rule requires of one argument of a request: of a member of its
// params.arguments.
type Condition struct {
	Field string // Field names the argument; a.b is the member b of the argument a, where no argument is named a.b.
	Op    string // Op is one of operators.
	Value any    // Value is a string, int64, float64, bool, or a list of them.

	holds test
	field int // field is the number of Field in its policy, from 1.
}

// A test judges an argument.
type test func(a *argument) bool

// String returns the condition in words.
func (c Condition) String() string { return fmt.Sprintf("%s %s %v", c.Field, c.Op, c.Value) }

// operators compile the conditions. All but exists and none_of require that there is such an
// argument.
var operators = lazy.Value[map[string]func(value any) (test, error)]{New: func() map[string]func(value any) (test, error) {
	return map[string]func(value any) (test, error){
		"equals":       equal(true),
		"not_equals":   equal(false),
		"contains":     ofText(bytes.Contains),
		"starts_with":  ofText(bytes.HasPrefix),
		"ends_with":    ofText(bytes.HasSuffix),
		"matches":      matching,
		"greater_than": ofNumber(func(a, b float64) bool { return a > b }),
		"less_than":    ofNumber(func(a, b float64) bool { return a < b }),
		"one_of":       among(true),
		"none_of":      among(false),
		"exists": func(value any) (test, error) {
			want, ok := value.(bool)
			if !ok {
				return nil, errors.New("it takes true or false")
			}
			return func(a *argument) bool { return a.json != nil == want }, nil
		},
	}
}}

// conditions compiles the conditions of a rule.
func conditions(text []map[string]any) ([]Condition, error) {
	var all []Condition
	for _, t := range text {
		field, _ := t["field"].(string)
		if field == "" || len(t) != 2 {
			return nil, fmt.Errorf("where: a condition has field and one of %s", strings.Join(slices.Sorted(maps.Keys(operators.Get())), ", "))
		}
		for op, value := range t {
			if op == "field" {
				continue
			}
			compile := operators.Get()[op]
			if compile == nil {
				return nil, fmt.Errorf("where: %s is not one of %s", op, strings.Join(slices.Sorted(maps.Keys(operators.Get())), ", "))
			}
			holds, err := compile(value)
			if err != nil {
				return nil, fmt.Errorf("where: %s %s: %w", field, op, err)
			}
			all = append(all, Condition{Field: field, Op: op, Value: value, holds: holds})
		}
	}
	return all, nil
}

// looked is what was looked at of a message: rules often look at the same of it.
type looked struct {
	ready     bool
	arguments []byte               // arguments are the ones of its request.
	latest    [manyFields]argument // latest are those that were looked at, each at the place of its number.
}

// manyFields is how many arguments of a message are kept.
const manyFields = 8

// unused are *looked that are not in use: conditions take their arguments by reference, so that
// each would be allocated.
var unused = sync.Pool{New: func() any { return new(looked) }}

// forget ends the use.
func (l *looked) forget() {
	*l = looked{}
	unused.Put(l)
}

// An argument is one of a request.
type argument struct {
	field int    // field is the number of its name in the policy, from 1; 0 = it was not looked at.
	json  []byte // json is its JSON; nil = the request does not have it.
	says  []byte // says is what a string says; nil for other values, and before it was read.
}

// met reports whether the arguments of a message meet all conditions.
func (l *looked) met(all []Condition, body []byte) bool {
	for i := range all {
		if c := &all[i]; !c.holds(l.argument(c, body)) {
			return false
		}
	}
	return true
}

// knows reports whether the argument of a candidate's first condition is known, so that may does
// not look for it.
func (l *looked) knows(c *candidate) bool { return l.latest[c.field%manyFields].field == c.field }

// may reports whether the first condition of a candidate is met, which has its text.
func (l *looked) may(c *candidate, body []byte) bool {
	a := &l.latest[c.field%manyFields]
	if !l.knows(c) {
		a = l.argument(&c.Where[0], body)
	}
	text, ok := a.text()
	return ok && string(text) == c.says
}

// argument is the argument of a condition.
func (l *looked) argument(c *Condition, body []byte) *argument {
	a := &l.latest[c.field%manyFields]
	if a.field == c.field {
		return a
	}
	if !l.ready {
		l.arguments, l.ready = bytes.TrimSpace(lex.Get(bytes.TrimSpace(lex.Get(body, "params")), "arguments")), true
	}
	*a = argument{field: c.field, json: member(l.arguments, c.Field)}
	return a
}

// member is the JSON of an argument; nil = there is none.
func member(arguments []byte, field string) []byte {
	if len(arguments) == 0 || arguments[0] != '{' {
		return nil
	}
	if found := bytes.TrimSpace(lex.Get(arguments, field)); len(found) > 0 || !strings.Contains(field, ".") {
		return found
	}
	value := arguments
	for name := range strings.SplitSeq(field, ".") {
		if len(value) == 0 || value[0] != '{' {
			return nil
		}
		value = bytes.TrimSpace(lex.Get(value, name))
	}
	return value
}

// text is what a string says; ok is false for any other value.
func (a *argument) text() (text []byte, ok bool) {
	if len(a.json) == 0 || a.json[0] != '"' {
		return nil, false
	}
	if a.says == nil {
		a.says = textOf(a.json)
	}
	return a.says, true
}

func equal(wanted bool) func(any) (test, error) {
	return func(value any) (test, error) {
		is, err := same(value)
		return func(a *argument) bool { return a.json != nil && is(a) == wanted }, err
	}
}

// same tests for one value. Numbers are the same however they are written.
func same(value any) (test, error) {
	number := func(want []byte, f float64, whole bool) test {
		want = lex.Number(want)
		return func(a *argument) bool {
			if !isNumber(a.json) {
				return false
			}
			if got, _ := strconv.ParseFloat(string(a.json), 64); !whole && got == f {
				return true
			}
			return bytes.Equal(lex.Number(a.json), want)
		}
	}
	switch v := value.(type) {
	case string:
		return func(a *argument) bool {
			text, ok := a.text()
			return ok && string(text) == v
		}, nil
	case bool:
		return func(a *argument) bool { return string(a.json) == strconv.FormatBool(v) }, nil
	case int64:
		return number(strconv.AppendInt(nil, v, 10), float64(v), true), nil
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return number(strconv.AppendFloat(nil, v, 'g', -1, 64), v, false), nil
		}
	}
	return nil, errors.New("it takes a string, a number, true or false")
}

func isNumber(json []byte) bool {
	return len(json) > 0 && (json[0] == '-' || json[0] >= '0' && json[0] <= '9')
}

func among(wanted bool) func(any) (test, error) {
	return func(value any) (test, error) {
		list, ok := value.([]any)
		if !ok {
			return nil, errors.New("it takes a list")
		}
		var tests []test
		for _, v := range list {
			is, err := same(v)
			if err != nil {
				return nil, errors.New("it takes a list of strings, numbers, true or false")
			}
			tests = append(tests, is)
		}
		return func(a *argument) bool {
			if a.json == nil {
				return !wanted
			}
			return slices.ContainsFunc(tests, func(is test) bool { return is(a) }) == wanted
		}, nil
	}
}

// ofText is a test for strings: no other value passes it.
func ofText(passes func(text, part []byte) bool) func(any) (test, error) {
	return func(value any) (test, error) {
		word, ok := value.(string)
		if !ok {
			return nil, errors.New("it takes a string")
		}
		part := []byte(word)
		return func(a *argument) bool {
			text, ok := a.text()
			return ok && passes(text, part)
		}, nil
	}
}

// textOf is what a string says: a part of it, where it has no escapes and is UTF-8.
func textOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(lex.Unquote(quoted))
}

// ofNumber is a test for numbers: no other value passes it.
func ofNumber(passes func(a, b float64) bool) func(any) (test, error) {
	return func(value any) (test, error) {
		var than float64
		switch v := value.(type) {
		case int64:
			than = float64(v)
		case float64:
			than = v
		default:
			return nil, errors.New("it takes a number")
		}
		return func(a *argument) bool {
			got, _ := strconv.ParseFloat(string(a.json), 64) // Beyond its range it is infinite.
			return isNumber(a.json) && passes(got, than)
		}, nil
	}
}

// matching is a test by a regular expression: for the text of a string, and for the JSON of
// any other value, in one spelling.
func matching(value any) (test, error) {
	text, ok := value.(string)
	if !ok {
		return nil, errors.New("it takes a regular expression")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing "))
	}
	return func(a *argument) bool {
		if text, ok := a.text(); ok {
			return re.Match(text)
		}
		return a.json != nil && re.Match(spelled(a.json))
	}, nil
}

// spelled is a JSON value without white space, with sorted members, and with escapes only
// where they must be, so that its spelling does not decide.
func spelled(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return lex.AppendCompact(nil, raw)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(numbers(value)) != nil {
		return lex.AppendCompact(nil, raw)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// numbers spells the numbers within a value: 1e3 is 1000.0.
func numbers(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	case json.Number:
		if _, err := strconv.ParseUint(strings.TrimPrefix(string(v), "-"), 10, 64); err == nil {
			return v
		}
		f, err := v.Float64()
		if err != nil {
			return v
		}
		if text := strconv.FormatFloat(f, 'f', -1, 64); f == 0 || math.Abs(f) >= 1e-5 && math.Abs(f) < 1e16 {
			if !strings.Contains(text, ".") {
				text += ".0"
			}
			return json.Number(text)
		}
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		n, _ := strconv.Atoi(exponent)
		return json.Number(mantissa + "e" + strconv.Itoa(n))
	}
	return value
}
