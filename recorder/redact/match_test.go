package redact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLongest holds that of many secrets that begin alike the longest is found that
// stands at a place.
func TestLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		b := []byte("aaaa")
		for len(b) < n {
			b = append(b, "aab "[r.IntN(4)])
		}
		return string(b)
	}
	for round := range 300 {
		var forms []form
		for i := range 1 + r.IntN(40) {
			forms = append(forms, form{text: word(6 + r.IntN(8)), secret: i, word: r.IntN(3) == 0})
		}
		slices.SortStableFunc(forms, func(a, b form) int { return strings.Compare(a.text, b.text) })
		text := []byte(word(60))
		for at := range text {
			var want *form
			for i := range forms {
				f := &forms[i]
				if bytes.HasPrefix(text[at:], []byte(f.text)) && f.stands(text, at) && (want == nil || len(f.text) > len(want.text)) {
					want = f
				}
			}
			if got := longest(forms, text, at); got != want {
				t.Fatalf("round %d: at %d of %q there is %+v, want %+v", round, at, text, got, want)
			}
		}
	}
}

func BenchmarkMarks(b *testing.B) {
	t := &table{}
	var text bytes.Buffer
	for i := range 20_000 {
		value := fmt.Sprintf("ghp_%036d", i*i)
		t.list = append(t.list, secret{value: value})
		fmt.Fprintf(&text, `{"id":%d,"token":"%s"},`, i, value)
	}
	m := newMatcher(t)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if got := len(m.marks(text.Bytes())); got != 20_000 {
			b.Fatalf("%d marks", got)
		}
	}
}
