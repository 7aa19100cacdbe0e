package format

import "strings"

// ShellWord writes a word so that a POSIX shell reads it as it is, and an eye sees
// where it ends: in quotes where it is empty or has anything in it but letters,
// digits and some signs.
func ShellWord(word string) string {
	plain := word != ""
	for _, c := range []byte(word) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && strings.IndexByte("-_./:=@%+,", c) < 0 {
			plain = false
		}
	}
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// CommandLine writes a command line: each word made visible, then quoted for a shell.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = ShellWord(Visible([]byte(word), 0))
	}
	return strings.Join(words, " ")
}
