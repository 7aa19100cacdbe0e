package recorder

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wiretea/session/atomicfile"
)

const (
	// unrecordedName is the file in a sessions folder that says what was not recorded.
	unrecordedName = ".unrecorded.jsonl"

	// maxUnrecorded is the size, in bytes, from which on that file is begun anew.
	maxUnrecorded = 64 << 10

	// unrecordedFor is for how long it is of interest.
	unrecordedFor = 7 * 24 * time.Hour
)

// FallbackFolder is where sessions are recorded when the default sessions folder cannot
// be written: in the user's own folder among the temporary files.
func FallbackFolder() string { return filepath.Join(atomicfile.TempFolder(), "sessions") }

// hasFallback reports whether there is a fallback folder, which is safe to read.
func hasFallback() bool {
	return atomicfile.CheckFolder(atomicfile.TempFolder()) == nil && atomicfile.CheckFolder(FallbackFolder()) == nil
}

// MakeFallback makes the fallback folder and returns it.
func MakeFallback() (string, error) {
	for _, folder := range []string{atomicfile.TempFolder(), FallbackFolder()} {
		if err := atomicfile.MakeFolder(folder); err != nil {
			return "", err
		}
	}
	return FallbackFolder(), nil
}

// An Unrecorded is a session that could not be recorded, or not to its end.
type Unrecorded struct {
	Time   time.Time `json:"time"`
	Server string    `json:"server"` // Server is its short name.
	Why    string    `json:"why"`    // Why is one line, with names of files verbatim.
}

// NoteUnrecorded notes that a session could not be recorded, for those who look for it.
// It reports whether it could write that.
func NoteUnrecorded(u Unrecorded) bool {
	line, err := json.Marshal(u)
	if err != nil {
		return false
	}
	if folder, err := SessionsFolder(""); err == nil && os.MkdirAll(folder, 0o700) == nil && appendNote(folder, line) == nil {
		return true
	}
	folder, err := MakeFallback()
	return err == nil && appendNote(folder, line) == nil
}

func appendNote(folder string, line []byte) error {
	name, flags := filepath.Join(folder, unrecordedName), os.O_APPEND
	if info, err := os.Lstat(name); err == nil && info.Size() > maxUnrecorded {
		flags = os.O_TRUNC
	}
	return appendLine(name, flags, line)
}

// UnrecordedLately returns the sessions of the last week that could not be recorded, the
// latest first.
func UnrecordedLately(now time.Time) (list []Unrecorded) {
	folders := []string{}
	if folder, err := SessionsFolder(""); err == nil {
		folders = append(folders, folder)
	}
	if hasFallback() {
		folders = append(folders, FallbackFolder())
	}
	for _, folder := range folders {
		name := filepath.Join(folder, unrecordedName)
		f, err := atomicfile.Open(name)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(io.LimitReader(f, 2*maxUnrecorded))
		for lines.Scan() {
			var u Unrecorded
			if json.Unmarshal(lines.Bytes(), &u) == nil && now.Sub(u.Time) < unrecordedFor {
				list = append(list, u)
			}
		}
		f.Close()
	}
	slices.SortStableFunc(list, func(a, b Unrecorded) int { return b.Time.Compare(a.Time) })
	return list
}
