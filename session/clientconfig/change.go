package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"wiretea/session/atomicfile"
)

// BackupSuffix is added to the name of a file for its backup.
const BackupSuffix = ".wiretea-backup"

var (
	// ErrChanged is returned when a file is no longer as it was read.
	ErrChanged = errors.New("the file has changed since it was read; nothing was written")

	// ErrReadOnly is returned when a file is not to be written.
	ErrReadOnly = errors.New("the file is read-only")

	// ErrReadOnlyFolder is returned when nothing can be written into a file's
	// folder, where the new file is made and the backup is kept.
	ErrReadOnlyFolder = errors.New("its folder is read-only")
)

// A Change is a file as it is and as it would be.
type Change struct {
	Path          string
	Before, After []byte

	format format
	keep   bool // keep asks for a backup.
	renew  bool // renew reports whether an old backup is out of date.
}

// None reports whether there is nothing to change.
func (c Change) None() bool { return bytes.Equal(c.Before, c.After) }

// NotStrict says what in the file JSON does not allow, such as "line 3 has a comment", where
// the client is not known to read it; empty = nothing.
func (c Change) NotStrict() string {
	if f, is := c.format.(jsonFormat); !is || f.jsonc {
		return ""
	}
	return notStrict(c.Before)
}

// check makes sure that what comes out can be read again with the same entries.
func (c Change) check() error {
	before, err := servers(c.format, c.Before, User)
	if err != nil {
		return err
	}
	after, err := servers(c.format, c.After, User)
	if err != nil {
		return fmt.Errorf("editing the entry: the outcome would not be readable: %w", err)
	}
	same := len(before) == len(after)
	for i := 0; same && i < len(before); i++ {
		b, a := before[i], after[i]
		same = b.Name == a.Name && b.Folder == a.Folder && b.Command == a.Command && len(b.Args) == len(a.Args) && b.URL == a.URL
	}
	if !same {
		return errors.New("editing the entry: the outcome would name other servers")
	}
	return nil
}

// Diff returns the change as a unified diff; empty = there is none. Secrets
// (values of env and headers, and strings under keys like "token") are shown
// as dots.
func (c Change) Diff() string {
	if c.None() {
		return ""
	}
	return unified(c.Path, mask(c.Before, c.format), mask(c.After, c.format))
}

// mask replaces secrets by dots, and keeps their line breaks. What an edit may
// change is never masked, however the server is called.
func mask(data []byte, f format) []byte {
	entries, err := f.entries(data)
	if err != nil {
		return nil
	}
	var shown []span
	var edits []edit
	for _, e := range entries {
		w := e
		if w.complete(User); w.original != "" {
			e.url = w.url
		}
		if e.url != nil {
			shown = append(shown, e.url.at)
			edits = append(edits, edit{e.url.at, ShownURL(e.url.at.of(data))})
		}
		if e.command != nil {
			shown = append(shown, e.command.at)
		}
		if e.args != nil {
			shown = append(shown, e.args.at)
		}
	}
	slices.SortFunc(shown, func(a, b span) int { return a.from - b.from })
	next := 0
	for _, at := range f.secrets(data) {
		for next < len(shown) && shown[next].to <= at.from {
			next++
		}
		if next < len(shown) && shown[next].covers(at) {
			continue
		}
		edits = append(edits, edit{at, `"•••"` + strings.Repeat("\n", bytes.Count(data[at.from:at.to], []byte("\n")))})
	}
	return apply(data, edits)
}

// Apply writes the change. The first wrapping in a file leaves the file as it was
// beside it, under its name and BackupSuffix; the unwrapping that gives the same
// bytes again removes that.
//
// The file is replaced by rename, so that its client reads the old one or the
// new one. It is refused with ErrReadOnly, ErrReadOnlyFolder, ErrChanged, or for another reason why
// replacing it would lose something.
func (c Change) Apply() error {
	if c.None() {
		return nil
	}
	path, info, err := c.target()
	if err != nil {
		return err
	}
	if c.keep {
		if err := c.backUp(path, info.Mode().Perm()); err != nil {
			return fmt.Errorf("writing the backup: %w", err)
		}
	}
	if err := c.replace(path, info.Mode().Perm()); err != nil {
		return err
	}
	if old, err := atomicfile.Read(path+BackupSuffix, maxFile); err == nil && !c.keep && bytes.Equal(old, c.After) {
		return os.Remove(path + BackupSuffix)
	}
	return nil
}

// Refused returns why Apply would refuse the file as it is now, before it has tried
// to write; nil = it would try.
func (c Change) Refused() error {
	if c.None() {
		return nil
	}
	_, _, err := c.target()
	return err
}

// target is the file that is replaced, which must allow it.
func (c Change) target() (path string, info fs.FileInfo, err error) {
	// A link stays a link: what it names is replaced.
	if path, err = filepath.EvalSymlinks(c.Path); err != nil {
		return "", nil, err
	}
	if info, err = os.Stat(path); err != nil {
		return "", nil, err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return "", nil, ErrReadOnly
	}
	if reason := notReplaceable(info); reason != "" {
		return "", nil, errors.New(reason)
	}
	if !mayReplaceIn(filepath.Dir(path)) {
		return "", nil, ErrReadOnlyFolder
	}
	return path, info, nil
}

// Backup returns where the backup is; empty = there is none.
func (c Change) Backup() string {
	path, _ := c.Keeps()
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

// Keeps returns where a backup lies once the change was made, and whether that is
// the file as it is now: it is not, where an earlier wrapping has left one.
func (c Change) Keeps() (path string, now bool) {
	path = c.Path
	if target, err := filepath.EvalSymlinks(c.Path); err == nil {
		path = target
	}
	path += BackupSuffix
	_, err := os.Lstat(path)
	return path, err != nil || c.renew
}

func (c Change) backUp(path string, mode fs.FileMode) error {
	if _, now := c.Keeps(); !now {
		return nil
	}
	return atomicfile.WriteBytes(path+BackupSuffix, atomicfile.Options{Mode: mode}, c.Before)
}

func (c Change) replace(path string, mode fs.FileMode) error {
	unchanged := func() error {
		now, err := atomicfile.Read(path, maxFile)
		if err == nil && !bytes.Equal(now, c.Before) {
			err = ErrChanged
		}
		return err
	}
	return atomicfile.WriteBytes(path, atomicfile.Options{Mode: mode, Check: unchanged}, c.After)
}

// unified returns the difference between two texts of a file in the form of
// diff -u; empty = none.
func unified(path string, before, after []byte) string {
	_, text, _ := bytes.Cut(diff.Diff(path, before, path, after), []byte("\n")) // without the line "diff PATH PATH"
	return string(text)
}
