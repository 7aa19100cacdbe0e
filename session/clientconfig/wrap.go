package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Errors of Wrap and Unwrap.
var (
	// ErrURL is returned when a server is not started by its client but called at
	// a URL: there is no command to put the tee in front of.
	ErrURL = errors.New("it is called at a URL and not started by the client")

	// ErrNoServer is returned when the file has no such entry.
	ErrNoServer = errors.New("the file has no server of that name")

	// ErrBinary is returned when the program to put in front could not be known
	// again, or not be found by the client.
	ErrBinary = errors.New("the program in front needs an absolute path and a name that begins with wiretea, by which the entry is known again")
)

// Wrap returns the change that puts the tee in front of a server: binary is
// wiretea's absolute path. A server that is wrapped already keeps its tee's
// arguments, and its binary becomes the given one.
func (f File) Wrap(s Server, binary string) (Change, error) {
	base := strings.ToLower(filepath.Base(binary))
	if !filepath.IsAbs(binary) || !isOurName(base) {
		return Change{}, ErrBinary
	}
	e, err := f.editable(s)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: f.Path, Before: f.data, format: f.format, keep: true}
	// A backup from before an earlier wrapping is out of date.
	c.renew = !anyWrapped(f.Servers)
	c.After = apply(f.data, e.wrap(f.data, f.format, binary))
	return c, c.check()
}

// Unwrap returns the change that takes the tee out again, of one server or of
// several.
func (f File) Unwrap(servers ...Server) (Change, error) {
	var edits []edit
	done := map[[2]string]bool{}
	for _, s := range servers {
		id := [2]string{s.Folder, s.Name}
		if done[id] {
			continue
		}
		done[id] = true
		e, err := f.editable(s)
		if err != nil {
			return Change{}, err
		}
		some, err := e.unwrap(f.data, f.format)
		if err != nil {
			return Change{}, fmt.Errorf("server %q: %w", s.Name, err)
		}
		edits = append(edits, some...)
	}
	c := Change{Path: f.Path, Before: f.data, format: f.format, After: apply(f.data, edits)}
	return c, c.check()
}

func anyWrapped(servers []Server) bool {
	for _, s := range servers {
		if s.Wrapped {
			return true
		}
	}
	return false
}

// editable returns the entry of a server that can be edited.
func (f File) editable(s Server) (entry, error) {
	if f.Err != nil {
		return entry{}, f.Err
	}
	for _, own := range f.Servers {
		switch {
		case own.Name != s.Name || own.Folder != s.Folder:
			continue
		case own.Refused != "":
			return entry{}, fmt.Errorf("server %q: %s", own.Name, own.Refused)
		case own.entry.command == nil:
			return entry{}, fmt.Errorf("server %q: %w", own.Name, ErrURL)
		}
		return own.entry, nil
	}
	return entry{}, ErrNoServer
}

func (e entry) wrap(data []byte, f format, binary string) []edit {
	program := f.quote(binary)
	if isTee(e.command.text, e.args.texts()) {
		if e.command.text == binary {
			return nil
		}
		return []edit{{e.command.at, program}}
	}
	words := []string{f.quote("tee"), f.quote("--name"), f.quote(e.name), f.quote("--"), e.command.at.of(data)}
	edits := []edit{{e.command.at, program}}
	switch {
	case e.args == nil:
		// The blank behind the bracket tells unwrap that there were no args.
		return append(edits, edit{span{e.gap, e.gap}, e.lead + "[ " + strings.Join(words, ", ") + " ]"})
	case len(e.args.words) == 0:
		at := e.args.at.from + 1
		return append(edits, edit{span{at, at}, strings.Join(words, ", ")})
	}
	at := e.args.words[0].at.from
	between := e.args.between(data)
	return append(edits, edit{span{at, at}, strings.Join(words, between) + between})
}

// between returns what stands between two arguments in the manner of the list:
// as between the first two, else as before the first, else a comma and a blank.
func (l *list) between(data []byte) string {
	first := l.words[0].at
	if len(l.words) > 1 {
		text := string(data[first.to:l.words[1].at.from])
		if rest, ok := strings.CutPrefix(text, ","); ok && isBlank([]byte(rest)) {
			return text
		}
	}
	if text := data[l.at.from+1 : first.from]; isBlank(text) && bytes.ContainsRune(text, '\n') {
		return "," + string(text)
	}
	return ", "
}

func (e entry) unwrap(data []byte, f format) ([]edit, error) {
	args := e.args.texts()
	if !isTee(e.command.text, args) {
		return nil, nil
	}
	at, _ := behindTee(args) // an entry without a command behind -- is refused before
	words := e.args.words
	own := span{words[0].at.from, words[at].at.to}
	if at+1 < len(words) {
		own.to = words[at+1].at.from
	}
	if !onlyWords(data, own, words[:min(at+2, len(words))]) {
		return nil, errors.New("there is a comment among wiretea's arguments, which would be lost; remove it first")
	}
	edits := []edit{{e.command.at, words[at].at.of(data)}}
	switch {
	case at+1 < len(words):
		return append(edits, edit{own, ""}), nil
	case own.from > e.args.at.from+1 && e.tail != (span{}) && onlyWords(data, span{e.args.at.from + 1, e.args.at.to - 1}, words):
		return append(edits, edit{e.tail, ""}), nil
	}
	// A formatter may have put a comma behind the last argument.
	if comma := trailingComma(data, own.to, e.args.at.to-1); comma > 0 {
		own.to = comma
	}
	return append(edits, edit{own, ""}), nil
}

// trailingComma returns the end of a comma that stands behind the last element,
// blanks apart; 0 = there is none.
func trailingComma(data []byte, from, to int) int {
	for i := from; i < to; i++ {
		switch data[i] {
		case ' ', '\t', '\r', '\n':
		case ',':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// onlyWords reports whether a range holds nothing but the words, commas and
// blanks.
func onlyWords(data []byte, at span, words []word) bool {
	from := at.from
	for _, w := range words {
		if w.at.from >= at.to {
			break
		}
		if !isBlankOrComma(data[from:w.at.from]) {
			return false
		}
		from = w.at.to
	}
	return isBlankOrComma(data[from:at.to])
}

func isBlankOrComma(text []byte) bool { return len(bytes.Trim(text, " \t\r\n,")) == 0 }
