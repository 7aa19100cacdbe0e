package secrets

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/redact/redacttest"
)

var update = flag.Bool("update", false, "write the tables of docs/redaction.md anew")

// missed are the marks that no span covers.
func missed(s *redacttest.Sample, spans []Span) (all []string) {
	for _, m := range s.Marks {
		if !slices.ContainsFunc(spans, func(f Span) bool { return f.From <= m.From && f.To >= m.To }) {
			all = append(all, s.Text[m.From:m.To])
		}
	}
	return all
}

// TestCorpora holds how many of the secrets are found and how many of the harmless texts
// are left alone. The docs have both.
func TestCorpora(t *testing.T) {
	var table strings.Builder
	found, all := 0, 0
	table.WriteString("| secrets in | found | of |\n| --- | ---: | ---: |\n")
	count(t, "secrets", func(s *redacttest.Sample) bool {
		spans := new(Finder).Find([]byte(s.Text))
		left := missed(s, spans)
		if len(left) > 0 {
			t.Logf("%s: not found: %q\n\tin %s\n\tfound %s", s.Class, left, s.Text, describe(s.Text, spans))
		}
		return len(left) == 0
	}, func(class string, n, of int) {
		fmt.Fprintf(&table, "| %s | %d | %d |\n", class, n, of)
		found, all = found+n, all+of
	})
	fmt.Fprintf(&table, "| all | %d | %d |\n\n| harmless texts with | left alone | of |\n| --- | ---: | ---: |\n", found, all)
	kept, harmless := 0, 0
	count(t, "harmless", func(s *redacttest.Sample) bool {
		spans := new(Finder).Find([]byte(s.Text))
		if len(spans) > 0 {
			t.Logf("%s: found %s\n\tin %s", s.Class, describe(s.Text, spans), s.Text)
		}
		return len(spans) == 0
	}, func(class string, n, of int) {
		fmt.Fprintf(&table, "| %s | %d | %d |\n", class, n, of)
		kept, harmless = kept+n, harmless+of
	})
	fmt.Fprintf(&table, "| all | %d | %d |\n", kept, harmless)
	if all < 150 || harmless < 250 || found*100 < all*98 || kept*100 < harmless*95 {
		t.Errorf("found %d of %d secrets, left %d of %d harmless texts alone", found, all, kept, harmless)
	}
	inDocs(t, table.String())
}

// count calls good for each text of a corpus and total for each class, in the order of
// the file.
func count(t *testing.T, file string, good func(*redacttest.Sample) bool, total func(class string, n, of int)) {
	t.Helper()
	var classes []string
	n, of := map[string]int{}, map[string]int{}
	for _, s := range redacttest.Corpus(file) {
		if of[s.Class] == 0 {
			classes = append(classes, s.Class)
		}
		of[s.Class]++
		if good(&s) {
			n[s.Class]++
		}
	}
	for _, c := range classes {
		total(c, n[c], of[c])
	}
}

// inDocs holds that the docs have a table.
func inDocs(t *testing.T, table string) {
	t.Helper()
	const file, begin, end = "../../docs/redaction.md", "<!-- measured -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	was, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Errorf("%s has no place for the table", file)
	case *update && was != table:
		if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case was != table:
		t.Errorf("%s has another table than\n%s\nrun go test ./session/secrets -update", file, table)
	}
}

func describe(text string, spans []Span) string {
	var all []string
	for _, s := range spans {
		all = append(all, fmt.Sprintf("%q (%s)", text[s.From:s.To], s.Kind))
	}
	return strings.Join(all, ", ")
}
