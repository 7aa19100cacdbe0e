package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ExactSize writes a size in bytes so that ParseSize reads the same: with the largest of
// the units KiB, MiB and GiB that divides it, else without a unit.
func ExactSize(n int64) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n > 0 && n%(1<<u.shift) == 0 {
			return fmt.Sprint(n>>u.shift, u.name)
		}
	}
	return fmt.Sprint(n)
}

// ParseAge reads a time span as people write it, also in days: 30d, 12h, 90m. It fails on
// what is negative, or longer than 100,000 days.
func ParseAge(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if n, days := strings.CutSuffix(text, "d"); days {
		var count float64
		if count, err = strconv.ParseFloat(n, 64); !(count <= 1e5) { // also what is not a number
			err = strconv.ErrRange
		}
		d = time.Duration(count * 24 * float64(time.Hour))
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not an age, try 30d or 12h", text)
	}
	return d, nil
}

// Age writes a time span so that ParseAge reads the same: in days where it is a whole
// number of them.
func Age(d time.Duration) string {
	if d > 0 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return d.String()
}
