package secrets

import (
	"bytes"
	"compress/gzip"
	b64 "encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/redaction.md anew")

// A sample is one text of a corpus. Its marks are where a secret must be found.
type sample struct {
	class, text string
	marks       []Span
}

// corpus reads a file of texts. Templates are filled with the same characters each
// time.
func corpus(t testing.TB, name string) (all []sample) {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		class, text, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("%s:%d: no class", name, n+1)
		}
		s := sample{class: class}
		text = filled(rand.New(rand.NewPCG(uint64(n), 7)), text)
		if text[0] != '{' && text[0] != '[' {
			text = strings.ReplaceAll(text, `\n`, "\n")
		}
		for {
			before, rest, found := strings.Cut(text, "«")
			s.text += before
			if !found {
				break
			}
			var secret string
			secret, text, _ = strings.Cut(rest, "»")
			s.marks = append(s.marks, Span{From: len(s.text), To: len(s.text) + len(secret)})
			s.text += secret
		}
		all = append(all, s)
	}
	return all
}

var template = regexp.MustCompile(`\{(an|up|low|let|hex|dig|b64|url|word)(\d+)\}`)

var alphabets = map[string]string{
	"an": digits10 + lowers26 + uppers26, "up": digits10 + uppers26, "low": digits10 + lowers26, "let": lowers26 + uppers26, "hex": digits10 + "abcdef", "dig": digits10,
	"b64": digits10 + lowers26 + uppers26 + "+/", "url": digits10 + lowers26 + uppers26 + "-_", "word": digits10 + lowers26 + uppers26 + "-_",
}

const (
	digits10 = "0123456789"
	lowers26 = "abcdefghijklmnopqrstuvwxyz"
	uppers26 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// filled fills the templates of a text.
func filled(r *rand.Rand, text string) string {
	text = template.ReplaceAllStringFunc(text, func(m string) string {
		parts := template.FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[2])
		set := alphabets[parts[1]]
		var out []byte
		for range n {
			out = append(out, set[r.IntN(len(set))])
		}
		if parts[1] != "let" && parts[1] != "dig" {
			out[n/2] = digits10[r.IntN(10)]
		}
		if n > 2 && (parts[1] == "word" || parts[1] == "url" || parts[1] == "b64") { // no sign at the ends
			out[0], out[n-1] = 'a', 'Z'
		}
		return string(out)
	})
	for {
		at := max(strings.LastIndex(text, "{base64:"), strings.LastIndex(text, "{gzip:"))
		if at < 0 {
			return text
		}
		colon := at + strings.IndexByte(text[at:], ':')
		end := colon + 1
		for depth := 1; depth > 0; end++ {
			switch text[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		text = text[:at] + coded(text[at+1:colon], text[colon+1:end-1]) + text[end:]
	}
}

// coded is a text in base64 or zipped; zipped bytes are kept from being text by base64
// around them.
func coded(how, text string) string {
	if how == "base64" {
		return b64.StdEncoding.EncodeToString([]byte(text))
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.String()
}

// missed are the marks that no span covers.
func (s *sample) missed(spans []Span) (all []string) {
	for _, m := range s.marks {
		if !slices.ContainsFunc(spans, func(f Span) bool { return f.From <= m.From && f.To >= m.To }) {
			all = append(all, s.text[m.From:m.To])
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
	count(t, "secrets.txt", func(s *sample) bool {
		spans := new(Finder).Find([]byte(s.text))
		missed := s.missed(spans)
		if len(missed) > 0 {
			t.Logf("%s: not found: %q\n\tin %s\n\tfound %s", s.class, missed, s.text, describe(s.text, spans))
		}
		return len(missed) == 0
	}, func(class string, n, of int) {
		fmt.Fprintf(&table, "| %s | %d | %d |\n", class, n, of)
		found, all = found+n, all+of
	})
	fmt.Fprintf(&table, "| all | %d | %d |\n\n| harmless texts with | left alone | of |\n| --- | ---: | ---: |\n", found, all)
	kept, harmless := 0, 0
	count(t, "harmless.txt", func(s *sample) bool {
		spans := new(Finder).Find([]byte(s.text))
		if len(spans) > 0 {
			t.Logf("%s: found %s\n\tin %s", s.class, describe(s.text, spans), s.text)
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
func count(t *testing.T, file string, good func(*sample) bool, total func(class string, n, of int)) {
	t.Helper()
	var classes []string
	n, of := map[string]int{}, map[string]int{}
	for _, s := range corpus(t, file) {
		if of[s.class] == 0 {
			classes = append(classes, s.class)
		}
		of[s.class]++
		if good(&s) {
			n[s.class]++
		}
	}
	for _, c := range classes {
		total(c, n[c], of[c])
	}
}

// inDocs holds that the docs have a table.
func inDocs(t *testing.T, table string) {
	t.Helper()
	const file, begin, end = "../../../docs/redaction.md", "<!-- measured -->\n", "<!-- end -->\n"
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
		t.Errorf("%s has another table than\n%s\nrun go test ./recorder/redact/secrets -update", file, table)
	}
}

func describe(text string, spans []Span) string {
	var all []string
	for _, s := range spans {
		all = append(all, fmt.Sprintf("%q (%s)", text[s.From:s.To], s.Kind))
	}
	return strings.Join(all, ", ")
}
