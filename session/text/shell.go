package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShellWord writes a word so that sh, bash, zsh and fish read it as it is, and an eye
// sees all of it: the result is one line of printable ASCII and visible Unicode, and
// can be pasted. It is
//
//   - the word itself, where it has nothing in it but letters, digits and some signs;
//   - 'in single quotes', with a backslash outside of them where fish would take it for
//     an escape;
//   - "$(printf '\033')" where a character is not visible. A line's end at the end of a
//     word, which a substitution drops, is $'\n': fish refuses a line that has it.
func ShellWord(word string) string {
	switch {
	case plainWord(word):
		return word
	case strings.ContainsFunc(word, hidden) || !utf8.ValidString(word):
		return printfWord(word)
	}
	var b strings.Builder
	b.WriteByte('\'')
	for i, c := range []byte(word) {
		switch {
		case c == '\'':
			b.WriteString(`'\''`)
		case c == '\\' && (i+1 == len(word) || word[i+1] == '\\' || word[i+1] == '\''):
			b.WriteString(`'\\'`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// plainWord reports whether all shells read a word as it is. = and % have a meaning at
// the beginning of one: for zsh a command's path, for fish its own process.
func plainWord(word string) bool {
	for i, c := range []byte(word) {
		letter := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && strings.IndexByte("-_./:=@%+,", c) < 0 || i == 0 && (c == '=' || c == '%') {
			return false
		}
	}
	return word != ""
}

// hidden reports whether an eye does not see a character, or not what it is.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// printfWord writes a word by means of printf, which all shells have. What has a meaning
// within double quotes or for printf is an escape too.
func printfWord(word string) string {
	body := strings.TrimRight(word, "\n")
	var b strings.Builder
	for i, r := range body {
		_, size := utf8.DecodeRuneInString(body[i:])
		if r == utf8.RuneError && size == 1 || hidden(r) || strings.ContainsRune("\\'$`!%()", r) || r == '-' && i == 0 {
			for _, c := range []byte(body[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
			continue
		}
		b.WriteRune(r)
	}
	out := ""
	if body != "" {
		out = `"$(printf '` + b.String() + `')"`
	}
	if ends := len(word) - len(body); ends > 0 {
		out += "$'" + strings.Repeat(`\n`, ends) + "'"
	}
	return out
}

// ShellFile is ShellWord for the name of a file: one that begins like an option is
// written as a path.
func ShellFile(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return ShellWord(path)
}

// CommandLine writes a command and its arguments, each as a ShellWord.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = ShellWord(word)
	}
	if len(argv) > 0 && words[0] == argv[0] && strings.Contains(words[0], "=") {
		words[0] = "'" + words[0] + "'" // not a variable that is set
	}
	return strings.Join(words, " ")
}

// SplitWords splits a command line as a shell does: at spaces, but for those behind a
// backslash and within quotes. Nothing is expanded.
func SplitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inside, escaped := rune(0), false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("the line ends with a backslash")
	case inside:
		words = append(words, word.String())
	}
	return words, nil
}
