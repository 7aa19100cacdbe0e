package session

import "testing"

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "", 1: "A", 26: "Z", 27: "AA", 52: "AZ", 53: "BA", 702: "ZZ", 703: "AAA"} {
		if got := Letter(i); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}
