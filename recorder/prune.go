package recorder

import (
	"slices"
	"time"
)

// A Policy says which session files may go. Zero fields set no limit.
type Policy struct {
	MaxAge   time.Duration // MaxAge since something was recorded last.
	MaxBytes int64         // MaxBytes is the size of all files together, indexes included.
	Keep     int           // Keep so many of the latest, whatever the limits say.
}

// DefaultPolicy is the policy where none is set: 30 days, 2 GiB, and the 20
// latest always.
var DefaultPolicy = Policy{MaxAge: 30 * 24 * time.Hour, MaxBytes: 2 << 30, Keep: 20}

// Prune removes the session files that the policy does not allow, the oldest
// first, and returns them. It goes on after a file that cannot be removed, and
// returns the first such error. It opens only what the limits leave no room for: it
// runs at the end of every session.
func Prune(dir string, p Policy, now time.Time) (removed []Info, err error) {
	excess, err := Excess(dir, p, now)
	if err != nil {
		return nil, err
	}
	for _, info := range excess {
		if rerr := Remove(info.Path); rerr != nil {
			if err == nil {
				err = rerr
			}
			continue
		}
		removed = append(removed, info)
	}
	return removed, err
}

// Excess returns the session files that the policy does not allow, the oldest first.
// Live files are never among them, and where locks do not work no file in which
// something was recorded within the last day.
func Excess(dir string, p Policy, now time.Time) (excess []Info, err error) {
	list, err := storedFiles(dir)
	if err != nil {
		return nil, err
	}
	var total int64
	for i, w := range list {
		age := now.Sub(w.modified)
		total += w.size
		old := p.MaxAge > 0 && age > p.MaxAge
		big := p.MaxBytes > 0 && total > p.MaxBytes
		if i < p.Keep || !old && !big {
			continue
		}
		info, serr := Stat(w.path)
		if serr != nil || info.Live == Live || info.Live == LivenessUnknown && age < 24*time.Hour {
			continue
		}
		total -= w.size
		excess = append(excess, info)
	}
	slices.Reverse(excess)
	return excess, nil
}
