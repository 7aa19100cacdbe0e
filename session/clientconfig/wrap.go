package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Errors of Wrap and Unwrap.
var (
	// ErrURL is returned when a server is not started by its client but called at a URL.
	ErrURL = errors.New("it is called at a URL and not started by the client")

	// ErrNoServer is returned when the file has no such entry.
	ErrNoServer = errors.New("the file has no server of that name")

	// ErrBinary is returned when unwrap could not recognise the program to put in front,
	// or the client not find it.
	ErrBinary = errors.New("wiretea needs an absolute path and a name that begins with wiretea, by which unwrap finds the entry")
)

// Wrap returns the change that puts the tee in front of a server: binary is
// wiretea's absolute path. A server that is wrapped already keeps its tee's
// arguments, and its binary becomes the given one. An entry with a URL becomes one whose
// command is the tee, which calls the URL.
func (f File) Wrap(s Server, binary string) (Change, error) {
	base := strings.ToLower(filepath.Base(binary))
	if !filepath.IsAbs(binary) || !isOurName(base) {
		return Change{}, ErrBinary
	}
	s, err := f.editable(s)
	switch {
	case err != nil:
		return Change{}, err
	case s.command == nil:
		text, err := s.wrapURL(f.data, binary)
		if err != nil {
			return Change{}, fmt.Errorf("server %q: %w", s.Name, err)
		}
		return f.change([]edit{{span{s.From, s.To}, text}}, true)
	}
	return f.change(s.wrap(f.data, f.format, binary), true)
}

// change returns the file with edits. wrapping keeps it as it was.
func (f File) change(edits []edit, wrapping bool) (Change, error) {
	c := Change{Path: f.Path, Before: f.data, After: apply(f.data, edits), format: f.format, keep: wrapping}
	// A backup from before an earlier wrapping is out of date.
	c.renew = wrapping && !slices.ContainsFunc(f.Servers, func(s Server) bool { return s.Wrapped })
	return c, c.check()
}

// Unwrap returns the change that takes the tee out again, of one
// server or of several.
func (f File) Unwrap(servers ...Server) (Change, error) {
	var edits []edit
	done := map[[2]string]bool{}
	for _, s := range servers {
		id := [2]string{s.Folder, s.Name}
		if done[id] {
			continue
		}
		done[id] = true
		s, err := f.editable(s)
		if err != nil {
			return Change{}, err
		}
		some, err := s.unwrap(f.data, f.format)
		if err != nil {
			return Change{}, fmt.Errorf("server %q: %w", s.Name, err)
		}
		edits = append(edits, some...)
	}
	return f.change(edits, false)
}

// editable returns the server of that name in the file, if it can be edited.
func (f File) editable(s Server) (Server, error) {
	if f.Err != nil {
		return Server{}, f.Err
	}
	for _, own := range f.Servers {
		switch {
		case own.Name != s.Name || own.Folder != s.Folder:
			continue
		case own.Refused != "":
			return Server{}, fmt.Errorf("server %q: %s", own.Name, own.Refused)
		case own.command == nil && own.url == nil:
			return Server{}, fmt.Errorf("server %q: it is written in a way that is not edited", own.Name)
		}
		return own, nil
	}
	return Server{}, ErrNoServer
}

func (s Server) wrap(data []byte, f format, binary string) []edit {
	program := f.quote(binary)
	if isTee(s.command.text, s.args.texts()) {
		if s.command.text == binary {
			return nil
		}
		return []edit{{s.command.at, program}}
	}
	words := []string{f.quote("tee"), f.quote("--name"), f.quote(s.Name), f.quote("--"), s.command.at.of(data)}
	edits := []edit{{s.command.at, program}}
	switch {
	case s.inList:
		between := (&list{at: s.args.at, words: append([]word{*s.command}, s.args.words...)}).between(data)
		return append(edits, edit{span{s.command.at.to, s.command.at.to}, between + strings.Join(words, between)})
	case s.args == nil && s.block != "":
		// A list without brackets is never empty: nothing behind the command says that there
		// were no args.
		return append(edits, edit{span{s.gap, s.gap}, s.lead + strings.Join(words, s.block)})
	case s.args == nil:
		// The space after the bracket tells unwrap that there were no args.
		return append(edits, edit{span{s.gap, s.gap}, s.lead + "[ " + strings.Join(words, ", ") + " ]"})
	case len(s.args.words) == 0:
		at := s.args.at.from + 1
		return append(edits, edit{span{at, at}, strings.Join(words, ", ")})
	}
	at := s.args.words[0].at.from
	between := s.args.between(data)
	return append(edits, edit{span{at, at}, strings.Join(words, between) + between})
}

// between returns what stands between two arguments in the manner of the list:
// as between the first two, else as before the first, else a comma and a blank.
func (l *list) between(data []byte) string {
	if l.block != "" {
		return l.block
	}
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

func (s Server) unwrap(data []byte, f format) ([]edit, error) {
	if s.original != "" {
		return []edit{{span{s.From, s.To}, s.original}}, nil
	}
	if s.command == nil {
		return nil, nil
	}
	args := s.args.texts()
	if !isTee(s.command.text, args) {
		return nil, nil
	}
	at, _ := behindTee(args) // an entry without a command behind -- is refused before
	words := s.args.words
	own := span{words[0].at.from, words[at].at.to}
	if s.inList {
		own.from = s.command.at.to
	} else if at+1 < len(words) {
		own.to = words[at+1].at.from
	}
	if !s.args.onlyWords(data, own, words[:min(at+2, len(words))]) {
		return nil, errors.New("a comment among wiretea's arguments would be lost; remove it first")
	}
	edits := []edit{{s.command.at, words[at].at.of(data)}}
	switch {
	case s.inList || at+1 < len(words):
		return append(edits, edit{own, ""}), nil
	case own.from > s.args.at.from+1 && s.tail != (span{}) && s.args.onlyWords(data, s.args.inside(), words):
		return append(edits, edit{s.tail, ""}), nil
	}
	// A formatter may have put a comma behind the last argument.
	if comma := trailingComma(data, own.to, s.args.at.to-1); comma > 0 {
		own.to = comma
	}
	return append(edits, edit{own, ""}), nil
}

// trailingComma returns the end of a comma that is behind the last element,
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

// inside is the range without its brackets.
func (l *list) inside() span {
	if l.block != "" {
		return l.at
	}
	return span{l.at.from + 1, l.at.to - 1}
}

// onlyWords reports whether a range of the list holds nothing but the words, blanks, and
// what is between words.
func (l *list) onlyWords(data []byte, at span, words []word) bool {
	blank := " \t\r\n,"
	if l.block != "" {
		blank = " \r\n-"
	}
	only := func(text []byte) bool { return len(bytes.Trim(text, blank)) == 0 }
	from := at.from
	for _, w := range words {
		if w.at.from >= at.to {
			break
		}
		if !only(data[from:w.at.from]) {
			return false
		}
		from = w.at.to
	}
	return only(data[from:at.to])
}
