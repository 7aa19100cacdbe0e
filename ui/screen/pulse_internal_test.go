package screen

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"wiretea/ui/style"
)

// TestPulse holds that the header of a busy session has a sparkline of its rows a second.
func TestPulse(t *testing.T) {
	th := style.New("", true, true)
	var p pulse
	for second, rows := range []int{0, 5, 10, 12} {
		p.look(int64(second)*1e9+5, rows)
		p.look(int64(second)*1e9+7, rows)
	}
	if word := ansi.Strip(p.word(th)); word != "" {
		t.Errorf("a session that is not busy: %q", word)
	}
	rows := 12
	for second := 4; second < 20; second++ {
		rows += 100
		p.look(int64(second)*1e9, rows)
	}
	if word := ansi.Strip(p.word(th)); word != strings.Repeat("█", pulseSeconds)+" 100/s" {
		t.Errorf("100 rows a second: %q", word)
	}
	p.look(24e9, rows+200) // 4 seconds later
	if word := ansi.Strip(p.word(th)); !strings.HasSuffix(word, "████ 50/s") && !strings.HasSuffix(word, " 40/s") {
		t.Errorf("after a pause: %q", word)
	}
	p.look(1e9, 3)
	if word := ansi.Strip(p.word(th)); word != "" {
		t.Errorf("an earlier moment: %q", word)
	}
}
