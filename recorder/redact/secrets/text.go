package secrets

import (
	"bytes"
	"math"
	"strings"
	"unicode"
)

// assignments finds secrets that plain text gives a name: PASSWORD=x, token: "x",
// ?api_key=x, Authorization: Bearer x, also inside of a JSON string, where quotes
// are escaped.
func assignments(spans []Span, text []byte) []Span {
	for at := 0; ; at++ {
		next := bytes.IndexAny(text[at:], "=:")
		if next < 0 {
			break
		}
		at += next
		name := nameBefore(text, at)
		if plain := plainName(name); len(name) == 0 || harmless()[string(plain)] || !telling(plain) {
			continue
		}
		s, found := assigned(text, at)
		if count := bytes.IndexFunc(text[s.From:s.To], func(r rune) bool { return !unicode.IsDigit(r) }) < 0; found && (!count || digits()[string(plainName(name))]) {
			if prosaic()[string(plainName(name))] && !opaque(text[s.From:s.To]) {
				continue
			}
			s.Kind = "text " + clip(name)
			spans = append(spans, s)
			at = s.To - 1
		}
	}
	for _, scheme := range []string{"earer ", "asic "} {
		spans = each(spans, text, scheme, func(at int) (Span, bool) {
			from := at + len(scheme)
			end := run(text, from, func(c byte) bool { return base64(c) || c == '.' || c == '~' })
			return Span{from, end, "authorization"}, end-from >= 12 && bytes.IndexFunc(text[from:end], unicode.IsDigit) >= 0
		})
	}
	return spans
}

// telling reports whether text that gives a value such a name gives away a secret.
func telling(plain []byte) bool {
	for _, p := range parts {
		if bytes.HasSuffix(plain, []byte(p)) {
			return true
		}
	}
	switch string(plain) {
	case "pwd", "cookie", "setcookie", "signature", "sig":
		return true
	}
	return false
}

// nameBefore is the name that stands before an equals sign or a colon, with or
// without quotes around it.
func nameBefore(text []byte, at int) []byte {
	end := at
	for end > 0 && text[end-1] == ' ' {
		end--
	}
	if end > 0 && (text[end-1] == '"' || text[end-1] == '\'') {
		end--
		if end > 0 && text[end-1] == '\\' {
			end--
		}
	}
	from := end
	for from > 0 && end-from <= 64 && word(text[from-1]) {
		from--
	}
	if escaped(text, from+1) && from > 0 && text[from-1] == '\\' {
		from++
	}
	return text[min(from, end):end]
}

// assigned is the value behind an equals sign or a colon.
func assigned(text []byte, at int) (Span, bool) {
	from := at + 1
	for from < len(text) && text[from] == ' ' {
		from++
	}
	spaced := from > at+1
	quote := false
	for from < len(text) && (text[from] == '\\' || text[from] == '"' || text[from] == '\'') && from < at+5 {
		from++
		quote = true
	}
	end := run(text, from, valueChar)
	switch strings.ToLower(string(text[from:min(end, from+10)])) {
	case "bearer", "basic", "token", "digest":
		if end < len(text) && text[end] == ' ' {
			end = run(text, end+1, valueChar)
		}
	}
	value := text[from:end]
	if len(value) < 4 || unassigned()[string(bytes.ToLower(value))] {
		return Span{}, false
	}
	// "needs no token: just call it" is prose.
	prose := text[at] == ':' && spaced && !quote && bytes.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	return Span{From: from, To: end}, !prose
}

func valueChar(c byte) bool {
	return c > ' ' && bytes.IndexByte([]byte(`"'\,;&<>{}[]()`), c) < 0
}

// unassigned are values that stand where a secret would and are none.
var unassigned = set("null true false none string number boolean integer object array undefined required optional missing invalid")

const (
	leastRandom = 20  // leastRandom is the length from which a string can look random.
	mostRandom  = 512 // mostRandom is the length beyond which it is data, such as a picture.
)

// random finds strings that look as if nobody had thought of them: long, of letters
// and digits, with many different ones.
func random(spans []Span, text []byte) []Span {
	for i := 0; i < len(text); {
		if !base64(text[i]) {
			i++
			continue
		}
		end := run(text, i, func(c byte) bool { return base64(c) && c != '=' })
		if end == i {
			i++ // an equals sign that ends nothing
			continue
		}
		from := i
		end += run(text[:min(len(text), end+2)], end, func(c byte) bool { return c == '=' }) - end // padding
		if escaped(text, from+1) && from > 0 && text[from-1] == '\\' {
			from++ // the letter belongs to the escape
		}
		if looksRandom(text[from:end]) && !file(text, from) && !public(nameOf(text, from)) {
			spans = append(spans, Span{from, end, "random string"})
		}
		i = end
	}
	return spans
}

// file reports whether the base64 at a place is that of a file: a picture, a sound,
// a document.
func file(text []byte, at int) bool {
	for _, magic := range []string{"iVBORw0", "/9j/", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "PHN2Zy", "SUQz", "T2dnUw", "Qk0", "H4sIA", "AAAA"} {
		if bytes.HasPrefix(text[at:], []byte(magic)) {
			return true
		}
	}
	return bytes.HasSuffix(text[:at], []byte(";base64,")) || string(nameOf(text, at)) == "data" && bytes.Contains(text, []byte("mimeType"))
}

// nameOf is the name of the value that a place is in: of a member, also of JSON in
// a string, or of what text assigns; a word before it such as commit counts too.
func nameOf(text []byte, at int) []byte {
	const far = 1024
	at--
	for least := max(0, at-far); at >= least; at-- {
		switch c := text[at]; c {
		case '"', '\'':
			for at > 0 && (text[at-1] == '\\' || text[at-1] == ' ') {
				at--
			}
			if at > 0 && (text[at-1] == ':' || text[at-1] == '=') {
				return nameBefore(text, at-1)
			}
			return nil
		case ':', '=':
			return nameBefore(text, at)
		case ' ', '\n', ',', ';', '&', '{', '[':
			end := at
			for at > least && word(text[at-1]) {
				at--
			}
			if end > at {
				return text[at:end]
			}
			if at > 0 && (text[at-1] == ':' || text[at-1] == '=') {
				return nameBefore(text, at-1)
			}
			return nil
		}
	}
	return nil
}

// looksRandom judges one word.
func looksRandom(w []byte) bool {
	if len(w) < leastRandom || len(w) > mostRandom || uuid(w) || bytes.Count(w, []byte("/")) > len(w)/16 {
		return false
	}
	var counts [256]int
	digits, lowers, uppers, hexes := 0, 0, 0, 0
	for _, c := range w {
		counts[c]++
		switch {
		case digit(c):
			digits++
		case c >= 'a' && c <= 'z':
			lowers++
		case c >= 'A' && c <= 'Z':
			uppers++
		}
		if hex(c) {
			hexes++
		}
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(w))
			bits -= p * math.Log2(p)
		}
	}
	switch {
	case hexes == len(w):
		return len(w) >= 32 && bits >= 3 && digits > 0 && digits < len(w)
	case digits < 2 || lowers+uppers < 4:
		return false
	case uppers > 0 && lowers > 0:
		return bits >= 3.7 && changes(w) >= len(w)/4
	}
	return bits >= 3.9 && changes(w) >= len(w)/3
}

// changes counts where the kind of character changes: words that people write have
// few such places.
func changes(w []byte) int {
	n, last := 0, 0
	for _, c := range w {
		kind := 1
		switch {
		case digit(c):
			kind = 2
		case c >= 'a' && c <= 'z':
			kind = 3
		case c >= 'A' && c <= 'Z':
			kind = 4
		}
		if kind != last {
			n++
		}
		last = kind
	}
	return n
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
