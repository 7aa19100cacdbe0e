package secrets

import (
	"bytes"
	"math"
)

const (
	leastRandom = 20  // leastRandom is the length from which a string can look random.
	maxRandom   = 512 // maxRandom is the length beyond which it is data, such as a picture.
)

// word looks at a run of letters, digits and what base64 has besides, without padding.
func (s *scan) word(from, end int) {
	if from < s.blob {
		return
	}
	if s.text[from] == '-' {
		if from = s.dashes(from, end); from >= end {
			return
		}
	}
	if end-from > maxRandom && s.data(from, end) {
		s.blob = end
		return
	}
	if end-from >= 8 || end < len(s.text) && (s.text[end] == '.' || s.text[end] == '~') {
		s.tokens(from, end)
	}
	switch n := end - from; {
	case n == 8 && bytes.EqualFold(s.text[from:end], []byte("password")):
		s.afterPassword(from, end)
	case n == 2 && from > 0 && s.text[from-1] == ' ' && (string(s.text[from:end]) == "is" || string(s.text[from:end]) == "IS"):
		s.is(from, end)
	}
	if end-from < leastEncoded {
		return
	}
	padded := end
	for padded < len(s.text) && padded < end+2 && s.text[padded] == '=' {
		padded++
	}
	if s.encodedSecret(from, padded) || end-from > maxRandom {
		return
	}
	if bytes.IndexByte(s.text[from:end], '/') >= 0 {
		s.segments(from, end)
	}
	if padded-from >= leastRandom && s.encoded == 0 {
		s.random(from, padded)
	}
}

// capability are the segments of a path that a secret follows.
var capability = set{list: "capability"}

// segments takes the part of a path that is a secret by the part before it: /s/TOKEN/mcp.
func (s *scan) segments(from, end int) {
	before := ""
	for part := range bytes.SplitSeq(s.text[from:end], []byte("/")) {
		if capability.get()[before] && (looksRandom(part) || uuid(part) || len(part) >= 32 && run(part, 0, hex) == len(part)) {
			s.add(from, from+len(part), "token in a URL")
		}
		from += len(part) + 1
		before = string(part[:min(len(part), 16)])
	}
}

// data reports whether a long run is the data of a file, or anything else that is not
// looked into.
func (s *scan) data(from, end int) bool {
	return end-from > maxToken || s.file(from)
}

// is looks at what something is: the password is x.
func (s *scan) is(from, end int) {
	value := s.skipBlanks(end)
	if value == end || value >= len(s.text) {
		return
	}
	if !s.isQuote(value) {
		word := s.text[value:s.wordEnd(value)]
		if !hasDigit(word) || len(word) < 4 {
			return
		}
	}
	s.assignment(from, end)
}

// afterPassword takes a value in quotes behind the word, as in SQL, and one that a login
// stands before, as in netrc.
func (s *scan) afterPassword(from, end int) {
	value := s.skipSpace(end)
	if value == end || value >= len(s.text) {
		return
	}
	if s.text[value] == '\'' {
		s.add(value+1, s.closing(value+1), "text password")
		return
	}
	if login := bytes.LastIndex(s.text[max(0, from-200):from], []byte("login ")); login >= 0 && len(bytes.Fields(s.text[max(0, from-200)+login:from])) == 2 {
		s.add(value, s.wordEnd(value), "text password")
	}
}

// random takes a word that looks as if nobody had thought of it: long, of letters and
// digits, with many different ones.
func (s *scan) random(from, end int) {
	w := s.text[from:end]
	hexes := run(w, 0, hex) == len(w)
	if !hexes && !looksRandom(w) || hexes && len(w) < 32 {
		return
	}
	name := s.nameOf(from)
	switch {
	case public(name), hexes && !telling(name), s.file(from), s.inPath(from, end), ofIDs(w):
		return
	}
	kind := "random string"
	if hexes {
		kind = "text " + clip(name)
	}
	s.add(from, end, kind)
}

// ofIDs reports whether a word is an id or a hash by its beginning.
func ofIDs(w []byte) bool {
	for _, prefix := range []string{"chatcmpl", "toolu", "msg", "call", "cus", "pi", "evt", "thread", "asst", "file", "run", "req", "resp", "step", "batch", "item", "seti", "price", "prod", "sub", "txn", "acct",
		"vs", "sha1", "sha256", "sha384", "sha512", "md5", "nonce", "U", "R", "PR", "I", "C", "gid", "index", "main", "chunk"} {
		if rest, ok := bytes.CutPrefix(w, []byte(prefix)); ok && len(rest) > 0 && (rest[0] == '_' || rest[0] == '-') {
			return true
		}
	}
	cid := len(w) == 46 && bytes.HasPrefix(w, []byte("Qm")) || len(w) == 59 && bytes.HasPrefix(w, []byte("baf"))
	ulid := len(w) == 26 && w[0] >= '0' && w[0] <= '7' && run(w, 0, upper) == len(w)
	return cid || ulid || bytes.Contains(w, []byte("ABCDEFG")) || bytes.Contains(w, []byte("abcdefg")) || bytes.Contains(w, []byte("0123456789"))
}

// inPath reports whether a word is a part of a path, of a URL's path, of the name of a
// file, or of an address of mail.
func (s *scan) inPath(from, end int) bool {
	w := s.text[from:end]
	for part := range bytes.SplitSeq(w, []byte{'/'}) {
		if len(part) >= 3 && len(part) < len(w) && run(part, 0, func(c byte) bool { return c >= 'a' && c <= 'z' || c == '-' }) == len(part) {
			return true
		}
	}
	if end < len(s.text) && (s.text[end] == '@' || s.text[end] == '.' && ofFile(s.text[end+1:])) {
		return true
	}
	query := false
	for i := from - 1; i >= max(0, from-512); i-- {
		switch c := s.text[i]; {
		case c == '?' || c == '=' || c == '&' || c == '#':
			query = true
		case (c == '/' || c == '\\') && !query:
			return i < from-1 || i > 0 && s.text[i-1] > ' ' && !s.isQuote(i-1)
		case c <= ' ' || c == '"' || c == '\'' || c == '(' || c == ',':
			return false
		}
	}
	return false
}

// ofFile reports whether a text begins with the ending of a file's name.
func ofFile(rest []byte) bool {
	switch string(rest[:min(len(rest), run(rest[:min(len(rest), 9)], 0, alnum))]) {
	case "js", "mjs", "cjs", "css", "map", "json", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "woff", "woff2", "ttf", "html", "txt", "log", "chunk", "parquet", "gz", "zst", "zip", "tar", "wasm", "pdf", "md", "csv", "so", "dll", "mp4", "min":
		return true
	}
	return false
}

// file reports whether the base64 at a place is that of a file: a picture, a sound, a
// document, a public key.
func (s *scan) file(at int) bool {
	for _, magic := range []string{"iVBORw0", "/9j/", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "PHN2Zy", "SUQz", "T2dnUw", "Qk0", "AAAA"} {
		if bytes.HasPrefix(s.text[at:], []byte(magic)) {
			return true
		}
	}
	if bytes.HasSuffix(s.text[:at], []byte(";base64,")) {
		return true
	}
	if string(s.nameOf(at)) != "data" {
		return false
	}
	if s.mime == 0 {
		s.mime = -1
		if bytes.Contains(s.text, []byte("mimeType")) {
			s.mime = 1
		}
	}
	return s.mime > 0
}

// nameOf is the name of the value that a place is in: of a member, or of what text
// assigns; a word before it such as commit counts too.
func (s *scan) nameOf(at int) []byte {
	const far = 1024
	at--
	for least := max(0, at-far); at >= least; at-- {
		switch c := s.text[at]; {
		case s.isQuote(at):
			if at > 1 && s.text[at-1] == '/' && s.text[at-2] == 'W' { // a weak ETag
				at -= 2
			}
			at = s.blanksBefore(at)
			for at > 0 && (s.text[at-1] == '[' || s.isQuote(at-1)) {
				at = s.blanksBefore(at - 1)
			}
			if at > 0 && (s.text[at-1] == ':' || s.text[at-1] == '=') {
				return s.longName(at - 1)
			}
			return nil
		case c == ':' || c == '=':
			return s.longName(at)
		case c == ' ' || c == '\n' || c == ',' || c == ';' || c == '&' || c == '{' || c == '[':
			at = s.blanksBefore(at + 1)
			end := at
			for at > least && word(s.text[at-1]) {
				at--
			}
			if end > at {
				return s.text[at:end]
			}
			if at > 0 && (s.text[at-1] == ':' || s.text[at-1] == '=') {
				return s.longName(at - 1)
			}
			return nil
		}
	}
	return nil
}

// longName is the name before an equals sign or a colon, with the word before it where
// that makes it the name of an id: request id.
func (s *scan) longName(at int) []byte {
	name := s.nameBefore(at)
	if bytes.EqualFold(name, []byte("id")) {
		if long := s.phraseBefore(at, name); long != nil {
			return long
		}
	}
	return name
}

// looksRandom judges one word.
func looksRandom(w []byte) bool {
	if len(w) < leastRandom || len(w) > maxRandom || uuid(w) || bytes.Count(w, []byte("/")) > len(w)/16 {
		return false
	}
	digits, lowers, uppers := 0, 0, 0
	for _, c := range w {
		switch {
		case digit(c):
			digits++
		case c >= 'a' && c <= 'z':
			lowers++
		case c >= 'A' && c <= 'Z':
			uppers++
		}
	}
	if digits < 2 || lowers+uppers < 4 || wordy(w) {
		return false
	}
	var counts [256]int
	for _, c := range w {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(w))
			bits -= p * math.Log2(p)
		}
	}
	if uppers > 0 && lowers > 0 {
		return bits >= 3.7 && changes(w) >= len(w)/4
	}
	return bits >= 3.9 && changes(w) >= len(w)/3
}

// wordy reports whether most of a word is made of words that people write, four
// letters or more of one case, or one of them is long.
func wordy(w []byte) bool {
	n, begin := 0, 0
	for i := 1; i <= len(w); i++ {
		if i < len(w) && alpha(w[i]) && (kindOf(w[i]) == kindOf(w[i-1]) || i == begin+1 && kindOf(w[i-1]) == 4 && kindOf(w[i]) == 3) {
			continue
		}
		if i-begin >= 4 && alpha(w[begin]) {
			n += i - begin
		}
		if i-begin >= 10 && alpha(w[begin]) {
			return true
		}
		begin = i
	}
	return n*2 > len(w)
}

// changes counts where the kind of character changes: words that people write have
// few such places. Dashes count for nothing.
func changes(w []byte) int {
	n, last := 0, 0
	for _, c := range w {
		if kind := kindOf(c); kind != last && c != '-' && c != '_' {
			n++
			last = kind
		}
	}
	return n
}

// kindOf tells digits, small and capital letters, and all else apart.
func kindOf(c byte) int {
	switch {
	case digit(c):
		return 2
	case c >= 'a' && c <= 'z':
		return 3
	case c >= 'A' && c <= 'Z':
		return 4
	}
	return 1
}

// uuid reports whether a word is a UUID: an id, and public as ids are.
func uuid(w []byte) bool {
	if len(w) != 36 {
		return false
	}
	for i, c := range w {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !hex(c) {
			return false
		}
	}
	return true
}
