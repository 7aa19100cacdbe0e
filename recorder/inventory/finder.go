package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/session/clientconfig"
	"wiretea/session/text"
)

const (
	// LookBatch is how many unknown recordings one Look opens, so that the first
	// ones are shown at once.
	LookBatch = 100

	// settle is how long a folder, or a file without a header, is looked at again
	// although it seems as it was: clocks of file systems are coarse, and a header
	// comes after its file.
	settle = 2 * time.Second

	// findAgain is after what time the clients' files are read again although none
	// that is known has changed: there may be one more.
	findAgain = time.Minute
)

// A Finder finds what home shows: the sessions of a folder and the servers of the
// clients' files. It remembers, so that looking again costs little while nothing
// changes: one stat of the folder, one of each client's file, and a look at each
// live session.
type Finder struct {
	Dir   string // Dir is the sessions folder.
	Place clientconfig.Place

	mu       sync.Mutex // mu guards what follows.
	entries  map[string]*entry
	cache    recorder.Summaries
	waiting  []string  // waiting are the names that have not been opened, the latest first.
	modified time.Time // modified is the folder's time when it was read.
	read     time.Time // read is when that was.
	fault    string    // fault is why the folder cannot be read.

	servers []Server
	paths   []string // paths are those of the clients' files, also of missing ones.
	broken  string   // broken says which client's file cannot be read.
	seen    string   // seen tells the clients' files as they were read, at found.
	found   time.Time
	inv     *Inventory
	changed bool // changed: inv is out of date.
}

// An entry is a session file that was looked at.
type entry struct {
	info   recorder.Info
	opened capture.LiveSession // opened is what the first records of a live session say.
	live   bool
}

func NewFinder(dir string, place clientconfig.Place) *Finder {
	return &Finder{Dir: dir, Place: place, entries: map[string]*entry{}}
}

// All looks until nothing more is found.
func (s *Finder) All(ctx context.Context) *Inventory {
	for {
		inv, more := s.Look(ctx)
		if !more || ctx.Err() != nil {
			return inv
		}
	}
}

// Look implements home.Finder.
func (s *Finder) Look(ctx context.Context) (inv *Inventory, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.readFolder(now)
	if s.cache.Refresh() {
		for _, e := range s.entries {
			if !e.info.Judged && !e.live {
				s.cache.Fill(&e.info)
				s.changed = s.changed || e.info.Judged
			}
		}
	}
	// What is recorded at this moment, or was begun just now, is opened again.
	for name, e := range s.entries {
		if e.live || e.info.Err != nil && now.Sub(e.info.Modified) < settle {
			s.open(name, now)
		}
	}
	batch := s.waiting[:min(len(s.waiting), LookBatch)]
	s.waiting = s.waiting[len(batch):]
	for _, name := range batch {
		if ctx.Err() != nil {
			break
		}
		s.open(name, now)
	}
	s.readClients(now)
	if s.changed || s.inv == nil {
		s.inv, s.changed = s.inventory(), false
	}
	return s.inv, len(s.waiting) > 0
}

// readFolder finds new and vanished files, where the folder may have changed.
func (s *Finder) readFolder(now time.Time) {
	info, err := os.Stat(s.Dir)
	if err == nil && info.ModTime().Equal(s.modified) && s.read.Sub(s.modified) > settle {
		return
	}
	var files []os.DirEntry
	if err == nil {
		s.read, s.modified = now, info.ModTime()
		files, err = os.ReadDir(s.Dir)
	}
	fault := ""
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fault = fmt.Sprintf("the recordings cannot be listed: %v", err)
	}
	s.changed = s.changed || fault != s.fault
	s.fault = fault
	there := make(map[string]bool, len(files))
	for _, f := range files {
		there[f.Name()] = !f.IsDir()
	}
	for name := range s.entries {
		if !there[name] {
			delete(s.entries, name)
			s.changed = true
		}
	}
	s.waiting = s.waiting[:0]
	for name := range there {
		if !there[name] || !recorder.IsSession(name) {
			continue
		}
		if s.entries[name] == nil {
			s.waiting = append(s.waiting, name)
		}
	}
	// Names begin with the time.
	slices.Sort(s.waiting)
	slices.Reverse(s.waiting)
}

// open looks into a session file.
func (s *Finder) open(name string, now time.Time) {
	info, err := recorder.Stat(filepath.Join(s.Dir, name))
	if err != nil {
		delete(s.entries, name) // it has just vanished
		s.changed = true
		return
	}
	e := s.entries[name]
	if e == nil {
		e = &entry{}
		s.entries[name] = e
	}
	wasLive, size := e.live, e.info.Size
	e.live = info.Header != nil && info.End == nil &&
		(info.Live == recorder.Live || info.Live == recorder.LivenessUnknown && now.Sub(info.Modified) < time.Hour)
	if !e.live {
		s.cache.Fill(&info)
	}
	e.info = info
	if e.live && (e.opened.Server == 0 || e.opened.Client == "" && info.Size != size) {
		e.opened = capture.Inspect(info)
	}
	s.changed = s.changed || e.live != wasLive || size != info.Size || !e.live
}

// readClients reads the clients' files, where one may have changed.
func (s *Finder) readClients(now time.Time) {
	if s.seen != "" && now.Sub(s.found) < findAgain && s.signature() == s.seen {
		return
	}
	s.found = now
	var servers []Server
	var faults []string
	var paths []string
	project := FolderNames(s.Place.Project)
	for _, f := range Find(s.Place) {
		paths = append(paths, f.Path)
		if f.Err != nil && !f.Missing() {
			faults = append(faults, fmt.Sprintf("%s cannot be read: %v", UnderHome(f.Path, s.Place.Home), f.Err))
		}
		for _, server := range f.Servers {
			if server.Folder == "" || slices.Contains(project, filepath.Clean(server.Folder)) {
				servers = append(servers, serverOf(f, server, s.Place))
			}
		}
	}
	s.paths = paths
	s.seen = s.signature()
	s.servers, s.broken, s.changed = servers, strings.Join(faults, "; "), true
}

// signature tells the clients' files as they are from what they were.
func (s *Finder) signature() string {
	var b strings.Builder
	b.WriteByte('.') // never empty
	for _, path := range s.paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// inventory is what is known by now.
func (s *Finder) inventory() *Inventory {
	inv := &Inventory{Folder: s.Dir, Project: UnderHome(s.Place.Project, s.Place.Home), Servers: s.servers, Fault: s.fault}
	inv.Fault = cmp.Or(inv.Fault, s.broken)
	if inv.Fault == "" {
		inv.Fault = Unrecorded("")
	}
	for _, e := range s.entries {
		if e.live {
			inv.Live = append(inv.Live, e.session(s.Place.Home))
			continue
		}
		inv.Bytes += e.info.Size
		inv.Recordings = append(inv.Recordings, e.session(s.Place.Home))
	}
	latest := func(a, b Session) int {
		return cmp.Or(b.Start.Compare(a.Start), strings.Compare(a.Name, b.Name))
	}
	slices.SortFunc(inv.Live, latest)
	slices.SortFunc(inv.Recordings, latest)
	return inv
}

// session is the entry as the home screen shows it; userHome is written ~.
func (e *entry) session(userHome string) Session {
	info := &e.info
	sum := info.Summary
	out := Session{
		Path: info.Path, File: UnderHome(info.Path, userHome), Name: recorder.SessionName(info.Path), Server: sum.Server, Client: sum.Client, Command: text.CommandLine(sum.Cmd),
		PID: e.opened.Server, Start: sum.Start, Length: sum.Duration, Size: info.Size, Frames: sum.Frames,
		Judged: info.Judged, Errors: sum.Errors, Warnings: sum.Warnings, Infos: sum.Infos, Lost: sum.Lost, Outcome: info.Outcome,
	}
	packed := !strings.HasSuffix(info.Path, recorder.Suffix)
	out.Broken = !e.live && info.Err == nil && sum.Ended == "" && (info.Judged || !packed)
	if info.Err != nil {
		out.Fault, out.Server, out.Start = strings.Join(strings.Fields(info.Err.Error()), " "), recorder.SessionName(info.Path), info.Modified
	}
	if h := info.Header; h != nil {
		out.Folder, out.Parent, out.Mode = UnderHome(h.Cwd, userHome), h.PPID, h.Mode
		if h.Mode == "run" {
			out.Client = "wiretea"
		}
	}
	if client := text.Line(e.opened.ClientName()); e.live && client != "" && out.Client == "" {
		out.Client = client
	}
	return out
}

// Judge implements home.Finder.
func (s *Finder) Judge(ctx context.Context, path string) error {
	info, err := recorder.Stat(path)
	if err == nil {
		err = analysis.Judge(ctx, &info)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[filepath.Base(path)]; e != nil && info.Judged {
		e.info, s.changed = info, true
	}
	return err
}

// Forget takes a recording that was deleted out of the next Inventory.
func (s *Finder) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, filepath.Base(path))
	s.changed = true
}
