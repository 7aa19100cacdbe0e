package secrets

import (
	"bytes"
	"strings"
	"unicode"
)

// equals looks at a name and a value with an equals sign between them, or :=.
func (s *scan) equals(at int) {
	if at < s.done || at+1 < len(s.text) && (s.text[at+1] == '>' || s.text[at+1] == '=') {
		return
	}
	name := at
	if at > 0 {
		switch s.text[at-1] {
		case '!', '<', '>':
			return
		case ':', '=', '?', '+', '.':
			for name = at - 1; name > 0 && s.text[name-1] == ':'; name-- {
			}
		}
	}
	s.assignment(name, at)
}

// angle looks at a name and a value with an arrow between them, and at elements of XML.
func (s *scan) angle(at int) {
	if at < s.done || at == 0 {
		return
	}
	if c := s.text[at-1]; c == '=' || c == '-' {
		s.assignment(at-1, at)
		return
	}
	s.element(at)
}

// comma looks at a name and a value that a function is called with: set('KEY', 'x').
func (s *scan) comma(at int) {
	quote := s.blanksBefore(at) - 1
	value := s.skipBlanks(at + 1)
	if at < s.done || !s.isQuote(quote) || !s.isQuote(value) || s.text[quote] != s.text[value] {
		return
	}
	from := s.keyBefore(quote)
	if list := from - 2; from > 0 && at >= s.tabled && (list < 0 || s.text[list] == '\n' ||
		list > 0 && s.text[list] == '[' && (s.text[list-1] == '[' || columns.get()[plainName(s.nameBefore(s.blanksBefore(list)-1))])) {
		s.table(from-1, ',')
	}
	if from < 2 || s.text[from-2] != '(' || !s.f.secretName(s.text[from:quote]) {
		return
	}
	to := s.closing(value + 1)
	if secret := s.text[value+1 : to]; len(secret) >= 4 && !stub(secret) {
		s.add(value+1, to, "text "+clip(s.text[from:quote]))
	}
}

// assignment looks at a text that gives a name a value: the name ends before one place,
// the value begins behind another.
func (s *scan) assignment(before, at int) {
	name := s.nameBefore(before)
	if len(name) == 0 {
		return
	}
	switch string(name) {
	case "value":
		s.attribute(at)
		return
	case "name": // of a part of a form: RFC 7578 §4.2
		if quote := at + 1; s.isQuote(quote) {
			to := s.closing(quote + 1)
			i := bytes.Index(s.text[to:min(len(s.text), to+200)], []byte("\r\n\r\n"))
			if from := to + i + 4; i >= 0 && s.f.secretName(s.text[quote+1:to]) {
				s.add(from, s.lineEnd(from), "text "+clip(s.text[quote+1:to]))
			}
		}
		return
	case "string", "String", "str": // the type of a variable: var token string = "x"
		if s.text[at] == '=' {
			before = s.blanksBefore(before) - len(name)
			name = s.nameBefore(before)
		}
	}
	if from := s.blanksBefore(before) - len(name) - 1; s.text[at] == ':' && from > 0 && s.text[from] == ':' {
		return // a part of an ARN, or of another name with colons
	}
	if string(name) == "P" && s.text[at] == ':' {
		s.network(at)
	}
	if !s.f.secretName(name) && !s.tokenList(name, at) {
		if name = s.phraseBefore(before, name); name == nil || !s.f.secretName(name) {
			return
		}
	}
	s.assigned(name, at)
}

// tokenList reports whether a list of texts has the name tokens, which as a number counts
// the words of a model.
func (s *scan) tokenList(name []byte, at int) bool {
	value := s.skipBlanks(at + 1)
	return bytes.EqualFold(name, []byte("tokens")) && value < len(s.text) && s.text[value] == '[' && s.isQuote(s.skipSpace(value+1))
}

// network takes the password of a wireless network: WIFI:T:WPA;S:name;P:password;;
func (s *scan) network(at int) {
	if bytes.Contains(s.text[max(0, at-100):at], []byte("WIFI:")) {
		end := at + 1
		for end < len(s.text) && s.text[end] != ';' && s.text[end] >= ' ' && !s.isQuote(end) {
			end++
			if s.text[end-1] == '\\' {
				end = min(end+1, len(s.text))
			}
		}
		s.add(at+1, end, "text password")
	}
}

// nameBefore is the name that is before an equals sign or a colon, with or without
// quotes and brackets around it.
func (s *scan) nameBefore(at int) []byte {
	end := s.blanksBefore(at)
	if end > 0 && s.text[end-1] == ')' { // a remark: Password (temporary): x
		if open := bytes.LastIndexByte(s.text[max(0, end-40):end], '('); open >= 0 {
			end = s.blanksBefore(max(0, end-40) + open)
		}
	}
	if end > 1 && s.text[end-1] == ']' && s.isQuote(end-2) {
		end--
	}
	if s.isQuote(end - 1) {
		end--
	}
	from := end
	for from > 0 && end-from <= 64 && (named(s.text[from-1]) || s.text[from-1] >= 0x80) {
		from--
	}
	for from < end && (s.text[from] == '-' || s.text[from] == '.') {
		from++
	}
	name := s.text[from:end]
	if from < end && name[0] < 0x80 {
		return name
	}
	return bytes.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
}

// phraseBefore is a name together with the word before it: API key.
func (s *scan) phraseBefore(at int, name []byte) []byte {
	end := s.blanksBefore(at)
	from := end - len(name)
	if from < 2 || !bytes.Equal(s.text[max(0, from):end], name) || s.text[from-1] != ' ' || !alpha(s.text[from-2]) || len(name) > 10 {
		return nil
	}
	first := from - 1
	for first > 0 && from-first <= 20 && word(s.text[first-1]) {
		first--
	}
	return s.text[first:end]
}

// assigned takes the value that a place of a text gives a name with a secret.
func (s *scan) assigned(name []byte, at int) {
	value := s.skipBlanks(at + 1)
	if s.text[at] == '>' {
		value = s.skipSpace(at + 1)
	}
	if value >= len(s.text) {
		return
	}
	plain := plainName(name)
	switch {
	case (strings.HasSuffix(plain, "authorization") || strings.HasSuffix(plain, "cookie")) && s.text[at] == ':':
		s.field(name, value)
	case strings.HasSuffix(plain, "codes"):
		s.codes(name, value)
	case strings.HasSuffix(plain, "phrase") || plain == "mnemonic":
		end := value + run(s.text[value:s.lineEnd(value)], 0, func(c byte) bool { return c != '"' && c != '\\' })
		if !s.isQuote(value) && end-value < 512 {
			s.add(value, end, "text "+clip(name))
			return
		}
		fallthrough
	default:
		s.unquoted(name, at, value)
	}
}

// unquoted takes a value, in quotes or not, behind a name without them.
func (s *scan) unquoted(name []byte, at, value int) {
	if value >= len(s.text) || s.block(name, at, value) {
		return
	}
	if s.text[value] == '[' && s.isQuote(s.skipSpace(value+1)) {
		s.done = s.walk(value, "text "+clip(name), '"', walking{opaque: weak.get()[plainName(name)]})
		return
	}
	value = s.unwrapped(value)
	// A letter may be before the quotes: r"x", @"x".
	if value+1 < len(s.text) && s.isQuote(value+1) && bytes.IndexByte([]byte("rbfuRBFU$@"), s.text[value]) >= 0 {
		value++
	}
	if rest := s.text[value:]; len(rest) > 1 && (rest[0] == '$' && (rest[1] == '{' || rest[1] == '(') || rest[0] == '{' && rest[1] == '{') {
		return // a variable stands for it
	}
	quoted := s.isQuote(value) && !isEdge(s.text[value])
	from, to := value, 0
	if quote := s.flagQuote(name, at); quote != 0 && value == at+1 && !quoted {
		quoted, to = true, s.closing(quote)
	} else if quoted {
		from++
		to = s.closing(from)
	} else {
		from = value + scheme(s.text[value:])
		to = s.wordEnd(from)
	}
	text := s.text[from:to]
	if !s.plausible(name, text, quoted, at, value) {
		return
	}
	s.add(from, to, "text "+clip(name))
	s.done = to
}

// wrappers are what programs print around a value in quotes: Some("x"), string(1) "x".
var wrappers = set{list: "wrappers"}

// unwrapped is the place of the quote of a value in a wrapper, else the place of the value.
func (s *scan) unwrapped(value int) int {
	end := run(s.text[:min(len(s.text), value+16)], value, alpha)
	if end == len(s.text) || s.text[end] != '(' || !wrappers.get()[string(s.text[value:end])] {
		return value
	}
	if length := run(s.text[:min(len(s.text), end+16)], end+1, digit); length > end+1 && length < len(s.text) && s.text[length] == ')' {
		end = s.skipBlanks(length+1) - 1
	}
	if s.isQuote(end + 1) {
		return end + 1
	}
	return value
}

// block takes the lines of a block of YAML, which are below its name and further in. It
// reports whether the value begins one.
func (s *scan) block(name []byte, at, value int) bool {
	if c := s.text[value]; s.text[at] != ':' || c != '|' && c != '>' {
		return false
	}
	end := run(s.text, value+1, func(c byte) bool { return c == '-' || c == '+' || c == ' ' || c == '\r' || digit(c) })
	begin := max(0, at-200) + bytes.LastIndexByte(s.text[max(0, at-200):at], '\n') + 1
	indent := s.skipBlanks(begin) - begin
	for lines := 0; lines < 20 && end < len(s.text) && s.text[end] == '\n'; lines++ {
		from := s.skipBlanks(end + 1)
		if from-end-1 <= indent {
			break
		}
		end = s.lineEnd(from)
		s.add(from, end, "text "+clip(name))
		s.done = end
	}
	return true
}

// flagQuote is where the inside of the string begins that is a flag and its value, as in
// "--password=x y"; 0 where none is.
func (s *scan) flagQuote(name []byte, at int) int {
	from := at - len(name)
	for from > 0 && s.text[from-1] == '-' {
		from--
	}
	if s.text[at] == '=' && from > 0 && from < at-len(name) && s.isQuote(from-1) {
		return from
	}
	return 0
}

// wordEnd is where a value without quotes ends: at white space, at a quote, and at a
// separator that something else follows.
func (s *scan) wordEnd(from int) int {
	if from >= s.long.from && from < s.long.to {
		return s.long.to
	}
	i := from
	defer func() { s.long = member{from, i} }()
	for ; i < len(s.text) && s.text[i] > ' '; i++ {
		switch c := s.text[i]; c {
		case '"', '\'', '`', '<', '>', '\x7f':
			return i
		case '\\':
			if _, n := escape(s.text[i:]); n > 0 {
				return i
			}
		case '&', ';', ',', ')', ']', '}', '|':
			if s.separates(i) {
				return i
			}
		}
	}
	for i > from && (s.text[i-1] == '.' || s.text[i-1] == ':') {
		i-- // the end of a sentence
	}
	return i
}

// separates reports whether a character behind a value stands between it and something
// else: the end, a space, more such characters, or a name that gets a value.
func (s *scan) separates(at int) bool {
	i := at + 1
	for i < len(s.text) && bytes.IndexByte([]byte("&;,)]}|."), s.text[i]) >= 0 {
		i++
	}
	if i >= len(s.text) || s.text[i] <= ' ' || s.isQuote(i) || s.text[i] == '\\' || s.text[at] == '&' && s.text[at+1] == 'a' {
		return true
	}
	end := i
	for end < len(s.text) && end-i < 64 && (named(s.text[end]) || s.text[end] == '%') {
		end++
	}
	return end > i && end < len(s.text) && (s.text[end] == '=' || s.text[end] == ':')
}

// plausible reports whether a value that text gives a name is a secret, and no word of
// a program or of prose.
func (s *scan) plausible(name, value []byte, quoted bool, at, begin int) bool {
	plain := plainName(name)
	value = value[:min(len(value), maxLine)]
	number := len(value) > 0 && run(value, 0, digit) == len(value)
	switch {
	case len(value) < 4, stub(value), unassigned.get()[strings.ToLower(string(value))]:
		return false
	case number:
		return digits.get()[plain] || quoted && len(value) >= 10 && !strings.HasSuffix(plain, "id") || strings.HasSuffix(plain, "code") || strings.HasSuffix(plain, "password")
	case prosaic.get()[plain]:
		return opaque(value)
	case quoted:
		return !strings.Contains(plain, "required") && plainName(value) != plain
	}
	spaced := begin > at+1 || at > 0 && s.text[at-1] == ' '
	letters := run(value, 0, func(c byte) bool { return alpha(c) || c >= 0x80 }) == len(value)
	switch {
	case program(value), len(value) <= 2*len(plain) && strings.HasSuffix(plain, plainName(value)):
		return false
	case s.text[at] == ':' && spaced && letters: // needs no token: just call it
		return false
	case letters && spaced && !strings.Contains(plain, "pass"): // token = lexer
		return false
	case weak.get()[plain] && letters:
		return s.text[at] == '=' && !spaced && len(value) >= 6 && s.form(at-len(name))
	case weak.get()[plain]:
		return hasDigit(value) && len(value) >= 6
	case plain == "pwd":
		return value[0] != '/' && value[0] != '~' && !bytes.Contains(value, []byte(`:\`))
	}
	return true
}

// form reports whether a name that begins at a place is that of a variable or a field:
// at the beginning of a text, a line or a word, or behind a separator.
func (s *scan) form(from int) bool {
	return from <= 0 || bytes.IndexByte([]byte("&;?- \t\n\"'"), s.text[from-1]) >= 0 || isEdge(s.text[from-1])
}

// program reports whether a value without quotes is an expression of a program: a
// name with dots, or a call.
func program(value []byte) bool {
	end := run(value, 0, func(c byte) bool {
		return named(c) && c != '-' || c == '[' || c == ']' || c == '?' || c == '$' || c == '!'
	})
	if end < len(value) {
		return end > 0 && value[end] == '(' && (end == len(value)-1 || bytes.IndexByte([]byte(");({"), value[len(value)-1]) >= 0)
	}
	dot := bytes.IndexByte(value, '.')
	return dot > 0 && dot < len(value)-1 && (!hasDigit(value) || bytes.IndexByte(value, '[') > 0) || bytes.HasPrefix(value, []byte("process.env")) || bytes.HasPrefix(value, []byte("os.environ"))
}

// unassigned are values that occur where a secret would, and are not secret.
var unassigned = set{list: "unassigned"}

// stub reports whether a value only stands for a secret: ${TOKEN}, <your key>, ****.
func stub(value []byte) bool {
	value = bytes.TrimSpace(value)
	value = value[scheme(value):]
	if len(value) == 0 {
		return true
	}
	if same := run(value, 0, func(c byte) bool { return c == value[0] || c == 'X' && value[0] == 'x' }); same == len(value) && bytes.IndexByte([]byte("*xX.-_?#"), value[0]) >= 0 {
		return true
	}
	if bytes.HasPrefix(value, []byte("\u2022\u2022")) || bytes.HasPrefix(value, []byte("****")) {
		return true
	}
	switch last := value[len(value)-1]; {
	case value[0] == '$' && len(value) > 1 && (value[1] == '{' || value[1] == '(') && (last == '}' || last == ')' || len(value) < 4):
		return true
	case value[0] == '$' && run(value, 1, func(c byte) bool { return word(c) && c != '-' }) == len(value) && len(value) > 2 && (value[1] >= 'A' && value[1] <= 'Z' && bytes.Equal(value, bytes.ToUpper(value))):
		return true
	case value[0] == '<' && last == '>', value[0] == '{' && last == '}' && len(value) > 2 && value[1] == '{', value[0] == '%' && (last == '%' || len(value) == 2):
		return true
	}
	lowered := bytes.ToLower(value[:min(len(value), 5)])
	return bytes.HasPrefix(lowered, []byte("your")) && (bytes.IndexByte([]byte("-_ "), value[min(4, len(value)-1)]) >= 0)
}

func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		b = b[:most]
	}
	return string(bytes.ToValidUTF8(b, nil))
}
