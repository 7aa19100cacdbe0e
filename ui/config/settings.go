package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"wiretea/session"
	"wiretea/session/atomicfile"
)

// Settings are what the user has set, and the state that was kept.
type Settings struct {
	Theme string              `toml:"theme"` // Theme is the name of a theme; empty = ours.
	Time  string              `toml:"time"`  // Time is relative, absolute or delta; empty = relative.
	Keys  map[string][]string `toml:"keys"`  // Keys replace the keys of actions: "pair" = ["o", "enter"].

	Limits Limits `toml:"limits"`

	// Notice is how long a notice stays, and an error three times as long; 0 = 4 s.
	Notice time.Duration `toml:"notice"`

	Layout  Layout              `toml:"-"` // Layout is kept in the state.
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

// state is the file that the program writes.
type state struct {
	Theme   string              `toml:"theme,omitempty"` // Theme and Time as set last on the screen.
	Time    string              `toml:"time,omitempty"`
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

// Load reads config.toml and state.toml in a folder. What cannot be understood is
// left out and said in the error; the Settings hold all the rest.
func Load(dir string) (Settings, error) {
	var s Settings
	var faults []error
	meta, err := decode(filepath.Join(dir, "config.toml"), &s)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s, faults = Settings{}, append(faults, fmt.Errorf("reading config.toml: %w", err))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		faults = append(faults, fmt.Errorf("config.toml: unknown setting %s", unknown[0]))
	}
	if !slices.Contains([]string{"", "relative", "absolute", "delta"}, s.Time) {
		faults = append(faults, fmt.Errorf("config.toml: time is relative, absolute or delta, not %q", s.Time))
		s.Time = ""
	}
	if s.Notice < 0 {
		faults = append(faults, fmt.Errorf("config.toml: notice is a time such as 10s, not %s", s.Notice))
		s.Notice = 0
	}
	var kept state
	// The state is our own file: where it is damaged, it is started again.
	if _, err := decode(filepath.Join(dir, "state.toml"), &kept); err == nil {
		s.Layout, s.history = kept.Layout, kept.History
		s.Theme, s.Time = cmp.Or(s.Theme, kept.Theme), cmp.Or(s.Time, kept.Time)
	}
	return s, errors.Join(faults...)
}

// maxFile is the longest file of settings that is read, in bytes.
const maxFile = 4 << 20

// decode reads a file of settings, which is a regular one.
func decode(path string, to any) (toml.MetaData, error) {
	text, err := atomicfile.Read(path, maxFile)
	if err != nil {
		return toml.MetaData{}, err
	}
	return toml.Decode(string(text), to)
}

// Save writes state.toml, replacing it whole. config.toml belongs to the person.
func (s Settings) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	err := atomicfile.Write(filepath.Join(dir, "state.toml"), atomicfile.Options{}, func(w io.Writer) error {
		return toml.NewEncoder(w).Encode(state{s.Theme, s.Time, s.Layout, s.history})
	})
	if err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	return nil
}

// NoticeFor is how long a notice of that severity stays.
func (s *Settings) NoticeFor(severity session.Severity) time.Duration {
	span := cmp.Or(s.Notice, 4*time.Second)
	if severity == session.Error {
		span *= 3
	}
	return span
}

// History returns what was typed in a prompt, oldest first. It must not be
// changed.
func (s *Settings) History(prompt string) []string { return s.history[prompt] }

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
