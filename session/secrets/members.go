package secrets

import "bytes"

// colon looks at a name and a value with a colon between them.
func (s *scan) colon(at int) {
	if at < s.done {
		return
	}
	if at+1 < len(s.text) && (s.text[at+1] == '=' || s.text[at+1] == ':') {
		return // := and :: are looked at at their ends.
	}
	if at > 0 && s.text[at-1] == ':' && at+1 < len(s.text) && s.text[at+1] == ' ' { // base64 in LDIF
		s.assignment(at-1, at)
		return
	}
	if quote := s.blanksBefore(at) - 1; s.isQuote(quote) {
		if from := s.keyBefore(quote); from >= 0 {
			s.pair(s.text[from:quote], at, s.text[quote])
		}
		return
	}
	s.assignment(at, at)
}

// keyBefore is where the inside of the string begins that ends at a quote, -1 where that
// is too long for a name.
func (s *scan) keyBefore(quote int) int {
	for from := quote - 1; from >= max(0, quote-100); from-- {
		switch c := s.text[from]; {
		case c == s.text[quote]:
			return from + 1
		case c == '\n':
			return -1
		}
	}
	return -1
}

// pair looks at a member: its name in quotes, then a colon.
func (s *scan) pair(name []byte, colon int, quote byte) {
	at := s.skipSpace(colon + 1)
	if at >= len(s.text) {
		return
	}
	c := s.text[at]
	isText := c == quote || quote != '"' && !isEdge(quote) && c == '"' || !isEdge(quote) && c == '\''
	switch {
	case s.f.secretName(name) || s.ofKey(name) || s.tokenList(name, colon):
		if !isText && c != '{' && c != '[' && c != '-' && !digit(c) {
			if !isEdge(c) && !isEdge(quote) {
				s.unquoted(name, colon, at)
			}
			return
		}
		s.secretValue(at, name, quote)
	case !isText:
	case string(name) == "name" || string(name) == "key" || string(name) == "header":
		s.named = member{at + 1, s.closing(at + 1)}
		s.listed(s.named, s.value)
	case string(name) == "value":
		s.value = member{at + 1, s.closing(at + 1)}
		s.listed(s.named, s.value)
	}
}

// ofKey reports whether a member is a private part of a JSON Web Key.
func (s *scan) ofKey(name []byte) bool {
	switch string(name) {
	case "d", "k", "p", "q", "dp", "dq", "qi":
		return bytes.Contains(s.text[:min(len(s.text), 64<<10)], []byte("kty"))
	}
	return false
}

// listed looks at a variable or header in a list: {"name":"API_KEY","value":"x"}.
func (s *scan) listed(name, value member) {
	first, second := name, value
	if first.from > second.from {
		first, second = second, first
	}
	if name.to == 0 || value.to == 0 || second.from-first.to > 512 || bytes.ContainsAny(s.text[first.to:second.from], "{}") {
		return
	}
	if secret := s.text[name.from:name.to]; s.f.secretName(secret) && !stub(s.text[value.from:value.to]) {
		s.add(value.from, value.to, "member "+clip(secret))
	}
}

// secretValue takes the value of a member with a secret name. Where that is a schema or
// a description of what belongs there, it has no secret but what it gives as a default.
func (s *scan) secretValue(at int, name []byte, quote byte) {
	kind, plain := "member "+clip(name), plainName(name)
	if s.text[at] == '{' && s.schema(at) {
		s.walk(at, kind, quote, walking{schema: true})
		return
	}
	if s.isQuote(at) {
		from := at + 1
		to := s.closing(from)
		value := s.text[from:to]
		s.done = to
		if stub(value) || prosaic.get()[plain] && !opaque(value) {
			return
		}
		from += scheme(value)
		s.add(from, to, kind)
		return
	}
	s.done = s.walk(at, kind, quote, walking{numbers: digits.get()[plain], opaque: plain == "tokens"})
}

// scheme is the length of what precedes the secret in a header, such as Bearer.
func scheme(value []byte) int {
	for _, scheme := range Schemes {
		if len(value) > len(scheme) && bytes.EqualFold(value[:len(scheme)], []byte(scheme)) {
			return len(scheme)
		}
	}
	return 0
}

// maxWalk is how many bytes of one value are looked through, and farWalk how many times
// the length of a text all together: values may be in values.
const (
	maxWalk = 1 << 20
	farWalk = 8
)

// walking says what is taken of a value: numbers, of texts only those that say nothing to
// people, and of a schema what it gives as a value.
type walking struct{ numbers, opaque, schema bool }

// walk takes all strings inside of an object or array, or one number. It returns where the value ends; where it is broken, what is on other lines need not
// belong to it. quote is that of the member's name.
func (s *scan) walk(from int, kind string, quote byte, how walking) int {
	depth, before, i := 0, len(s.spans), from
	end := min(len(s.text), from+maxWalk)
	if s.walked > farWalk*len(s.text) {
		if how.schema {
			return from
		}
		end = min(end, from+256)
	}
	defer func() { s.walked += i - from }()
	for i < end {
		switch c := s.text[i]; {
		case isEdge(c) && (!isEdge(quote) || c < quote):
			return i // the end of the string that all is in
		case c == '"' || isEdge(c) || c == '\'':
			inside := i + 1
			i = s.closing(inside) + 1
			next := s.skipSpace(min(i, len(s.text)))
			if isKey := next < len(s.text) && s.text[next] == ':'; isKey && how.schema {
				s.defaults(inside, next, kind, quote)
			} else if value := s.text[inside:min(i-1, len(s.text))]; !isKey && !how.schema && !stub(value) && (!how.opaque || opaque(value)) {
				s.add(inside, min(i-1, len(s.text)), kind)
			}
		case c == '{' || c == '[':
			depth++
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case c == '-' || digit(c):
			number := i
			i = run(s.text, i, numeric)
			if how.numbers && i-number >= 4 {
				s.add(number, i, kind)
			}
		default:
			i++
		}
		if depth <= 0 {
			return i
		}
	}
	if line := bytes.IndexByte(s.text[from:end], '\n'); line >= 0 {
		for len(s.spans) > before && s.spans[len(s.spans)-1].From > from+line {
			s.spans = s.spans[:len(s.spans)-1]
		}
		return from + line
	}
	return end
}

// defaults takes what a member of a schema gives as a value.
func (s *scan) defaults(key, colon int, kind string, quote byte) {
	name := s.text[key:min(len(s.text), key+10)]
	at := s.skipSpace(colon + 1)
	for _, word := range []string{"default", "const", "example", "examples"} {
		if bytes.HasPrefix(name, []byte(word)) && s.isQuote(key+len(word)) && at < len(s.text) && (s.isQuote(at) || s.text[at] == '[') {
			s.walk(at, kind, quote, walking{})
		}
	}
}

// schema reports whether an object describes values, as in
// {"password":{"type":"string","description":"yours"}}.
func (s *scan) schema(at int) bool {
	at = s.skipSpace(at + 1)
	if !s.isQuote(at) {
		return false
	}
	switch string(s.text[at+1 : s.closing(at+1)]) {
	case "type", "description", "title", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "default", "format", "minLength", "maxLength", "pattern", "examples", "writeOnly", "properties", "items":
		return true
	}
	return false
}

// opaque reports whether a value says nothing to people: one long word with a digit
// in it.
func opaque(value []byte) bool {
	return len(value) >= 8 && bytes.IndexByte(value, ' ') < 0 && hasDigit(value)
}

func hasDigit(value []byte) bool { return bytes.IndexFunc(value, isDigit) >= 0 }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }
