package secrets

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"wiretea/session/lazy"
)

// A placeholder is made of letters, digits and dashes, so that it can be put in
// JSON, in a URL, in a header and in a shell's line as it is:
//
//	redacted-github-token-value-3
//
// Scanners for secrets leave it alone: gitleaks passes over what has a word such as value in it.
// A number's placeholder is a number: whoever has a schema still finds one.
const (
	placeholder       = "redacted-"
	valued            = "-value-"     // valued is before the number.
	numberPlaceholder = 9090909000000 // numberPlaceholder and what a million follows it.
)

// Placeholder is what stands for the nth secret of a file. The same secret has the
// same one wherever it is.
func Placeholder(kind string, n int) string {
	return placeholder + slug(kind) + valued + strconv.Itoa(n)
}

// NumberPlaceholder is what stands for the nth secret where that is a number.
func NumberPlaceholder(n int) string { return strconv.Itoa(numberPlaceholder + n%1000000) }

// Ordinal is the number of the placeholder that text is; 0 where it is none.
func Ordinal(text []byte) int {
	if n, err := strconv.Atoi(string(text)); err == nil {
		if n -= numberPlaceholder; n > 0 && n < 1000000 {
			return n
		}
		return 0
	}
	rest, found := bytes.CutPrefix(bytes.TrimRight(text, "-"), []byte(placeholder))
	at := bytes.LastIndexByte(rest, '-')
	if !found || at < 0 || run(rest, 0, func(c byte) bool { return word(c) && c != '_' }) < len(rest) {
		return 0
	}
	n, err := strconv.Atoi(string(rest[at+1:]))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// placed reports whether nothing but placeholders is in a text, with at most a
// few characters around them, or the beginning of one where there was no room for
// more.
func placed(text []byte) bool {
	if len(text) < len(placeholder) {
		return strings.HasPrefix(placeholder, string(text)) || strings.HasPrefix(strconv.Itoa(numberPlaceholder), string(text))
	}
	if Ordinal(text) > 0 {
		return true
	}
	rest := placeholders.Get().ReplaceAll(text, nil)
	if len(rest) == len(text) {
		return false
	}
	for _, scheme := range Schemes {
		rest = bytes.TrimPrefix(rest, []byte(scheme))
	}
	return len(rest) < 4
}

var placeholders = lazy.Regexp{Text: placeholder + `[a-z0-9-]*[0-9]-*`}

// Unnumbered returns a text whose placeholders have no numbers: what was another secret
// in another session is the same text.
func Unnumbered(text string) string {
	if !strings.Contains(text, placeholder) {
		return text
	}
	return placeholders.Get().ReplaceAllStringFunc(text, func(p string) string { return strings.TrimSuffix(strings.TrimRight(p, "0123456789-"), "-value") })
}

// Schemes are the words that precede the secret in a header.
var Schemes = []string{"Bearer ", "Basic ", "Token ", "Digest ", "ApiKey ", "bearer ", "basic ", "token ", "digest "}

// slug is a kind in the letters of a placeholder.
func slug(kind string) string {
	const most = 24
	kind = strings.TrimPrefix(strings.TrimPrefix(kind, "member "), "text ")
	if strings.HasPrefix(kind, "pattern ") {
		kind = "pattern"
	}
	var b strings.Builder
	for _, r := range strings.ToLower(kind) {
		switch {
		case b.Len() >= most:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return cmp.Or(strings.Trim(b.String(), "-"), "secret")
}
