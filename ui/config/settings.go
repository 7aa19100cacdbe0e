package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"wiretea/session"
	"wiretea/session/atomicfile"
)

// Settings are what the user has set, and the state that was kept.
type Settings struct {
	Theme      string              // Theme is the name of a theme; empty = ours.
	Background string              // Background is auto, dark or light; empty = auto.
	Time       string              // Time is relative, absolute or delta; empty = relative.
	Columns    string              // Columns are the columns of traffic, as after :columns; empty = those of Layout.
	NoticeText string              // NoticeText is how long a notice stays, as in 10s; empty = 4s.
	Keys       map[string][]string // Keys replace the keys of actions: "pair" = ["o", "enter"].

	Limits Limits

	Filters map[string]string // Filters are saved filters, by name.
	Layouts map[string]Layout // Layouts are saved layouts, by name.
	Colours []Colour          // Colours are rules for the colours of rows; the first whose filter selects a row holds.

	Faults Faults // Faults are what config.toml has that cannot be used.

	Unsaved []Change // Unsaved are changes that are still to be written to config.toml.

	// Hold is after how much of the time that its sender waits a held message is released, in
	// percent; 0 = 80, more than 100 = never. It is kept in the state.
	Hold int

	Intercepts map[string]string // Intercepts are filters of held messages by name, kept in the state.

	New    bool     // New: no session was shown yet; the user is new to the program.
	Guides []string // Guides are the panes whose line of guidance was not used yet, kept in the state.

	Layout  Layout              // Layout is kept in the state.
	history map[string][]string // history is what was typed, by prompt, oldest first.
}

// Limits are defaults for the flags of the same names, written as there; empty
// = the program's own.
type Limits struct {
	Timeout string `toml:"timeout"`
	MaxLine string `toml:"max_line"`
	MaxAge  string `toml:"max_age"`  // MaxAge and MaxDisk are those of the sessions folder.
	MaxDisk string `toml:"max_disk"` //
}

// Layout is how the panes shared the screen. The zero Layout was never kept.
type Layout struct {
	Below        bool `toml:"detail_below"` // Below: detail is below traffic instead of beside it.
	Main         int  `toml:"main"`         // Main is the share of traffic against detail, in percent.
	Body         int  `toml:"body"`         // Body is the share of traffic and detail against stderr and findings, in percent.
	Low          int  `toml:"low"`          // Low is the share of stderr against findings, in percent.
	HideDetail   bool `toml:"hide_detail"`
	HideStderr   bool `toml:"hide_stderr"`
	HideFindings bool `toml:"hide_findings"`

	Columns string `toml:"columns,omitempty"` // Columns are the columns of traffic, as after :columns; empty = the usual ones.
}

// Shares of panes go from LeastShare to MostShare, in percent.
const LeastShare, MostShare = 15, 85

// state is the file that the program writes.
type state struct {
	Theme   string              `toml:"theme,omitempty"` // Theme and Time as set last on the screen.
	Time    string              `toml:"time,omitempty"`
	Hold    int                 `toml:"hold,omitempty"`
	Holds   map[string]string   `toml:"intercepts,omitempty"`
	New     bool                `toml:"new,omitempty"`
	Guides  []string            `toml:"guides,omitempty"`
	Layout  Layout              `toml:"layout"`
	History map[string][]string `toml:"history"`
}

// maxHistory is how many lines are kept of each prompt.
const maxHistory = 100

// Dir is the folder of both files: wiretea below XDG_CONFIG_HOME, or below
// ~/.config.
func Dir() (string, error) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wiretea"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the settings: %w", err)
	}
	return filepath.Join(home, ".config", "wiretea"), nil
}

// maxFile is the longest file of settings that is read, in bytes.
const maxFile = 4 << 20

// Load reads config.toml and state.toml in a folder. What cannot be understood is left out
// and said in the error, which is Faults; the Settings hold all the rest.
func Load(dir string) (Settings, error) {
	var s Settings
	data, err := atomicfile.Read(filepath.Join(dir, "config.toml"), maxFile)
	switch {
	case err == nil:
		got, faults := decode(string(data))
		s.Faults = append(faults, s.take(got, string(data))...)
	case !errors.Is(err, fs.ErrNotExist):
		s.Faults = Faults{{Says: err.Error()}}
	}
	wrong := s.Faults.sorted()
	var kept state
	// The state is our own file: where it is damaged, it is started again.
	switch err := readState(filepath.Join(dir, "state.toml"), &kept); {
	case errors.Is(err, fs.ErrNotExist):
		s.New = data == nil && len(s.Faults) == 0 // Who has written config.toml is not new.
	case err == nil:
		s.New, s.Guides = kept.New, kept.Guides
		s.Layout, s.history = kept.Layout, kept.History
		s.Theme, s.Time = cmp.Or(s.Theme, kept.Theme), cmp.Or(s.Time, kept.Time)
		s.Hold, s.Intercepts = max(0, kept.Hold), kept.Holds
	}
	if s.Time != "" && !slices.Contains([]string{"relative", "absolute", "delta"}, s.Time) {
		s.Time = ""
	}
	return s, wrong
}

// readState reads our own file, which is a regular one.
func readState(path string, to *state) error {
	text, err := atomicfile.Read(path, maxFile)
	if err != nil {
		return err
	}
	_, err = toml.Decode(string(text), to)
	return err
}

// ErrNoFolder is returned where the settings have no folder to be saved in.
var ErrNoFolder = errors.New("there is no folder for config.toml")

// A Change sets a key of config.toml. In the table colours, which has rules in place of
// keys, a Colour is added and a Without removed.
type Change struct {
	Table, Key string // Table is empty for a key that is in none.
	Value      any    // Value is a text, a number or a truth value; nil removes the key.
}

// Without is a rule that is to be removed.
type Without Colour

// apply makes the change in a text.
func (c Change) apply(text string) (string, error) {
	switch v := c.Value.(type) {
	case Colour:
		return addRule(text, v)
	case Without:
		out, ok := removeRule(text, Colour(v))
		if !ok {
			return "", fmt.Errorf("colours: %w", ErrShape)
		}
		return out, nil
	}
	return replace(text, c.Table, c.Key, c.Value)
}

// Write makes changes in config.toml in a folder, all or none, and leaves the rest of the
// file as it is. It may be called from any goroutine.
func Write(dir string, changes ...Change) error {
	return edit(dir, func(text string) (string, error) {
		for _, c := range changes {
			var err error
			if text, err = c.apply(text); err != nil {
				return "", err
			}
		}
		return text, nil
	})
}

// writing is held while config.toml is read and replaced.
var writing sync.Mutex

// edit changes config.toml in a folder.
func edit(dir string, change func(text string) (string, error)) error {
	if dir == "" {
		return ErrNoFolder
	}
	writing.Lock()
	defer writing.Unlock()
	data, err := atomicfile.Read(filepath.Join(dir, "config.toml"), maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing config.toml: %w", err)
	}
	text, err := change(string(data))
	if err != nil {
		return fmt.Errorf("writing config.toml: %w", err)
	}
	err = replaceFile(dir, "config.toml", func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil {
		return fmt.Errorf("writing config.toml: %w", err)
	}
	return nil
}

// replaceFile writes a file of the folder whole, where it is a link the one that it leads to.
// What is not a regular file, say a device, is not replaced.
func replaceFile(dir, name string, fill func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	if there, err := filepath.EvalSymlinks(path); err == nil {
		path = there
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: atomicfile.ErrNotRegular}
	}
	return atomicfile.Write(path, atomicfile.Options{}, fill)
}

// Save writes state.toml, replacing it whole, and what is unsaved to config.toml.
func (s Settings) Save(dir string) error {
	if len(s.Unsaved) > 0 {
		if err := Write(dir, s.Unsaved...); err != nil {
			return err
		}
	}
	err := replaceFile(dir, "state.toml", func(w io.Writer) error {
		return toml.NewEncoder(w).Encode(state{s.Theme, s.Time, s.Hold, s.Intercepts, s.New, s.Guides, s.Layout, s.history})
	})
	if err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	return nil
}

// Dark reports whether colours are for a dark background. terminal is what the terminal says
// of its own, true until it does.
func (s *Settings) Dark(terminal bool) bool {
	switch s.Background {
	case "dark":
		return true
	case "light":
		return false
	}
	return terminal
}

// NoticeFor is how long a notice of that severity stays.
func (s *Settings) NoticeFor(severity session.Severity) time.Duration {
	span, err := time.ParseDuration(s.NoticeText)
	if err != nil || span <= 0 {
		span = 4 * time.Second
	}
	if severity == session.Error {
		span *= 3
	}
	return span
}

// History returns what was typed in a prompt, oldest first. It must not be
// changed.
func (s *Settings) History(prompt string) []string { return s.history[prompt] }

// KeepIntercept keeps a filter of held messages under a name; an empty filter forgets it.
func (s *Settings) KeepIntercept(name, filter string) {
	kept := maps.Clone(s.Intercepts)
	if kept == nil {
		kept = map[string]string{}
	}
	if kept[name] = filter; filter == "" {
		delete(kept, name)
	}
	s.Intercepts = kept
}

// Remember adds a line to a prompt's history. Lines that may hold a secret are
// not kept.
func (s *Settings) Remember(prompt, line string) {
	lower := strings.ToLower(line)
	if slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(lower, w) }) {
		return
	}
	if s.history == nil {
		s.history = map[string][]string{}
	}
	list := slices.DeleteFunc(slices.Clone(s.history[prompt]), func(old string) bool { return old == line })
	list = append(list, line)
	s.history[prompt] = list[max(0, len(list)-maxHistory):]
}

var secretWords = []string{"password", "passwd", "secret", "token", "apikey", "api_key", "authorization", "bearer"}

// A Fault is something in config.toml that cannot be used.
type Fault struct {
	Line int    // Line is counted from 1; 0 = it is not known.
	Key  string // Key is the setting, with its table: "keys.pair"; empty where the line is none.
	Says string // Says is what is wrong with it.
}

// Error says all of it in one line.
func (f Fault) Error() string {
	words := "config.toml"
	if f.Line > 0 {
		words += fmt.Sprintf(":%d", f.Line)
	}
	if f.Key != "" {
		words += ": " + f.Key
	}
	return words + ": " + f.Says
}

// Faults are all that is wrong with config.toml, in the order of its lines.
type Faults []Fault

// Error says each of them in a line of its own.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted returns the faults in the order of their lines as an error; nil for none.
func (fs Faults) sorted() error {
	if len(fs) == 0 {
		return nil
	}
	slices.SortStableFunc(fs, func(a, b Fault) int { return a.Line - b.Line })
	return fs
}
