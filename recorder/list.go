package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"wiretea/session"
	"wiretea/session/atomicfile"
)

// An Info is what can be said of a session file without reading it.
type Info struct {
	Path     string
	Size     int64     // Size in bytes.
	Modified time.Time // Modified is when something was recorded last.
	Live     Liveness
	Header   *session.Header // Header is nil where the file cannot be read.
	End      *session.End    // End is the end record, nil where there is none, or in a packed file.
	Summary  Summary         // Summary comes from header and end record; once Judged, from the whole recording.
	Judged   bool            // Judged: Summary is of the whole recording and counts findings.
	Outcome  string          // Outcome is how the server ended, if not well, as the end of the file says: "exit 7", "SIGKILL", "not started".
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
		info.Err = fmt.Errorf("%w: it is not a regular file", ErrNotSession)
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
		info.Outcome = readOutcome(f, stat.Size())
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

// summarise fills in the summary from what is known without reading the file.
func (i *Info) summarise() {
	if i.Header == nil {
		return
	}
	s := &i.Summary
	s.Server, s.Cmd, s.Start = ShortName(i.Header), i.Header.Server(), i.Header.T0
	if i.End != nil {
		s.Frames, s.Bytes, s.Lost, s.Ended = i.End.Frames, i.End.Bytes, i.End.Lost, i.End.Why
	} else if i.Modified.After(i.Header.T0) {
		s.Duration = i.Modified.Sub(i.Header.T0)
	}
}

// IsSession reports whether a file's name is that of a session file, packed or
// not.
func IsSession(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, Packed(name)), Suffix)
}

// List looks at the session files in a folder, the latest first; the empty dir is the
// default folder, with the FallbackFolder. A folder that does not exist has none. A file
// that vanishes meanwhile is left out. Summaries are from the cache, if it has them.
func List(dir string) ([]Info, error) {
	files, err := storedIn(dir)
	var list []Info
	var cache Summaries
	cache.Refresh()
	for _, f := range files {
		if info, err := Stat(f.path); err == nil {
			cache.Fill(&info)
			list = append(list, info)
		}
	}
	return list, err
}

// storedIn returns the session files of a folder as List takes it, the latest first.
func storedIn(dir string) ([]storedFile, error) {
	folder, err := SessionsFolder(dir)
	if err != nil {
		return nil, err
	}
	files, err := storedFiles(folder)
	if dir == "" && hasFallback() {
		more, _ := storedFiles(FallbackFolder())
		files, err = append(files, more...), nil // The default folder may be why there is this one.
		slices.SortStableFunc(files, func(a, b storedFile) int { return b.modified.Compare(a.modified) })
	}
	return files, err
}

// A storedFile is a session file as the folder has it.
type storedFile struct {
	path     string
	size     int64 // size is in bytes.
	modified time.Time
}

// storedFiles finds the session files of a folder without opening them, the latest
// first. A folder that does not exist has none.
func storedFiles(dir string) ([]storedFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	var list []storedFile
	for _, e := range entries {
		if e.IsDir() || !IsSession(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		stat, err := os.Stat(path)
		if err != nil {
			continue // It has vanished meanwhile.
		}
		list = append(list, storedFile{path, stat.Size(), stat.ModTime()})
	}
	slices.SortStableFunc(list, func(a, b storedFile) int { return b.modified.Compare(a.modified) })
	return list, nil
}

// oldIndex is the ending of what versions before 0.2 kept beside a session file.
const oldIndex = ".idx"

// Remove removes a session file, the notes beside it and what an older version kept there. One that is being written is
// refused with ErrBusy.
func Remove(path string) error {
	info, err := Stat(path)
	if err != nil {
		return fmt.Errorf("removing the session: %w", err)
	}
	if !info.Removable() {
		return fmt.Errorf("removing %s: %w", path, info.Err)
	}
	f, err := atomicfile.Open(path)
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
	for _, beside := range []string{path + oldIndex, NotesPath(path)} {
		// No file beside it can have a name that is too long.
		if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG) {
			return fmt.Errorf("removing a file of the session: %w", err)
		}
	}
	return nil
}

// Removable reports whether a file is a recording, or what is left of one that was begun,
// so that it may be removed as one.
func (i *Info) Removable() bool {
	if i.Err == nil || errors.Is(i.Err, ErrNewer) {
		return true
	}
	if Packed(i.Path) != "" {
		return IsSession(i.Path) && i.packed()
	}
	if !IsSession(i.Path) {
		return false
	}
	f, err := atomicfile.Open(i.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	const begin = `{"k":"hdr","fmt":"mcpcap"`
	buf := make([]byte, len(begin))
	n, _ := io.ReadFull(f, buf)
	return strings.HasPrefix(begin, string(buf[:n]))
}

// packed reports whether a file begins as what its name says.
func (i *Info) packed() bool {
	f, err := atomicfile.Open(i.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := map[string]string{Gzip: "\x1f\x8b", Zstd: "\x28\xb5\x2f\xfd"}[Packed(i.Path)]
	buf := make([]byte, len(magic))
	n, _ := io.ReadFull(f, buf)
	return strings.HasPrefix(magic, string(buf[:n]))
}

// A Policy says which session files may go. Zero fields set no limit.
type Policy struct {
	MaxAge   time.Duration // MaxAge since something was recorded last.
	MaxBytes int64         // MaxBytes is the size of all files together.
	Keep     int           // Keep so many of the latest, whatever the limits say.
}

// DefaultPolicy is the policy where none is set: 30 days, 2 GiB, and the 20
// latest always.
var DefaultPolicy = Policy{MaxAge: 30 * 24 * time.Hour, MaxBytes: 2 << 30, Keep: 20}

// Prune removes the session files that the policy does not allow, the oldest
// first, as RemoveAll does. It opens only what the limits leave no room for: it runs at
// the end of every session.
func Prune(dir string, p Policy, now time.Time) (removed []Info, err error) {
	excess, err := Excess(dir, p, now)
	if err != nil {
		return nil, err
	}
	return RemoveAll(excess)
}

// RemoveAll removes session files, and returns those that it has removed: another process may
// have removed the rest. It goes on after a file that cannot be removed, and returns the first
// such error.
func RemoveAll(list []Info) (removed []Info, first error) {
	for _, info := range list {
		switch err := Remove(info.Path); {
		case err == nil:
			removed = append(removed, info)
		case !errors.Is(err, fs.ErrNotExist):
			first = cmp.Or(first, err)
		}
	}
	return removed, first
}

// Excess returns the session files of a folder, as List takes it, that the policy does not
// allow, the oldest first.
// Live files are never among them, and where locks do not work no file in which
// something was recorded within the last day.
func Excess(dir string, p Policy, now time.Time) (excess []Info, err error) {
	list, err := storedIn(dir)
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
		if serr != nil || !info.Removable() || info.Live == Live || info.Live == LivenessUnknown && age < 24*time.Hour {
			continue
		}
		total -= w.size
		excess = append(excess, info)
	}
	slices.Reverse(excess)
	return excess, nil
}

// Liveness says whether a process is still writing a session file.
type Liveness uint8

const (
	LivenessUnknown Liveness = iota // LivenessUnknown: locks do not work on this file system.
	Live                            // Live: a writer holds the file's lock.
	NotLive                         // NotLive: the lock is free.
)

// String returns live, ended or unknown.
func (l Liveness) String() string {
	return [...]string{LivenessUnknown: "unknown", Live: "live", NotLive: "ended"}[l]
}

// SessionName returns the name of a recording as a user types it: the file's name
// without the endings of session files and of compression.
func SessionName(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(name, Packed(name)), Suffix)
}

// Find returns the path of a session file that is given by its path or by its name, which is
// looked for in a sessions folder; empty = the default one, and the one that is used where
// that cannot be written. A name that is not found is returned as it is; "-" is standard
// input.
func Find(dir, name string) string {
	if name == "-" || strings.ContainsRune(name, os.PathSeparator) {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	folder, err := SessionsFolder(dir)
	if err != nil {
		return name
	}
	folders := []string{folder}
	if dir == "" && hasFallback() {
		folders = append(folders, FallbackFolder())
	}
	for _, folder := range folders {
		path := PathIn(folder, name)
		for _, ending := range []string{"", ".zst", ".gz"} {
			if _, err := os.Stat(path + ending); err == nil {
				return path + ending
			}
		}
	}
	return name
}

// PathIn returns the path of the session file of a name in a folder. A path is returned as
// it is.
func PathIn(folder, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	if !strings.Contains(name, Suffix) {
		name += Suffix
	}
	return filepath.Join(folder, name)
}
