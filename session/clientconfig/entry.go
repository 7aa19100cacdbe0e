package clientconfig

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A format is a way to write a configuration file.
type format interface {
	// entries returns the servers in the order of the file, as their entries say it
	// and with the places that an edit needs. An empty file has none.
	entries(data []byte) ([]Server, error)
	// holder names the object that holds the servers, as a user would write it.
	holder() string
	// quote writes a string.
	quote(string) string
	// secrets returns the ranges of values that are not to be shown, ascending and
	// apart.
	secrets(data []byte) []span
}

// A span is a range of bytes of a file.
type span struct{ from, to int }

func (s span) of(data []byte) string { return string(data[s.from:s.to]) }

// covers reports whether a range lies within this one.
func (s span) covers(at span) bool { return s.from <= at.from && at.to <= s.to }

// A word is a string in a file.
type word struct {
	at   span // at includes the quotes.
	text string
}

// A list is an array of strings in a file.
type list struct {
	at    span // at includes the brackets.
	words []word
	block string // block is what is between words of a list of YAML that has no brackets; empty = it has them.
}

func (l *list) texts() []string {
	if l == nil {
		return nil
	}
	var all []string
	for _, w := range l.words {
		all = append(all, w.text)
	}
	return all
}

// servers returns the servers in a file, in its order.
func servers(f format, data []byte, level Level) ([]Server, error) {
	all, err := f.entries(data)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].complete(level)
	}
	return all, nil
}

// complete sets what follows from what the entry says.
func (s *Server) complete(level Level) {
	if s.Level = level; s.Folder != "" {
		s.Level = Local
	}
	if s.command != nil {
		s.url = nil
		s.Command, s.Args = s.command.text, s.args.texts()
	}
	if s.command != nil && isTee(s.Command, s.Args) {
		s.Wrapped, s.Tee = true, s.Command
		if at, ok := behindTee(s.Args); ok {
			s.Command, s.Args = s.Args[at], s.Args[at+1:]
		} else {
			s.Refused = "it runs wiretea tee without a command"
		}
		s.completeURL()
	}
	for _, v := range s.env {
		name, _, _ := strings.Cut(v, "=")
		s.EnvNames = append(s.EnvNames, name)
	}
}

// isTee reports whether a command is the tee, wherever the program lies.
func isTee(command string, args []string) bool {
	base := strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:])
	return isOurName(base) && len(args) > 0 && args[0] == "tee"
}

// isOurName reports whether a program's base name is one of ours: wiretea,
// wiretea.exe, wiretea-dev.
func isOurName(base string) bool { return strings.HasPrefix(base, "wiretea") }

// behindTee returns where in the tee's arguments the server's command is: behind --, or
// the first word where there is no -- before it, as the Inspector needs it.
func behindTee(args []string) (at int, ok bool) {
	known := true // known: no flag that may have had a word of its own.
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--name":
			i++ // a server may be called --
		case arg == "--":
			return i + 1, i+1 < len(args)
		case strings.HasPrefix(arg, "-"):
			known = known && (arg == "--no-control" || strings.Contains(arg, "="))
		case known:
			return i, true
		}
	}
	return 0, false
}

// An edit replaces a range of a file.
type edit struct {
	at   span
	with string
}

// apply returns data with the edits, which must not overlap.
func apply(data []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].at.from < edits[j].at.from })
	out, from := make([]byte, 0, len(data)+256), 0
	for _, e := range edits {
		out = append(append(out, data[from:e.at.from]...), e.with...)
		from = e.at.to
	}
	return append(out, data[from:]...)
}

const bom = "\ufeff"

// checkText refuses what no format allows.
func checkText(data []byte) error {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return errorAt(data, i, "this is not UTF-8")
		}
		i += size
	}
	return nil
}

// errorAt is an error with its line and column, both counted from 1.
func errorAt(data []byte, at int, format string, args ...any) error {
	before := string(data[:min(at, len(data))])
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}
