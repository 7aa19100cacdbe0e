package format

import "testing"

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"":            `''`,
		"npx":         `npx`,
		"-y":          `-y`,
		"a@1.2/b:c=d": `a@1.2/b:c=d`,
		"a b":         `'a b'`,
		"it's":        `'it'\''s'`,
		"$HOME":       `'$HOME'`,
		"~/x":         `'~/x'`,
		"é":           `'é'`,
		"a\nb":        "'a\nb'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
