package config

import (
	"fmt"
	"slices"
	"strings"
)

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
