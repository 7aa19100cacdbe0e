package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"wiretea/session/lazy"
)

// Size writes a number of bytes with three significant digits at most, in
// decimal units: "54 B", "1.7 kB", "12 MB".
func Size(bytes int64) string {
	if bytes < 1000 {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	value := float64(bytes)
	for _, unit := range []string{"kB", "MB", "GB", "TB", "PB"} {
		value /= 1000
		if value < 9.95 {
			return strconv.FormatFloat(value, 'f', 1, 64) + " " + unit
		}
		if value < 999.5 {
			return strconv.FormatFloat(value, 'f', 0, 64) + " " + unit
		}
	}
	return strconv.FormatFloat(value/1000, 'f', 0, 64) + " EB"
}

// Duration writes a time span of ns nanoseconds with three significant digits
// or so: "180 µs", "41.2 ms", "1.31 s", "2m05s", "3h07m".
func Duration(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 0:
		return "-" + Duration(-max(ns, -math.MaxInt64))
	case d < 999500*time.Nanosecond:
		return fmt.Sprintf("%d µs", int64(math.Round(float64(ns)/1e3)))
	case d < time.Second:
		return significant(float64(ns)/1e6) + " ms"
	case d < time.Minute:
		return significant(float64(ns)/1e9) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Wait writes how long something waits or may wait, in whole seconds below two
// minutes: "39 s", "2m05s". Less than a second is written as Duration does.
func Wait(d time.Duration) string {
	if d < time.Second || d >= 2*time.Minute {
		return Duration(int64(d))
	}
	return strconv.Itoa(int(d.Round(time.Second)/time.Second)) + " s"
}

// Uptime writes a time span of ns nanoseconds as a stopwatch does, in whole seconds:
// "0:07", "12:03", "3:07:10". A negative one is "0:00".
func Uptime(ns int64) string {
	sec := max(0, ns) / 1e9
	if sec >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	}
	return fmt.Sprintf("%d:%02d", sec/60, sec%60)
}

func significant(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Seconds writes a time of the session in seconds: "1.042".
func Seconds(ns int64) string {
	var buf [24]byte
	return string(strconv.AppendFloat(buf[:0], float64(ns)/1e9, 'f', 3, 64))
}

// Count writes a number with thousands separated: "1,204".
func Count(n int64) string {
	if n < 0 {
		return "-" + Count(-n)
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a count with its noun: "1 frame", "1,204 frames". The noun is
// given in the singular and forms its plural with s.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

var sizeUnits = lazy.Value[map[string]int64]{New: func() map[string]int64 {
	return map[string]int64{
		"": 1, "b": 1,
		"k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9,
		"ki": 1 << 10, "kib": 1 << 10, "mi": 1 << 20, "mib": 1 << 20, "gi": 1 << 30, "gib": 1 << 30,
	}
}}

// ParseSize reads a size as people write it: 1048576, 64k, 10MiB, 1.5GB. Units
// are decimal unless they have an i. It fails on what is negative, has an
// unknown unit or is larger than an int64.
func ParseSize(text string) (int64, error) {
	t := strings.TrimSpace(text)
	cut := strings.LastIndexAny(t, "0123456789.") + 1
	value, err := strconv.ParseFloat(t[:cut], 64)
	unit, known := sizeUnits.Get()[strings.ToLower(strings.TrimSpace(t[cut:]))]
	if err != nil || !known || value < 0 || value*float64(unit) > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is not a size, try 64KiB, 10MiB or 1500000", text)
	}
	return int64(value * float64(unit)), nil
}

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

// barCells is the length of a bar of progress.
const barCells = 8

// Progress writes how far something has come: a bar with its percentage, the
// percentage alone if the bar does not fit into w cells, or done itself if the total is
// unknown.
func Progress(done, total float64, w int) string {
	if total <= 0 || done < 0 {
		return "▰ " + strconv.FormatFloat(done, 'g', 6, 64)
	}
	part := min(1, done/total)
	words := fmt.Sprintf("%d %%", int(100*part))
	if w < barCells+1+utf8.RuneCountInString(words) {
		return words
	}
	full := int(part*barCells + 0.5)
	return strings.Repeat("▰", full) + strings.Repeat("▱", barCells-full) + " " + words
}
