package recorder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"wiretea/session/atomicfile"
)

// Suffix is how the name of a file of notes ends.
const NotesSuffix = ".notes.jsonl"

// Bounds of what is read: a file of notes is written by hand.
const (
	MaxNote  = 4 << 10  // MaxText is the longest comment, in bytes; the rest is cut.
	MaxNotes = 100_000  // MaxNotes is how many frames have notes; later ones are left out.
	maxFile  = 64 << 20 // maxFile is how much of a file is read, in bytes.
)

// A Note is what was said about a frame.
type Note struct {
	N    uint64    // N is the frame's record number, at least 1.
	Mark bool      // Mark: it was marked.
	Text string    // Text is a comment, empty = none.
	At   time.Time // At is when that was said; zero where it is not known.
}

// Empty reports whether the note says nothing, which takes it away.
func (n Note) Empty() bool { return !n.Mark && n.Text == "" }

// ErrNotNotes is returned for a file that is not a file of notes, or is of a later version.
var ErrNotNotes = errors.New("not a file of notes that this version reads")

// PathOf returns where the notes on a recording are kept: beside it, with the
// endings of a recording replaced.
func NotesPath(recording string) string {
	for _, end := range []string{".gz", ".zst", ".jsonl", ".mcpcap"} {
		recording = strings.TrimSuffix(recording, end)
	}
	return recording + NotesSuffix
}

// Read returns the notes of a file, or of a recording by the recording's path, in
// the order of their numbers. Where there is no file there are none. Damaged lines
// are skipped.
func ReadNotes(path string) ([]Note, error) {
	list, _, err := ReadNotesOf(path)
	return list, err
}

// ReadOf is Read that also returns the sid of the session that the notes were
// made on, empty where the file does not say.
func ReadNotesOf(path string) (list []Note, sid string, err error) {
	if !strings.HasSuffix(path, NotesSuffix) {
		path = NotesPath(path)
	}
	f, err := atomicfile.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case err != nil:
		return nil, "", fmt.Errorf("reading notes: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, "", fmt.Errorf("reading notes: %w", err)
	}
	list, sid, err = ParseNotes(text)
	if err != nil {
		return nil, "", fmt.Errorf("reading notes: %s: %w", path, err)
	}
	return list, sid, nil
}

// A line is a line of the file.
type noteLine struct {
	K    string    `json:"k"`
	Fmt  string    `json:"fmt,omitempty"`
	V    int       `json:"v,omitempty"`
	SID  string    `json:"sid,omitempty"`
	N    uint64    `json:"n,omitempty"`
	Mark bool      `json:"mark,omitempty"`
	Text string    `json:"text,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// version is the version of files that is written, and the latest that is read.
const version = 1

// Parse reads the text of a file.
func ParseNotes(text []byte) (list []Note, sid string, err error) {
	known := make(map[uint64]Note)
	for raw := range bytes.Lines(text) {
		var l noteLine
		if json.Unmarshal(raw, &l) != nil {
			continue // torn, or damaged
		}
		switch {
		case l.K == "hdr" && (l.Fmt != "mcpnotes" || l.V > version):
			return nil, "", ErrNotNotes
		case l.K == "hdr" && sid == "":
			sid = l.SID
		case l.K == "note" && l.N > 0:
			if _, old := known[l.N]; old || len(known) < MaxNotes {
				known[l.N] = Note{l.N, l.Mark, cut(l.Text), l.At}
			}
		}
	}
	for _, n := range known {
		if !n.Empty() {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b Note) int { return cmp.Compare(a.N, b.N) })
	return list, sid, nil
}

// cut keeps a comment within MaxText, between characters.
func cut(text string) string {
	if len(text) > MaxNote {
		text = strings.ToValidUTF8(text[:MaxNote], "")
	}
	return text
}

// Append adds a note to the file beside a recording, which it creates where there
// is none, and creates no folder. sid is the session's. It is one write, at the
// file's end.
func AppendNote(recording, sid string, n Note) (err error) {
	if n.N == 0 {
		return errors.New("keeping a note: the frame has no number")
	}
	path := NotesPath(recording)
	f, err := openOwn(path)
	if err != nil {
		return fmt.Errorf("keeping a note: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("keeping a note: %w", cerr)
		}
	}()
	text, err := head(f, sid)
	if err != nil {
		return fmt.Errorf("keeping a note: %s: %w", path, err)
	}
	body, err := json.Marshal(noteLine{K: "note", N: n.N, Mark: n.Mark, Text: cut(n.Text), At: n.At.UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("keeping a note: %w", err)
	}
	if _, err = f.Write(append(append(text, body...), '\n')); err != nil {
		return fmt.Errorf("keeping a note: %w", err)
	}
	return nil
}

// openOwn opens the file, or creates it: one that is a link, or no regular file, was put
// there by somebody else and is refused.
func openOwn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	before, err := os.Lstat(path)
	if err == nil && !before.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: atomicfile.ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0); err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, before) {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.Join(atomicfile.ErrNotRegular, err)}
	}
	return f, nil
}

// head is what must precede a note at the end of the file: its first line, or
// the end of a line that was torn off. A file that is not a file of notes is refused.
func head(f *os.File, sid string) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size == 0 {
		first, err := json.Marshal(noteLine{K: "hdr", Fmt: "mcpnotes", V: version, SID: sid})
		return append(first, '\n'), err
	}
	begin := make([]byte, min(size, 4<<10))
	if _, err := f.ReadAt(begin, 0); err != nil {
		return nil, err
	}
	if _, _, err := ParseNotes(begin); err != nil || !bytes.HasPrefix(begin, []byte("{")) {
		return nil, ErrNotNotes
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, size-1); err != nil {
		return nil, err
	}
	if last[0] != '\n' {
		return []byte{'\n'}, nil
	}
	return nil, nil
}
