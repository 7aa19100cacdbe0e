package secrets

import "bytes"

// field takes the value of a header for credentials: Authorization: ApiKey x. It goes on
// to the quote that is before the name, or to the end of the line.
func (s *scan) field(name []byte, value int) {
	end := s.lineEnd(value)
	if begin := s.nameStart(name, value) - 1; begin >= 0 && s.isQuote(begin) && !isEdge(s.text[begin]) {
		if i := bytes.IndexByte(s.text[value:end], s.text[begin]); i >= 0 {
			end = value + i
		}
	}
	for end > value && bytes.IndexByte([]byte(" \t,\\"), s.text[end-1]) >= 0 {
		end--
	}
	text := s.text[value:end]
	if cookie := plainName(name); bytes.HasSuffix([]byte(cookie), []byte("cookie")) {
		if i := bytes.IndexByte(text, '='); i > 0 && run(text, 0, func(c byte) bool { return named(c) || c == '%' }) == i && !stub(text) {
			s.add(value, end, "text "+clip(name))
			s.done = end
		}
		return
	}
	first := run(text, 0, word)
	rest := bytes.TrimLeft(text[first:], " ")
	s.done = value + first
	switch {
	case first > 0 && len(rest) > 0 && first < len(text) && text[first] == ' ' && schemes.get()[plainName(text[:first])]:
		from := end - len(rest)
		if begin := rest[:min(len(rest), 64)]; stub(rest) || !hasDigit(begin) && bytes.IndexByte(begin, ' ') > 0 {
			return
		}
		if bytes.IndexByte([]byte("DdAa"), text[0]) < 0 || bytes.EqualFold(text[:first], []byte("apikey")) {
			end = s.wordEnd(from) // one word, and no list as with Digest
		}
		s.add(from, end, "text "+clip(name))
		s.done = end
	case bytes.IndexByte(text, ' ') < 0 && !stub(text) && len(text) >= 8 && hasDigit(text):
		s.add(value, end, "text "+clip(name))
		s.done = end
	}
}

// schemes are those of authorization.
var schemes = set{list: "schemes"}

// nameStart is where a name begins that is before a value.
func (s *scan) nameStart(name []byte, value int) int {
	return max(0, bytes.LastIndex(s.text[max(0, value-100):value], name)) + max(0, value-100)
}

// codes takes a list of codes, on this line or on those that follow.
func (s *scan) codes(name []byte, value int) {
	for lines := 0; lines < 20; lines++ {
		end := s.lineEnd(value)
		found := false
		for i := value; i < end; {
			if c := s.text[i]; c == '\\' || c == '"' && i > value {
				end = i
				break
			}
			if !alnum(s.text[i]) {
				i++
				continue
			}
			to := run(s.text[:end], i, word)
			if code := s.text[i:to]; len(code) >= 4 && hasDigit(code) {
				s.add(i, to, "text "+clip(name))
				found = true
			}
			i = to
		}
		s.done = end
		if lines > 0 && !found || end >= len(s.text) || s.text[end] != '\n' {
			return
		}
		value = end + 1
	}
}

// element looks at an element of XML whose opening tag ends at a place.
func (s *scan) element(at int) {
	open := bytes.LastIndexByte(s.text[max(0, at-120):at], '<')
	if open < 0 {
		return
	}
	open += max(0, at-120) + 1
	end := run(s.text[:at], open, func(c byte) bool { return named(c) || c == ':' })
	name := s.text[open:end]
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) == 0 || s.text[at-1] == '/' {
		return
	}
	from := at + 1
	to := s.contentEnd(from)
	if plain := plainName(name); plain == "key" || plain == "name" {
		// <key>password</key><string>x</string>
		if inner := s.text[from:to]; !s.f.secretName(inner) {
			return
		} else {
			name = inner
		}
		next := bytes.IndexByte(s.text[to:min(len(s.text), to+80)], '>')
		if next < 0 || to+next+1 >= len(s.text) || s.text[s.skipSpace(to+next+1)%len(s.text)] != '<' {
			return
		}
		after := s.skipSpace(to + next + 1)
		if next = bytes.IndexByte(s.text[after:min(len(s.text), after+40)], '>'); next < 0 {
			return
		}
		from = after + next + 1
		to = s.contentEnd(from)
	} else if !s.f.secretName(name) {
		return
	}
	from, to = s.trim(from, to)
	if value := s.text[from:to]; len(value) >= 2 && !stub(value) {
		s.add(from, to, "text "+clip(name))
		s.done = to
	}
}

// contentEnd is where the text of an element ends: at the next tag, or its string.
func (s *scan) contentEnd(from int) int {
	end := run(s.text[:min(len(s.text), from+4096)], from, func(c byte) bool { return c != '<' && !isEdge(c) })
	if bytes.HasPrefix(s.text[end:], []byte("<![CDATA[")) {
		if i := bytes.Index(s.text[end:min(len(s.text), end+4096)], []byte("]]>")); i >= 0 {
			return end + i
		}
	}
	return end
}

// trim leaves out what surrounds the text of an element.
func (s *scan) trim(from, to int) (int, int) {
	if i := bytes.Index(s.text[from:to], []byte("<![CDATA[")); i >= 0 {
		from += i + len("<![CDATA[")
	}
	for from < to && s.text[from] <= ' ' {
		from++
	}
	for to > from && s.text[to-1] <= ' ' {
		to--
	}
	return from, to
}

// attribute looks at the attribute value of a tag or of an entry that another attribute
// names: <add key="Password" value="x"/>, name: PASSWORD and below it value: x.
func (s *scan) attribute(at int) {
	value := s.skipBlanks(at + 1)
	start := max(0, at-200)
	before := s.text[start:at]
	if s.text[at] == '=' {
		if i := bytes.LastIndexByte(before, '<'); i >= 0 {
			before = before[i:]
		}
	}
	for _, word := range []string{"name=", "key=", "name:", "key:"} {
		i := bytes.LastIndex(before, []byte(word))
		if i < 0 || word[len(word)-1] != s.text[at] {
			continue
		}
		from := run(before, i+len(word), func(c byte) bool { return c == ' ' || c == '"' || c == '\'' })
		name := before[from:run(before, from, named)]
		if between := before[from+len(name):]; s.f.secretName(name) && bytes.Count(between, []byte("\n")) <= 1 && bytes.IndexByte(between, ':') < 0 {
			s.unquoted(name, at, value)
			return
		}
	}
}

// marked looks at what has a mark within, such as :// in a URL.
func (s *scan) marked(at int) {
	rest := s.text[at:]
	switch next := rest[min(1, len(rest)-1)]; {
	case rest[0] == ':' && next != '/' && next != '5' && next != 'A', rest[0] == '.' && next != 'a':
	case at >= s.host && bytes.HasPrefix(rest, []byte("://")):
		s.url(at)
	case rest[0] == '$':
		s.hash(at)
	case at >= s.done && bytes.HasPrefix(rest, []byte(":5432:")): // host:port:database:user:password
		from := at + len(":5432:")
		for range 2 {
			from = run(s.text[:min(len(s.text), from+64)], from, named) + 1
			if from >= len(s.text) || s.text[from-1] != ':' {
				return
			}
		}
		s.done = s.wordEnd(from)
		s.add(from, s.done, "password file")
	default:
		s.shape(at)
	}
}

// ending looks at what a word leads to.
func (s *scan) ending(from, end int) {
	word := s.text[from:end]
	switch word[len(word)-1] {
	case 'r', 'c':
		if end < len(s.text) && s.text[end] == ' ' && (bytes.HasSuffix(word, []byte("earer")) || bytes.HasSuffix(word, []byte("asic"))) {
			from := end + 1
			end := run(s.text, from, func(c byte) bool { return base64(c) || c == '.' || c == '~' })
			if end-from >= 12 && hasDigit(s.text[from:end]) {
				s.add(from, end, "authorization")
			}
		}
	case 'd', 'D':
		if !bytes.EqualFold(word, []byte("identified")) {
			return
		}
		line := s.text[from:min(len(s.text), from+120)]
		i := bytes.IndexAny(line, "'\"")
		if before := bytes.ToUpper(bytes.TrimRight(line[:max(0, i)], " ")); bytes.HasSuffix(before, []byte(" BY")) || bytes.HasSuffix(before, []byte(" AS")) {
			s.add(from+i+1, s.closing(from+i+1), "text identified by")
		}
	case 'k':
		if bytes.HasSuffix(word, []byte("_mmk")) {
			s.shape(end - len("_mmk"))
		}
	}
}

// hashSchemes begin the hashes of passwords that crypt(3) and its relatives write.
var hashSchemes = []string{"$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$", "$argon2", "$pbkdf2", "$scrypt$"}

// hash takes the hash of a password.
func (s *scan) hash(at int) {
	for _, scheme := range hashSchemes {
		if bytes.HasPrefix(s.text[at:], []byte(scheme)) {
			end := run(s.text[:min(len(s.text), at+maxRandom)], at, func(c byte) bool { return base64(c) || c == '$' || c == '.' || c == ',' })
			if end-at >= len(scheme)+20 {
				s.add(at, end, "password hash")
			}
		}
	}
}

// url finds the password in a URL, or the token in its place.
func (s *scan) url(at int) {
	from := at + len("://")
	end := run(s.text[:min(len(s.text), from+1024)], from, func(c byte) bool { return c > ' ' && bytes.IndexByte([]byte("\"'`<>\\"), c) < 0 && !isEdge(c) })
	host := from + run(s.text[from:end], 0, func(c byte) bool { return bytes.IndexByte([]byte("/?#"), c) < 0 })
	s.host = host
	sign := bytes.LastIndexByte(s.text[from:host], '@')
	if sign < 0 { // A slash may be in the password; a port may not.
		colon := bytes.IndexByte(s.text[from:host], ':')
		if colon < 0 && bytes.Contains(s.text[max(0, at-24):at], []byte("oracle")) {
			colon = host - from // oracle://user/password@host
		} else if colon < 0 || colon+1 < host-from && run(s.text[:host], from+colon+1, digit) == host {
			return
		}
		next := bytes.IndexByte(s.text[from+colon:end], '@')
		if next < 0 {
			return
		}
		s.add(from+colon+1, from+colon+next, "password in a URL")
		return
	}
	user := s.text[from : from+sign]
	switch colon := bytes.IndexByte(user, ':'); {
	case colon >= 0 && !stub(user[colon+1:]):
		s.add(from+colon+1, from+sign, "password in a URL")
	case colon < 0 && len(user) >= 16 && hasDigit(user):
		s.add(from, from+sign, "token in a URL")
	}
}
