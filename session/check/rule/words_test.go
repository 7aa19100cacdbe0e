package rule

import (
	"testing"
	"time"
)

func TestFormatDuration(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ms"}, {40 * time.Microsecond, "0 ms"}, {400 * time.Microsecond, "0.4 ms"}, {51 * time.Millisecond, "51 ms"},
		{999 * time.Millisecond, "999 ms"}, {time.Second, "1 s"}, {1500 * time.Millisecond, "1.5 s"}, {60 * time.Second, "60 s"},
		{72400 * time.Millisecond, "72.4 s"}, {119 * time.Second, "119 s"}, {150 * time.Second, "2.5 min"}, {3 * time.Hour, "3 h"},
		{1000 * time.Hour, "1000 h"},
	} {
		if got := FormatDuration(int64(tt.d)); got != tt.want {
			t.Errorf("formatDuration(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}
