package text

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"":                   `''`,
		"npx":                `npx`,
		"-y":                 `-y`,
		"a@1.2/b:c=d":        `a@1.2/b:c=d`,
		"=ls":                `'=ls'`,
		"%self":              `'%self'`,
		"a b":                `'a b'`,
		"it's":               `'it'\''s'`,
		`C:\dir`:             `'C:\dir'`,
		`a\`:                 `'a'\\''`,
		`\\'`:                `''\\''\\''\'''`,
		`{"a":"x\n\"\\"}`:    `'{"a":"x\n\"'\\'\"}'`,
		"$HOME":              `'$HOME'`,
		"~/x":                `'~/x'`,
		"é":                  `'é'`,
		"a\nb":               `"$(printf 'a\012b')"`,
		"\x1b[201~;id":       `"$(printf '\033[201~;id')"`,
		"\u009b\u202e\u3164": `"$(printf '\302\233\342\200\256\343\205\244')"`,
		"-\xff%'\\!$(x)`":    `"$(printf '\055\377\045\047\134\041\044\050x\051\140')"`,
		"x\n\n":              `"$(printf 'x')"$'\n\n'`,
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	if got := CommandLine([]string{"A=1", "B=2"}); got != "'A=1' B=2" {
		t.Error(got)
	}
	if got := ShellFile("-rf"); got != "./-rf" {
		t.Error(got)
	}
}

// FuzzShellWord holds that a word is one line that an eye sees, and that each shell of
// this machine reads it back.
func FuzzShellWord(f *testing.F) {
	for _, word := range []string{"", "a b", "it's", `\\''`, "\x1b[201~\n", "$(id)`id`", "%s%n", "=ls", "!!", "\u202e\u2028", "\xff", "-n", "x\n", "é\u0301\ufe0f"} {
		f.Add(word)
	}
	var shells []string
	for _, name := range []string{"bash", "zsh", "fish"} {
		if path, err := exec.LookPath(name); err == nil {
			shells = append(shells, path)
		}
	}
	f.Fuzz(func(t *testing.T, word string) {
		line := ShellWord(word)
		for _, r := range line {
			if r == utf8.RuneError && !strings.ContainsRune(word, r) || r != ' ' && !unicode.IsPrint(r) {
				t.Fatalf("%q became %q, with %q", word, line, r)
			}
		}
		if strings.Contains(word, "\x00") {
			return // which no argument can have
		}
		for _, shell := range shells {
			if strings.HasSuffix(shell, "fish") && strings.HasSuffix(word, "\n") {
				continue
			}
			out, err := exec.Command(shell, "-c", "printf %s "+line+" | od -An -v -tx1").Output()
			want := slices.Collect(strings.FieldsSeq(hexOf(word)))
			if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s reads %q, written %s, as %v (%v)", shell, word, line, got, err)
			}
		}
	})
}

func hexOf(word string) string {
	var b strings.Builder
	for _, c := range []byte(word) {
		b.WriteString("0123456789abcdef"[c>>4:c>>4+1] + "0123456789abcdef"[c&15:c&15+1] + " ")
	}
	return b.String()
}
