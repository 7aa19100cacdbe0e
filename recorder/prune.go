package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	list, err := weigh(dir)
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

// A weight is what a session file takes, with its index.
type weight struct {
	path     string
	size     int64
	modified time.Time
}

// weigh finds the session files of a folder without opening them, the latest
// first. A folder that does not exist has none.
func weigh(dir string) ([]weight, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	var list []weight
	for _, e := range entries {
		if e.IsDir() || !IsSession(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		stat, err := os.Stat(path)
		if err != nil {
			continue // It has vanished meanwhile.
		}
		w := weight{path, stat.Size(), stat.ModTime()}
		if names[IndexPath(e.Name())] {
			if idx, err := os.Stat(IndexPath(path)); err == nil {
				w.size += idx.Size()
			}
		}
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b weight) int { return b.modified.Compare(a.modified) })
	return list, nil
}
