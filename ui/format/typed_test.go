package format_test

import (
	"testing"
	"time"

	"wiretea/ui/format"
)

func TestExactSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1000: "1000", 1 << 10: "1KiB", 3 << 20: "3MiB", 5 << 30: "5GiB", 1<<20 + 1: "1048577"} {
		got := format.ExactSize(n)
		if back, err := format.ParseSize(got); got != want || back != n || err != nil {
			t.Errorf("%d: %q, read back as %d, %v", n, got, back, err)
		}
	}
}

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"30d": 30 * day, "12h": 12 * time.Hour, "1.5d": 36 * time.Hour, "0": 0, "0s": 0, "90m": 90 * time.Minute} {
		if got, err := format.ParseAge(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "ten", "1e9d", "NaNd", "Infd"} {
		if got, err := format.ParseAge(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
	for d, want := range map[time.Duration]string{30 * day: "30d", 36 * time.Hour: "36h0m0s", 0: "0s"} {
		got := format.Age(d)
		if back, err := format.ParseAge(got); got != want || back != d || err != nil {
			t.Errorf("%v: %q, read back as %v, %v", d, got, back, err)
		}
	}
}
