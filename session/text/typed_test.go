package text_test

import (
	"testing"
	"time"

	"wiretea/session/text"
)

func TestExactSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1000: "1000", 1 << 10: "1KiB", 3 << 20: "3MiB", 5 << 30: "5GiB", 1<<20 + 1: "1048577"} {
		got := text.ExactSize(n)
		if back, err := text.ParseSize(got); got != want || back != n || err != nil {
			t.Errorf("%d: %q, read back as %d, %v", n, got, back, err)
		}
	}
}

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for words, want := range map[string]time.Duration{"30d": 30 * day, "12h": 12 * time.Hour, "1.5d": 36 * time.Hour, "0": 0, "0s": 0, "90m": 90 * time.Minute} {
		if got, err := text.ParseAge(words); got != want || err != nil {
			t.Errorf("%q: %v, %v", words, got, err)
		}
	}
	for _, words := range []string{"", "d", "-1d", "-1h", "ten", "1e9d", "NaNd", "Infd"} {
		if got, err := text.ParseAge(words); err == nil {
			t.Errorf("%q: %v, want an error", words, got)
		}
	}
	for d, want := range map[time.Duration]string{30 * day: "30d", 36 * time.Hour: "36h0m0s", 0: "0s"} {
		got := text.Age(d)
		if back, err := text.ParseAge(got); got != want || back != d || err != nil {
			t.Errorf("%v: %q, read back as %v, %v", d, got, back, err)
		}
	}
}
