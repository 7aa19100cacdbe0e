package secrets

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/redact/redacttest"
)

func TestOwn(t *testing.T) {
	f := Finder{Names: []string{"Patient-Name"}, Patterns: []*regexp.Regexp{regexp.MustCompile(`case no\. (\d+)`), regexp.MustCompile(`x{4}`)}}
	text := `{"patientName":"A B","t":"case no. 17, xxxx"}`
	if got := describe(text, f.Find([]byte(text))); got != `"A B" (member patientName), "17" (pattern case no\. (\d+)), "xxxx" (pattern x{4})` {
		t.Error(got)
	}
}

func TestInsideOfSecretMembers(t *testing.T) {
	text := `{"credentials":{"user":"me","list":["a",{"b":"c"}],"n":7},"after":"x"}`
	if got := describe(text, new(Finder).Find([]byte(text))); got != `"me" (member credentials), "a" (member credentials), "c" (member credentials)` {
		t.Error(got)
	}
}

// FuzzFind: spans are in order, do not overlap, and JSON stays JSON when they are
// replaced.
func FuzzFind(f *testing.F) {
	for _, s := range redacttest.Corpus("secrets") {
		f.Add([]byte(s.Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		spans := (&Finder{Personal: true, Patterns: []*regexp.Regexp{regexp.MustCompile(`(?s)a.b`)}}).Find(text)
		at := 0
		var out []byte
		for _, s := range spans {
			if s.From < at || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%q: spans %v", text, spans)
			}
			out = append(out, text[at:s.From]...)
			out = append(out, "10"...)
			at = s.To
		}
		out = append(out, text[at:]...)
		if json.Valid(text) && len(spans) > 0 && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   `{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"Echo: hello there, this is a result of some length with a few words in it"}],"isError":false}}`,
		"escaped": `{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"{\"echo\":\"hello there\",\"list\":[\"this is\",\"a result of\"],\"count\":12}\nwith a few words"}],"isError":false}}`,
		"long":    `{"text":"` + strings.Repeat("the quick brown fox jumps over the lazy dog; ", 100) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			f := new(Finder)
			for b.Loop() {
				f.Find([]byte(text))
			}
		})
	}
}

// TestTables holds that each format has all that it needs and is found by its prefix, and that
// each list of words is one of those that are used.
func TestTables(t *testing.T) {
	tokens := 0
	for at, formats := range known.Get().tokens {
		for _, f := range formats {
			tokens++
			if f.least < 8 || f.chars == nil || f.kind == "" || pair(f.prefix[0], f.prefix[1]) != at {
				t.Errorf("%+v", f)
			}
		}
	}
	shapes := known.Get().shapes
	for _, f := range shapes {
		if f.before == 0 || f.chars == nil || f.after == nil || f.kind == "" {
			t.Errorf("%+v", f)
		}
	}
	if lines := strings.Count(formatsText, "\ntoken ") + strings.Count(formatsText, "\nshape "); lines != tokens+len(shapes) {
		t.Errorf("%d of %d lines are read", tokens+len(shapes), lines)
	}
	lists := []string{"endings", "publicEndings"}
	for _, s := range []*set{&whole, &last, &digits, &prosaic, &weak, &harmless, &unremarkable, &unassigned, &wrappers, &afterFlag, &schemes, &columns, &capability} {
		lists = append(lists, s.list)
	}
	slices.Sort(lists)
	if got := slices.Sorted(maps.Keys(names.Get())); !slices.Equal(got, lists) {
		t.Errorf("names.txt has the lists %q, want %q", got, lists)
	}
}

func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		known.New()
		names.New()
	}
}
