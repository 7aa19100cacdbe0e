package secrets

import (
	"encoding/json"
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
		sameWithAllMarks(t, text)
	})
}

// sameWithAllMarks fails where a search for a mark is left out that would find a secret.
func sameWithAllMarks(t *testing.T, text []byte) {
	t.Helper()
	some, all := scan{f: new(Finder), text: text}, scan{f: new(Finder), text: text, may: ^marks(0)}
	some.all()
	all.all()
	if !slices.Equal(some.spans, all.spans) {
		t.Errorf("%q: %v, with all marks %v", text, some.spans, all.spans)
	}
}

func TestMarks(t *testing.T) {
	for _, s := range redacttest.Corpus("secrets") {
		sameWithAllMarks(t, []byte(s.Text))
	}
	word := strings.Repeat("a1", 20)
	for _, text := range []string{"1234567890:AA" + word, "x8Q~" + word, word[:36] + "_mmk", word[:14] + ".atlasv1." + word + word, "h:5432:db:me:pw1", "u://a:b@h",
		"Bearer " + word, "basic " + word, "IDENTIFIED BY 'x'", "_identified_as 'x' is identified by 'y'"} {
		sameWithAllMarks(t, []byte(text))
	}
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
