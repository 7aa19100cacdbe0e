package shape

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

// A Judge judges texts one after the other. The zero value is ready; it must not be
// used by two goroutines at once.
type Judge struct {
	text   []byte
	path   []step
	alien  bool // alien: it is inside a foreign member.
	faults []Fault
}

// A step leads from a value to one inside it.
type step struct {
	member *member
	name   string // name is a name that the table has elsewhere.
	key    []byte // key is the key as it is written, if the table does not have it.
	index  int    // index is the index of an item, if there is none of the others.
}

// maxFaults is how many different faults of one text are returned.
const maxFaults = 8

// Faults returns what is wrong with a text, in the order of the text: each place of
// the table once, with the path of its first occurrence. They are valid until the
// next call. A nil type allows everything, and no text has no faults.
func (j *Judge) Faults(t *Type, text []byte) []Fault {
	if t == nil || len(text) == 0 {
		return nil
	}
	j.text, j.path, j.alien, j.faults = text, j.path[:0], false, j.faults[:0]
	j.value(t, lex.SkipSpace(text, 0))
	return j.faults
}

// value judges the value that begins at i, and returns the place behind it, -1 where
// the text ends early.
func (j *Judge) value(t *Type, i int) int {
	got := jsonrpc.TypeOf(j.text[min(i, len(j.text)):])
	switch {
	case t.kind == anyValue, t.kind == str && got == jsonrpc.String:
	case t.kind == oneOrList:
		if got == jsonrpc.Array {
			return j.items(t.of, i)
		}
		return j.value(t.of, i)
	case !t.takes(got):
		j.fault(mismatch(got), t, j.text[i:])
	case got == jsonrpc.Array && t.kind == list:
		return j.items(t.of, i)
	case got == jsonrpc.Object && t.kind == mapping:
		return j.entries(t.of, i)
	case got == jsonrpc.Object && (t.kind == record || t.kind == either):
		return j.record(t, i)
	case got == jsonrpc.Object && t.kind == union:
		return j.union(t, i)
	case got == jsonrpc.Number && t.kind != number:
		j.number(t, i)
	case got == jsonrpc.String && t.kind != str && t.kind != id:
		j.string(t, i)
	}
	return lex.ValueEnd(j.text, i)
}

func mismatch(got jsonrpc.Type) Class {
	if got == jsonrpc.Null {
		return Null
	}
	return WrongType
}

// takes reports whether a type may have values of a JSON type.
func (t *Type) takes(got jsonrpc.Type) bool {
	switch t.kind {
	case str, base64, uri, date, timestamp, oneOf:
		return got == jsonrpc.String
	case boolean:
		return got == jsonrpc.Bool
	case number, integer, natural, fraction:
		return got == jsonrpc.Number
	case lifetime:
		return got == jsonrpc.Number || got == jsonrpc.Null
	case id:
		return got == jsonrpc.Number || got == jsonrpc.String
	case list:
		return got == jsonrpc.Array
	case object, record, either, union, mapping:
		return got == jsonrpc.Object
	case anyValue, oneOrList:
	}
	return true
}

// number judges a number of the right type.
func (j *Judge) number(t *Type, i int) {
	raw := j.text[i:max(i, lex.ValueEnd(j.text, i))] // Empty where the text is not JSON.
	plain := !bytes.ContainsAny(raw, ".eE")
	if plain && (t.kind == integer || t.kind == lifetime || t.kind == id || t.kind == natural && !bytes.HasPrefix(raw, []byte("-"))) {
		return
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
	case t.kind == fraction && (n < 0 || n > 1), t.kind == natural && n < 0:
		j.fault(OutOfRange, t, raw)
	case t.kind != fraction && n != math.Trunc(n):
		j.fault(NotInteger, t, raw)
	}
}

// string judges a string of the right type.
func (j *Judge) string(t *Type, i int) {
	raw := j.text[i:max(i, lex.ValueEnd(j.text, i))]
	if t.kind == oneOf {
		for _, word := range t.words {
			if lex.IsText(raw, word) {
				return
			}
		}
		j.fault(OutsideEnum, t, raw)
		return
	}
	if t.kind == base64 {
		if at, unpadded := Base64Fault(raw); at >= 0 || unpadded {
			j.fault(BadFormat, t, raw)
		}
		return
	}
	inside := raw[1:max(1, len(raw)-1)]
	if bytes.IndexByte(inside, '\\') < 0 && !t.reads(inside) {
		j.fault(BadFormat, t, raw)
	}
}

// reads reports whether a string without escapes has the format of the type.
func (t *Type) reads(text []byte) bool {
	switch t.kind {
	case uri:
		colon := bytes.IndexByte(text, ':')
		return colon > 0 && (text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z') && !bytes.ContainsAny(text[:colon], " /?#")
	case date:
		return matches(text, "0000-00-00")
	case timestamp:
		if !matches(text, "0000-00-00T00:00") {
			return false
		}
		zone := bytes.IndexAny(text[len("0000-00-00T"):], "Z+-") + len("0000-00-00T")
		return zone >= len("0000-00-00T00:00") && (string(text[zone:]) == "Z" || len(text[zone:]) == 6 && matches(text[zone+1:], "00:00"))
	}
	return true
}

// matches reports whether a text begins like a pattern, in which 0 is any digit.
func matches(text []byte, pattern string) bool {
	for i := range len(pattern) {
		if i >= len(text) || pattern[i] == '0' && (text[i] < '0' || text[i] > '9') || pattern[i] != '0' && text[i] != pattern[i] {
			return false
		}
	}
	return true
}

// items judges an array.
func (j *Judge) items(t *Type, i int) int {
	if t.kind == anyValue {
		return lex.ValueEnd(j.text, i)
	}
	if i = lex.SkipSpace(j.text, i+1); i < len(j.text) && j.text[i] == ']' {
		return i + 1
	}
	at := len(j.path)
	j.path = append(j.path, step{})
	for {
		end := j.value(t, i)
		if end >= 0 {
			i = lex.SkipSpace(j.text, end)
		}
		if end < 0 || i >= len(j.text) || j.text[i] != ',' {
			j.path = j.path[:at]
			return closed(j.text, i, ']')
		}
		i = lex.SkipSpace(j.text, i+1)
		j.path[at].index++
	}
}

// closed returns the place behind the bracket at i, -1 if there is another byte.
func closed(text []byte, i int, bracket byte) int {
	if i < len(text) && text[i] == bracket {
		return i + 1
	}
	return -1
}

// key returns the key that begins at i and the place of its value, -1 where there is
// none.
func (j *Judge) key(i int) (key []byte, value int) {
	if i >= len(j.text) || j.text[i] != '"' {
		return nil, -1
	}
	end := lex.StringEnd(j.text, i)
	key = j.text[i:end]
	if i = lex.SkipSpace(j.text, end); i >= len(j.text) || j.text[i] != ':' || len(key) < 2 {
		return nil, -1
	}
	return key, lex.SkipSpace(j.text, i+1)
}

// comma returns the place of the key behind the comma at i, -1 where there is none.
func (j *Judge) comma(i int) int {
	if i = lex.SkipSpace(j.text, i); i >= len(j.text) || j.text[i] != ',' {
		return -1
	}
	return lex.SkipSpace(j.text, i+1)
}

// end returns the place behind the object whose last value ends at i.
func (j *Judge) end(i int) int { return closed(j.text, lex.SkipSpace(j.text, i), '}') }

// entries judges an object whose members are all of one type.
func (j *Judge) entries(t *Type, i int) int {
	at := len(j.path)
	j.path = append(j.path, step{})
	last := i + 1
	for i = lex.SkipSpace(j.text, i+1); i >= 0; i = j.comma(last) {
		key, value := j.key(i)
		if value < 0 {
			break
		}
		j.path[at] = step{key: key}
		if last = j.value(t, value); last < 0 {
			break
		}
	}
	j.path = j.path[:at]
	return j.end(max(last, 0))
}

// record judges an object with members of the table.
func (j *Judge) record(t *Type, i int) int {
	var seen uint64
	hasText := false // hasText: one of the two members of an either is a string.
	misnamed := false
	at, alien, start := len(j.path), j.alien, i
	j.path = append(j.path, step{})
	last := i + 1
	for i = lex.SkipSpace(j.text, i+1); i >= 0; i = j.comma(last) {
		key, value := j.key(i)
		if value < 0 {
			break
		}
		n := t.index(key)
		switch {
		case n < 0:
			misnamed = misnamed || slices.ContainsFunc(t.members, func(m member) bool {
				return len(key) > 2 && key[1]|0x20 == m.name[0]|0x20 && text.Same(string(key[1:len(key)-1]), m.name)
			})
			last = lex.ValueEnd(j.text, value)
		case t.kind == either && slices.Contains(t.words, t.members[n].name):
			if value >= len(j.text) || j.text[value] != '"' {
				last = lex.ValueEnd(j.text, value)
				break
			}
			hasText = true
			j.path[at].member = &t.members[n]
			last = j.value(t.members[n].is, value)
		default:
			m := &t.members[n]
			seen |= 1 << n
			j.path[at].member, j.alien = m, alien || m.foreign
			last = j.value(m.is, value)
		}
		if last < 0 {
			break
		}
	}
	j.alien = alien
	end := j.end(max(last, 0))
	if end >= 0 && (misnamed || t.needs&^seen != 0 || t.kind == either && !hasText) {
		j.missing(t, start, seen, hasText)
	}
	j.path = j.path[:at]
	return end
}

// index returns which member a key is, -1 for none.
func (t *Type) index(key []byte) int {
	for n := range t.members {
		name := t.members[n].name
		if len(key) == len(name)+2 && string(key[1:len(key)-1]) == name {
			return n
		}
	}
	if bytes.IndexByte(key, '\\') >= 0 {
		for n := range t.members {
			if lex.IsText(key, t.members[n].name) {
				return n
			}
		}
	}
	return -1
}

// missing reports which members the object at i lacks, and which it has under a near
// name. The last step of the path is free.
func (j *Judge) missing(t *Type, i int, seen uint64, hasText bool) {
	at := len(j.path) - 1
	for n := range t.members {
		m := &t.members[n]
		if seen&(1<<n) != 0 || m.foreign {
			continue
		}
		by, value := Near(j.text[i:], m.name, func(name string) bool { return t.index([]byte(`"`+name+`"`)) >= 0 })
		j.path[at].member = m
		var f *Fault
		switch {
		case m.required:
			f = j.fault(Missing, m.is, nil)
		case by != "" && text.Same(by, m.name):
			f = j.fault(Misnamed, m.is, value)
		}
		if f != nil {
			f.Near = by
		}
	}
	if j.path = j.path[:at]; t.kind == either && !hasText {
		j.fault(Neither, t, nil)
	}
}

// Near returns the member of an object that an absent one was likely meant by, and its
// value; empty if there is none. taken reports names that mean another member.
func Near(object []byte, absent string, taken func(name string) bool) (by string, value []byte) {
	for key, v := range lex.Members(object) {
		if name := lex.Unquote(key); text.Meant(absent, name) && (taken == nil || !taken(name)) && jsonrpc.TypeOf(v) != jsonrpc.Null {
			return name, v
		}
	}
	return "", nil
}

// union judges an object by its tag.
func (j *Judge) union(t *Type, i int) int {
	tag := j.member(i, t.tag)
	m := t.caseOf(tag)
	if m == nil {
		j.unknown(t, tag, mcp.NoVersion)
		return lex.ValueEnd(j.text, i)
	}
	alien := j.alien
	if m.foreign {
		j.unknown(t, tag, m.since)
		j.alien = true
	}
	end := j.record(m.is, i)
	j.alien = alien
	return end
}

// member returns the first value of that name in the object at i, nil for none.
func (j *Judge) member(i int, name string) []byte {
	for i = lex.SkipSpace(j.text, i+1); i >= 0; {
		key, value := j.key(i)
		if value < 0 {
			break
		}
		end := lex.ValueEnd(j.text, value)
		if end < 0 {
			break
		}
		if lex.IsText(key, name) {
			return j.text[value:end]
		}
		i = j.comma(end)
	}
	return nil
}

// caseOf returns the case of a union with that tag, nil for none.
func (t *Type) caseOf(tag []byte) *member {
	for n := range t.members {
		if m := &t.members[n]; lex.IsText(tag, m.name) && (t.without == "" || !m.foreign) {
			return m
		}
	}
	if t.without == "" || tag != nil && !slices.ContainsFunc(t.members, func(m member) bool { return m.foreign && lex.IsText(tag, m.name) }) {
		return nil
	}
	return t.caseOf(lex.AppendQuoteValid(nil, t.without))
}

// unknown reports the tag of a union that the revision does not have.
func (j *Judge) unknown(t *Type, tag []byte, since mcp.Version) {
	class := OutsideEnum
	switch got := jsonrpc.TypeOf(tag); {
	case got == jsonrpc.Absent:
		class = Missing
	case got != jsonrpc.String:
		class = mismatch(got)
	}
	j.path = append(j.path, step{name: t.tag})
	if f := j.fault(class, t, tag); f != nil {
		f.Since = since
	}
	j.path = j.path[:len(j.path)-1]
}

// Base64Fault returns the offset in a JSON string at which it is not base64, -1
// if it is, or reports that only padding is missing. Escaped slashes and line
// breaks are accepted.
func Base64Fault(raw []byte) (at int, padding bool) {
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(lex.Unquote(raw))
	}
	digits, pads := 0, 0
	kinds := base64Kinds.Get()
	for i, c := range text {
		switch kind := kinds[c]; {
		case kind == base64Space:
		case kind == base64Pad && digits%4 >= 2:
			pads++
		case kind != base64Digit || pads > 0:
			return min(i, len(raw)-2), false
		default:
			digits++
		}
	}
	switch rest := digits % 4; {
	case rest == 1, pads > 0 && rest+pads != 4:
		return max(0, min(len(text), len(raw)-2)-1), false
	case rest != 0 && pads == 0:
		return -1, true
	}
	return -1, false
}

const (
	base64None = iota
	base64Digit
	base64Pad
	base64Space
)

var base64Kinds = lazy.Value[*[256]byte]{New: func() *[256]byte {
	var kinds [256]byte
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		kinds[c] = base64Digit
	}
	for _, c := range []byte(" \t\r\n") {
		kinds[c] = base64Space
	}
	kinds['='] = base64Pad
	return &kinds
}}
