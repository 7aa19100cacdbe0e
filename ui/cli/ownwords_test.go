package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"wiretea/recorder/redact"
	"wiretea/session/check"
)

// TestOwnWordsStay holds that what reports say by themselves is not taken for a secret: the
// texts of the rules, and what is said of real servers that did not start.
func TestOwnWordsStay(t *testing.T) {
	t.Parallel()
	shown := redact.Texts(t.Context(), nil)
	stays := func(text string) {
		t.Helper()
		if got := shown(text); got != text {
			t.Errorf("%q\nbecomes\n%q", text, got)
		}
	}
	for _, r := range check.All() {
		text := r.Text()
		stays(text.Title)
		stays(text.Explain)
		stays(text.Hint)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "session", "check", "cause", "testdata", "starts", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:line|cause|mend):? +(.+)$`).FindAllStringSubmatch(string(text), -1) {
			said++
			stays(m[1])
		}
	}
	if said < 150 {
		t.Errorf("only %d texts", said)
	}
}
