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

// ShellWord is a word for a shell, made safe to look at.
func ShellWord(word string) string { return format.ShellWord(Visible(word)) }
