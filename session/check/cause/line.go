package cause

import (
	"bytes"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

// A weight is how likely a line explains why a program ended, from least to
// most.
type weight uint8

const (
	noise   weight = iota // noise only accompanies an error: a line of a stack trace, progress.
	remark                // remark is a warning, or a line of a log below an error.
	plain                 // plain is any other line.
	trouble               // trouble looks like an error.
	failure               // failure was logged as an error.
	fatal                 // fatal is an uncaught exception, a panic, or was logged as fatal.
)

// read returns what a line says, without the time, the level and the name that
// loggers write before it, and its weight. Lines of JSON and of key=value pairs
// say their message, their error and what else they carry.
func read(line []byte) (text []byte, w weight) {
	text, w = message(line)
	switch {
	case w == noise: // It has no level.
		text, w = withoutPrefix(line)
	case len(text) == 0:
		return line, w
	}
	text = bytes.TrimRight(text, " \t")
	if w == noise {
		w = weightOf(text)
	} else if w == failure && namesException(text) || bytes.HasPrefix(text, []byte("Uncaught ")) {
		w = fatal
	}
	if _, reason, ok := bytes.Cut(text, []byte(" The promise rejected with the reason ")); ok { // Node
		text = append([]byte("a promise was rejected with "), bytes.TrimRight(reason, ".] {")...)
	}
	text = withoutColumn(text)
	for _, start := range [...]string{"Caused by: ", `Exception in thread "main" `, "Uncaught exception: ", "Uncaught "} {
		text = bytes.TrimPrefix(text, []byte(start))
	}
	return text, w
}

// weightOf returns the weight of a line without a level.
func weightOf(text []byte) weight {
	switch {
	case isNoise(text):
		return noise
	case isWarning(text):
		return remark
	case namesException(text), bytes.HasPrefix(text, []byte("thread '")) && bytes.Contains(text, []byte(" panicked at ")):
		return fatal
	case bytes.HasPrefix(text, []byte("http")): // An address alone: its words say nothing.
	case Mentions(text, listed("troubles")...):
		return trouble
	}
	return plain
}

var (
	// stamp matches a date, a time of day or both at the start of a line, with the
	// letter that some loggers write before it; or the number of a process.
	stamp = lazy.Regexp{Text: `^\[\d+\] |^[\[(]?(?:[A-Z] )?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/]\d\d[-/]\d{2,4}|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2})?[T ,]*\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)*(?: ?[AP]M\b)?(?:Z| ?[+-]\d\d:?\d\d| UTC)?[\])]?`}

	// level matches the word for a level at the start of a line.
	level = lazy.Regexp{Text: `^(?:[\[(](?i:(trace|debug|info|notice|warn|warning|error|err|critical|fatal|panic)) [\d:.,TZ/ +-]{8,40}[\])]|[\[(<](?i:(trace|debug|info|notice|warn|warning|error|err|critical|fatal|panic|severe|alert|emerg))[\])>]|(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|PANIC|SEVERE|TRC|DBG|INF|WRN|ERR|FTL|PNC)\b)(?::[a-zA-Z_][\w.]*:)?`}

	// named matches the name of a logger, a thread or a place in the code at the
	// start of a line.
	named = lazy.Regexp{Text: `^(?:\[[^\]\s]{1,40}\]|\d+ --- |[\w.$:<>/-]+(?: -| :|:\d+) )`}
)

// withoutPrefix cuts time, level and names from the start of a line. Without a
// level the weight is noise.
func withoutPrefix(line []byte) (text []byte, w weight) {
	rest, cut := line, false
	for range 6 {
		at := bytes.TrimLeft(rest, " \t|:-")
		if !cut {
			at = rest
		}
		if m := stamp.Get().Find(at); m != nil {
			rest, cut = at[len(m):], true
		} else if m := level.Get().FindSubmatch(at); m != nil && w == noise {
			rest, cut, w = at[len(m[0]):], true, levelOf(string(m[1])+string(m[2])+string(m[3]))
		} else if m := named.Get().Find(at); m != nil && (cut || begins(at[len(m):])) {
			rest = at[len(m):]
		} else {
			break
		}
	}
	if cut {
		rest = bytes.TrimLeft(rest, " \t|:-")
	}
	if len(rest) == 0 {
		return line, w
	}
	return rest, w
}

// begins reports whether a line begins with a time or a level.
func begins(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return stamp.Get().Match(line) || level.Get().Match(line)
}

// levelOf returns the weight of a level, a word or a number of pino and bunyan.
func levelOf(word string) weight {
	switch strings.ToLower(word) {
	case "fatal", "ftl", "critical", "panic", "pnc", "dpanic", "emerg", "alert", "60":
		return fatal
	case "error", "err", "severe", "50":
		return failure
	}
	return remark
}

// message returns what a line of a structured log says, and noise if it is none.
func message(line []byte) (text []byte, w weight) {
	var said, problem string
	var more []string
	for key, value := range pairs(line) {
		switch {
		case one("levels", key):
			w = levelOf(value)
		case one("messages", key):
			said = lastLine(value)
		case one("problems", key):
			problem = lastLine(value)
		case !one("ignored", key) && value != "" && len(value) < 100 && len(more) < 3:
			more = append(more, key+"="+value)
		}
	}
	if w == noise || said == "" && problem == "" {
		return line, noise
	}
	switch {
	case said == "":
		said = problem
	case !strings.Contains(said, problem):
		said += ": " + problem
	}
	if w >= failure && len(more) > 0 {
		said += " (" + strings.Join(more, ", ") + ")"
	}
	return []byte(said), w
}

// one reports whether a key is on a list of the table.
func one(name, key string) bool {
	return slices.ContainsFunc(listed(name), func(k string) bool { return strings.EqualFold(k, key) })
}

// pairs yields the keys of a line that is a JSON object, or key=value pairs, with
// what their values say: of an object its message.
func pairs(line []byte) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		if len(line) > 0 && line[0] == '{' {
			for key, value := range lex.Members(line) {
				text := string(value)
				switch value[0] {
				case '"':
					text = lex.Unquote(value)
				case '{':
					text = lex.Unquote(lex.Get(value, "message"))
				}
				if !yield(lex.Unquote(key), text) {
					return
				}
			}
			return
		}
		if !bytes.Contains(line, []byte("level=")) {
			return
		}
		for _, m := range pair.Get().FindAllSubmatch(line, 20) {
			value := string(m[2])
			if strings.HasPrefix(value, `"`) {
				value = lex.Unquote(m[2])
			}
			if !yield(string(m[1]), value) {
				return
			}
		}
	}
}

// pair matches a pair of a line of key=value pairs.
var pair = lazy.Regexp{Text: `([\w.@-]+)=("(?:[^"\\]|\\.)*"|\S*)`}

// lastLine returns the first line of a text, of a Python traceback the last one.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "Traceback") {
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// isNoise reports whether a line only accompanies an error.
func isNoise(line []byte) bool {
	for _, start := range listed("noise") {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	if bytes.HasSuffix(line, []byte(")")) && goFrame.Get().Match(line) {
		return true
	}
	rest, ok := npmError(line)
	if !ok {
		return false
	}
	for _, start := range listed("npmNoise") {
		if bytes.HasPrefix(rest, []byte(start)) {
			return true
		}
	}
	return len(rest) == 0 || rest[0] == ' ' || rest[0] == '}' || string(rest) == "404"
}

// goFrame matches a function of the program or of the runtime in a stack trace of
// Go.
var goFrame = lazy.Regexp{Text: `^(?:main|runtime)\.[\w.(*)\[\]]+\(.*\)$`}

// column matches the place in the code that rich writes at the right side, and the
// blanks before it.
var column = lazy.Regexp{Text: `\s{2,}[\w-]+\.py:\d+\s*$`}

// withoutColumn cuts that place from a line.
func withoutColumn(line []byte) []byte {
	if bytes.Contains(line, []byte(".py:")) {
		return column.Get().ReplaceAll(line, nil)
	}
	return line
}

// npmError returns what npm says in a line of an error.
func npmError(line []byte) (rest []byte, ok bool) {
	for _, start := range [...]string{"npm error", "npm ERR!"} {
		if rest, ok := bytes.CutPrefix(line, []byte(start)); ok {
			return bytes.TrimPrefix(rest, []byte(" ")), true
		}
	}
	return nil, false
}

var (
	// warning matches the start of a line that warns.
	warning = lazy.Regexp{Text: `^(?:npm |\(node:\d+\) )?(?:\[DEP\d+\] )?(?:(?i:warn|warning|notice|hint|info|debug)\b|\(Use .node --trace)`}

	// warned matches a warning anywhere in a line.
	warned = lazy.Regexp{Text: `\bwarning: |\b\w*(?:Deprecation|Future|User|Runtime|Resource|Syntax|Experimental)Warning: `}
)

// isWarning looks for the words first: the expressions take longer than all else that is
// done with a line.
func isWarning(line []byte) bool {
	line = line[:min(len(line), 200)]
	return bytes.Contains(line, []byte("arning: ")) && warned.Get().Match(line) ||
		Mentions(line, "warn", "notice", "hint", "info", "debug", "--trace") && warning.Get().Match(line)
}

// namesException reports whether a line begins like an uncaught exception:
// "KeyError: 'X'", "Error [ERR_X]: …", "java.lang.Exception: …", "panic: …".
func namesException(line []byte) bool {
	for _, start := range listed("exceptions") {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	end := bytes.IndexAny(line, ": [(")
	if end < 0 {
		end = len(line)
	}
	name := line[:end]
	for _, c := range name {
		if c != '.' && c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	if end == len(line) || line[end] == ':' || line[end] == ' ' && end+1 < len(line) && line[end+1] == '[' {
		return bytes.HasSuffix(name, []byte("Error")) || bytes.HasSuffix(name, []byte("Exception")) || bytes.HasSuffix(name, []byte("Interrupt"))
	}
	return false
}

// Mentions reports whether the first 512 bytes of a line have one of the words,
// which are in lower case, ignoring case.
func Mentions(line []byte, words ...string) bool {
	if len(line) == 0 {
		return false
	}
	lower := bytes.ToLower(line[:min(len(line), 512)])
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(lower, []byte(w)) })
}

// Plain removes escape sequences of the form CSI … letter from a line and
// reports whether there were any.
func Plain(line []byte) ([]byte, bool) {
	const csi = "\x1b["
	if !bytes.Contains(line, []byte(csi)) {
		return line, false
	}
	var out []byte
	for {
		before, after, found := bytes.Cut(line, []byte(csi))
		out = append(out, before...)
		if !found {
			return out, true
		}
		end := bytes.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		line = after[end+1:]
	}
}
