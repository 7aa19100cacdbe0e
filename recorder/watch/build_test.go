package watch

import (
	"bytes"
	"fmt"
	"testing"
)

// TestKeptOutput: the beginning and the end are kept, however it comes.
func TestKeptOutput(t *testing.T) {
	for _, c := range []struct{ size, piece int }{{0, 1}, {100, 7}, {keptHead, keptHead}, {keptHead + keptTail, 1000}, {3 << 20, 4096}, {3 << 20, 3 << 20}, {2 << 20, 500_000}, {keptHead + 2*keptTail, 3}} {
		t.Run(fmt.Sprintf("%d by %d", c.size, c.piece), func(t *testing.T) {
			var all []byte
			for i := 0; len(all) < c.size; i++ {
				all = fmt.Appendf(all, "%d ", i)
			}
			all = all[:c.size]
			k := &keptOutput{}
			for rest := all; len(rest) > 0; {
				n := min(c.piece, len(rest))
				if wrote, err := k.Write(rest[:n]); wrote != n || err != nil {
					t.Fatal(wrote, err)
				}
				rest = rest[n:]
			}
			text, at, cut := k.text()
			whole := append(append(bytes.Clone(text[:at]), all[at:at+int(cut)]...), text[at:]...)
			if !bytes.Equal(whole, all) {
				t.Errorf("%d bytes kept, %d left out at %d, do not make the %d", len(text), cut, at, len(all))
			}
			if c.size > keptHead+keptTail && (at != keptHead || len(text) != keptHead+keptTail) {
				t.Errorf("%d bytes kept, %d of them from the beginning", len(text), at)
			}
		})
	}
}

func TestSides(t *testing.T) {
	for _, c := range []struct {
		old, new Answer
		want     string
	}{
		{Answer{"result", []byte("1")}, Answer{"result", []byte("2")}, "1 2"},
		{Answer{"error", []byte("{}")}, Answer{"error", []byte("[]")}, "{} []"},
		{Answer{"result", []byte("1")}, Answer{"error", []byte("{}")}, `{"result":1} {"error":{}}`},
	} {
		a, b := Sides(c.old, c.new)
		if got := string(a) + " " + string(b); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
