package policy

import (
	"strings"
	"unicode/utf8"

	"wiretea/session/json/lex"
)

// Quote is a TOML string: a literal one where that is possible.
func Quote(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\'' || r == 0x7f || r == utf8.RuneError }) {
		return "'" + text + "'"
	}
	return strings.ReplaceAll(lex.Quote(text), "\x7f", `\u007f`) // Its escapes are TOML's too.
}
