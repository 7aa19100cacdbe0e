package secrets

import (
	"bytes"
	"unicode"
)

// dashes looks at a run that begins with dashes: a flag, or armour around a key. It
// returns where the word begins that is left to be looked at.
func (s *scan) dashes(from, end int) int {
	i := run(s.text[:end], from, func(c byte) bool { return c == '-' })
	switch n := i - from; {
	case n == 5 && bytes.HasPrefix(s.text[i:], []byte("BEGIN ")):
		s.armour(from)
	case n == 2 && i < end && (from == 0 || !named(s.text[from-1])):
		s.longFlag(i, end)
	case n == 1 && i < end && (from == 0 || s.text[from-1] == ' ' || s.isQuote(from-1)):
		s.shortFlag(from, end)
	}
	return i
}

// longFlag looks at the value of a flag such as --api-key, behind a space or as the next
// element of a list. Behind an equals sign equals looks at it.
func (s *scan) longFlag(name, end int) {
	flag := s.text[name:end]
	if string(flag) == "password-stdin" {
		s.piped(name)
		return
	}
	ofUser := string(flag) == "user" && s.command(name-2, "curl")
	if !ofUser && (!s.f.secretName(flag) || prosaic.get()[plainName(flag)]) {
		return
	}
	from, to := s.argument(end)
	if from >= to || s.text[from] == '-' || stub(s.text[from:to]) || afterFlag.get()[string(s.text[from:to])] {
		return
	}
	if ofUser {
		s.password(from, to)
		return
	}
	s.add(from, to, "flag "+clip(flag))
}

// afterFlag are the words that follow a flag in a sentence about it.
var afterFlag = set{list: "afterFlag"}

// piped takes what echo writes into a command that reads a password.
func (s *scan) piped(at int) {
	start := max(0, at-512)
	line := s.text[start:at]
	pipe := bytes.LastIndexByte(line, '|')
	echo := bytes.LastIndex(line[:max(0, pipe)], []byte("echo "))
	if echo < 0 {
		return
	}
	from, to := s.trim(start+echo+len("echo "), start+pipe)
	if bytes.ContainsFunc(s.text[from:to], unicode.IsControl) {
		return
	}
	if to-from > 2 && s.isQuote(from) {
		from, to = from+1, to-1
	}
	if from < to && !stub(s.text[from:to]) {
		s.add(from, to, "flag password-stdin")
	}
}

// argument is the word behind a flag that ends at a place: the next word of a command
// line, or the next string of a list; nothing where there is none.
func (s *scan) argument(end int) (from, to int) {
	if end >= len(s.text) {
		return 0, 0
	}
	if quote := s.text[end]; s.isQuote(end) {
		comma := s.skipSpace(end + 1)
		if comma >= len(s.text) || s.text[comma] != ',' {
			return 0, 0
		}
		if next := s.skipSpace(comma + 1); next < len(s.text) && s.text[next] == quote {
			return next + 1, s.closing(next + 1)
		}
		return 0, 0
	}
	if s.text[end] != ' ' {
		return 0, 0
	}
	from = s.skipBlanks(end)
	if from < len(s.text) && s.isQuote(from) && !isEdge(s.text[from]) {
		return from + 1, s.closing(from + 1)
	}
	return from, s.wordEnd(from)
}

// shortFlags are flags of one letter that take a password, with the commands that have
// them. A + before a letter means that the password follows at once.
var shortFlags = []struct{ flag, commands string }{
	{"u", "curl"},
	{"+p", "mysql mysqldump mysqladmin mariadb mariadb-dump mysqlimport sshpass 7z"},
	{"p", "sshpass mongo mongosh mongodump mongorestore"},
	{"P", "unzip zip"},
	{"a", "redis-cli"},
	{"w", "ldapsearch ldapmodify ldapadd ldapwhoami ldappasswd"},
	{"passin", "openssl"}, {"passout", "openssl"},
}

// shortFlag looks at the value of a flag of one letter.
func (s *scan) shortFlag(from, end int) {
	flag := s.text[from+1 : end]
	if string(flag) == "p" && s.command(from, "login") {
		if at, to := s.argument(end); at < to && !stub(s.text[at:to]) {
			s.add(at, to, "flag p")
		}
		return
	}
	for _, f := range shortFlags {
		at, to := 0, 0
		switch {
		case string(flag) == f.flag:
			at, to = s.argument(end)
		case f.flag[0] == '+' && flag[0] == f.flag[1] && len(flag) > 1:
			at, to = from+2, s.wordEnd(from+2)
		case f.flag == "+p" && string(flag) == "p" && end < len(s.text) && s.isQuote(end) && !isEdge(s.text[end]) && s.text[end] != '"':
			at, to = end+1, s.closing(end+1)
		}
		if at >= to || s.text[at] == '-' || stub(s.text[at:to]) || !s.command(from, f.commands) {
			continue
		}
		switch f.flag {
		case "u":
			s.password(at, to)
		case "passin", "passout":
			if bytes.HasPrefix(s.text[at:to], []byte("pass:")) {
				s.add(at+len("pass:"), to, "flag "+f.flag)
			}
		default:
			s.add(at, to, "flag "+f.flag[len(f.flag)-1:])
		}
		return
	}
}

// password takes what follows the colon of user:password.
func (s *scan) password(from, to int) {
	if colon := bytes.IndexByte(s.text[from:to], ':'); colon >= 0 && !stub(s.text[from+colon+1:to]) {
		s.add(from, to, "flag user") // With its colon left, gitleaks takes the placeholder for a password.
		s.add(from+colon+1, to, "flag user")
	}
}

// command reports whether one of some commands is before a place on its line.
func (s *scan) command(at int, names string) bool {
	start := max(0, at-512)
	line := s.text[start:at]
	for i := len(line) - 1; i >= 0; i-- {
		if c := line[i]; c == '|' || c == ';' || c == '\n' && (i == 0 || line[i-1] != '\\') { // no line that goes on
			line = line[i+1:]
			break
		}
	}
	for name := range bytes.FieldsSeq([]byte(names)) {
		for rest := line; ; {
			i := bytes.Index(rest, name)
			if i < 0 {
				break
			}
			end := i + len(name)
			if (i == 0 || !word(rest[i-1])) && (end == len(rest) || !named(rest[end])) {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}

// armour takes a private key, and passes over what is public.
func (s *scan) armour(at int) {
	line := s.text[at:min(len(s.text), at+80)]
	end := s.armourEnd(at)
	if !bytes.Contains(line, []byte("PRIVATE KEY")) && !bytes.Contains(line, []byte("PGP MESSAGE")) {
		s.blob = max(s.blob, min(end, at+64<<10))
		return
	}
	if at >= s.blob {
		s.inStrings(at, end, "private key")
		s.blob = end
	}
}

// armourEnd is the end of a block in armour: behind its last line, else at the end of
// its string or of the text.
func (s *scan) armourEnd(at int) int {
	from := at + len("-----BEGIN ")
	if !s.ended {
		s.ended = true
		s.each("-----END ", func(at int) int { s.endings = append(s.endings, at); return 0 })
	}
	for len(s.endings) > 0 && s.endings[0] < from {
		s.endings = s.endings[1:]
	}
	if len(s.endings) > 0 {
		last := s.endings[0] + len("-----END ")
		if i := bytes.Index(s.text[last:min(len(s.text), last+80)], []byte("-----")); i >= 0 {
			return last + i + len("-----")
		}
	}
	return run(s.text, from, func(c byte) bool { return c != '"' && !isEdge(c) })
}
