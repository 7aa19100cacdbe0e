package check

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrite(t *testing.T) {
	for _, r := range All() {
		var text bytes.Buffer
		if err := WriteText(&text, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 && !strings.Contains(line, "https://") {
				t.Errorf("%s: a line of %d columns: %s", r.ID, n, line)
			}
		}
		for _, part := range []string{r.ID, r.Text().Title, r.Severity.String(), r.Revisions()} {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%s: WriteText leaves out %q", r.ID, part)
			}
		}
	}
}
