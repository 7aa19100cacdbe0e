package filewatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// DefaultQuiet is how long nothing must change before a Batch is whole.
	DefaultQuiet = 100 * time.Millisecond

	// longest is how long a Batch grows at most, in times of its quiet: changes
	// that never stop are reported too.
	longest = 20

	// maxFolders is how many folders are watched: systems allow some thousands.
	maxFolders = 20_000
)

// ErrTooMany is returned when there are more folders than can be watched.
var ErrTooMany = errors.New("too many folders to watch")

// A Batch is what changed within a moment: the paths, each once, sorted.
type Batch []string

// Add adds a path, where it is not there already.
func (b *Batch) Add(path string) {
	if i, known := slices.BinarySearch(*b, path); !known {
		*b = slices.Insert(*b, i, path)
	}
}

// Files watches files and folders. Its exported fields are set before Start.
type Files struct {
	Paths []string      // Paths are the files and folders, at least one; folders with all below them.
	Quiet time.Duration // Quiet is how long nothing must change before a Batch is sent; 0 means DefaultQuiet.

	watcher *fsnotify.Watcher
	roots   []root
	watched atomic.Int64 // watched is how many folders are,
	beside  atomic.Int64 // and beside how many of them for a single file in them.
	batches chan Batch
	err     error // err is set before batches is closed.

	markerDir   string // markerDir is a folder of our own, once Taken was called: see there.
	markers     chan marker
	ended       chan struct{} // ended is closed with batches.
	markerCount int           // markerCount counts the markers; it belongs to run, as markerDir does.
}

// A marker is a file that Taken writes into markerDir, and where it receives the batch.
type marker struct {
	path  chan string // path is closed if there is none.
	batch chan Batch
}

// A root is one of the paths.
type root struct {
	path   string // path is absolute and clean.
	folder bool
}

// Start begins to watch, in a goroutine that ends with ctx. A path that does not
// exist is an error, and so are more folders than the system can watch.
func (f *Files) Start(ctx context.Context) error {
	if len(f.Paths) == 0 {
		return errors.New("nothing to watch")
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching files: %w", err)
	}
	f.watcher = watcher
	for _, path := range f.Paths {
		if err := f.add(path); err != nil {
			watcher.Close()
			return fmt.Errorf("watching %s: %w", path, err)
		}
	}
	f.batches, f.markers, f.ended = make(chan Batch), make(chan marker), make(chan struct{})
	go f.run(ctx)
	return nil
}

// Batches are the changes. It is closed when the watching has ended; Err says why.
func (f *Files) Batches() <-chan Batch { return f.batches }

// Wait waits until the watching has ended, after ctx has, and nothing of it is left.
func (f *Files) Wait() { <-f.ended }

// Err returns, once Batches is closed, why the watching ended: nil where ctx did.
func (f *Files) Err() error { return f.err }

// Folders is how many folders are watched now, of which each file counts: those
// of single files do not count. It may be called once Start has returned.
func (f *Files) Folders() int { return int(f.watched.Load() - f.beside.Load()) }

// Named are the paths as they were given. They must not be changed.
func (f *Files) Named() []string { return f.Paths }

func (f *Files) add(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return err
	}
	f.roots = append(f.roots, root{abs, info.IsDir()})
	if !info.IsDir() {
		f.beside.Add(1)
		return f.watch(filepath.Dir(abs))
	}
	return f.addFolder(abs)
}

// addFolder watches a folder and those below it.
func (f *Files) addFolder(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil // removed again, or not readable
		case !entry.IsDir():
			return nil
		case path != dir && skipped(entry.Name()):
			return filepath.SkipDir
		}
		return f.watch(path)
	})
}

func (f *Files) watch(dir string) error {
	n := f.watched.Add(1)
	if n > maxFolders {
		return fmt.Errorf("%w: more than %d; name the ones that matter", ErrTooMany, maxFolders)
	}
	err := f.watcher.Add(dir)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("%w: the system allows %d; name the ones that matter", ErrTooMany, n-1)
	}
	return err
}

// run gathers events into batches.
func (f *Files) run(ctx context.Context) {
	defer close(f.batches)
	defer close(f.ended)
	defer func() {
		if f.markerDir != "" {
			os.RemoveAll(f.markerDir)
		}
	}()
	defer f.watcher.Close()
	defer func() {
		if p := recover(); p != nil {
			f.err = fmt.Errorf("watching files: internal error: %v", p)
		}
	}()
	quiet := f.Quiet
	if quiet <= 0 {
		quiet = DefaultQuiet
	}
	var (
		batch Batch
		began time.Time
		out   chan<- Batch // out is batches once the batch is whole.
		marks = map[string]marker{}
	)
	still := time.NewTimer(quiet)
	defer still.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case out <- batch:
			batch, out = nil, nil
		case <-still.C:
			if len(batch) > 0 {
				out = f.batches
			}
		case r := <-f.markers:
			if f.markerDir == "" {
				if f.err = f.makeMarkerDir(); f.err != nil {
					close(r.path)
					return
				}
			}
			f.markerCount++
			path := filepath.Join(f.markerDir, strconv.Itoa(f.markerCount))
			marks[path] = r
			r.path <- path
		case ev, more := <-f.watcher.Events:
			if !more {
				return
			}
			if r, marked := marks[ev.Name]; marked {
				delete(marks, ev.Name)
				r.batch <- batch
				batch, out = nil, nil
			}
			if !f.counts(ev) {
				continue
			}
			if len(batch) == 0 {
				began = time.Now()
			}
			batch.Add(ev.Name)
			if time.Since(began) < longest*quiet {
				out = nil
				still.Reset(quiet)
			}
		case err, more := <-f.watcher.Errors:
			if !more {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				f.err = fmt.Errorf("watching files: %w", err)
				return
			}
			// So much changed that the system lost count: something did.
			batch.Add(f.roots[0].path)
			still.Reset(quiet)
		}
	}
}

// counts reports whether an event is a change of something that is watched. New
// folders are watched from now on.
func (f *Files) counts(ev fsnotify.Event) bool {
	if ev.Op == fsnotify.Chmod || temporary(filepath.Base(ev.Name)) {
		return false
	}
	for _, r := range f.roots {
		if ev.Name == r.path {
			return true
		}
		below, err := filepath.Rel(r.path, ev.Name)
		if !r.folder || err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
			continue
		}
		if slices.ContainsFunc(strings.Split(below, string(filepath.Separator)), skipped) {
			return false
		}
		if info, err := os.Lstat(ev.Name); err == nil && info.IsDir() && ev.Has(fsnotify.Create) {
			// Where it cannot be watched, its files are missed and no more.
			_ = f.addFolder(ev.Name)
		}
		return true
	}
	return false
}

// skipped reports whether a file or folder of that name is not edited by people.
func skipped(name string) bool {
	switch name {
	case "node_modules", "__pycache__", "venv":
		return true
	}
	return strings.HasPrefix(name, ".") && name != "." && name != ".env"
}

// temporary reports whether a name is one under which editors keep what is not
// saved yet, or programs files that are not edited.
func temporary(name string) bool {
	return strings.HasSuffix(name, "~") || strings.HasPrefix(name, ".#") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") ||
		strings.HasSuffix(name, ".swp") || strings.HasSuffix(name, ".swx") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".pyc") || strings.HasSuffix(name, ".log") ||
		name == "4913" // vim's, which tries whether it may write
}

// over waits until the watching has ended, and returns why nothing is taken then.
func (f *Files) over() error {
	<-f.ended
	return cmp.Or(f.err, errEnded)
}

var errEnded = errors.New("nothing is watched any more")

// makeMarkerDir makes a folder of our own that is watched too. It is hidden, so that it is
// no change where all of the temporary folder is watched.
func (f *Files) makeMarkerDir() error {
	dir, err := os.MkdirTemp("", ".wiretea-watch-")
	if err == nil {
		f.markerDir, err = dir, f.watcher.Add(dir)
	}
	if err != nil {
		return fmt.Errorf("watching files: %w", err)
	}
	return nil
}

// Taken returns all changes before the call that were not sent yet; they are in no
// Batch. It does not wait for quiet. So a caller can tell changes before an event from
// those after it.
//
// The system tells changes in their order: a file is written into a folder of our
// own, and what comes before its event has happened before. (kqueue and Windows
// promise less; there a change that was just made may come in the next Batch.)
func (f *Files) Taken(ctx context.Context) (Batch, error) {
	r := marker{path: make(chan string, 1), batch: make(chan Batch, 1)}
	select {
	case f.markers <- r:
	case <-f.ended:
		return nil, f.over()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	path, more := <-r.path
	if !more {
		return nil, f.over()
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	select {
	case batch := <-r.batch:
		return batch, nil
	case <-f.ended:
		return nil, f.over()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
