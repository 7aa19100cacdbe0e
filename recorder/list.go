package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wiretea/session"
)

// An Info is what can be said of a session file without reading it.
type Info struct {
	Path     string
	Size     int64     // Size in bytes, without the index.
	Modified time.Time // Modified is when something was recorded last.
	Live     Liveness
	Header   *session.Header // Header is nil where the file cannot be read.
	End      *session.End    // End is the end record, nil where there is none, or in a packed file.
	Summary  Summary         // Summary is from the index, else from header and end record.
	Indexed  bool            // Indexed: Summary is from the index and counts findings.
	Err      error           // Err is why the file cannot be read.
}

// Stat looks at one session file.
func Stat(path string) (Info, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return Info{}, fmt.Errorf("looking at the session file: %w", err)
	}
	info := Info{Path: path, Size: stat.Size(), Modified: stat.ModTime()}
	if mode := stat.Mode(); !mode.IsRegular() && !mode.IsDir() {
		// To open a pipe waits for its other end, perhaps for ever.
		info.Err = fmt.Errorf("%w: it is no plain file", ErrNotSession)
		return info, nil
	}
	f, err := Open(path)
	if err != nil {
		info.Err = err
		return info, nil
	}
	defer f.Close()
	if f.follow == nil {
		info.Live = NotLive
		info.Header, info.Err = waitHeader(f)
	} else {
		info.Live, info.Header = f.Live(), f.Header()
		if end, ok := readEnd(f, stat.Size()); ok {
			info.End = &end.End
			info.Summary.Duration = time.Duration(end.T)
		}
	}
	info.summarise()
	return info, nil
}

// waitHeader reads the header out of a spool.
func waitHeader(f *File) (*session.Header, error) {
	r := NewReader(f, 0)
	var rec session.Record
	for {
		size := f.Size()
		err := r.Next(&rec)
		if r.header != nil {
			return r.header, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err := f.Wait(context.Background(), size); err != nil {
			return nil, err
		}
	}
}

// summarise fills in the summary from the index or, where there is none, from
// what is known without it.
func (i *Info) summarise() {
	if i.Header == nil {
		return
	}
	if sum, ok := ReadSummary(i.Path, i.Header.SID); ok {
		i.Summary, i.Indexed = sum, true
		return
	}
	s := &i.Summary
	s.Server, s.Cmd, s.Start = ShortName(i.Header), i.Header.Cmd, i.Header.T0
	if i.End != nil {
		s.Frames, s.Bytes, s.Ended = i.End.Frames, i.End.Bytes, i.End.Why
	} else if i.Modified.After(i.Header.T0) {
		s.Duration = i.Modified.Sub(i.Header.T0)
	}
}

// IsSession reports whether a file's name is that of a session file, packed or
// not.
func IsSession(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return strings.HasSuffix(name, Suffix)
}

// List looks at the session files in a folder, the latest first. A folder that
// does not exist has none. A file that vanishes meanwhile is left out.
func List(dir string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	var list []Info
	for _, e := range entries {
		if e.IsDir() || !IsSession(e.Name()) {
			continue
		}
		if info, err := Stat(filepath.Join(dir, e.Name())); err == nil {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
	return list, nil
}

// Remove removes a session file and its index. One that is being written is
// refused with ErrBusy.
func Remove(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("removing the session: %w", err)
	}
	live := probeLock(f)
	f.Close()
	if live == Live {
		return fmt.Errorf("removing %s: %w", path, ErrBusy)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("removing the session: %w", err)
	}
	if err := os.Remove(IndexPath(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the session's index: %w", err)
	}
	return nil
}

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
// first, and returns them. Live files are never touched, and where locks do not
// work no file in which something was recorded within the last day. It goes on
// after a file that cannot be removed, and returns the first such error. It opens
// only what the limits leave no room for: it runs at the end of every session.
func Prune(dir string, p Policy, now time.Time) (removed []Info, err error) {
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
		if rerr := Remove(w.path); rerr != nil {
			if err == nil {
				err = rerr
			}
			continue
		}
		total -= w.size
		removed = append(removed, info)
	}
	slices.Reverse(removed)
	return removed, err
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
