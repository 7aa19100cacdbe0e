package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"wiretea/session/atomicfile"
)

// File is the name of the file in a project's folder.
const File = "wiretea.toml"

// most is the longest file that is read, in bytes.
const most = 64 << 10

// An Effect is what a setting may do.
type Effect uint8

const (
	Harmless Effect = iota // Harmless: a check finds as much as without it, or more.
	Weakens                // Weakens: a check may find less, or what it finds may count less.
	Runs                   // Runs: a tool is called, or the server is started again.
)

// String is a clause about a setting.
func (e Effect) String() string {
	return [...]string{"harmless", "may hide findings", "runs something"}[e]
}

// A Setting is one key of the table [check].
type Setting struct {
	Name   string
	Values []string // Values are as the flag of that name takes them, one or more.
	Effect Effect
}

// Settings are what a file says.
type Settings struct {
	Path string    // Path is absolute, without symbolic links.
	All  []Setting // All are in the order of Names.
	sum  string
}

// table is the table [check] of a file.
type table struct {
	Era             string            `toml:"era"`
	ProtocolVersion string            `toml:"protocol-version"`
	Calls           []string          `toml:"call"`
	Probe           bool              `toml:"probe"`
	MaxTime         string            `toml:"max-time"`
	MaxLine         string            `toml:"max-line"`
	FailOn          string            `toml:"fail-on"`
	Severity        map[string]string `toml:"severity"`
	Ignore          []string          `toml:"ignore"`
	MaxLatency      map[string]string `toml:"max-latency"`
	MaxContext      int64             `toml:"max-context"`
	Baseline        string            `toml:"baseline"`
	ToolsLock       string            `toml:"tools-lock"`
}

// An UnknownError is returned for a key that the table does not have.
type UnknownError struct{ Key, Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("unknown setting %q", e.Key) }

// An OutsideError is returned for a file that lies outside the folder, symbolic links
// followed.
type OutsideError struct{ Name string }

func (e *OutsideError) Error() string { return e.Name + " is outside the folder" }

// Names are the keys of the table.
func Names() []string {
	return []string{"era", "protocol-version", "call", "probe", "max-time", "max-line", "fail-on", "severity", "ignore", "max-latency", "max-context", "baseline", "tools-lock"}
}

// Read reads a file of settings. The files that it names are taken from its folder. The error is fs.ErrNotExist where there is no such file.
func Read(path string) (*Settings, error) {
	data, err := atomicfile.Read(path, most)
	if err != nil {
		return nil, err
	}
	var file struct {
		Check table `toml:"check"`
	}
	meta, err := toml.Decode(string(data), &file)
	if err != nil {
		return nil, err
	}
	for _, key := range meta.Undecoded() {
		if len(key) > 1 && key[0] == "check" {
			return nil, &UnknownError{key.String(), key[1]}
		}
	}
	folder := filepath.Dir(path)
	for _, name := range []*string{&file.Check.ToolsLock, &file.Check.Baseline} {
		if *name != "" && !inside(folder, *name) {
			return nil, &OutsideError{*name}
		} else if *name != "" {
			*name = filepath.Join(folder, *name)
		}
	}
	s := &Settings{Path: Place(path), All: file.Check.settings()}
	sum := sha256.New()
	sum.Write(data)
	if name := file.Check.Baseline; name != "" {
		const longest = 64 << 20
		baseline, err := atomicfile.Read(name, longest)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the baseline: %w", err)
		}
		fmt.Fprintf(sum, "\x00%x", sha256.Sum256(baseline))
	}
	s.sum = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// settings are what the table has, in the order of Names.
func (t *table) settings() []Setting {
	probe, limit := "", ""
	if t.Probe {
		probe = "true"
	}
	if t.MaxContext != 0 {
		limit = strconv.FormatInt(t.MaxContext, 10)
	}
	values := map[string][]string{
		"era": {t.Era}, "protocol-version": {t.ProtocolVersion}, "call": t.Calls, "probe": {probe}, "max-time": {t.MaxTime}, "max-line": {t.MaxLine},
		"fail-on": {t.FailOn}, "severity": pairs(t.Severity), "ignore": t.Ignore, "max-latency": pairs(t.MaxLatency), "max-context": {limit}, "baseline": {t.Baseline}, "tools-lock": {t.ToolsLock},
	}
	var all []Setting
	for _, name := range Names() {
		if given := slices.DeleteFunc(values[name], func(value string) bool { return value == "" }); len(given) > 0 {
			all = append(all, Setting{name, given, effect(name, given)})
		}
	}
	return all
}

func pairs(m map[string]string) (words []string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		words = append(words, key+"="+m[key])
	}
	return words
}

// effect says what a setting may do. What is not named here weakens.
func effect(name string, values []string) Effect {
	switch {
	case name == "call", name == "probe":
		return Runs
	case name == "max-latency", name == "max-context", name == "tools-lock", name == "era" && values[0] == "both", name == "fail-on" && (values[0] == "warning" || values[0] == "info"):
		return Harmless
	}
	return Weakens
}

// inside reports whether a file lies in a folder, symbolic links followed. One
// that does not exist lies where its folder does.
func inside(folder, name string) bool {
	if !filepath.IsLocal(name) {
		return false
	}
	name = filepath.Join(folder, name)
	here, err := filepath.EvalSymlinks(folder)
	if err == nil {
		here, err = filepath.Abs(here)
	}
	real, missing := filepath.EvalSymlinks(name)
	if errors.Is(missing, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return false // a link to nothing: what is written there is somewhere else
		}
		real, missing = filepath.EvalSymlinks(filepath.Dir(name))
	}
	if err != nil || missing != nil {
		return errors.Is(missing, fs.ErrNotExist)
	}
	if real, err = filepath.Abs(real); err != nil {
		return false
	}
	rel, err := filepath.Rel(here, real)
	return err == nil && filepath.IsLocal(rel)
}

// Counting are the settings that count: all of an accepted file, else the harmless ones.
func (s *Settings) Counting(accepted bool) []Setting {
	return slices.DeleteFunc(slices.Clone(s.All), func(one Setting) bool { return !accepted && one.Effect != Harmless })
}

// Waiting are the settings that count only once the file is accepted.
func (s *Settings) Waiting() []Setting {
	return slices.DeleteFunc(slices.Clone(s.All), func(one Setting) bool { return one.Effect == Harmless })
}

// String writes a setting with its values. They are a file's and not made visible.
func (one Setting) String() string { return one.Name + " = " + strings.Join(one.Values, ", ") }

// Place returns where a file is, symbolic links followed as far as it exists.
func Place(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}
