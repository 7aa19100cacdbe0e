package highlight

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	chromalexers "github.com/alecthomas/chroma/v2/lexers"
)

var update = flag.Bool("update", false, "copy the lexer files of chroma anew")

// copied are the lexer files that are copied as they are.
var copied = []string{"bash", "css", "diff", "html", "javascript", "json", "python", "sql", "typescript", "xml", "yaml"}

// TestLexersAreChromas holds that the lexer files are those of the version of chroma
// that go.mod names. Two of chroma's lexers are written in Go and become files here.
func TestLexersAreChromas(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2/lexers").Output()
	if err != nil {
		t.Fatal(err)
	}
	from := strings.TrimSpace(string(dir))
	want := map[string][]byte{
		"go.xml":       marshal(t, withoutTemplates(t)),
		"markdown.xml": marshal(t, reflect.ValueOf(chromalexers.Markdown).Elem().FieldByName("Lexer").Interface().(*chroma.RegexLexer)),
		"COPYING":      read(t, filepath.Join(filepath.Dir(from), "COPYING")),
	}
	for _, name := range copied {
		want[name+".xml"] = read(t, filepath.Join(from, "embedded", name+".xml"))
	}
	for name, text := range want {
		path := filepath.Join("lexers", name)
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := read(t, path); !bytes.Equal(got, text) {
			t.Errorf("%s differs from chroma's, run go generate", path)
		}
	}
	files, err := os.ReadDir("lexers")
	if err != nil || len(files) != len(want) {
		t.Errorf("%d files, want %d (%v)", len(files), len(want), err)
	}
}

// withoutTemplates is chroma's lexer of Go; raw strings are strings, not templates,
// which a file cannot say.
func withoutTemplates(t *testing.T) *chroma.RegexLexer {
	t.Helper()
	lexer := chromalexers.Go.(*chroma.RegexLexer)
	rules, err := lexer.Rules()
	if err != nil {
		t.Fatal(err)
	}
	rules = rules.Clone()
	for i, r := range rules["root"] {
		if strings.HasPrefix(r.Pattern, "(`)") {
			rules["root"][i] = chroma.Rule{Pattern: "`[^`]*`", Type: chroma.LiteralString}
			return chroma.MustNewLexer(lexer.Config(), func() chroma.Rules { return rules })
		}
	}
	t.Fatal("no rule for raw strings")
	return nil
}

func marshal(t *testing.T, lexer *chroma.RegexLexer) []byte {
	t.Helper()
	text, err := chroma.Marshal(lexer)
	if err != nil {
		t.Fatal(err)
	}
	return append(statesSorted(text), '\n')
}

// statesSorted puts the states of a lexer file in the order of their names: chroma
// writes them in the order of a map.
func statesSorted(text []byte) []byte {
	const end = "</state>\n"
	first := bytes.Index(text, []byte("    <state "))
	last := bytes.LastIndex(text, []byte(end)) + len(end)
	states := strings.SplitAfter(string(text[first:last]), end)
	slices.Sort(states)
	return slices.Concat(text[:first], []byte(strings.Join(states, "")), text[last:])
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
