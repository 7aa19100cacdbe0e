package cause

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"wiretea/session/lazy"
)

// shown is how long a statement in a sentence is, in bytes.
const shown = 160

// Show returns a statement for the end of a sentence: on one line, with control
// characters and escape sequences escaped. A long one loses the modules of its
// exception and the middle of its paths first, and then what is neither at its start, nor at its end, nor the
// words that decide.
func Show(statement []byte) string {
	plain, _ := Plain(statement)
	text := strings.TrimSpace(printable(string(plain)))
	if len(text) <= shown {
		return text
	}
	text = exceptionPath.Get().ReplaceAllString(text, "$1")
	if len(text) <= shown {
		return text
	}
	text = longPath.Get().ReplaceAllString(text, "$1/…$2")
	if len(text) <= shown {
		return text
	}
	head, tail := shown*3/5, len(text)-shown*2/5
	_, at := find([]byte(text))
	if at == nil || at[1] <= head || at[0] >= tail {
		return without(text, head, tail)
	}
	end := min(at[1], at[0]+shown*2/3) // The words that decide are in the middle.
	rest := (shown - (end - at[0])) / 2
	return without(text[:end], min(rest, at[0]), at[0]) + without(text[end:], 0, max(0, len(text)-end-rest))
}

// exceptionPath matches the name of an exception behind those of its modules.
var exceptionPath = lazy.Regexp{Text: `^(?:[a-z_]\w*\.)+([A-Z]\w*:)`}

// longPath matches a path of many folders: the first of them, and the last two
// parts.
var longPath = lazy.Regexp{Text: `(/[^/\s'":]+)(?:/[^/\s'":]+){2,}((?:/[^/\s'":]+){2})`}

// without returns a text without what is between two places, which are moved to
// blanks that are near.
func without(text string, from, to int) string {
	if to <= from {
		return text
	}
	const near = 20
	if i := strings.LastIndexByte(text[:from], ' '); i > max(0, from-near) {
		from = i
	}
	if i := strings.IndexByte(text[to:], ' '); i >= 0 && i < near {
		to += i
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return strings.TrimRight(text[:from], " ") + " … " + strings.TrimLeft(text[to:], " ")
}

// printable returns a text without control characters.
func printable(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "�") {
		switch {
		case unicode.IsPrint(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
