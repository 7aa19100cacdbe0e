package term

import (
	"strings"

	"wiretea/ui/format"
)

// CommandLine writes a command for eyes.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = ShellWord(word)
	}
	return strings.Join(words, " ")
}

// ShellWord is a word for a shell, made safe to look at.
func ShellWord(word string) string { return format.ShellWord(Visible(word)) }
