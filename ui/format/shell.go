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
