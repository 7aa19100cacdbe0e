package term

import (
	"strings"

	"wiretea/ui/format"
)

func ListOr(words []string, otherwise string) string {
	if len(words) == 0 {
		return otherwise
	}
	return strings.Join(words, ", ")
}

func Visible(text string) string { return format.Visible([]byte(text), 0) }

func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
