package recorder

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wiretea/session/atomicfile"
)

// A Summary is what a list of sessions shows of one.
type Summary struct {
	Server   string        `json:"server"`
	Client   string        `json:"client,omitempty"` // Client is the client's name as it gives it; empty = not known.
	Cmd      []string      `json:"cmd,omitempty"`
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"`
	Frames   int64         `json:"frames"`
	Bytes    int64         `json:"bytes"`
	Errors   int64         `json:"errors"`
	Warnings int64         `json:"warnings"`
	Infos    int64         `json:"infos"`
	Lost     int64         `json:"lost,omitempty"`  // Lost is how many bytes passed and were not recorded.
	Ended    string        `json:"ended,omitempty"` // Ended is the end record's why; empty = it had none.
}

const (
	// summariesName is the cache of summaries, beside the default sessions folder.
	summariesName = "summaries.jsonl"

	// maxSummaries is the size, in bytes, from which on the older half of the cache goes:
	// some 40,000 recordings.
	maxSummaries = 16 << 20
)

// A summaryKey is a session file as it was when it was read.
type summaryKey struct {
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // Modified is in nanoseconds of Unix time.
}

// A cachedSummary is a line of the cache.
type cachedSummary struct {
	summaryKey
	Tool    string  `json:"tool"` // Tool is the version whose rules judged it.
	Summary Summary `json:"summary"`
}

// Summaries are the cache of summaries as it was when Refresh read it. A summary counts for
// the file that it was made of and for the version of the program that made it. Lines that
// are damaged are passed over.
type Summaries struct {
	known          map[summaryKey]Summary
	size, modified int64
}

// Refresh reads the cache, if it has changed, and reports whether it had.
func (s *Summaries) Refresh() bool {
	path, err := summariesPath()
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() == s.size && info.ModTime().UnixNano() == s.modified {
		return false
	}
	s.size, s.modified, s.known = info.Size(), info.ModTime().UnixNano(), map[summaryKey]Summary{}
	text, _ := atomicfile.Read(path, 2*maxSummaries)
	tool := ToolName + Revision()
	for line := range bytes.Lines(text) {
		var c cachedSummary
		if json.Unmarshal(line, &c) == nil && c.Tool == tool {
			s.known[c.summaryKey] = c.Summary
		}
	}
	return true
}

// Fill gives a recording that is not being written the summary that the cache has of it.
func (s *Summaries) Fill(info *Info) {
	if sum, ok := s.known[keyOf(info)]; ok && info.Header != nil && info.Live != Live {
		info.Summary, info.Judged = sum, true
	}
}

// KeepSummary adds the summary of a recording, as Stat found it before it was read, to the
// cache. Errors are ignored: what is not kept is made again.
func KeepSummary(info *Info) {
	line, err := json.Marshal(cachedSummary{keyOf(info), ToolName + Revision(), info.Summary})
	path, perr := summariesPath()
	if err != nil || perr != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if old, err := os.Stat(path); err == nil && old.Size() > maxSummaries {
		text, _ := atomicfile.Read(path, 2*maxSummaries)
		_, later, _ := bytes.Cut(text[len(text)/2:], []byte("\n"))
		_ = atomicfile.WriteBytes(path, atomicfile.Options{NoSync: true}, later)
	}
	// The line before it may be torn.
	_ = appendLine(path, os.O_APPEND, append([]byte("\n"), line...))
}

func keyOf(info *Info) summaryKey {
	path, err := filepath.Abs(info.Path)
	if err != nil {
		path = info.Path
	}
	return summaryKey{path, info.Size, info.Modified.UnixNano()}
}

func summariesPath() (string, error) {
	folder, err := SessionsFolder("")
	return filepath.Join(filepath.Dir(folder), summariesName), err
}

// appendLine writes a line into a regular file, or into a new one, with flags of os.OpenFile.
func appendLine(path string, flags int, line []byte) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return &os.PathError{Op: "open", Path: path, Err: atomicfile.ErrNotRegular}
	}
	f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(slices.Concat(line, []byte("\n")))
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}
