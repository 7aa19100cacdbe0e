package text_test

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"wiretea/session/cells"
	"wiretea/session/text"
)

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 1733: "1.7 kB", 9949: "9.9 kB", 9950: "10 kB",
		999_499: "999 kB", 999_500: "1.0 MB", 12_345_678: "12 MB", 5e18: "5 EB",
	} {
		if got := text.Size(bytes); got != want {
			t.Errorf("Size(%d) = %q, want %q", bytes, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 µs", 180_400: "180 µs", 999_600: "1.00 ms", 41_230_000: "41.2 ms", 412_300_000: "412 ms",
		1_310_000_000: "1.31 s", 12_400_000_000: "12.4 s", 125e9: "2m05s", 11_220e9: "3h07m", -2e6: "-2.00 ms", math.MinInt64: "-2562047h47m",
	} {
		if got := text.Duration(ns); got != want {
			t.Errorf("Duration(%d) = %q, want %q", ns, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1204: "1,204", 1_000_000: "1,000,000", -1204: "-1,204"} {
		if got := text.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for words, want := range map[string]int64{"10MiB": 10 << 20, "64k": 64000, "1.5 GB": 1.5e9, "1048576": 1 << 20, "64 KiB": 64 << 10} {
		if got, err := text.ParseSize(words); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", words, got, err, want)
		}
	}
	for _, words := range []string{"", "MiB", "-1", "ten", "1 parsec", "9e99", "99999999999GiB"} {
		if got, err := text.ParseSize(words); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", words, got)
		}
	}
}

func TestVisible(t *testing.T) {
	cases := []struct {
		text string
		max  int
		want string
	}{
		{"plain", 0, "plain"},
		{"\x1b[31mred\x07", 0, "␛[31mred␇"},
		{"a\xffb", 0, `a\xffb`},
		{"\u202eevil", 0, `\u202eevil`},
		{"\U000e0041", 0, `\U000e0041`},
		{"naïve 日本 🎉", 0, "naïve 日本 🎉"},
		{"abcdef", 4, "abc…"},
		{"abcd", 4, "abcd"},
		{"a\r\nb", 0, "a␍␊b"},
		{"\u009b31m", 0, `\u009b31m`},
		{"e" + strings.Repeat("\u0301", 10), 0, "e" + strings.Repeat("\u0301", 8) + `\u0301\u0301`},
		{"\u0301e\u0301", 0, `\u0301` + "e\u0301"},
		{"\u1161\u1100\u1161\u11a8", 0, "\\u1161\u1100\u1161\u11a8"},
		{"❤\ufe0f a\U000e0161b\u3164", 0, "❤\ufe0f a\\U000e0161b\\u3164"},
	}
	for _, c := range cases {
		if got := text.Visible([]byte(c.text), c.max); got != c.want {
			t.Errorf("Visible(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
	}
}

// TestGlyph holds that characters and those that combine with them stay together, as
// many as may be shown, and that nothing of a text is left out.
func TestGlyph(t *testing.T) {
	for words, want := range map[string][]string{
		"e\u0301x":                              {"e\u0301", "x"},
		"\u0301x":                               {`\u0301`, "x"},
		"\x1b[m":                                {"␛", "[", "m"},
		"e" + strings.Repeat("\u0301", 9) + "x": {"e" + strings.Repeat("\u0301", 8), `\u0301`, "x"},
		"世\xff":                                 {"世", `\xff`},
	} {
		for rest, i := []byte(words), 0; len(rest) > 0; i++ {
			got, width, size := text.Glyph(rest)
			if i >= len(want) || got != want[i] || width != cells.Width(got) || size == 0 {
				t.Fatalf("%q: piece %d is %q of %d cells, want %q", words, i, got, width, want)
			}
			rest = rest[size:]
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add([]byte("\x1b]0;title\x07\u009b\xff"), 10)
	f.Fuzz(func(t *testing.T, raw []byte, max int) {
		for _, r := range text.Visible(raw, max%1000) {
			if r != ' ' && !unicode.IsPrint(r) {
				t.Fatalf("%q lets %U through", raw, r)
			}
		}
	})
}
