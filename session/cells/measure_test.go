package cells

import (
	"strings"
	"testing"
)

// TestMeasures holds that lines have their width however the terminal measures.
func TestMeasures(t *testing.T) {
	defer Clusters(false)
	for _, line := range []string{
		"plain text of some length", "-32000 स्ते क्षि ක්", "👍🏽 ❤️ 🇩🇪 ⚠️ 1️⃣", "世界 한국어 e\u0301x", "\x1b[1mस्ते\x1b[m \x1b[31mक्षि\x1b[m and more",
	} {
		for _, on := range []bool{false, true} {
			Clusters(on)
			whole := Width(line)
			for w := 1; w < whole+3; w++ {
				if got := Width(Fit(line, w)); got != w {
					t.Errorf("clusters %t: Fit(%q, %d) has %d cells", on, line, w, got)
				}
				for x := range w {
					if got := Width(Cut(line, x, w)); got != w-x {
						t.Errorf("clusters %t: Cut(%q, %d, %d) has %d cells", on, line, x, w, got)
					}
				}
			}
		}
	}
}

// TestClusters holds what the two ways of measuring come to.
func TestClusters(t *testing.T) {
	defer Clusters(false)
	const text = "👍🏽"
	for on, want := range map[bool]int{false: 4, true: 2} {
		Clusters(on)
		cluster, w := Cluster([]byte(text + "x"))
		if string(cluster) != text || w != want || Width(text) != want || !strings.HasPrefix(Fit(text+"x", want+1), text) {
			t.Errorf("clusters %t: %q takes %d cells, and %d", on, cluster, w, Width(text))
		}
	}
}

func BenchmarkFit(b *testing.B) {
	line := strings.Repeat("\x1b[38;2;1;2;3m→ tools/call\x1b[m ", 12)
	b.ReportAllocs()
	for b.Loop() {
		_ = Fit(line, 100)
	}
}
