package stderr

import (
	"bytes"

	"wiretea/session"
	"wiretea/session/lazy"
)

// looked is how much of a line is looked at for its level, in bytes.
const looked = 200

// levels are the words of loggers, in lower case. The first one in a line
// decides.
var levels = lazy.Value[map[string]session.Severity]{New: func() map[string]session.Severity {
	return map[string]session.Severity{
		"error": session.Error, "err": session.Error, "fatal": session.Error, "critical": session.Error, "crit": session.Error,
		"severe": session.Error, "panic": session.Error, "emerg": session.Error, "alert": session.Error, "exception": session.Error,
		"warn": session.Warning, "warning": session.Warning,
		"info": session.NoSeverity, "debug": session.NoSeverity, "trace": session.NoSeverity, "notice": session.NoSeverity,
	}
}}

// level guesses what a line is. A word counts where it is placed as levels are:
// in capitals, in brackets or quotes, behind an equals sign, before a colon.
func level(line []byte) session.Severity {
	line = line[:min(len(line), looked)]
	if bytes.HasPrefix(line, []byte("Traceback (most recent call last)")) || bytes.Contains(line, []byte("' panicked at ")) {
		return session.Error
	}
	for i := 0; i < len(line); {
		if !letter(line[i]) {
			i++
			continue
		}
		end := i
		for end < len(line) && letter(line[end]) {
			end++
		}
		word, behind := line[i:end], byte(0)
		if end < len(line) {
			behind = line[end]
		}
		if behind == ':' && (bytes.HasSuffix(word, []byte("Error")) || bytes.HasSuffix(word, []byte("Exception"))) {
			return session.Error
		}
		if sev, known := levels.Get()[string(bytes.ToLower(word))]; known && stands(line, i, word, behind) {
			return sev
		}
		i = end
	}
	return session.NoSeverity
}

// stands reports whether a word at i is placed as levels are.
func stands(line []byte, i int, word []byte, behind byte) bool {
	if behind == ':' || behind == ']' || bytes.Equal(word, bytes.ToUpper(word)) && len(word) > 2 {
		return true
	}
	if i == 0 {
		return false
	}
	switch line[i-1] {
	case '=', '[', '<', '|':
		return true
	case '"':
		return i > 1 && behind == '"' && (line[i-2] == ':' || line[i-2] == ' ' || line[i-2] == '=')
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
