package path

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// fileError says in one line, which is safe to print, why a text cannot be decoded as TOML.
func fileError(err error) error {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	if at, ok := errors.AsType[toml.ParseError](err); ok {
		text = fmt.Sprintf("line %d: %s", at.Position.Line, at.Message)
	}
	return errors.New(strings.Map(visible, text))
}

// visible shows a character that does not print.
func visible(r rune) rune {
	switch {
	case r < ' ':
		return '␀' + r
	case r == 0x7f:
		return '␡'
	case unicode.IsPrint(r):
		return r
	}
	return unicode.ReplacementChar
}
