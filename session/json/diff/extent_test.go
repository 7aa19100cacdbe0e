package diff

import (
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	text := `{"params":{"arguments":{"card":"4711","n":[1, {"x":"y"}]},"a b":{"c\"d":[true]}},"t":{"card":12}}`
	for pattern, want := range map[string]string{
		"..card":                   `"4711" 12`,
		".params.arguments.n[1].x": `"y"`,
		".params.arguments.n":      `[1, {"x":"y"}]`,
		".params.arguments.n[*]":   `1 {"x":"y"}`,
		`.params["a b"].*[0]`:      `true`,
		".params.nothing":          ``,
		`.t`:                       `{"card":12}`,
	} {
		p, err := ParsePath(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range Select([]byte(text), []Path{p}) {
			got = append(got, text[e.From:e.To])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

func TestPathsAt(t *testing.T) {
	text := `{"a":{"b":["x",{"long name":"here"}]},"c":1}`
	for at, want := range map[string]string{"x": ".a.b[0]", "here": `.a.b[1]["long name"]`, "1}": ".c", `["x`: ".a.b", "long": ".a.b[1]", "{": ""} {
		if got := PathsAt([]byte(text), strings.Index(text, at))[0]; got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	here := strings.Index(text, "here")
	if got := strings.Join(PathsAt([]byte(text), 0, strings.Index(text, "x"), here, here, strings.Index(text, "1}"), len(text)), " "); got != ` .a.b[0] .a.b[1]["long name"] .a.b[1]["long name"] .c ` {
		t.Errorf("many places have the paths %s", got)
	}
}

// FuzzSelect: whatever the text is, extents lie in it.
func FuzzSelect(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":"c"}]}`, `]}{[`, `{"a"`, `"\\`, `[[[[`, `{"a" : }`} {
		f.Add([]byte(text))
	}
	all, err := ParsePath("..*")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, e := range Select(text, []Path{all}) {
			if e.From < 0 || e.From >= e.To || e.To > len(text) {
				t.Fatalf("%q: %v", text, e)
			}
		}
		for i := range min(len(text), 50) {
			PathsAt(text, i)
		}
	})
}
